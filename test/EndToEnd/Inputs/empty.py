# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A call without a past, and one with nothing at all, by numpy arrays."""
import sys

import numpy

import heddle

grow = heddle.load(sys.argv[1]).grow
ids, table = numpy.zeros(0, "i4"), numpy.zeros((5, 3), "f4")
for past, length in ((0, 3), (2, 0), (0, 0)):
    old = numpy.ones((2, 2, past, 8), "f4")
    new = numpy.full((2, 2, length, 8), 2, "f4")
    every, seen, rows = grow(past=old, new=new, ids=ids, table=table).values()
    assert (every == numpy.concatenate([old, new], 2)).all()
    print(every.shape, seen.shape, float(seen.sum()), rows.shape)
