#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a Hugging Face folder of any family with seeded random bf16 weights.

    random_model.py CONFIG.json FOLDER [--seed N] [--layers N]

For compile time, memory and speed at real shapes, and for comparing compiled
models with the reference; never a claim about the real weights. Matrices have a
standard deviation of 1/sqrt(inputs), so that activations keep their size, and the
embedding one of 1, so that it counts beside the layers; norms are near 1.
"""
import argparse
import json
import math
import os
import pathlib
import struct
import sys

import numpy


sys.path.insert(0, str(pathlib.Path(__file__).parent / "EndToEnd/families/Inputs"))
from shapes import shapes_of  # noqa: E402


def shapes(config, layers=None):
    """Names and shapes of all tensors, in the order of the file."""
    if layers:
        config = {**config, "num_hidden_layers": layers}
    yield from shapes_of(config).items()


def to_bf16(values):
    """float32 -> bf16 bits, rounded to nearest even."""
    bits = values.view(numpy.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(numpy.uint16)


def random_rows(generator, name, shape):
    """The values of a tensor, some rows at a time."""
    if len(shape) == 1:
        noise = generator.standard_normal(shape, dtype=numpy.float32)
        yield numpy.float32(1) + numpy.float32(0.1) * noise
        return
    inputs = math.prod(shape[1:])
    is_table = any(part in name for part in ("embed", "wte", "shared"))
    scale = numpy.float32(1 if is_table else inputs ** -0.5)
    step = max(1, (1 << 22) // inputs)
    for first in range(0, shape[0], step):
        rows = min(step, shape[0] - first)
        noise = generator.standard_normal((rows, inputs), dtype=numpy.float32)
        yield scale * noise


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("config")
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--layers", type=int, help="fewer layers than the config's")
    arguments = parser.parse_args()
    with open(arguments.config) as file:
        config = json.load(file)
    if arguments.layers:
        config["num_hidden_layers"] = arguments.layers
    os.makedirs(arguments.folder, exist_ok=True)
    with open(os.path.join(arguments.folder, "config.json"), "w") as file:
        json.dump(config, file, indent=1)

    tensors = list(shapes(config))
    header, offset = {}, 0
    for name, shape in tensors:
        size = 2 * int(numpy.prod(shape, dtype=numpy.int64))
        header[name] = {"dtype": "BF16", "shape": list(shape),
                        "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    generator = numpy.random.Generator(numpy.random.SFC64(arguments.seed))
    with open(os.path.join(arguments.folder, "model.safetensors"), "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name, shape in tensors:
            for rows in random_rows(generator, name, shape):
                file.write(to_bf16(rows).tobytes())


if __name__ == "__main__":
    main()
