# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random models of layers: each op as MLIR text and as what it computes."""

from .attention import Attention
from .cells import Cells
from .experts import Experts
from .layers import Layers
from .masks import Masks
from .module import Module
from .multi_head_attention import MultiHeadAttention
from .positions import Positions


class Chain(
    Attention, Cells, Experts, Layers, Masks, MultiHeadAttention, Positions, Module
):  # fmt: skip
    def add_random(self, x):
        """Adds an op of any kind that takes `x`."""
        if self.random.random() < 0.6:
            kinds = ["norm", "linear", "linear", "unary", "binary", "binary", "feed_forward",
                     "gated_feed_forward"]  # fmt: skip
            if x.has_tokens:
                kinds += ["attention", "attention", "last_token", "pool_tokens", "rotary",
                          "layer", "multi_head_attention", "multi_head_attention"]  # fmt: skip
        else:
            kinds = ["gru_cell", "lstm_cell", "experts", "dropout"]
            if x.has_tokens:
                kinds += ["add_positions", "rotary"]
        getattr(self, self.random.choice(kinds))(x)
