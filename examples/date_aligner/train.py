#!/usr/bin/python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains and evaluates recurrent layers with additive attention that rewrite written dates as ISO dates.

    "3rd of March, 2021" -> "2021-03-03"

The command line is that of ../dates/from_to.py. Needs Debian's python3-torch and python3-numpy, nothing else. Shapes in
the comments: B batch, S source characters, T target characters.
"""
import math
import pathlib
import sys

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "dates"))
from from_to import main
from written_dates import VOCABULARY

EMBEDDED, ENCODED, ATTENDED, DECODED = 32, 48, 48, 96  # channels; the encoder has ENCODED in each direction
STEPS, PEAK_RATE = 3000, 3e-3


class Aligner(nn.Module):
    """Bahdanau, Cho and Bengio, arXiv:1409.0473: the decoder's state is the query, the encoder's states are the keys."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(len(VOCABULARY), EMBEDDED)
        self.encoder = nn.GRU(EMBEDDED, ENCODED, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * ENCODED, DECODED)
        self.query = nn.Linear(DECODED, ATTENDED, bias=False)
        self.key = nn.Linear(2 * ENCODED, ATTENDED)
        self.score = nn.Linear(ATTENDED, 1, bias=False)
        self.decoder = nn.GRUCell(EMBEDDED + 2 * ENCODED, DECODED)
        self.generator = nn.Linear(DECODED, len(VOCABULARY))

    def encode(self, source, lengths):
        """The encoder's states [B, S, 2 ENCODED], and the decoder's first one [B, DECODED]."""
        packed = pack_padded_sequence(self.embedding(source), lengths, batch_first=True, enforce_sorted=False)
        states, last = self.encoder(packed)
        return pad_packed_sequence(states, batch_first=True)[0], self.bridge(torch.cat((last[0], last[1]), 1)).tanh()

    def step(self, ids, state, memory, keys, padding):
        """The next state [B, DECODED] and the weights [B, S], from ids [B] and the state before."""
        scores = self.score((self.query(state)[:, None] + keys).tanh())[:, :, 0]
        weights = scores.masked_fill(padding, -math.inf).softmax(1)
        seen = (weights[:, None] @ memory)[:, 0]  # [B, 2 ENCODED]
        return self.decoder(torch.cat((self.embedding(ids), seen), 1), state), weights

    def forward(self, source, lengths, target):
        """Logits [B, T, V] of the characters that follow `target`; source [B, S], lengths [B], target [B, T]."""
        padding = torch.arange(source.shape[1]) >= lengths[:, None]  # [B, S]
        memory, state = self.encode(source, lengths)
        keys, states = self.key(memory), []
        for ids in target.unbind(1):
            state, _ = self.step(ids, state, memory, keys, padding)
            states.append(state)
        return self.generator(torch.stack(states, 1))


if __name__ == "__main__":
    main(Aligner, HERE, STEPS, PEAK_RATE)
