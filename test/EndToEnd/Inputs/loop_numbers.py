# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs loop_numbers.mlir, compiled to loop_numbers.o, and compares it with NumPy."""
import sys
import time

import numpy

from judge.running import check_entry

seed = time.time_ns() % 2**31
print(f"seed {seed}", file=sys.stderr)
random = numpy.random.default_rng(seed)


def check(entry, *inputs, **expected):
    check_entry("loop_numbers.o", entry, *inputs, **expected)


def integers(*shape):
    return random.integers(-(2**31), 2**31, shape, "i4")


def scan(x, h):
    rows = []
    for row in x:
        h = 3 * h + row
        rows.append(h)
    return {"y": numpy.stack(rows), "last": h}


def window(x, at, to):
    height, width = x.shape[0], x.shape[1] - 2
    row, column = min(max(at[0], 0), height - 5), min(max(at[1], 0), 2)
    y, z = x[row : row + 5 : 2, column : column + width], x.copy()
    z[to : to + 3, 1:-1] = y
    return {"y": y, "z": z}


def follow(links):
    seen, i, steps = numpy.zeros(len(links), bool), 0, 1
    while True:
        if 0 <= i < len(links):
            seen[i] = True
        link = links[min(i, len(links) - 1)]
        if link == 0 or steps == len(links):
            return {"seen": seen, "end": numpy.array([i, steps])}
        i, steps = link, steps + 1


def types(x, k):
    n, total = len(x), numpy.float32(0)
    for value in x:
        total += value
    chosen = numpy.float32(2**n) if n % 2 else total
    steps = sum(i for i in range(n) if i % 2)
    byte = numpy.array(pow(int(k), n) % 256, numpy.uint8).view(numpy.int8)
    return {
        "sums": numpy.array([[total, chosen, 0], [chosen, total, 0]], numpy.float32),
        "y": numpy.arange(n, dtype=numpy.int32) * steps,
        "count": numpy.array(n),
        "byte": byte,
        "odd": numpy.array(n % 2 == 1),
    }


for n in (1, 2, 13):
    x, h = integers(n, 6), integers(1, 6)
    expected = scan(x, h[0])
    check("scan", {"x": x, "h": h}, **expected)
    for at in ([0, 0], [n - 1, 2], [1, 1], [-3, -(2**40)], [2**33, 7]):
        x, to = random.standard_normal((n + 4, n + 2), "f4"), random.integers(0, n + 2)
        inputs = {"x": x, "at": numpy.array(at), "to": numpy.array(to, numpy.int32)}
        check("window", inputs, [f"n={n}", f"m={n}"], **window(x, at, to))
    order = random.permutation(numpy.arange(1, n))
    links = numpy.zeros(n, numpy.int32)
    for here, there in zip([0, *order], order):
        links[here] = there
    check("follow", {"next": links}, **follow(links))
    x = random.integers(-99, 99, n).astype(numpy.float32)
    k = numpy.array(random.integers(-128, 128), numpy.int8)
    check("types", {"x": x, "k": k}, **types(x, k))
    x = random.integers(-(2**63), 2**63, 5, "i8")
    last = sum(i * i for i in range(6)) + 7
    check("carried", {"x": x}, y=x + numpy.int64(last), last=numpy.array(36))
links = numpy.array([3, 0, 0, 9, 2], numpy.int32)  # from 3 to outside, and on to 2
check("follow", {"next": links}, **follow(links))
x = integers(3)
check("standing", {"x": x}, y=x)
