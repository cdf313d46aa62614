# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the checkpoint of an MLIR text, with seeded random values.

    random_weights.py MODEL.mlir FOLDER

FOLDER/model.safetensors holds the `source` of every heddle.weight, in its type.
Matrices have a standard deviation of 1/sqrt(inputs), vectors are near 1.
"""
import json
import os
import re
import struct
import sys

import numpy

WEIGHT = re.compile(r'heddle\.weight @\w+ from "([^"]+)" : tensor<([\dx]+)x(\w+)>')
TYPES = {"f32": "F32", "f16": "F16", "bf16": "BF16"}


def encode(values, element):
    if element == "bf16":
        bits = values.view(numpy.uint32)
        return (bits >> 16).astype(numpy.uint16).tobytes()
    return values.astype({"f32": "<f4", "f16": "<f2"}[element]).tobytes()


text, folder = sys.argv[1:]
generator = numpy.random.default_rng(1)
header, data = {}, b""
for name, extents, element in WEIGHT.findall(open(text, encoding="utf-8").read()):
    shape = [int(extent) for extent in extents.split("x")]
    values = generator.standard_normal(shape, dtype=numpy.float32)
    if len(shape) == 1:
        values = 1 + values / 8
    else:
        values /= numpy.float32(shape[1] ** 0.5)
    encoded = encode(values.astype(numpy.float32), element)
    header[name] = {
        "dtype": TYPES[element],
        "shape": shape,
        "data_offsets": [len(data), len(data) + len(encoded)],
    }
    data += encoded
description = json.dumps(header).encode()
description += b" " * (-len(description) % 8)
os.makedirs(folder, exist_ok=True)
with open(os.path.join(folder, "model.safetensors"), "wb") as file:
    file.write(struct.pack("<Q", len(description)) + description + data)
