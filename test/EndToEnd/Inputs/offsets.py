#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs nan_keys.mlir, compiled to attend.o, with offsets of all sizes. Queries are 0,
so that a row is the mean of the values that it keeps, which are their positions."""

import subprocess

import numpy

LENGTH = 150
positions = numpy.arange(LENGTH)
zeros = numpy.zeros((1, LENGTH, 8), "<f4")
for name, rows in {"q": zeros, "k": zeros, "v": zeros + positions[:, None]}.items():
    numpy.save(f"{name}.npy", rows.astype("<f4"))
for offset in (2147483647, 2147483600, 100, 0, -100, -2147483600, -2147483648):
    numpy.save("starts.npy", numpy.array([offset], "<i4"))
    inputs = [f"--input={name}={name}.npy" for name in ("starts", "q", "k", "v")]
    subprocess.run(["heddle-run", "run", "attend.o", "--entry=attend",
                    *inputs, "--output", "y=y.npy"], check=True, stdout=subprocess.DEVNULL)
    kept = numpy.clip(positions + offset + 1, 0, LENGTH)
    expected = numpy.maximum((kept - 1) / 2, 0)
    wrong = numpy.flatnonzero(abs(numpy.load("y.npy")[0, :, 0] - expected) > 1e-3)
    print(f"{offset}:", f"wrong rows {wrong}" if len(wrong) else "all rows as expected")
