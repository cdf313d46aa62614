# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A call whose arguments have names that Python has no words for: 1 + 2 + ... + 8 - 9, in both
elements."""
import inspect
import sys

import numpy

import heddle

names = ("not", "a/b", "a.b", "0.weight", "_Bool", "out_model", "OUT_H", "length", "/*/\nx")
entry = heddle.load(sys.argv[1]).f
arrays = {name: numpy.full(2, index + 1, "f4") for index, name in enumerate(names)}
print(f"f{inspect.signature(entry)}: {entry(**arrays).tolist()}")

# A size that no array tells, of an argument's name.
entry = heddle.load(sys.argv[1]).doubled
print(f"doubled{inspect.signature(entry)}: {entry(n=numpy.ones(4, 'f4'), n_=2).tolist()}")
