#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a Llama-style Hugging Face folder with seeded random bf16 weights.

    random_model.py CONFIG.json FOLDER [--seed N] [--layers N]

For compile time, memory and speed at real shapes, and for comparing compiled
models with the reference; never a claim about the real weights. Matrices have a
standard deviation of 1/sqrt(inputs), so that activations keep their size, and the
embedding one of 1, so that it counts beside the layers; norms are near 1.
"""
import argparse
import json
import os
import struct

import numpy


def shapes(config, layers):
    """Names and shapes of all tensors, in the order of the file."""
    hidden, heads = config["hidden_size"], config["num_attention_heads"]
    kv_heads = config.get("num_key_value_heads", heads)
    head_dim = config.get("head_dim") or hidden // heads
    inner = config["intermediate_size"]
    yield "model.embed_tokens.weight", (config["vocab_size"], hidden)
    for layer in range(layers):
        prefix = f"model.layers.{layer}."
        yield prefix + "input_layernorm.weight", (hidden,)
        yield prefix + "self_attn.q_proj.weight", (heads * head_dim, hidden)
        yield prefix + "self_attn.k_proj.weight", (kv_heads * head_dim, hidden)
        yield prefix + "self_attn.v_proj.weight", (kv_heads * head_dim, hidden)
        yield prefix + "self_attn.o_proj.weight", (hidden, heads * head_dim)
        yield prefix + "post_attention_layernorm.weight", (hidden,)
        yield prefix + "mlp.gate_proj.weight", (inner, hidden)
        yield prefix + "mlp.up_proj.weight", (inner, hidden)
        yield prefix + "mlp.down_proj.weight", (hidden, inner)
    yield "model.norm.weight", (hidden,)
    if not config.get("tie_word_embeddings", False):
        yield "lm_head.weight", (config["vocab_size"], hidden)


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
    scale = numpy.float32(1 if "embed" in name else shape[1] ** -0.5)
    step = max(1, (1 << 22) // shape[1])
    for first in range(0, shape[0], step):
        rows = min(step, shape[0] - first)
        noise = generator.standard_normal((rows, shape[1]), dtype=numpy.float32)
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

    tensors = list(shapes(config, config["num_hidden_layers"]))
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
