# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the vectors of examples/sentences from its ONNX export with those from its folder."""

import heddle
import numpy

random = numpy.random.default_rng()
ids = random.integers(5, 500, (7, 19)).astype("i4")
lengths = random.integers(1, 20, 7).astype("i4")
exported = heddle.load("./sentences.so").encode(input_ids=ids, lengths=lengths)
folder = heddle.load("folder/sentences.so").encode(ids=ids, lengths=lengths, types=numpy.zeros_like(ids))["embedding"]
error = abs(exported - folder).max()
print("same vectors" if error < 1e-6 else f"off by {error}")
