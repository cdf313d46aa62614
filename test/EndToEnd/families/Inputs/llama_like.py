# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Llama, Mistral, Qwen, SmolLM3, Granite, OLMo and Gemma, written down as transformers'
modeling_*.py has them."""
import math

import numpy as np

from layers import ACT2FN, attend, rotate
from model import Model, heads_of


def sliding(config, layers, default):
    """Whether each layer has a window."""
    types = config("layer_types")
    if types:
        return [t == "sliding_attention" for t in types]
    return [default(i) for i in range(layers)]


class Llama(Model):
    """Parts that others replace."""

    tied = False
    base = 10000.0
    epsilon = 1e-6
    one = 0.0  # of weights of norms
    qkv_bias = False
    rotates_part = 1.0
    interleaved = False
    activation = "silu"

    def __init__(self, config, tensors):
        super().__init__(config, tensors)
        self.hidden, self.heads = self("hidden_size"), self("num_attention_heads")
        self.kv = self("num_key_value_heads", self.default_kv())
        self.d = self("head_dim", self.default_head())
        self.eps = self("rms_norm_eps", self.epsilon)
        self.layers = self("num_hidden_layers")

    def default_kv(self):
        return self.heads

    def default_head(self):
        return self.hidden // self.heads

    def norm(self, x, name):
        return self.rms(x, name, self.eps, self.one)

    def scale(self, layer):
        return self.d**-0.5

    def window(self, layer):
        return None

    def rotation(self, layer, length):
        part = self("partial_rotary_factor", self.rotates_part)
        return self.angles(length, int(self.d * part), self.base)

    def biases(self):
        """Of queries, keys and values, and of the output."""
        bias = self("attention_bias", False)
        return bias or self.qkv_bias, bias

    def project(self, x, at):
        bias = self.biases()[0]
        return (self.linear(x, at + ".q_proj", self.heads * self.d, bias),
                self.linear(x, at + ".k_proj", self.kv * self.d, bias),
                self.linear(x, at + ".v_proj", self.kv * self.d, bias))

    def norm_heads(self, q, k, at):
        return q, k

    def attention(self, x, at, layer):
        q, k, v = self.project(x, at)
        q, k = self.norm_heads(q, k, at)
        q, k, v = heads_of(q, self.heads), heads_of(k, self.kv), heads_of(v, self.kv)
        angles = self.rotation(layer, len(x))
        if angles:
            q, k = rotate(q, angles, self.interleaved), rotate(k, angles, self.interleaved)
        y = attend(q, k, v, self.scale(layer), self.window(layer), **self.more_of_scores(at))
        return self.linear(y, at + ".o_proj", self.hidden, self.biases()[1])

    def more_of_scores(self, at):
        return {}

    def feed_forward(self, x, at, layer):
        n, bias = self("intermediate_size"), self("mlp_bias", False)
        gate = self.linear(x, at + ".gate_proj", n, bias)
        up = self.linear(x, at + ".up_proj", n, bias)
        return self.linear(ACT2FN[self("hidden_act", self.activation)](gate) * up,
                           at + ".down_proj", self.hidden, bias)

    def block(self, x, at, layer):
        x = x + self.attention(self.norm(x, at + ".input_layernorm"), at + ".self_attn", layer)
        return x + self.feed_forward(self.norm(x, at + ".post_attention_layernorm"), at + ".mlp",
                                     layer)

    def encode(self, ids):
        """What the head reads."""
        x = self.embed(ids, "model.embed_tokens", self.hidden)
        for layer in range(self.layers):
            x = self.block(x, f"model.layers.{layer}", layer)
        return self.norm(x, "model.norm")

    def run(self, ids):
        return self.logits(self.encode(ids), "model.embed_tokens", self.tied)


class Mistral(Llama):
    def default_kv(self):
        return 8

    def window(self, layer):
        return self.config.get("sliding_window", 4096)


class Qwen2(Llama):
    qkv_bias = True

    def biases(self):
        return True, False

    def default_kv(self):
        return 32

    def window(self, layer):
        slides = sliding(self, self.layers, lambda i: i >= self("max_window_layers", 28))
        return self("sliding_window", 4096) if self("use_sliding_window", False) and slides[layer] else None


class Qwen3(Qwen2):
    def biases(self):
        bias = self("attention_bias", False)
        return bias, bias

    def default_head(self):
        return 128

    def norm_heads(self, q, k, at):
        return (self.norm(heads_of(q, self.heads), at + ".q_norm"),
                self.norm(heads_of(k, self.kv), at + ".k_norm"))


class SmolLM3(Llama):
    tied, base = True, 2e6

    def default_kv(self):
        return 4

    def rotates(self, layer):
        listed = self("no_rope_layers")
        if listed:
            return bool(listed[layer])
        return (layer + 1) % self("no_rope_layer_interval", 4) != 0

    def rotation(self, layer, length):
        return super().rotation(layer, length) if self.rotates(layer) else None

    def window(self, layer):
        if not self("use_sliding_window", False):
            return None
        slides = sliding(self, self.layers, lambda i: not self.rotates(i))
        return self("sliding_window") if slides[layer] else None


class Granite(Llama):
    def scale(self, layer):
        return self("attention_multiplier", 1.0)

    def block(self, x, at, layer):
        factor = self("residual_multiplier", 1.0)
        y = self.attention(self.norm(x, at + ".input_layernorm"), at + ".self_attn", layer)
        x = x + factor * y
        y = self.feed_forward(self.norm(x, at + ".post_attention_layernorm"), at + ".mlp", layer)
        return x + factor * y

    def embed(self, ids, name, width):
        return super().embed(ids, name, width) * self("embedding_multiplier", 1.0)

    def logits(self, x, embedding, tied):
        return super().logits(x, embedding, tied) / self("logits_scaling", 1.0)


class OLMo2(Llama):
    epsilon = 1e-5

    def norm_heads(self, q, k, at):
        return self.norm(q, at + ".q_norm"), self.norm(k, at + ".k_norm")

    def block(self, x, at, layer):
        x = x + self.norm(self.attention(x, at + ".self_attn", layer),
                          at + ".post_attention_layernorm")
        return x + self.norm(self.feed_forward(x, at + ".mlp", layer),
                             at + ".post_feedforward_layernorm")


class OLMo3(OLMo2):
    def window(self, layer):
        slides = sliding(self, self.layers, lambda i: (i + 1) % 4 != 0)
        return self("sliding_window", 4096) if slides[layer] else None

    def rotation(self, layer, length):
        if self("rope_parameters"):
            kind = "sliding_attention" if self.window(layer) else "full_attention"
            return self.angles(length, self.d, self.base, kind)
        if not self.window(layer):
            return super().rotation(layer, length)
        plain = OLMo3({**self.config, "rope_scaling": None}, self.t)
        return plain.angles(length, self.d, self.base)


#===-- Gemma ---------------------------------------------------------------------===


class Gemma(Llama):
    tied, one = True, 1.0

    def default_kv(self):
        return 16

    def default_head(self):
        return 256

    def embed(self, ids, name, width):
        return super().embed(ids, name, width) * math.sqrt(width)

    def feed_forward(self, x, at, layer):
        act = self("hidden_activation", "gelu_pytorch_tanh")
        return Llama({**self.config, "hidden_act": act}, self.t).feed_forward(x, at, layer)


class Gemma2(Gemma):
    scores_cap, logits_cap = 50.0, 30.0

    def default_kv(self):
        return 4

    def scale(self, layer):
        return self("query_pre_attn_scalar", 256) ** -0.5

    def window(self, layer):
        slides = sliding(self, self.layers, lambda i: i % 2 == 0)
        return self("sliding_window", 4096) if slides[layer] else None

    def more_of_scores(self, at):
        return {"softcap": self.config.get("attn_logit_softcapping", self.scores_cap)}

    def block(self, x, at, layer):
        y = self.attention(self.norm(x, at + ".input_layernorm"), at + ".self_attn", layer)
        x = x + self.norm(y, at + ".post_attention_layernorm")
        y = self.feed_forward(self.norm(x, at + ".pre_feedforward_layernorm"), at + ".mlp", layer)
        return x + self.norm(y, at + ".post_feedforward_layernorm")

    def logits(self, x, embedding, tied):
        y = super().logits(x, embedding, tied)
        cap = self.config.get("final_logit_softcapping", self.logits_cap)
        return cap * np.tanh(y / cap) if cap else y


class Gemma3(Gemma2):
    """With use_bidirectional_attention windows reach as far to both sides."""

    scores_cap = logits_cap = None
    base = 1e6

    def window(self, layer):
        pattern = self("sliding_window_pattern", 6)
        slides = sliding(self, self.layers, lambda i: (i + 1) % pattern != 0)
        window = self("sliding_window", 4096)
        if self("use_bidirectional_attention", False):
            window = window // 2 + 1
        return window if slides[layer] else None

    def more_of_scores(self, at):
        causal = not self("use_bidirectional_attention", False)
        return {**super().more_of_scores(at), "causal": causal}

    def rotation(self, layer, length):
        nested = self("rope_parameters")
        if self.window(layer) and not nested:
            local = {"rope_theta": self("rope_local_base_freq", 10000.0), "rope_scaling": None}
            return Gemma3({**self.config, **local}, self.t).angles(length, self.d)
        kind = "sliding_attention" if self.window(layer) else "full_attention"
        return self.angles(length, self.d, self.base, kind)

    def norm_heads(self, q, k, at):
        return (self.norm(heads_of(q, self.heads), at + ".q_norm"),
                self.norm(heads_of(k, self.kv), at + ".k_norm"))
