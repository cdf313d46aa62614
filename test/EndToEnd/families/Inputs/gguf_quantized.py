# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles tiny decoders whose matrices are blocks of ggml's types, and compares their logits with
those of the same files with the numbers that the blocks stand for, as f32.

    gguf_quantized.py brief     the first two models
    gguf_quantized.py all       all models"""
import itertools
import pathlib
import sys

import numpy as np

import decoders
from decoder_folders import LENGTHS, calls_of, config_of
from folders import TOLERANCE, off
from gguf_blocks import TYPES, Encoded
from gguf_imports import load
from llama_cpp_families import FAMILIES
from tensors import Tensors

WIDE = {"hidden_size": 256, "intermediate_size": 512, "num_attention_heads": 8,
        "num_key_value_heads": 4, "head_dim": 32}  # fmt: skip
LATENT = {"hidden_size": 64, "intermediate_size": 96, "moe_intermediate_size": 64,
          "kv_lora_rank": 96, "q_lora_rank": 64, "qk_nope_head_dim": 64, "qk_rope_head_dim": 32,
          "v_head_dim": 32}  # fmt: skip
SMALL = [kind for kind, (_, elements, *_) in TYPES.items() if elements == 32]
# Each with the types that its matrices have in turn.
MODELS = [
    ("llama", WIDE, [kind for kind in TYPES if kind not in SMALL]),
    ("gpt_oss", {"hidden_size": 64, "intermediate_size": 64}, ["Q8_0", "MXFP4", "Q4_1"]),
    ("qwen2", {"hidden_size": 64, "intermediate_size": 96, "tie_word_embeddings": True}, SMALL),
    ("mixtral", {"hidden_size": 64, "intermediate_size": 96}, ["Q4_1", "Q8_0", "Q4_0"]),
    ("phi3", WIDE, ["Q4_K", "Q6_K", "Q5_K", "Q5_1"]),
    ("deepseek_v2", LATENT, ["Q8_0", "Q4_0"]),
]  # fmt: skip


def encoded(tensors, kinds, random):
    kinds = itertools.cycle(kinds)
    return {name: Encoded(next(kinds), value.shape, random)
            if value.ndim > 1 and name.endswith("weight") and "gate_inp" not in name else value
            for name, value in tensors.items()}


def logits(path):
    model = load(path)
    text = np.arange(2 * LENGTHS[0], dtype=np.int32).reshape(2, -1)
    return [found for _, found in calls_of(model, text, np.full(2, LENGTHS[0], np.int32))]


def check(name, changes, kinds):
    config, tensors = config_of(name, changes), Tensors(1)
    decoders.logits_of(config, tensors, [0])
    exported = FAMILIES[name](decoders.FAMILIES[name][1](config, tensors), tensors.stored)
    stored = encoded(exported.tensors(), kinds, np.random.default_rng(1))
    plain = {name: value.values if isinstance(value, Encoded) else value
             for name, value in stored.items()}
    exported.write(pathlib.Path(f"{name}_blocks.gguf"), stored)
    exported.write(pathlib.Path(f"{name}_plain.gguf"), plain)
    found, right = (logits(pathlib.Path(f"{name}_{kind}.gguf")) for kind in ("blocks", "plain"))
    error = max(off(*pair) for pair in zip(found, right))
    if not error <= TOLERANCE:
        raise RuntimeError(f"off by {error:.2g} of the largest logit")


def main():
    models = MODELS[:2] if sys.argv[1] == "brief" else MODELS
    failures = 0
    for model in models:
        try:
            check(*model)
        except RuntimeError as message:
            failures += 1
            print(f"{model[0]}: {message}", flush=True)
    print(f"{len(models)} models of blocks, {failures} failed")
    sys.exit(failures > 0)


main()
