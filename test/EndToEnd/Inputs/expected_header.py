#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""expected.json of a real model, as a C header: expected_header.py FILE > HEADER"""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    expected = json.load(file)
logits = expected["logits_float64"]
rows = logits["values"]


def braces(values):
    return "{" + ", ".join(str(value) for value in values) + "}"


print(f"enum {{ IDS = {len(expected['greedy_ids'])}, VOCABULARY = {len(rows[0])},")
print(f"       POSITIONS = {len(rows)} }};")
print(f"static const int expected_ids[IDS] = {braces(expected['greedy_ids'])};")
print(f"static const int positions[POSITIONS] = {braces(logits['positions'])};")
print("static const double expected_logits[POSITIONS][VOCABULARY] = {")
for row in rows:
    print(f"  {braces(row)},")
print("};")
