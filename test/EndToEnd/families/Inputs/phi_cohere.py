# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Phi, StableLM, StarCoder 2 and Cohere, written down as transformers' modeling_*.py has them."""
import numpy as np

from layers import ACT2FN, layer_norm
from llama_like import Llama, sliding
from model import heads_of


class Phi(Llama):
    rotates_part, activation = 0.5, "gelu_new"

    def norm(self, x, name):
        return self.layer_norm(x, name, self("layer_norm_eps", 1e-5))

    def biases(self):
        return True, True

    def norm_heads(self, q, k, at):
        if not self("qk_layernorm", False):
            return q, k
        return (self.norm(heads_of(q, self.heads), at + ".q_layernorm"),
                self.norm(heads_of(k, self.kv), at + ".k_layernorm"))

    def linear(self, x, name, outputs, bias=False):
        return super().linear(x, name.replace(".o_proj", ".dense"), outputs, bias)

    def block(self, x, at, layer):
        y = self.norm(x, at + ".input_layernorm")
        act = ACT2FN[self("hidden_act", self.activation)]
        inner = act(self.linear(y, at + ".mlp.fc1", self("intermediate_size"), True))
        return (x + self.attention(y, at + ".self_attn", layer)
                + self.linear(inner, at + ".mlp.fc2", self.hidden, True))

    def run(self, ids):
        x = self.embed(ids, "model.embed_tokens", self.hidden)
        for layer in range(self.layers):
            x = self.block(x, f"model.layers.{layer}", layer)
        return self.logits(self.norm(x, "model.final_layernorm"), "model.embed_tokens", False,
                           bias=True)


class Phi3(Llama):
    epsilon = 1e-5

    def project(self, x, at):
        q, kv = self.heads * self.d, self.kv * self.d
        y = self.linear(x, at + ".qkv_proj", q + 2 * kv)
        return y[:, :q], y[:, q:q + kv], y[:, q + kv:]

    def window(self, layer):
        return self("sliding_window")

    def feed_forward(self, x, at, layer):
        n = self("intermediate_size")
        y = self.linear(x, at + ".gate_up_proj", 2 * n)
        return self.linear(ACT2FN[self("hidden_act", "silu")](y[:, :n]) * y[:, n:],
                           at + ".down_proj", self.hidden)


class StableLM(Llama):
    rotates_part = 0.25

    def default_kv(self):
        return 32

    def norm(self, x, name):
        return self.layer_norm(x, name, self("layer_norm_eps", 1e-5))

    def biases(self):
        return self("use_qkv_bias", False), False

    def norm_heads(self, q, k, at):
        if not self("qk_layernorm", False):
            return q, k

        def normed(x, heads, name):
            x = heads_of(x, heads)
            parts = [self.layer_norm(x[:, h], f"{name}.norms.{h}", self("layer_norm_eps", 1e-5), False)
                     for h in range(heads)]
            return np.stack(parts, axis=1)

        return (normed(q, self.heads, at + ".q_layernorm"),
                normed(k, self.kv, at + ".k_layernorm"))

    def block(self, x, at, layer):
        if not self("use_parallel_residual", False):
            return super().block(x, at, layer)
        y = self.norm(x, at + ".input_layernorm")
        return (x + self.attention(y, at + ".self_attn", layer)
                + self.feed_forward(y, at + ".mlp", layer))


class StarCoder2(Llama):
    tied, activation = True, "gelu_pytorch_tanh"

    def default_kv(self):
        return 2

    def norm(self, x, name):
        return self.layer_norm(x, name, self("norm_epsilon", 1e-5))

    def biases(self):
        return self("use_bias", True), self("use_bias", True)

    def window(self, layer):
        return self("sliding_window")

    def feed_forward(self, x, at, layer):
        act, bias = ACT2FN[self("hidden_act", self.activation)], self("use_bias", True)
        inner = act(self.linear(x, at + ".c_fc", self("intermediate_size"), bias))
        return self.linear(inner, at + ".c_proj", self.hidden, bias)


class Cohere(Llama):
    tied, interleaved, base = True, True, 500000.0

    def norm(self, x, name):
        return self.layer_norm(x, name, self("layer_norm_eps", 1e-5), bias=False)

    def norm_heads(self, q, k, at):
        if not self("use_qk_norm", False):
            return q, k

        def normed(x, heads, name):
            weight = self.t(name + ".weight", heads, self.d, near=1.0, scale=0.3)
            return layer_norm(heads_of(x, heads), weight, 0, self("layer_norm_eps", 1e-5))

        return normed(q, self.heads, at + ".q_norm"), normed(k, self.kv, at + ".k_norm")

    def block(self, x, at, layer):
        y = self.norm(x, at + ".input_layernorm")
        return (x + self.attention(y, at + ".self_attn", layer)
                + self.feed_forward(y, at + ".mlp", layer))

    def logits(self, x, embedding, tied):
        return super().logits(x, embedding, tied) * self("logit_scale", 0.0625)


class Cohere2(Cohere):
    def window(self, layer):
        pattern = self("sliding_window_pattern", 4)
        slides = sliding(self, self.layers, lambda i: (i + 1) % pattern != 0)
        return self("sliding_window", 4096) if slides[layer] else None

    def rotation(self, layer, length):
        return super().rotation(layer, length) if self.window(layer) else None
