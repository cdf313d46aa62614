# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packed weights of zeros, which compress to nothing, become random ones on the GPU's machine."""

import gzip
import pathlib
import shutil
import struct
import zlib

import numpy as np

HEADER = struct.Struct("<8sII5Q")  # heddle_weights_header


def data_range(path: pathlib.Path) -> tuple[int, int]:
    """Where the data begins, and how many bytes it has."""
    with open(path, "rb") as file:
        fields = HEADER.unpack(file.read(HEADER.size))
    return fields[4], fields[5]


def compress(path: pathlib.Path) -> None:
    with open(path, "rb") as plain, gzip.open(f"{path}.gz", "wb", compresslevel=1) as packed:
        shutil.copyfileobj(plain, packed, 1 << 20)
    path.unlink()


class Weights:
    """The weights of an artifact by name, as float32 that holds their values exactly."""

    def __init__(self, described: list[dict], seed: int):
        self._described = {weight["name"]: weight for weight in described if weight["name"]}
        self._seed = seed

    def __call__(self, name: str) -> np.ndarray:
        weight = self._described[name]
        random = np.random.Generator(np.random.SFC64([self._seed, zlib.crc32(name.encode())]))
        shape = weight["shape"]
        # Deviations that keep the size of activations; norms are near 1.
        values = random.random(shape, dtype=np.float32) * 2 - 1
        if len(shape) == 1:
            values = 1 + 0.2 * values
        else:
            values *= 3**0.5 * (1 if "embed" in name else shape[1] ** -0.5)
        if weight["type"] == "bf16":
            values.view(np.uint32)[...] &= 0xFFFF0000
        elif weight["type"] == "f16":
            values = values.astype(np.float16).astype(np.float32)
        return values

    def fill(self, path: pathlib.Path) -> None:
        """Makes `path` of what `compress` has left of it, with these weights."""
        with gzip.open(f"{path}.gz", "rb") as packed, open(path, "wb") as plain:
            shutil.copyfileobj(packed, plain, 1 << 20)
        start, _ = data_range(path)
        with open(path, "r+b") as file:
            for name, weight in self._described.items():
                values = pack(self(name), weight["panel"])
                if weight["type"] == "bf16":
                    values = (values.view(np.uint32) >> 16).astype(np.uint16)
                elif weight["type"] == "f16":
                    values = values.astype(np.float16)
                file.seek(start + weight["offset"])
                file.write(values.data)


def pack(values: np.ndarray, panel: int) -> np.ndarray:
    """[n, k] -> [n / panel, k, panel], with zeros behind the last row."""
    if not panel:
        return values
    rows = -(-len(values) // panel) * panel
    padded = np.zeros((rows, values.shape[1]), np.float32)
    padded[:len(values)] = values
    return np.ascontiguousarray(padded.reshape(-1, panel, values.shape[1]).swapaxes(1, 2))
