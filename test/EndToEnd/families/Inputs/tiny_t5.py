# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A T5 that others drew at random: what its encoder gives, its logits and what it answers.

    tiny_t5.py LIBRARY our_numpy.json"""
import json
import sys

import numpy as np

import heddle
from folders import TOLERANCE, off
from sources import Source

model, right = heddle.load(sys.argv[1]), json.load(open(sys.argv[2]))
source, target = Source(model, [right["source"]]), np.array([right["target"]], np.int32)
hidden = source.hidden[0]
assert off(hidden[0], right["encoder_first"]) < TOLERANCE, hidden[0]
assert off(hidden[-1], right["encoder_last"]) < TOLERANCE, hidden[-1]
lengths = np.array([target.size], np.int32)
logits = source.prefill(target, 0 * lengths, lengths,
                        model.cache("prefill", "cache", batch=1, capacity=target.size))[0]
assert off(logits[:16], right["logits_last_first_16"]) < TOLERANCE, logits[:16]
assert logits.argmax() == right["argmax"][-1]
greedy = right["greedy"][1:]
answer = list(model.generate(right["source"], max_tokens=len(greedy)))
assert answer == greedy, (answer, greedy)
print("tiny-t5: all is well")
