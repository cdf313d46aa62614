# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the evaluators of all families share: a config, its defaults, and tensors by name."""
import numpy as np

from layers import frequencies, layer_norm, rms_norm


class Model:
    """A config, whose absent fields are given as second arguments, and tensors."""

    def __init__(self, config, tensors):
        self.config, self.t = config, tensors

    def __call__(self, name, default=None):
        value = self.config.get(name, default)
        return default if value is None else value

    def linear(self, x, name, outputs, bias=False):
        y = x @ self.t(name + ".weight", outputs, x.shape[-1]).T
        return y + self.t(name + ".bias", outputs) if bias else y

    def rms(self, x, name, epsilon, one=0.0):
        weight = one + self.t(name + ".weight", x.shape[-1], near=1.0 - one)
        return rms_norm(x, weight, epsilon)

    def layer_norm(self, x, name, epsilon, bias=True):
        n = x.shape[-1]
        weight = self.t(name + ".weight", n, near=1.0)
        return layer_norm(x, weight, self.t(name + ".bias", n) if bias else 0, epsilon)

    def embed(self, ids, name, width):
        return self.t(name + ".weight", self("vocab_size"), width, scale=1.0)[ids]

    def logits(self, x, embedding, tied, head="lm_head", bias=False):
        vocabulary = self("vocab_size")
        name = embedding if self("tie_word_embeddings", tied) else head
        y = x @ self.t(name + ".weight", vocabulary, x.shape[-1], scale=1.0).T
        return y + self.t(head + ".bias", vocabulary) if bias else y

    def angles(self, length, dim, base=10000.0, layer_type=None):
        """Cosines and sines of all positions; what `rope_parameters` says counts."""
        rope = self("rope_parameters") or self("rope_scaling") or {}
        rope = rope.get(layer_type, rope)
        base = rope.get("rope_theta", self("rope_theta", base))
        positions = np.arange(length)
        stretched, magnitude = frequencies(rope, base, dim, positions,
                                           self("max_position_embeddings"),
                                           self("original_max_position_embeddings"))
        angles = positions[:, None] * stretched
        return magnitude * np.cos(angles), magnitude * np.sin(angles)


def heads_of(x, heads):
    return x.reshape(len(x), heads, -1)
