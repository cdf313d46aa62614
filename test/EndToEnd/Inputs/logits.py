# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Logits for tests of what chooses by them, and what roundings may make of their weights."""
import numpy as np

ROUNDING = 2.0**-24


def kinds(random, shape):
    """Any, all equal, few different ones, many of -infinity, and far from 0 and each other."""
    normal = random.normal(size=shape)
    some = np.where(random.random(shape) < 0.9, -np.inf, normal)
    some[..., random.integers(shape[-1])] = 0
    return [3 * normal, np.full(shape, 2.5), random.integers(-2, 3, shape), some,
            1000 * normal - 5000]  # fmt: skip


def without_largest(random, x):
    """Rows whose largest logit is no number: of NaN, of infinity, and without any."""
    for bad in (np.nan, np.inf):
        one = x.copy()
        one[..., random.integers(x.shape[-1])] = bad
        yield one
    yield np.full_like(x, -np.inf)


def weights(x, temperature):
    """Of a row, in double precision."""
    with np.errstate(all="ignore"):
        w = np.exp((x - x.max()) / temperature) if temperature > 0 else np.zeros(x.shape)
    w[x == x.max()] = 1
    w[x == -np.inf] = 0
    return w


def roundings(w, blocks):
    """How far sums of weights of a row may be off where blocks of them are summed: 8 sqrt(n)
    roundings of n terms (compiler/Reference/ErrorBounds.h), and those of the weights."""
    return ROUNDING * (8 * (len(w) / blocks) ** 0.5 + 8 * blocks**0.5 + 64) * w.sum()
