# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares heddle.sample with its formula in double precision. An id is right where its weight is
not 0 and what is searched for lies between the sums before it and with it, but for roundings."""
import sys

import numpy as np

import heddle

seed = np.random.SeedSequence().entropy
print("seed", seed)
random = np.random.default_rng(seed)
model = heddle.load(sys.argv[1])
ROUNDING = 2.0**-24


def logits(shape):
    """Any, all equal, few different ones, many of -infinity, and far from 0 and each other."""
    normal = random.normal(size=shape)
    yield 3 * normal
    yield np.full(shape, 2.5)
    yield random.integers(-2, 3, shape)
    some = np.where(random.random(shape) < 0.9, -np.inf, normal)
    some[..., random.integers(shape[-1])] = 0
    yield some
    yield 1000 * normal - 5000


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
    yield some(-1, 0, 1e-30, 1e30, np.nan), some(-1, 2, np.nan), uniform


def check(x, t, p, u, found):
    """Of one row."""
    largest = x.max()
    if not np.isfinite(largest):
        return found == -1
    with np.errstate(all="ignore"):
        w = np.exp((x - largest) / t) if t > 0 else np.zeros(x.shape)
    w[x == largest] = 1
    # What is about min_p may be kept or not.
    least = p if p < 1 else 1
    unsure = w[abs(w - least) <= 1e-5 * w].sum() if 0 < least < 1 else 0
    w[w < least * (1 - 1e-5)] = 0
    target = (min(u, 1 - ROUNDING) if u > 0 else 0) * w.sum()
    blocks = len(x) // 256 + 1
    off = ROUNDING * (8 * 16 + 8 * blocks**0.5 + 64) * w.sum() + unsure
    sums = np.cumsum(w)
    if not 0 <= found < len(x) or w[found] == 0:
        return False
    return sums[found] - w[found] - off <= target <= sums[found] + off


def compare(entry, shape, dtype):
    """All logits with all numbers, and with rows that have no answer."""
    for x in logits(shape):
        for t, p, u in numbers(shape[:-1]):
            x, t, p, u = x.astype(dtype), *(np.asarray(n, np.float32) for n in (t, p, u))
            for bad in (None, np.nan, np.inf, -np.inf):
                if bad is not None:
                    x = x.copy()
                    x[..., random.integers(shape[-1], size=1 if bad != -np.inf else None)] = bad
                    if bad == -np.inf:
                        x[...] = bad
                found = np.asarray(entry(x=x, t=t, p=p, u=u))
                rows = zip(x.astype("f8").reshape(-1, shape[-1]), t.flat, p.flat, u.flat,
                           found.flat)
                for row in rows:
                    if not check(*row):
                        sys.exit(f"{entry.name}: {row[1:]} is wrong for {row[0]}")


compare(model.one, (1,), np.float32)
compare(model.few, (6, 9), np.float32)
compare(model.many, (3, 5000), np.float32)
compare(model.rows, (2, 3, 512), np.float16)
for size in (1, 255, 256, 257, 1300):
    compare(model.unknown, (2, size), np.float32)

# How often each id is drawn: the mean and the deviation of a binomial distribution.
x = np.array([0.0, 1.0, -1.0, 2.0, -np.inf, 0.5, 0.5, -3.0, 1.5], np.float32)
calls, batch, t = 20, 1000, 0.7
counts = np.zeros(9)
for _ in range(calls):
    found = np.asarray(model.few(
        x=np.tile(x, (batch, 1)), t=np.full(batch, t, np.float32),
        p=np.full(batch, 0.02, np.float32), u=random.random(batch).astype(np.float32)))
    counts += np.bincount(found, minlength=9)
w = np.exp((x.astype("f8") - 2) / t)
w[w < 0.02] = 0
share = w / w.sum()
deviation = np.sqrt(calls * batch * share * (1 - share))
if not (abs(counts - calls * batch * share) <= 6 * deviation).all():
    sys.exit(f"drawn {counts}, expected {calls * batch * share}")
