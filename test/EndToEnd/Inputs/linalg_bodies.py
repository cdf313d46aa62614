# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs linalg_bodies.mlir, compiled to linalg_bodies.o, and compares it with NumPy."""
import sys
import time

import numpy

from judge.running import check_entry

seed = time.time_ns() % 2**31
print(f"seed {seed}", file=sys.stderr)
random = numpy.random.default_rng(seed)


def check(entry, *inputs, **expected):
    check_entry("linalg_bodies.o", entry, *inputs, **expected)


def floats(*shape):
    return random.standard_normal(shape, numpy.float32)


def inserted(x, s, row):
    last, first = x.copy(), x.copy()
    last[-1], first[0, 1::2] = row, s
    return {"y": last, "z": first}


for n in (1, 2, 17, 64):
    ids, table = random.integers(-9, 60, (2, n)), floats(50, 8)
    ids[0, 0], ids[1, 0] = 2**40, -(2**33)
    check("embed", {"ids": ids, "t": table}, y=table[ids.clip(0, 49)])
    x = floats(n, 6)
    check("reverse", {"x": x}, y=x[::-1, 1::2])
    ids, table = random.integers(-(2**31), 2**31, n, "i4"), floats(40)
    # The remainder of a negative number is that of 2^64 more.
    at = [(7 * int(id) + i) % 2**64 % 40 for i, id in enumerate(ids)]
    check("hash", {"ids": ids, "t": table}, y=table[at], z=ids.astype(numpy.int64) * 5_000_000_000)
    s, row = floats(3), floats(6)
    check("insert", {"x": x, "s": s, "row": row}, **inserted(x, s, row))
    x, table = floats(n), floats(4)
    check("outside", {"x": x, "t": table}, y=x * table[2], z=numpy.full((2, 3), table[2]))
