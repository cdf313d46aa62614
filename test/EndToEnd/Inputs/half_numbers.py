# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares conversions of f16 with NumPy's: of all numbers to f32, and back of all that lie halfway
between two of them and next to these.

    half_numbers.py LIBRARY"""
import sys

import heddle
import numpy as np

model = heddle.load(sys.argv[1])
halves = np.arange(2**16, dtype=np.uint16).view(np.float16)
with np.errstate(all="ignore"):
    wide = halves.astype(np.float32)
    positive = np.sort(wide[np.isfinite(wide) & ~np.signbit(wide)])
    halfway = np.append((positive[:-1] + positive[1:]) / 2, np.float32(65520))
    numbers = np.concatenate([halfway, np.nextafter(halfway, np.float32(0)),
                              np.nextafter(halfway, np.float32(np.inf)), wide])  # fmt: skip
    numbers = np.concatenate([numbers, -numbers])
    narrow = numbers.astype(np.float16)


def compare(name, found, expected, bits):
    alike = (found.view(bits) == expected.view(bits)) | (np.isnan(found) & np.isnan(expected))
    print(f"{name}: {alike.size} numbers, {np.sum(~alike)} others")


compare("widened", model.widened(x=halves), wide, np.uint32)
compare("narrowed", model.narrowed(x=numbers), narrow, np.uint16)
