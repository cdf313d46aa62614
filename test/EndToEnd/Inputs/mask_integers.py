#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs mask_integers.mlir, compiled to masks.so, with all pairs of integers from a list
in one batch. Queries are 0, so that a row is the mean of the values that it keeps, which
are their positions. mask_integers.py [FUNCTION...]"""

import subprocess
import sys

import numpy

LENGTH, FEW = 150, 5
LARGEST = 2147483647
integers = numpy.array([LARGEST, LARGEST - 47, 100, 40, 1, 0, -1, -100, -LARGEST + 40,
                        -LARGEST + 30, -LARGEST, -LARGEST - 1], "<i4")
a, b = (pairs.ravel() for pairs in numpy.meshgrid(integers, integers))
positions = numpy.arange(LENGTH)
values = numpy.broadcast_to(positions[None, :, None], (len(a), LENGTH, 8))
inputs = {"a": a, "b": b, "q": numpy.zeros(values.shape, "<f4"), "v": values.astype("<f4"),
          "few": numpy.zeros((len(a), FEW, 40), "<f4")}
for name, array in inputs.items():
    numpy.save(f"{name}.npy", array)


def causal(offset):
    diagonal = positions[:, None] + offset.astype("<i8")[:, None, None]
    return positions[None, None, :] <= diagonal


def lengths(length):
    kept = positions[None, None, :] < length[:, None, None]
    return numpy.broadcast_to(kept, (len(a), LENGTH, LENGTH))


functions = {  # numpy's integers of 32 bits wrap around, too
    "causal": causal(a),
    "lengths": lengths(a),
    "both": causal(a) & lengths(b),
    "either": causal(a) | lengths(b),
    "either_length": lengths(a) | lengths(b),
    "neither": ~(causal(a) | lengths(b)),
    "sum": lengths(a + b) | lengths(b),
    "product": causal(a * b - a),
    "past_queries": ~lengths(a).transpose(0, 2, 1)[:, :FEW],
}
for name in sys.argv[1:] or functions:
    keeps = functions[name]
    subprocess.run(["heddle-run", "run", "masks.so", f"--entry={name}",
                    *(f"--input={given}={given}.npy" for given in inputs
                      if given != ("b" if name == "past_queries" else "few")),
                    "--output", "y=y.npy"],
                   check=True, stdout=subprocess.DEVNULL)
    expected = (keeps * positions).sum(-1) / numpy.maximum(keeps.sum(-1), 1)
    wrong = ~(abs(numpy.load("y.npy")[:, :, 0] - expected) <= 1e-3)
    print(f"{name}:", "; ".join(f"a = {a[i]} b = {b[i]}: wrong rows {numpy.flatnonzero(wrong[i])}"
                                for i in numpy.flatnonzero(wrong.any(-1)))
          or "all rows as expected")
