# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares a decoder with the logits of every position of a text: after a prefill of each
beginning of it, and token by token. The tolerance is relative to the largest logit.

    decoder.py libmodel.so expected.json"""
import json
import sys

import numpy as np

import heddle

TOLERANCE = 1e-5

model = heddle.load(sys.argv[1])
expected = json.load(open(sys.argv[2]))
ids = np.array(expected["tokens"], np.int32)
logits = np.array(expected["logits"])
worst = {"prefill": 0.0, "decode": 0.0}


def compare(entry, position, found):
    error = np.abs(found - logits[position]).max() / np.abs(logits[position]).max()
    if not error <= TOLERANCE:
        sys.exit(f"{entry}: position {position}: off by {error:.2g} of the largest logit, "
                 f"found {found[:4]}, expected {logits[position][:4]}")
    worst[entry] = max(worst[entry], error)


def start():
    return model.cache(batch=1, capacity=len(ids))


one = np.ones(1, np.int32)
for length in range(1, len(ids) + 1):
    found = model.prefill(ids=ids[None, :length], starts=0 * one, lengths=length * one,
                          cache=start())
    compare("prefill", length - 1, found[0])
cache = start()
for position in range(len(ids)):
    found = model.decode(ids=ids[None, position:position + 1], starts=position * one,
                         lengths=one, cache=cache)
    compare("decode", position, found[0])
print(f"{len(ids)} positions: prefill within {worst['prefill']:.2g}, "
      f"decode within {worst['decode']:.2g}")
