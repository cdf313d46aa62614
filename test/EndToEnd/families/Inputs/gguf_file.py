# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes metadata and tensors as a GGUF file, version 3."""
import math
import struct

import numpy as np

from gguf_blocks import Encoded

F32, ALIGNMENT = 0, 32  # ggml's element type; GGUF's default alignment

# The number of each type of metadata, and how a value is packed.
TYPES = {int: (4, "<I"), float: (6, "<f"), bool: (7, "<?"), str: (8, None)}
ARRAY = 9


def packed_text(text):
    return struct.pack("<Q", len(text.encode())) + text.encode()


def packed_value(value):
    if isinstance(value, str):
        return packed_text(value)
    return struct.pack(TYPES[type(value)][1], value)


def packed_pair(key, value):
    if isinstance(value, list):
        head = struct.pack("<IIQ", ARRAY, TYPES[type(value[0])][0], len(value))
        return packed_text(key) + head + b"".join(map(packed_value, value))
    return packed_text(key) + struct.pack("<I", TYPES[type(value)][0]) + packed_value(value)


def aligned(size):
    return math.ceil(size / ALIGNMENT) * ALIGNMENT


def write(path, metadata, tensors):
    """`tensors`: {name: array or gguf_blocks.Encoded}, whose last dimension is ggml's first.
    Arrays become f32."""
    infos, data = b"", b""
    for name, value in tensors.items():
        if isinstance(value, Encoded):
            kind, content = value.number, value.bytes
        else:
            kind, content = F32, np.ascontiguousarray(value, "<f4").tobytes()
        shape = value.shape[::-1]
        while len(shape) > 1 and shape[-1] == 1:  # as ggml does
            shape = shape[:-1]
        infos += packed_text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind,
                                                 len(data))
        data += content
        data = data.ljust(aligned(len(data)), b"\0")
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata))
    head += b"".join(packed_pair(*pair) for pair in metadata.items()) + infos
    path.write_bytes(head.ljust(aligned(len(head)), b"\0") + data)
