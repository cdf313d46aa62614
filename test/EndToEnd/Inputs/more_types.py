# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls the entry points of more_types.mlir with NumPy's arrays and numbers, and compares what
Python and the runtime call types.

    more_types.py SHARED_OBJECT
"""
import ctypes
import sys

import numpy

import heddle
from heddle import _abi, entry

model = heddle.load(sys.argv[1])

x = numpy.array([3, 255, 120], "u1")
y, brightest, chosen, doubled = model.image(x=x, most=0.5, level=2).values()
assert (y.dtype, brightest.dtype, doubled.dtype) == ("f4", "u1", "f4")
assert (y == x.astype("f4") * numpy.float32(0.5 / 255)).all()
assert (brightest, chosen, doubled) == (255, 200, 1)

x = numpy.arange(70) * 2.0**-40
y, total = model.precise(x=x).values()
assert (y.dtype, total.dtype) == ("f8", "f8")
assert abs(y - numpy.exp(x)).max() <= 2**-51
assert abs(total - numpy.exp(x).sum()) <= 70 * 2**-52 * 70.1

# 1, -2 and infinity of E5M2, the last of which E4M3 has not.
y, narrow, scales = model.stored(x=numpy.array([0x3C, 0xC0, 0x7C], "u1")).values()
assert y.tolist() == [1, -2, numpy.inf]
assert narrow.tolist() == [0x38, 0xC0, 0x7F] and scales.tolist() == [0x38, 0xFE, 0x01]

x, s = numpy.array([1, 2**64 - 2, 2**63 - 1], "u8"), numpy.array([-1, 5, -(2**15)], "i2")
most, place, same = model.largest(x=x, s=s).values()
assert (most.dtype, most, place) == ("u8", 2**64 - 2, 1)
assert same.dtype == "u2" and same.tolist() == [65535, 5, 32768]
print("all elements are right")

_abi.declare(
    library := ctypes.CDLL(sys.argv[1]),
    {
        "heddle_type_name": (ctypes.c_char_p, ctypes.c_int),
        "heddle_type_size": (ctypes.c_size_t, ctypes.c_int),
    },
)
number = 1
while size := library.heddle_type_size(number):
    name, type_ = entry._TYPES[number]
    assert name.split(",")[0] == library.heddle_type_name(number).decode(), name
    assert numpy.dtype(type_).itemsize == size, name
    number += 1
assert number == len(entry._TYPES) + 1
print("all types are called the same")
