#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs nan_elements.mlir, compiled to elements.so, on pairs of NaN, infinities and
numbers: which results are NaN, and which infinite, compared with numpy."""

import subprocess

import numpy

values = numpy.array([numpy.nan, numpy.inf, -numpy.inf, 0, 1, 2.5, -3, 1e30], "<f4")
x = numpy.concatenate([numpy.repeat(values, 8), numpy.zeros(16)]).astype("<f4").reshape(-1, 16)
y = numpy.concatenate([numpy.tile(values, 8), numpy.ones(16)]).astype("<f4").reshape(-1, 16)
numpy.save("x.npy", x)
numpy.save("y.npy", y)
numpy.seterr(all="ignore")
functions = {
    "difference": x - x,
    "cancel": x + y - y,
    "negated": x + -x,
    "quotient": x / x,
    "product": x * (y - y),
    "relu": numpy.maximum(x, 0),
}
# The same of one row, whose end, which is no vector, has NaN: masks guard what is read of it.
rows = {
    "maximum": numpy.maximum,
    "minimum": numpy.minimum,
    "maxnum": numpy.fmax,
    "unordered": lambda a, b: ~(a >= b),
    "truncated": lambda a, b: numpy.nan_to_num(a, posinf=127, neginf=-128).clip(-128, 127).astype(int),
}
row = x.flat[60::-1], y.flat[60::-1]
functions |= {name: function(*row) for name, function in rows.items()}
for name, expected in functions.items():
    if name in rows:
        x, y = row
        numpy.save("x.npy", x)
        numpy.save("y.npy", y)
    subprocess.run(["heddle-run", "run", "elements.so", f"--entry={name}", "--input=x=x.npy",
                    "--input=y=y.npy", "--output", "z=z.npy"], check=True,
                   stdout=subprocess.DEVNULL)
    got = numpy.load("z.npy")
    wrong = [f"x = {a} y = {b}: {c}, expected {d}" for a, b, c, d in
             zip(x.flat, y.flat, got.flat, expected.flat)
             if not numpy.isclose(c, d, equal_nan=True)]
    print(f"{name}:", "; ".join(wrong) or "as numpy")
