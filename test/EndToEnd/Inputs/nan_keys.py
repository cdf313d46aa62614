#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nan_keys.py write LENGTH KEY: random q.npy, k.npy, v.npy of LENGTH rows, with a NaN
in row KEY of k; starts.npy of 0.
nan_keys.py show: which rows of y.npy hold a NaN."""

import sys

import numpy

if sys.argv[1] == "write":
    length, key = int(sys.argv[2]), int(sys.argv[3])
    random = numpy.random.default_rng(1)
    for name in "qkv":
        rows = random.standard_normal((1, length, 8)).astype("<f4")
        if name == "k":
            rows[0, key, 3] = numpy.nan
        numpy.save(name + ".npy", rows)
    numpy.save("starts.npy", numpy.zeros(1, "<i4"))
else:
    rows = numpy.flatnonzero(numpy.isnan(numpy.load("y.npy")[0]).all(axis=1))
    is_block = len(rows) and len(rows) == rows[-1] - rows[0] + 1
    print("not numbers: rows",
          f"{rows[0]} to {rows[-1]}" if is_block else list(rows))
