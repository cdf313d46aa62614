# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares heddle.keep_likely with its formula in double precision. What is kept is right where it
is all from a logit on, and its weights are enough but for roundings, and would not be without."""
import sys

import numpy as np

import heddle
import logits

seed = np.random.SeedSequence().entropy
print("seed", seed)
random = np.random.default_rng(seed)
short, long = (heddle.load(path) for path in sys.argv[1:3])
IS_SLOW = sys.argv[3] == "some"  # a device of tests


def numbers(shape, size):
    """Temperatures, top_k and top_p: usual ones, one of both alone, at borders and outside."""
    def some(*choices):
        return random.choice(np.array(choices), shape)
    everything, usual = np.zeros(shape), random.uniform(0.3, 2, shape)
    few = random.integers(1, max(size // 4, 1) + 1, shape)
    yield usual, few, random.uniform(0.1, 1, shape)
    yield usual, everything, random.uniform(0, 1, shape)
    yield usual, few, np.ones(shape)
    yield usual, some(-5, 1, size - 1, size, size + 1, 2**31 - 1), some(0.5, 1)
    yield usual, everything, some(-1, 0, 1e-20, 0.9999999, 2, np.nan)
    yield some(-1, 0, 1e-30, 1e30, np.inf, np.nan), some(0, 2), some(0.3, 0.9)


def check(x, t, k, p, y):
    """Of one row."""
    if not np.isfinite(x.max()):
        return np.array_equal(x, y, equal_nan=True)
    kept = y == x
    if not (kept | (y == -np.inf)).all() or not kept.any():
        return False
    least = y[y > -np.inf].min()
    if not np.array_equal(kept & (x > -np.inf), x >= least):
        return False
    if 0 < k < len(x):
        at_least = np.sort(x)[-k]
        if least < at_least:
            return False
        x = np.where(x >= at_least, x, -np.inf)
    if not p < 1:
        return least == x[x > -np.inf].min()
    w = logits.weights(x, t)
    target = max(p * w.sum(), 1)
    off = 2 * logits.roundings(w, len(x) // 1024 + 1)
    return (w[x >= least].sum() >= target - off
            and (least == x.max() or w[x > least].sum() < target + off))  # fmt: skip


def compare_rows(entry, x, t, k, p):
    t, k, p = np.asarray(t, np.float32), np.asarray(k, np.int32), np.asarray(p, np.float32)
    found = np.asarray(entry(x=x, t=t, k=k, p=p))
    size = x.shape[-1]
    rows = x.astype("f8").reshape(-1, size), found.astype("f8").reshape(-1, size)
    for row in zip(rows[0], t.flat, k.flat, p.flat, rows[1]):
        if not check(*row):
            sys.exit(f"{entry.name}: {row[4]} is wrong for {row[:4]}")


def compare(entry, shape, dtype):
    """Logits with numbers, and rows of which all is kept."""
    for x in logits.kinds(random, shape):
        all_numbers = list(numbers(shape[:-1], shape[-1]))
        if IS_SLOW:
            all_numbers = [all_numbers[random.integers(len(all_numbers))]]
        for t, k, p in all_numbers:
            compare_rows(entry, x.astype(dtype), t, k, p)
    for x in logits.without_largest(random, x.astype(dtype)):
        compare_rows(entry, x, *next(numbers(shape[:-1], shape[-1])))


compare(short.one, (1,), np.float32)
compare(short.few, (6, 9), np.float32)
compare(short.rows, (2, 3, 512), np.float16)
compare(long.many, (1, 2500), np.float32)
for size in (1025,) if IS_SLOW else (1, 1023, 1024, 1025):
    compare(long.unknown, (2, size), np.float32)
