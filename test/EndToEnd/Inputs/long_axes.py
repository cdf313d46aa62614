# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares arg_reduce with NumPy on elements of which many are equal, and some none of numbers."""
import sys

import numpy as np

import heddle

seed = np.random.SeedSequence().entropy
print("seed", seed)
random = np.random.default_rng(seed)
model = heddle.load(sys.argv[1])


def fills(shape, dtype):
    """Few numbers, one, the lowest, and with NaN in few places or in all."""
    few = random.integers(-3, 4, shape).astype(dtype)
    yield few
    yield np.full(shape, 1, dtype)
    if not np.issubdtype(dtype, np.floating):
        yield np.full(shape, np.iinfo(dtype).min, dtype)
        return
    for value in (-np.inf, np.inf, np.nan):
        yield np.full(shape, value, dtype)
        yield np.where(random.random(shape) < 1e-3, value, few).astype(dtype)
    yield np.where(random.random(shape) < 0.5, -np.inf, np.nan).astype(dtype)
    yield np.where(random.random(shape) < 0.5, -0.0, 0.0).astype(dtype)


for entry, shape, dtype, find, axis in (
        (model.inner, (7, 4096), np.float32, np.argmax, 1),
        (model.outer, (2048, 5), np.float16, np.argmin, 0),
        (model.integers, (3, 2304), np.int8, np.argmax, 1),
        (model.odd, (2, 2049), np.float32, np.argmax, 1)):
    for x in fills(shape, dtype):
        found = np.asarray(entry(x=x)).reshape(-1)
        expected = find(x, axis=axis)
        if not np.array_equal(found, expected):
            sys.exit(f"{entry.name}: found {found}, expected {expected}")
