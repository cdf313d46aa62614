# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the checkpoint of an MLIR text, with seeded random values.

    random_weights.py MODEL.mlir FOLDER

FOLDER/model.safetensors holds the `source` of every heddle.weight, in its type.
Matrices have a standard deviation of 1/sqrt(inputs); vectors are near 1, and biases near 0.
"""
import json
import math
import os
import random
import re
import struct
import sys

WEIGHT = re.compile(r'heddle\.weight @[\w.]+ from "([^"]+)" : tensor<([\dx]+)x(\w+)>')
TYPES = {"f32": "F32", "f16": "F16", "bf16": "BF16"}


def encode(value, element):
    if element == "bf16":
        return struct.pack("<f", value)[2:]
    return struct.pack({"f32": "<f", "f16": "<e"}[element], value)


text, folder = sys.argv[1:]
generator = random.Random(1)
header, data = {}, b""
for name, extents, element in WEIGHT.findall(open(text, encoding="utf-8").read()):
    shape = [int(extent) for extent in extents.split("x")]
    mean, deviation = (1, 0.125) if len(shape) == 1 else (0, shape[1] ** -0.5)
    if name.endswith("bias"):
        mean = 0
    encoded = b"".join(
        encode(generator.gauss(mean, deviation), element)
        for _ in range(math.prod(shape))
    )
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
