# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives the weights of a model, each one number in all elements, random elements.

usage: random_constants.py < MODEL.mlir > RANDOM.mlir
"""

import re
import sys

import numpy

random = numpy.random.default_rng(5)


def random_weight(match):
    rows, columns = (int(size) for size in match[1].split("x"))
    # Products of a row with elements of magnitude 1 are of magnitude 3.
    values = 3 * columns**-0.5 * random.standard_normal((rows, columns))
    data = values.astype("<f4").tobytes().hex()
    return f'dense<"0x{data}"> : tensor<{rows}x{columns}xf32>'


print(re.sub(r"dense<[0-9.]+> : tensor<([0-9]+x[0-9]+)xf32>", random_weight, sys.stdin.read()))
