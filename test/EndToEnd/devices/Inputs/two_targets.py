# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads both targets of one library, and calls them with the same arrays."""
import sys

import numpy

import heddle

generator = numpy.random.default_rng()
arrays = {"x": (2, 1, 64), "k": (2, 130, 32), "v": (2, 130, 32)}
arrays = {name: generator.standard_normal(shape).astype(numpy.float32)
          for name, shape in arrays.items()}
results = [heddle.load(sys.argv[1], target=target).attend(**arrays)
           for target in ("cpu", "opencl")]
numpy.testing.assert_allclose(results[0], results[1], rtol=1e-4, atol=1e-4)
print("the CPU and a device agree")
try:
    heddle.load(sys.argv[1], target="cuda")
except ValueError as error:
    print(str(error).replace(sys.argv[1], sys.argv[1].rsplit("/", 1)[-1]))
