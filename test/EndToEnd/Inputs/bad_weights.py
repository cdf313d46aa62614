#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Broken copies of a file of packed weights: bad_weights.py WEIGHTS FOLDER"""

import pathlib
import sys

weights = pathlib.Path(sys.argv[1]).read_bytes()
folder = pathlib.Path(sys.argv[2])


def write(name, content):
    (folder / name).write_bytes(content)


def flipped(offset):
    """One bit of one byte differs."""
    return weights[:offset] + bytes([weights[offset] ^ 1]) + weights[offset + 1 :]


write("empty.weights", b"")
write("short.weights", weights[:20])
write("truncated.weights", weights[:-4096])
write("magic.weights", flipped(0))
write("header.weights", flipped(40))  # data_size: see heddle_weights_header
write("data.weights", flipped(len(weights) - 100))
