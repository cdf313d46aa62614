# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares heddle.sample with its formula in double precision. An id is right where its weight is
not 0 and what is searched for lies between the sums before it and with it, but for roundings."""
import sys

import numpy as np

import heddle
import logits

seed = np.random.SeedSequence().entropy
print("seed", seed)
random = np.random.default_rng(seed)
model = heddle.load(sys.argv[1])
IS_SLOW = sys.argv[2] == "some"  # a device of tests


def numbers(shape):
    """Temperatures, min_p and uniform numbers: usual ones, those at borders and outside."""
    def some(*choices):
        return random.choice(np.array(choices), shape)
    uniform = random.random(shape)
    yield np.zeros(shape), np.zeros(shape), np.zeros(shape)
    yield random.uniform(0.2, 2, shape), np.zeros(shape), uniform
    yield random.uniform(0.5, 5, shape), random.uniform(0, 0.6, shape), uniform
    yield np.ones(shape), np.ones(shape), uniform
    yield np.ones(shape), np.zeros(shape), some(0, 1, 0.99999999, -3, 7, np.nan)
    yield some(-1, 0, 1e-30, 1e30, np.inf, np.nan), some(-1, 2, np.nan), uniform


def check(x, t, p, u, found):
    """Of one row."""
    if not np.isfinite(x.max()):
        return found == -1
    w = logits.weights(x, t)
    # What is about min_p may be kept or not.
    least = p if p < 1 else 1
    unsure = w[abs(w - least) <= 1e-5 * w].sum() if 0 < least < 1 else 0
    w[w < least * (1 - 1e-5)] = 0
    target = (min(u, 1 - logits.ROUNDING) if u > 0 else 0) * w.sum()
    off = logits.roundings(w, len(x) // 256 + 1) + unsure
    sums = np.cumsum(w)
    if not 0 <= found < len(x) or w[found] == 0:
        return False
    return sums[found] - w[found] - off <= target <= sums[found] + off


def compare_rows(entry, x, t, p, u):
    t, p, u = (np.asarray(n, np.float32) for n in (t, p, u))
    given = x
    if entry.name == "rows":  # bf16, as bits
        given = (x.view(np.uint32) >> 16).astype(np.uint16)
        x = (given.astype(np.uint32) << 16).view(np.float32)
    found = np.asarray(entry(x=given, t=t, p=p, u=u))
    rows = x.astype("f8").reshape(-1, x.shape[-1])
    for row in zip(rows, t.flat, p.flat, u.flat, found.flat):
        if not check(*row):
            sys.exit(f"{entry.name}: {row[1:]} is wrong for {row[0]}")


def compare(entry, *shape):
    """All logits with all numbers, and rows that have no answer."""
    for x in logits.kinds(random, shape):
        x = x.astype(np.float32)
        all_numbers = list(numbers(shape[:-1]))
        if IS_SLOW:
            all_numbers = [all_numbers[i] for i in random.choice(len(all_numbers), 2, False)]
        for t, p, u in all_numbers:
            compare_rows(entry, x, t, p, u)
    for x in logits.without_largest(random, x):
        compare_rows(entry, x, *list(numbers(shape[:-1]))[1])


compare(model.one, 1)
compare(model.few, 6, 9)
compare(model.many, 2, 2500)
compare(model.rows, 2, 3, 512)
for size in (257, 8193) if IS_SLOW else (1, 255, 256, 257, 8192, 8193, 20000):
    compare(model.unknown, 2, size)

# How often each id is drawn: the mean and the deviation of a binomial distribution.
x = np.array([0.0, 1.0, -1.0, 2.0, -np.inf, 0.5, 0.5, -3.0, 1.5], np.float32)
calls, batch, t = 2, 1000, 0.7
counts = np.zeros(9)
for _ in range(calls):
    found = np.asarray(model.few(
        x=np.tile(x, (batch, 1)), t=np.full(batch, t, np.float32),
        p=np.full(batch, 0.02, np.float32), u=random.random(batch).astype(np.float32)))
    counts += np.bincount(found, minlength=9)
w = logits.weights(x.astype("f8"), t)
w[w < 0.02] = 0
share = w / w.sum()
deviation = np.sqrt(calls * batch * share * (1 - share))
if not (abs(counts - calls * batch * share) <= 6 * deviation).all():
    sys.exit(f"drawn {counts}, expected {calls * batch * share}")
