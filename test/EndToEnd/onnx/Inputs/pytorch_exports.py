# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports modules of PyTorch to ONNX, compiles the files, and compares their results with PyTorch's,
for other sizes than those of the export. Prints a line for each file."""

import re
import subprocess
import sys
import warnings

import numpy
import pytorch_models as models
import torch
from torch import nn

warnings.filterwarnings("ignore")
torch.manual_seed(0)
TOKENS = {0: "batch", 1: "length"}
LARGEST_ERROR = 1e-4


def ids(batch, length, words=models.WORDS):
    return torch.randint(0, words, (batch, length))


def padding_mask(batch, length):
    mask = torch.ones(batch, length, dtype=torch.long)
    mask[0, length - 2 :] = 0
    return mask


def padded(batch, length):
    return {"x": torch.randn(batch, length, models.CHANNELS), "padding": padding_mask(batch, length) == 0}


def with_past(batch, length, past=3):
    mask = torch.ones(batch, past + length, dtype=torch.long)
    mask[0, :2] = 0  # padding comes first
    inputs = {
        "input_ids": ids(batch, length),
        "attention_mask": mask,
        "position_ids": torch.arange(past, past + length)[None].expand(batch, length).contiguous(),
    }
    for layer in range(2):
        for part in ("key", "value"):
            inputs[f"past_key_values.{layer}.{part}"] = torch.randn(batch, models.Llama.KV_HEADS, past, 8)
    return inputs


def two_texts(batch, length):
    return {"source": ids(batch, length + 1), "target": ids(batch, length)}


TWO_TEXTS = {"source": {0: "batch", 1: "source_length"}, "target": {0: "batch", 1: "target_length"}}
PAST = {f"past_key_values.{n}.{part}": {0: "batch", 2: "past"} for n in range(2) for part in ("key", "value")}
# Modules, inputs of some sizes, results, sizes that are dynamic, and how many attentions there are.
CASES = {
    "encoder, norms behind": (models.Encoder(False, "relu"), padded, ["y"], {"x": TOKENS, "padding": TOKENS}, 2),
    "encoder, norms before": (models.Encoder(True, "gelu"), padded, ["y"], {"x": TOKENS, "padding": TOKENS}, 2),
    "encoder-decoder": (
        models.EncoderDecoder(),
        lambda b, n: {"source": torch.randn(b, n + 2, models.CHANNELS), "target": torch.randn(b, n, models.CHANNELS)},
        ["y"],
        TWO_TEXTS,
        6,
    ),
    "GPT-2": (models.Gpt2(), lambda b, n: {"ids": ids(b, n)}, ["logits"], {"ids": TOKENS}, 2),
    "BERT": (
        models.Bert(),
        lambda b, n: {"input_ids": ids(b, n), "attention_mask": padding_mask(b, n), "token_type_ids": ids(b, n, 2)},
        ["y", "pooled"],
        {name: TOKENS for name in ("input_ids", "attention_mask", "token_type_ids")},
        2,
    ),
    "Llama": (
        models.Llama(),
        with_past,
        ["logits", *(name.replace("past_key_values", "present") for name in PAST)],
        {"input_ids": TOKENS, "attention_mask": {0: "batch", 1: "past + length"}, "position_ids": TOKENS, **PAST},
        2,
    ),
    "T5": (
        models.T5(),
        lambda b, n: {"ids": ids(b, n), "mask": padding_mask(b, n)},
        ["y"],
        {"ids": TOKENS, "mask": TOKENS},
        1,
    ),
    "ViT": (models.Vit(), lambda b, n: {"x": torch.randn(b, 3, 32, 32)}, ["logits"], {"x": {0: "batch"}}, 2),
    "Whisper": (models.WhisperEncoder(), lambda b, n: {"x": torch.randn(b, 8, 40)}, ["y"], {"x": {0: "batch"}}, 2),
    "GRU": (models.Recurrent(nn.GRU), two_texts, ["y"], TWO_TEXTS, 1),
    "LSTM": (models.Recurrent(nn.LSTM), two_texts, ["y"], TWO_TEXTS, 1),
}


def as_arguments(inputs):
    past = [value for name, value in inputs.items() if name.startswith("past")]
    return (*(value for name, value in inputs.items() if not name.startswith("past")), *([past] if past else []))


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(command)}: {result.stderr}")
    return result.stdout


def check(name, opset):
    module, make_inputs, outputs, axes, attentions = CASES[name]
    inputs = make_inputs(2, 5)
    arguments = as_arguments(inputs)
    # Gradients keep PyTorch from kernels that have no place in ONNX.
    torch.onnx.export(
        module.eval(), arguments, "model.onnx", opset_version=opset, input_names=list(inputs), output_names=outputs,
        dynamic_axes=axes,
    )
    report = run("heddlec", "--quiet", "model.onnx", "--import-report", "--emit=shared", "-o", "model.so")
    found = int(re.search(r"^attention: (\d+)$", report, re.MULTILINE)[1])
    inputs = make_inputs(3, 7)
    expected = module(*as_arguments(inputs))
    expected = expected if isinstance(expected, tuple) else (expected,)
    numpy.savez("inputs.npz", **{key: value.numpy() for key, value in inputs.items()})
    run("heddle-run", "run", "model.so", "--input=inputs.npz", "--output=outputs.npz")
    results = numpy.load("outputs.npz")
    error = max(abs(results[key] - value.detach().numpy()).max() for key, value in zip(outputs, expected))
    wrong = "" if error < LARGEST_ERROR else f", off by {error}"
    print(f"{name}, opset {opset}: {found} of {attentions} attentions found{wrong}")


for case in CASES:
    for opset in (14, 16) if case == "encoder-decoder" else (13, 16):
        check(case, opset)
