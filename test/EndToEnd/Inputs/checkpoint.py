# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads what random_weights.py writes."""
import json
import struct

import numpy


def read_checkpoint(path):
    """The tensors of f32 of a .safetensors file, in double precision."""
    with open(path, "rb") as file:
        content = file.read()
    (size,) = struct.unpack_from("<Q", content)
    data = content[8 + size :]
    tensors = {}
    for name, entry in json.loads(content[8 : 8 + size]).items():
        first, last = entry["data_offsets"]
        flat = numpy.frombuffer(data[first:last], "<f4").astype(numpy.float64)
        tensors[name] = flat.reshape(entry["shape"])
    return tensors
