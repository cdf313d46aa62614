# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers of documents that are packed one after the other: documents.py FILE LENGTH..."""

import sys

import numpy

lengths = [int(length) for length in sys.argv[2:]]
ids = numpy.repeat(numpy.arange(len(lengths), dtype="<i4"), lengths)
numpy.save(sys.argv[1], ids[None])
