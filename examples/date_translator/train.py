#!/usr/bin/python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains and evaluates a small encoder-decoder transformer that rewrites written dates as ISO dates.

    "3rd of March, 2021" -> "2021-03-03"

The command line is that of ../dates/from_to.py. Needs Debian's python3-torch and python3-numpy, nothing else. Shapes in
the comments: B batch, S source characters, T target characters, C channels.
"""
import math
import pathlib
import sys

import torch
from torch import nn

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "dates"))
from from_to import main
from written_dates import VOCABULARY

CHANNELS, HEADS, LAYERS, HIDDEN = 64, 4, 2, 128
STEPS, PEAK_RATE = 3000, 3e-3


def sinusoids(length):
    """[length, C]: sines of positions at even channels, cosines at odd ones."""
    frequencies = torch.exp(torch.arange(0, CHANNELS, 2) * (-math.log(10000.0) / CHANNELS))
    angles = torch.arange(length)[:, None] * frequencies
    return torch.stack((angles.sin(), angles.cos()), dim=2).flatten(1)


class Translator(nn.Module):
    """PyTorch's own transformer, with norms before each step, between embedded characters and logits."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(len(VOCABULARY), CHANNELS)
        self.transformer = nn.Transformer(CHANNELS, HEADS, LAYERS, LAYERS, HIDDEN, dropout=0.0, activation="relu",
                                          batch_first=True, norm_first=True)
        self.generator = nn.Linear(CHANNELS, len(VOCABULARY))

    def embed(self, ids):
        return self.embedding(ids) + sinusoids(ids.shape[1])

    def forward(self, source, lengths, target):
        """Logits [B, T, V] of the characters that follow `target`; source [B, S], lengths [B], target [B, T]."""
        padding = torch.arange(source.shape[1]) >= lengths[:, None]  # [B, S]
        later = torch.full((target.shape[1], target.shape[1]), -math.inf).triu(1)  # [T, T]
        y = self.transformer(self.embed(source), self.embed(target), tgt_mask=later, src_key_padding_mask=padding,
                             memory_key_padding_mask=padding)
        return self.generator(y)


def stored(tensor):
    """Matrices in bf16, so that the file has half the size; biases and norms in f32."""
    return tensor.bfloat16() if tensor.dim() == 2 else tensor


if __name__ == "__main__":
    main(Translator, HERE, STEPS, PEAK_RATE, stored)
