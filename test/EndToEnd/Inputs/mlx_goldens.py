#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mlx_goldens.py write FILE: x.npy of MLX's vectors.
mlx_goldens.py show FILE: how far four.npy and eight.npy are from MLX's products."""

import json
import sys

import numpy


def tensor(name):
    with open(sys.argv[2], "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        begin, end = header[name]["data_offsets"]
        file.seek(begin, 1)
        return numpy.frombuffer(file.read(end - begin), "<f4").reshape(header[name]["shape"])


if sys.argv[1] == "write":
    numpy.save("x.npy", tensor("x"))
else:
    for name, product in (("four", "q4.qmm"), ("eight", "q8.qmm")):
        expected = tensor(product)
        error = abs(numpy.load(f"{name}.npy") - expected).max() / abs(expected).max()
        print(f"{name}: {'as MLX' if error < 1e-5 else error}")
