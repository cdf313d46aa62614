# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs score_offsets.mlir, compiled to scores.o, with offsets of any size."""
import numpy

from judge.running import run

LARGEST = 2**31 - 1
offsets = numpy.array([LARGEST, LARGEST - 1, 100, 3, 1, 0, -1, -3, -100, -LARGEST, -LARGEST - 1], "<i4")
slopes, table = numpy.array([1, 0.5], "<f4"), numpy.arange(10, dtype="<f4").reshape(5, 2)
inputs = {
    "q": numpy.zeros((len(offsets), 2, 3, 8), "<f4"), "k": numpy.zeros((len(offsets), 2, 5, 8), "<f4"),
    "slopes": slopes, "table": table, "offset": offsets,
}  # fmt: skip
for name, array in inputs.items():
    numpy.save(f"{name}.npy", array)
run("heddle-run", "run", "scores.o", "--entry=f", *(f"--input={n}={n}.npy" for n in inputs),
    "--output=alibi=alibi.npy", "--output=relative_bias=relative_bias.npy")  # fmt: skip
# How far a key is behind its query, q + offset.
distance = numpy.arange(5) - (numpy.arange(3)[:, None] + offsets.astype("<i8")[:, None, None])
distance = distance[:, None]
expected = {
    "alibi": slopes[:, None, None] * distance,
    "relative_bias": table[numpy.clip(distance, -2, 2) + 2, numpy.arange(2)[:, None, None]],
}
for name, scores in expected.items():
    error = abs(numpy.load(f"{name}.npy") - scores) / numpy.maximum(abs(scores), 1)
    wrong = offsets[~(error <= 1e-6).all(axis=(1, 2, 3))]
    print(f"{name}:", f"WRONG at offsets {wrong}" if wrong.size else "as expected")
