# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model of the shape of Llama 3.2 1B, with weights in bf16, and a small one of its kind.
Its positions are not scaled (`rope_scaling`): that changes a table, not the kernels."""

from functools import partial

import numpy as np

from case import Case, Work
from references import attend

LARGE = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_act": "silu",
    "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16,
    "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 64, "vocab_size": 128256,
    "max_position_embeddings": 4096, "rms_norm_eps": 1e-5, "rope_theta": 500000.0,
    "tie_word_embeddings": True, "torch_dtype": "bfloat16",
}
SMALL = LARGE | {
    "hidden_size": 128, "intermediate_size": 192, "num_hidden_layers": 2,
    "num_attention_heads": 2, "num_key_value_heads": 1, "vocab_size": 200,
    "max_position_embeddings": 128,
}
ROWS_AT_ONCE = 8192  # of the vocabulary, so that float64 takes little memory


def rms_norm(x, weight):
    return x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-5) * weight


def rotate(x, config):
    """[positions, heads x width]: element i turns with i + width / 2."""
    width = config["head_dim"]
    half = width // 2
    angles = (np.arange(len(x))[:, None]
              * config["rope_theta"] ** -(np.arange(half) / half))[:, None, :]
    heads = x.reshape(len(x), -1, width)
    a, b = heads[..., :half], heads[..., half:]
    return np.concatenate([a * np.cos(angles) - b * np.sin(angles),
                           b * np.cos(angles) + a * np.sin(angles)], -1).reshape(x.shape)


def logits(config, calls, _rows, weights):
    """Those after the last id of all calls."""
    ids = np.concatenate([arrays["ids"][0] for _, arrays in calls])
    embedding = weights("model.embed_tokens.weight")
    x = embedding[ids].astype(np.float64)
    for layer in range(config["num_hidden_layers"]):
        def weight(name, prefix=f"model.layers.{layer}."):
            return weights(f"{prefix}{name}.weight").astype(np.float64)
        normed = rms_norm(x, weight("input_layernorm"))
        q, k, v = (normed @ weight(f"self_attn.{n}_proj").T for n in "qkv")
        attended = attend(rotate(q, config), rotate(k, config), v, np.tri(len(ids)))
        x = x + attended @ weight("self_attn.o_proj").T
        normed = rms_norm(x, weight("post_attention_layernorm"))
        gate = normed @ weight("mlp.gate_proj").T
        inner = gate / (1 + np.exp(-gate)) * (normed @ weight("mlp.up_proj").T)
        x = x + inner @ weight("mlp.down_proj").T
    x = rms_norm(x[-1:], weights("model.norm.weight").astype(np.float64))
    parts = [x @ embedding[first:first + ROWS_AT_ONCE].astype(np.float64).T
             for first in range(0, len(embedding), ROWS_AT_ONCE)]
    return np.concatenate(parts, 1)


def numbers(config):
    """Elements of the matrices of all layers, and of the embedding."""
    hidden, width = config["hidden_size"], config["head_dim"]
    queries = config["num_attention_heads"] * width
    keys = config["num_key_value_heads"] * width
    layer = hidden * (2 * queries + 2 * keys + 3 * config["intermediate_size"])
    return config["num_hidden_layers"] * layer, config["vocab_size"] * hidden


def work(config, start, length):
    """Of reading `length` ids behind `start`: a cache in f32, weights in bf16."""
    layers, embedding = numbers(config)
    width, count = config["head_dim"], config["num_hidden_layers"]
    pairs = length * start + length * (length + 1) // 2
    cached = 2 * count * config["num_key_value_heads"] * width * 4 * (start + length)
    return Work(2 * (layers + embedding) + cached,
                2 * (layers * length + embedding)
                + 4 * count * config["num_attention_heads"] * width * pairs)


def llama(is_decode, small):
    config = SMALL if small else LARGE
    length, checked = (24, 24) if small else (2048, 16)

    def calls(length, random):
        def step(entry, start, count):
            return entry, {"ids": random.integers(0, config["vocab_size"], (1, count), np.int32),
                           "starts": np.array([start], np.int32),
                           "lengths": np.array([count], np.int32)}
        return [step("prefill", 0, length)] + ([step("decode", length, 1)] if is_decode else [])

    size, before = "small" if small else "1B", " before" if is_decode else ""
    return Case("Llama decode" if is_decode else "Llama prompt",
                f"{size}, bf16, {length} ids{before}", "llama", config, partial(calls, length),
                ("logits", (1, config["vocab_size"])),
                partial(logits, config),
                work(config, length, 1) if is_decode else work(config, 0, length),
                tolerance=1e-4, target="decode" if is_decode else "eager",
                cache={"batch": 1, "capacity": length + 32}, checked=partial(calls, checked),
                peer=("decode" if is_decode else "prompt", config, length))


CASES = [partial(llama, True), partial(llama, False)]
