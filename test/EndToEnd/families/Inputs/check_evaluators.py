# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the evaluators with numbers of transformers, which realdata/hf-tiny holds, and asks
whether each list of stages of a sentence encoder gives another embedding.

    check_evaluators.py HF-TINY"""
import json
import pathlib
import sys

import numpy as np

import encoder_variants
import encoders
import sentences
import seq2seq
import vision
from folders import is_same, off
from tensors import Checkpoint, Tensors


def text_encoder(config, tensors, golden):
    hidden = encoders.outputs_of(config, tensors, golden["tokens"])["hidden"]
    mean = hidden.mean(axis=0)
    mean /= np.linalg.norm(mean)
    tail = golden["hf_tail_of_mean_normalized"]
    yield "hidden", off(hidden, golden["hidden"])
    yield "mean", off(mean, golden["mean_normalized"])
    yield "hf tail of mean", np.abs(mean[-len(tail):] - tail).max()


def image_encoder(config, tensors, golden):
    mean, std = (np.array(golden[name])[:, None, None] for name in ("mean", "std"))
    for image in golden["images"]:
        size = config["image_size"]
        pixels = np.array(image["hwc"]).reshape(size, size, 3).transpose(2, 0, 1)
        outputs = vision.outputs_of(config, tensors, pixels=(pixels / 255 - mean) / std)
        yield "hidden", off(outputs["hidden"], image["last_hidden_state"])
        yield "pooled", off(outputs["pooled"], image["pooler_output"])
    tail = golden["hf_pooler_tail_of_second"]
    yield "hf tail of pooled", np.abs(outputs["pooled"][-len(tail):] - tail).max()


def clip_text(config, tensors, golden):
    for sequence in golden["sequences"]:
        outputs = vision.outputs_of(config, tensors, sequence["tokens"])
        yield "hidden", off(outputs["hidden"], sequence["hidden"])
        yield "embedding", off(outputs["embedding"], sequence["text_embeds"])
    tail = golden["hf_text_embeds_tail_of_second"]
    yield "hf tail of embedding", np.abs(outputs["embedding"][-len(tail):] - tail).max()


def encoder_decoder(config, tensors, golden):
    model = seq2seq.Seq2Seq(config, tensors)
    for record in golden["records"]:
        encoded = model.encode(record.get("input_ids") or record["input_features"])
        logits = model.decode(encoded, record["decoder_ids"])
        yield "encoder", off(encoded, record["encoder_hidden"])
        yield "logits", off(logits, record["logits"])
    tail = golden["hf_tail"]
    yield "hf tail", np.abs(logits[-1][-len(tail):] - tail).max()


# With the largest differences from transformers' own tails, which the README of hf-tiny has.
GOLDENS = {
    "bert": (text_encoder, 9.0e-08), "distilbert": (text_encoder, 3.0e-08),
    "vit": (image_encoder, 1.4e-07), "clip_text": (clip_text, 4.0e-07),
    "t5": (encoder_decoder, 1.2e-05), "marian": (encoder_decoder, 8.3e-05),
    "whisper": (encoder_decoder, 1.8e-04),
}  # fmt: skip

# The files have seven digits.
ROUNDING = 2e-7


def compare_goldens(folder):
    for name, (check, tail_limit) in GOLDENS.items():
        config, golden = (json.loads((folder / name / file).read_text())
                          for file in ("config.json", "expected.json"))
        for what, error in check(config, Checkpoint(folder / name), golden):
            limit = ROUNDING + ("tail" in what) * 1.1 * tail_limit
            if not error < limit:
                sys.exit(f"{name}: {what} is off by {error:.2g}, more than {limit:.2g}")


def check_sentences():
    """Each list of stages gives another embedding."""
    config = {"architectures": ["BertModel"], **encoder_variants.BERT}
    outputs = encoders.outputs_of(config, Tensors(1), list(range(4, 18)))
    found = []
    for stages in encoder_variants.SENTENCES:
        two = [sentences.sentence_of(sentences.modules_of(stages, 32, 1, is_new=is_new), outputs)
               for is_new in (False, True)]
        if not is_same(*two) or any(is_same(two[0], other) for other in found):
            sys.exit(f"{stages}: no embedding of its own")
        found.append(two[0])


check_sentences()
compare_goldens(pathlib.Path(sys.argv[1]))
print("as expected")
