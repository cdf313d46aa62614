# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs accumulate.mlir, compiled to accumulate.so, and compares what comes of it with NumPy.

    accumulate.py ROWS...
"""
import sys

import numpy

from judge.running import run

# The largest relative difference that is rounding: sums of up to 71 terms of magnitude 1.
TOLERANCE = 1e-5


def call(entry, inputs, outputs):
    command = ["heddle-run", "run", "accumulate.so", f"--entry={entry}"]
    for name, array in inputs.items():
        numpy.save(f"{name}.npy", array)
        command.append(f"--input={name}={name}.npy")
    run(*command, *(f"--output={name}={name}.npy" for name in outputs))
    return [numpy.load(f"{name}.npy") for name in outputs]


def check(entry, inputs, **expected):
    found = call(entry, inputs, list(expected))
    for array, (name, value) in zip(found, expected.items()):
        assert array.shape == value.shape, (entry, name, array.shape)
        room = 0 if value.dtype == numpy.int32 else TOLERANCE * numpy.abs(value).max()
        worst = numpy.abs(array.astype("f8") - value).max()
        assert worst <= room, f"{entry}: {name} is wrong by {worst}"
    print(f"{entry}: {', '.join(expected)} as expected")


def steps(a, x):
    for _ in range(3):
        x = x @ a + x
    return x


REDUCTIONS = {
    "sum": numpy.add, "product": numpy.multiply, "most": numpy.maximum, "least": numpy.minimum,
    "all": numpy.bitwise_and, "any": numpy.bitwise_or, "odd": numpy.bitwise_xor,
}  # fmt: skip

random = numpy.random.default_rng(7)
for n in map(int, sys.argv[1:]):
    def floats(*shape):
        return random.normal(size=shape).astype("<f4")

    a, b, c = floats(n, 70), floats(70, 33), floats(n, 33)
    check("matmul", {"a": a, "b": b, "c": c}, y=c + a.astype("f8") @ b)
    a, c = floats(n, 5, 19), floats(19, n)
    check("columns", {"a": a, "c": c}, y=c + (a.astype("f8") ** 2).sum(1).T)
    a, b, c = floats(n), floats(n), floats()
    check("dot", {"a": a, "b": b, "c": c}, y=c + numpy.asarray(a.astype("f8") @ b))
    a, c = floats(8, 8), floats(n, 8)
    check("steps", {"a": a, "c": c}, y=steps(a.astype("f8"), c.astype("f8")))
    a, c = floats(n, 37), 2 * floats(n)
    check("extremes", {"a": a, "c": c}, y=numpy.maximum(a.max(1), c),
          least=numpy.minimum(a.min(1), 0.5))  # fmt: skip
    a = random.integers(-(2**31), 2**31, (n, 37)).astype("<i4")
    c = random.integers(-(2**31), 2**31, n).astype("<i4")
    for name, ufunc in REDUCTIONS.items():
        check(name, {"a": a, "c": c}, y=ufunc(c, ufunc.reduce(a, 1, dtype="<i4"), dtype="<i4"))
    for name, ufunc in ("most_unsigned", numpy.maximum), ("least_unsigned", numpy.minimum):
        y = ufunc(c.view("<u4"), ufunc.reduce(a.view("<u4"), 1)).view("<i4")
        check(name, {"a": a, "c": c}, y=y)
