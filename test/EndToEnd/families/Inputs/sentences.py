# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Embeddings of sentences as sentence-transformers has them: the modules after an encoder, their
numbers in double precision, and their files."""
import json
import pathlib

import numpy as np

from tensors import Tensors

# In the order in which several are joined where a config has a flag for each.
MODES = {
    "cls": "pooling_mode_cls_token", "max": "pooling_mode_max_tokens",
    "mean": "pooling_mode_mean_tokens",
    "mean_sqrt_len_tokens": "pooling_mode_mean_sqrt_len_tokens",
    "weightedmean": "pooling_mode_weightedmean_tokens", "lasttoken": "pooling_mode_lasttoken",
}  # fmt: skip
TANH = "torch.nn.modules.activation.Tanh"
IDENTITY = "torch.nn.modules.linear.Identity"
ACTIVATIONS = {TANH: np.tanh, IDENTITY: lambda x: x,
               "torch.nn.modules.activation.ReLU": lambda x: np.maximum(x, 0)}  # fmt: skip


def pooling(*modes):
    return {"type": "Pooling", "modes": modes}


def dense(out_features, bias=True, activation=TANH):
    return {"type": "Dense", "out_features": out_features, "bias": bias, "activation": activation}


NORMALIZE = {"type": "Normalize"}

# Where classes are, until sentence-transformers 5.3 and since.
CLASSES = {
    False: {kind: "sentence_transformers.models." + kind
            for kind in ("Transformer", "Pooling", "Dense", "Normalize")},
    True: {
        "Transformer": "sentence_transformers.base.modules.transformer.Transformer",
        "Pooling": "sentence_transformers.sentence_transformer.modules.pooling.Pooling",
        "Dense": "sentence_transformers.base.modules.dense.Dense",
        "Normalize": "sentence_transformers.sentence_transformer.modules.normalize.Normalize",
    },
}  # fmt: skip


def modules_of(stages, channels, seed, dtype="F32", is_new=False):
    """The modules that `stages` describe: type, config and tensors of each. `is_new`: as
    sentence-transformers writes configs since it lists the modes of pooling."""
    modules = []
    for number, stage in enumerate(stages, 1):
        config, tensors = {}, None
        if stage["type"] == "Pooling":
            modes = stage["modes"]
            if is_new:
                config = {"embedding_dimension": channels,
                          "pooling_mode": modes[0] if len(modes) == 1 else list(modes)}
            else:
                config = {"word_embedding_dimension": channels,
                          **{flag: mode in modes for mode, flag in MODES.items()}}
            config["include_prompt"] = True
            channels *= len(modes)
        elif stage["type"] == "Dense":
            config = {"in_features": channels, "out_features": stage["out_features"],
                      "bias": stage["bias"], "activation_function": stage["activation"]}
            channels, tensors = stage["out_features"], Tensors(seed + number, dtype)
        modules.append((stage["type"], config, tensors))
    return modules


def pool(mode, hidden):
    if mode == "cls":
        return hidden[0]
    if mode == "lasttoken":
        return hidden[-1]
    if mode == "max":
        return hidden.max(axis=0)
    if mode == "mean_sqrt_len_tokens":
        return hidden.sum(axis=0) / np.sqrt(len(hidden))
    weights = np.arange(1, len(hidden) + 1) if mode == "weightedmean" else np.ones(len(hidden))
    return weights @ hidden / weights.sum()


def modes_of(config):
    """Flags, or a list in an order of its own."""
    modes = config.get("pooling_mode")
    if modes is None:
        return [mode for mode, flag in MODES.items() if config.get(flag)]
    return [modes] if isinstance(modes, str) else modes


def sentence_of(modules, outputs):
    """The embedding [channels] of what an encoder gives for a sentence."""
    x = None
    for kind, config, tensors in modules:
        if kind == "Pooling":
            x = np.concatenate([pool(mode, outputs["hidden"]) for mode in modes_of(config)])
        elif kind == "Dense":
            inputs, width = config["in_features"], config["out_features"]
            y = tensors("linear.weight", width, inputs) @ x
            if config["bias"]:
                y = y + tensors("linear.bias", width)
            x = ACTIVATIONS[config["activation_function"]](y)
        else:
            x = x / max(np.linalg.norm(x), 1e-12)
    return x


def write_modules(folder, modules, max_length=512, is_new=False):
    """The files beside those of the encoder; tensors are those that `sentence_of` asked for."""
    folder = pathlib.Path(folder)
    classes = CLASSES[is_new]
    listed = [{"idx": 0, "name": "0", "path": "", "type": classes["Transformer"]}]
    for number, (kind, config, tensors) in enumerate(modules, 1):
        path = f"{number}_{kind}"
        listed.append({"idx": number, "name": str(number), "path": path,
                       "type": classes[kind]})
        (folder / path).mkdir()
        if config:
            (folder / path / "config.json").write_text(json.dumps(config, indent=2))
        if tensors:
            tensors.write(folder / path)
    (folder / "modules.json").write_text(json.dumps(listed, indent=2))
    (folder / "sentence_bert_config.json").write_text(
        json.dumps({"max_seq_length": max_length, "do_lower_case": False}, indent=2))
