# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the evaluators with numbers of transformers, which realdata/hf-tiny holds.

    self_check.py HF-TINY"""
import json
import pathlib
import sys

import numpy as np

import encoders
import seq2seq
import vision
from tensors import Checkpoint


def off(found, right):
    """The largest error, relative to the largest number."""
    right = np.asarray(right)
    return np.abs(found - right).max() / np.abs(right).max()


def text_encoder(config, tensors, golden):
    hidden = encoders.outputs_of(config, tensors, golden["tokens"])["hidden"]
    mean = hidden.mean(axis=0)
    mean /= np.linalg.norm(mean)
    tail = golden["hf_tail_of_mean_normalized"]
    yield "hidden", off(hidden, golden["hidden"])
    yield "mean", off(mean, golden["mean_normalized"])
    yield "hf tail of mean", off(mean[-len(tail):], tail)


def image_encoder(config, tensors, golden):
    mean, std = (np.array(golden[name])[:, None, None] for name in ("mean", "std"))
    for image in golden["images"]:
        size = config["image_size"]
        pixels = np.array(image["hwc"]).reshape(size, size, 3).transpose(2, 0, 1)
        outputs = vision.outputs_of(config, tensors, pixels=(pixels / 255 - mean) / std)
        yield "hidden", off(outputs["hidden"], image["last_hidden_state"])
        yield "pooled", off(outputs["pooled"], image["pooler_output"])
    tail = golden["hf_pooler_tail_of_second"]
    yield "hf tail of pooled", off(outputs["pooled"][-len(tail):], tail)


def clip_text(config, tensors, golden):
    for sequence in golden["sequences"]:
        outputs = vision.outputs_of(config, tensors, sequence["tokens"])
        yield "hidden", off(outputs["hidden"], sequence["hidden"])
        yield "embedding", off(outputs["embedding"], sequence["text_embeds"])
    tail = golden["hf_text_embeds_tail_of_second"]
    yield "hf tail of embedding", off(outputs["embedding"][-len(tail):], tail)


def encoder_decoder(config, tensors, golden):
    model = seq2seq.Seq2Seq(config, tensors)
    for record in golden["records"]:
        encoded = model.encode(record.get("input_ids") or record["input_features"])
        logits = model.decode(encoded, record["decoder_ids"])
        yield "encoder", off(encoded, record["encoder_hidden"])
        yield "logits", off(logits, record["logits"])
    tail = golden["hf_tail"]
    yield "hf tail", np.abs(logits[-1, -len(tail):] - tail).max() / np.abs(logits).max()


GOLDENS = {
    "bert": text_encoder, "distilbert": text_encoder, "vit": image_encoder, "clip_text": clip_text,
    "t5": encoder_decoder, "marian": encoder_decoder, "whisper": encoder_decoder,
}  # fmt: skip


def main():
    for name, check in GOLDENS.items():
        folder = pathlib.Path(sys.argv[1]) / name
        config, golden = (json.loads((folder / file).read_text())
                          for file in ("config.json", "expected.json"))
        errors = check(config, Checkpoint(folder), golden)
        print(name + ":", ", ".join(f"{what} off by {error:.2g}" for what, error in errors))


main()
