# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of a folder that is being made: whoever asks for one says its shape, and has it drawn."""
import json
import math
import pathlib
import struct
import zlib

import numpy as np


def to_bf16(values):
    """The nearest bf16, ties to even, as bits."""
    bits = np.atleast_1d(values).astype(np.float32).view(np.uint32)
    rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16
    return rounded.astype(np.uint16).reshape(np.shape(values))


def from_bf16(bits):
    wide = np.atleast_1d(bits).astype(np.uint32) << 16  # views need a dimension
    return wide.view(np.float32).astype(np.float64).reshape(bits.shape)


STORED = {
    "F32": (lambda x: x.astype(np.float32), lambda x: x.astype(np.float64)),
    "F16": (lambda x: x.astype(np.float16), lambda x: x.astype(np.float64)),
    "BF16": (to_bf16, from_bf16),
}  # fmt: skip


class Tensors:
    """Values follow from `seed` and the name, so that models of one seed share them."""

    def __init__(self, seed, dtype="F32"):
        self.seed, self.dtype = seed, dtype
        self.stored = {}

    def __call__(self, name, *shape, near=0.0, scale=None):
        """The values, in double precision; [outputs, inputs] of matrices are drawn so that
        results are about as large as what they are made of. `near`: what they are around."""
        if name not in self.stored:
            random = np.random.default_rng([self.seed, zlib.crc32(name.encode())])
            if scale is None:
                scale = math.prod(shape[-1:]) ** -0.5 if len(shape) > 1 else 0.3
            value = near + scale * random.standard_normal(shape)
            self.stored[name] = STORED[self.dtype][0](value)
        value = self.stored[name]
        assert value.shape == shape, (name, value.shape, shape)
        return STORED[self.dtype][1](value)

    def has(self, name):
        """Whether a checkpoint holds it; here, what is asked for is drawn."""
        return True

    def write(self, folder, shards=1):
        folder = pathlib.Path(folder)
        names = sorted(self.stored)
        parts = [names[i::shards] for i in range(shards)]
        weight_map = {}
        for number, part in enumerate(parts, 1):
            file = "model.safetensors" if shards == 1 else (
                f"model-{number:05}-of-{shards:05}.safetensors")
            weight_map.update((name, file) for name in part)
            write_file(folder / file, {name: self.stored[name] for name in part}, self.dtype)
        if shards > 1:
            (folder / "model.safetensors.index.json").write_text(
                json.dumps({"metadata": {}, "weight_map": weight_map}))


class Checkpoint(Tensors):
    """The tensors of a folder's model.safetensors."""

    def __init__(self, folder):
        data = (pathlib.Path(folder) / "model.safetensors").read_bytes()
        start = 8 + struct.unpack("<Q", data[:8])[0]
        types = {"F32": np.float32, "F16": np.float16, "BF16": np.uint16}
        self.stored = {}
        for name, entry in json.loads(data[8:start]).items():
            if name != "__metadata__":
                first, last = entry["data_offsets"]
                self.dtype = entry["dtype"]
                values = np.frombuffer(data[start + first:start + last], types[self.dtype])
                self.stored[name] = values.reshape(entry["shape"])

    def has(self, name):
        return name in self.stored

    def __call__(self, name, *shape, near=0.0, scale=None):
        assert name in self.stored, name
        return super().__call__(name, *shape)


def write_file(path, tensors, dtype):
    header, data = {}, b""
    for name, value in tensors.items():
        header[name] = {"dtype": dtype, "shape": value.shape,
                        "data_offsets": [len(data), len(data) + value.nbytes]}
        data += np.ascontiguousarray(value).tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
