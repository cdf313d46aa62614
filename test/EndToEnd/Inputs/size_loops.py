# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs size_loops.mlir, compiled to size_loops.o, and compares what comes of it with Python."""
import numpy

from judge.running import check_entry


def check(entry, inputs, **expected):
    check_entry("size_loops.o", entry, inputs, **expected)


def numbers(x, m):
    n, y = len(x), x
    for _ in range(n // 2, 2 * m - 1, 3):
        y = (-y if n < m else y) + n * x
    return y


# Small integers, of which all sums are exact.
for n, m in (1, 1), (2, 9), (5, 4), (7, 8):
    x = numpy.arange(4 * n, dtype="<f4").reshape(n, 4)
    z = numpy.zeros(m, "<f4")
    check("rows", {"x": x}, y=n * x)
    check("numbers", {"x": x[:, :3].copy(), "z": z}, y=numbers(x[:, :3], m))
    x = x[:, 0].copy()
    check("scaled", {"x": x, "z": z}, y=x / numpy.float32(m + 1),
          filled=numpy.full(n, m + 1, "<i8"))  # fmt: skip
