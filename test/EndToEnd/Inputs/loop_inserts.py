# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs loop_inserts.mlir, compiled to loop_inserts.o, and compares it with NumPy."""
import sys
import time

import numpy

from judge.running import check_entry

seed = time.time_ns() % 2**31
print(f"seed {seed}", file=sys.stderr)
random = numpy.random.default_rng(seed)


def check(entry, *inputs, **expected):
    check_entry("loop_inserts.o", entry, *inputs, **expected)


def sums(x):
    y = x.copy()
    for t in range(1, x.shape[1]):
        y[:, t] = x[:, t] + y[:, t - 1]
    return y


def scattered(x, at):
    y = x.copy()
    for step, start in enumerate(at):
        for column in (start, start + 1):
            if 0 <= column < 7:
                y[:, column] = step
    return y


def swapped(x, z):
    a, b, c = x.copy(), z.copy(), x.copy()
    for t in range(4):
        row = b[t].copy()
        a[t] = 2 * row
        c[1] = row
        a, b = b, a
    return {"y": a, "w": b, "k": c}


def lagging(x):
    before = 2 * x
    before[3] = x[3]
    return {"y": 2 * x, "w": before}


def nested(x, steps):
    a = x.copy()
    for i in range(len(x)):
        row = a[i] + numpy.float16(3)
        for j in range(steps):
            read = min(j, len(x) - 1)
            product = 2 * a[read]
            if j < len(x):
                a[j] = product
        a[i] = row
    return a


def elsewhere(x, part):
    y, z = x.copy(), x.copy()
    y[1:3] = part
    z[0:2] = part
    z[2:4] = part
    return {"y": y, "z": z}


def bytes_of(*shape):
    return random.integers(-128, 128, shape).astype(numpy.int8)


for length in (1, 2, 17):
    for batch in (1, 3):
        x = random.standard_normal((batch, length, 3), "f4")
        check("sums", {"x": x}, y=sums(x))
    for at in ([0], [-1, 6, 3], [-2, 7, 2**40], [-(2**63), 2**63 - 1, 5]):
        x = random.integers(-(2**63), 2**63, (5, 7), "i8")
        check("scattered", {"x": x, "at": numpy.array(at)}, y=scattered(x, at))
    x, z = bytes_of(4, 3), bytes_of(4, 3)
    check("swapped", {"x": x, "z": z}, **swapped(x, z))
    check("lagging", {"x": x}, **lagging(x))
    for steps in (0, 1, length, length + 2):
        x = random.integers(-9, 9, (length, 4)).astype("f2")
        check("nested", {"x": x, "steps": numpy.array(steps)}, y=nested(x, steps))
    x, part = (random.integers(0, 2, (rows, length)).astype(bool) for rows in (4, 2))
    check("elsewhere", {"x": x, "part": part}, **elsewhere(x, part))
