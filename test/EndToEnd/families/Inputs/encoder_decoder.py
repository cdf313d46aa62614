# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares a compiled encoder-decoder with transformers' numbers at every position of each record:
logits after prefill of any length, and of each step of decoding, and what it answers a text.

    encoder_decoder.py LIBRARY EXPECTED.json"""
import json
import sys

import numpy as np

import heddle
from sources import Source

TOLERANCE = 1e-5  # of the largest number

model = heddle.load(sys.argv[1])
expected = json.load(open(sys.argv[2]))
worst = {"encode": 0.0, "prefill": 0.0, "decode": 0.0}


def compare(entry, what, found, right):
    right = np.array(right)
    error = np.abs(found - right).max() / np.abs(right).max()
    if not error <= TOLERANCE:
        sys.exit(f"{entry}: {what}: off by {error:.2g} of the largest, found "
                 f"{found.ravel()[:4]}, expected {right.ravel()[:4]}")
    worst[entry] = max(worst[entry], error)


one = np.ones(1, np.int32)
for number, record in enumerate(expected["records"]):
    source = Source(model, [record.get("input_ids") or record["input_features"]])
    compare("encode", f"record {number}", source.hidden[0], record["encoder_hidden"])
    ids = np.array(record["decoder_ids"], np.int32)
    for length in range(1, len(ids) + 1):
        cache = model.cache("prefill", "cache", batch=1, capacity=len(ids))
        found = source.prefill(ids[None, :length], 0 * one, length * one, cache)
        compare("prefill", f"position {length - 1}", found[0], record["logits"][length - 1])
    cache = model.cache("prefill", "cache", batch=1, capacity=len(ids))
    for position in range(len(ids)):
        found = source.decode(ids[None, position:position + 1], position * one, one, cache)
        compare("decode", f"position {position}", found[0], record["logits"][position])
    if "input_ids" in record:
        answer = list(model.generate(record["input_ids"], max_tokens=8, end_ids=[]))
        assert answer == record["generated"], (answer, record["generated"])
print(", ".join(f"{entry} within {error:.2g}" for entry, error in worst.items()))
