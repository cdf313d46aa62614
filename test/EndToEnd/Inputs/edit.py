#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Replaces text, which must be there: edit.py [-1] OLD NEW < IN > OUT

-1 replaces the first place only.
"""

import sys

*options, old, new = sys.argv[1:]
text = sys.stdin.read()
if old not in text:
    sys.exit(f"edit.py: no {old!r} in the input")
sys.stdout.write(text.replace(old, new, 1 if options else -1))
