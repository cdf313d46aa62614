# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention whose products are subnormal: right, and without a trace in the caller's arithmetic.

    steep_slopes.py LIBRARY"""
import sys

import numpy as np

import heddle

HEADS, CHANNELS = 2, 32


def attend(x, slopes):
    length = len(x)
    heads = x.reshape(length, HEADS, CHANNELS).transpose(1, 0, 2).astype(float)
    scores = heads @ heads.transpose(0, 2, 1) / np.sqrt(CHANNELS)
    places = np.arange(length)
    scores = scores + slopes[:, None, None] * (places - places[:, None])
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return (weights @ heads).transpose(1, 0, 2).reshape(length, -1)


def least():
    """The least product that is no zero where subnormal numbers are kept."""
    return np.float32(2.0**-100) * np.float32(2.0**-49)


seed = np.random.SeedSequence().entropy
random = np.random.default_rng(seed)
model = heddle.load(sys.argv[1])
for length in (1, 5, 100):
    x = random.standard_normal((1, length, HEADS * CHANNELS)).astype(np.float32)
    slopes = random.uniform(0.5, 3, HEADS).astype(np.float32)
    right = attend(x[0], slopes.astype(float))
    found = model.attend(x=x, slopes=slopes)
    error = np.abs(found[0] - right).max()
    assert error < 1e-5 * np.abs(right).max(), (length, error, seed)
    assert least() == 2.0**-149, "the call has left its mode behind"
# Of values that are subnormal nothing is left.
tiny = (random.uniform(0.5, 1, (1, 40, HEADS * CHANNELS)) * 2.0**-130).astype(np.float32)
assert (model.attend(x=tiny, slopes=slopes) == 0).all(), seed
print("steep slopes: all is well")
