#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nan_values.py write LENGTH [KEY VALUE]...: random q.npy, k.npy, v.npy of LENGTH rows, with
VALUE (nan, inf) in row KEY of v, channel 19.
nan_values.py show: how far y.npy is from causal attention in f64, and which of its numbers are
none though they should be, or the other way round."""

import sys

import numpy

heads, channels = 2, 16
if sys.argv[1] == "write":
    random = numpy.random.default_rng()
    for name in "qkv":
        rows = random.standard_normal((1, int(sys.argv[2]), heads * channels)).astype("<f4")
        if name == "v":
            for key, value in zip(sys.argv[3::2], sys.argv[4::2]):
                rows[0, int(key), 19] = float(value)
        numpy.save(name + ".npy", rows)
else:
    q, k, v = (numpy.load(name + ".npy")[0].astype(float).reshape(-1, heads, channels)
               for name in "qkv")
    y = numpy.load("y.npy")[0].reshape(-1, heads, channels)
    expected = numpy.empty_like(y)
    for row in range(len(q)):
        for head in range(heads):
            scores = k[: row + 1, head] @ q[row, head] / channels**0.5
            weights = numpy.exp(scores - scores.max())
            expected[row, head] = weights @ v[: row + 1, head] / weights.sum()
    wrong = numpy.isfinite(y) != numpy.isfinite(expected)
    both = numpy.isfinite(y) & numpy.isfinite(expected)
    # Factors are off by a 256th of themselves: scores by 1/64 of up to 16 products, and values.
    error = numpy.abs(y - expected)[both].max()
    print(f"not numbers: {(~numpy.isfinite(y)).any(axis=(1, 2)).sum()} rows,",
          f"{wrong.sum()} wrong, error {'small' if error < 0.1 else error}")
