# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names and shapes of all tensors of a config, of any size: what its evaluator asks for, for one
token, image or recording, while nothing is computed."""
import numpy as np

import decoders
import encoders
import seq2seq
import vision
from model import Model


class Shapes:
    """Tensors of zeros that take no memory."""

    def __init__(self):
        self.shapes = {}

    def __call__(self, name, *shape, near=0.0, scale=None):
        self.shapes[name] = shape
        return np.broadcast_to(np.float64(near), shape)

    def has(self, name):
        return True


class Unmultiplied:
    """Products of large matrices are zeros."""

    def linear(self, x, name, outputs, bias=False):
        self.t(name + ".weight", outputs, x.shape[-1])
        if bias:
            self.t(name + ".bias", outputs)
        return np.zeros((len(x), outputs))

    def embed(self, ids, name, width):
        self.t(name + ".weight", self("vocab_size"), width)
        return np.zeros((len(ids), width))

    def logits(self, x, embedding, tied, head="lm_head", bias=False):
        name = embedding if self("tie_word_embeddings", tied) else head
        self.t(name + ".weight", self("vocab_size"), x.shape[-1])
        if bias:
            self.t(head + ".bias", self("vocab_size"))
        return np.zeros((len(x), 1))


def evaluate(config, tensors):
    kind = config["model_type"]
    if kind in decoders.FAMILIES:
        decoders.logits_of(config, tensors, [0])
    elif kind in encoders.FAMILIES:
        encoders.outputs_of(config, tensors, [0])
    elif kind in seq2seq.FAMILIES:
        model = seq2seq.Seq2Seq(config, tensors)
        inputs = [0] if kind != "whisper" else np.zeros(
            (config.get("num_mel_bins", 80), 2 * config.get("max_source_positions", 1500)))
        model.decode(model.encode(inputs), [0])
    else:
        size = vision.pair(config.get("image_size", 224))
        vision.outputs_of(config, tensors,
                          pixels=np.zeros((config.get("num_channels", 3), *size)))


def shapes_of(config):
    """{name: shape}, in the order of use."""
    tensors = Shapes()
    kept = {name: getattr(Model, name) for name in vars(Unmultiplied) if not name.startswith("_")}
    try:
        for name in kept:
            setattr(Model, name, getattr(Unmultiplied, name))
        evaluate(config, tensors)
    finally:
        for name, function in kept.items():
            setattr(Model, name, function)
    return tensors.shapes
