#!/usr/bin/env python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a Hugging Face folder of a Llama or Qwen 3 with bf16 weights as GGUF.

    gguf.py FOLDER FILE.gguf f32|bf16

For measuring llama.cpp's speed: the vocabulary is made up, rope scaling is left
out and queries and keys keep their order, so that the answers mean nothing.
"""
import json
import os
import struct
import sys

import numpy

F32, BF16, ALIGNMENT = 0, 30, 32  # ggml's element types; GGUF's default alignment

# What a metadata value starts with, and how it is packed.
UINT32, FLOAT32, STRING, ARRAY, INT32 = 4, 6, 8, 9, 5

LAYER_NAMES = {
    "input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output", "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
    "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm",
}
OTHER_NAMES = {"model.embed_tokens": "token_embd", "model.norm": "output_norm",
               "lm_head": "output"}


def text(value):
    return struct.pack("<Q", len(value)) + value.encode()


def pair(key, kind, value):
    packed = text(value) if kind == STRING else struct.pack(
        "<f" if kind == FLOAT32 else "<I", value)
    return text(key) + struct.pack("<I", kind) + packed


def array(key, kind, values, packed):
    return text(key) + struct.pack("<IIQ", ARRAY, kind, len(values)) + packed


def metadata(config):
    hidden, heads = config["hidden_size"], config["num_attention_heads"]
    architecture = config["model_type"]
    channels = config.get("head_dim") or hidden // heads
    # <unk>, <s>, </s>, one token for each byte, and as many more as there are.
    words = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    words += [f"t{i}" for i in range(config["vocab_size"] - len(words))]
    kinds = numpy.full(len(words), 1, "<i4")
    kinds[0], kinds[1:3], kinds[3:259] = 2, 3, 6
    yield pair("general.architecture", STRING, architecture)
    yield pair("general.name", STRING, "random")
    for key, value in {
        "context_length": config["max_position_embeddings"],
        "embedding_length": hidden,
        "block_count": config["num_hidden_layers"],
        "feed_forward_length": config["intermediate_size"],
        "attention.head_count": heads,
        "attention.head_count_kv": config.get("num_key_value_heads", heads),
        "attention.key_length": channels, "attention.value_length": channels,
        "rope.dimension_count": channels,
    }.items():
        yield pair(f"{architecture}.{key}", UINT32, value)
    for key, field in (("attention.layer_norm_rms_epsilon", "rms_norm_eps"),
                       ("rope.freq_base", "rope_theta")):
        yield pair(f"{architecture}.{key}", FLOAT32, config[field])
    yield pair("tokenizer.ggml.model", STRING, "llama")
    yield array("tokenizer.ggml.tokens", STRING, words, b"".join(map(text, words)))
    yield array("tokenizer.ggml.scores", FLOAT32, words, bytes(4 * len(words)))
    yield array("tokenizer.ggml.token_type", INT32, words, kinds.tobytes())


def gguf_name(name):
    name = name.removesuffix(".weight")
    if name in OTHER_NAMES:
        return OTHER_NAMES[name] + ".weight"
    layer, rest = name.removeprefix("model.layers.").split(".", 1)
    return f"blk.{layer}.{LAYER_NAMES[rest]}.weight"


def aligned(size):
    return (size + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT


def main():
    folder, output, wanted = sys.argv[1:]
    with open(os.path.join(folder, "config.json")) as file:
        config = json.load(file)
    path = os.path.join(folder, "model.safetensors")
    with open(path, "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(size))
    stored = numpy.memmap(path, "<u2", offset=8 + size)

    infos, offset = [], 0
    for name, tensor in header.items():
        # llama.cpp wants vectors in f32.
        kind = F32 if wanted == "f32" or len(tensor["shape"]) == 1 else BF16
        shape = tensor["shape"][::-1]
        infos.append((kind, tensor, text(gguf_name(name)) +
                      struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, offset)))
        values = numpy.prod(shape, dtype=numpy.int64)
        offset += aligned(int(values) * (4 if kind == F32 else 2))
    pairs = list(metadata(config))
    head = b"GGUF" + struct.pack("<IQQ", 3, len(infos), len(pairs))
    head += b"".join(pairs) + b"".join(info for _, _, info in infos)
    with open(output, "wb") as file:
        file.write(head.ljust(aligned(len(head)), b"\0"))
        for kind, tensor, _ in infos:
            first, last = tensor["data_offsets"]
            values = stored[first // 2:last // 2]
            if kind == F32:  # bf16 is the upper half of f32
                values = values.astype("<u4") << 16
            data = values.tobytes()
            file.write(data.ljust(aligned(len(data)), b"\0"))


if __name__ == "__main__":
    main()
