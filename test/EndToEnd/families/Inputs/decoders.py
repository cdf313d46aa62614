# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Logits of decoders at every position of a text, in double precision, from a config.json and the
tensors of a checkpoint. Each family is written down as transformers' modeling_*.py has it; names
and shapes of tensors are what it asks for."""
import math

import numpy as np

from layers import (ACT2FN, alibi_slopes, attend, layer_norm, mscale, rotate, sigmoid,
                    softmax)  # fmt: skip
from model import Model, heads_of


def sliding(config, layers, default):
    """Whether each layer has a window."""
    types = config("layer_types")
    if types:
        return [t == "sliding_attention" for t in types]
    return [default(i) for i in range(layers)]


#===-- Llama and what is like it ------------------------------------------------===


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

    def run(self, ids):
        x = self.embed(ids, "model.embed_tokens", self.hidden)
        for layer in range(self.layers):
            x = self.block(x, f"model.layers.{layer}", layer)
        return self.logits(self.norm(x, "model.norm"), "model.embed_tokens", self.tied)


class Mistral(Llama):
    def default_kv(self):
        return 8

    def window(self, layer):
        return self.config.get("sliding_window", 4096)


class Experts:
    """A mixture of experts, each token for itself."""

    def mixture(self, x, router, expert, count, top, normalized, bias=False):
        probabilities = softmax(self.linear(x, router, count, bias))
        result = np.zeros_like(x)
        for row, p in enumerate(probabilities):
            chosen = np.argsort(-p, kind="stable")[:top]
            total = p[chosen].sum() if normalized else 1.0
            for e in chosen:
                result[row] += p[e] / total * expert(e, x[row:row + 1])[0]
        return self.use_all(result, expert, count, x)

    def use_all(self, result, expert, count, x):
        for e in range(count):  # all tensors are to be there
            expert(e, x[:1])
        return result

    def gated(self, x, width, gate, up, down):
        act = ACT2FN[self("hidden_act", "silu")]
        return self.linear(act(self.linear(x, gate, width)) * self.linear(x, up, width), down,
                           x.shape[-1])


class Mixtral(Mistral, Experts):
    base, epsilon = 1e6, 1e-5

    def window(self, layer):
        return self("sliding_window")

    def feed_forward(self, x, at, layer):
        at = at.replace(".mlp", ".block_sparse_moe")

        def expert(e, x):
            names = (f"{at}.experts.{e}.{w}" for w in ("w1", "w3", "w2"))
            return self.gated(x, self("intermediate_size"), *names)

        return self.mixture(x, at + ".gate", expert, self("num_local_experts", 8),
                            self("num_experts_per_tok", 2), True)


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


class SparseLayers(Experts):
    """Experts in some layers, named as Qwen has them."""

    def is_sparse(self, layer):
        return (layer not in self("mlp_only_layers", [])
                and (layer + 1) % self("decoder_sparse_step", 1) == 0)

    def sparse(self, x, at, default_count, default_top, default_width):
        width = self("moe_intermediate_size", default_width)

        def expert(e, x):
            names = (f"{at}.experts.{e}.{w}_proj" for w in ("gate", "up", "down"))
            return self.gated(x, width, *names)

        return self.mixture(x, at + ".gate", expert, self("num_experts", default_count),
                            self("num_experts_per_tok", default_top), self("norm_topk_prob", False))


class Qwen2MoE(SparseLayers, Qwen2):
    def biases(self):
        return self("qkv_bias", True), False

    def default_kv(self):
        return 16

    def feed_forward(self, x, at, layer):
        if not self.is_sparse(layer):
            return super().feed_forward(x, at, layer)
        names = (f"{at}.shared_expert.{w}_proj" for w in ("gate", "up", "down"))
        shared = self.gated(x, self("shared_expert_intermediate_size", 5632), *names)
        gate = sigmoid(self.linear(x, at + ".shared_expert_gate", 1))
        return self.sparse(x, at, 60, 4, 1408) + gate * shared


class Qwen3MoE(SparseLayers, Qwen3):
    def default_kv(self):
        return 4

    def default_head(self):
        return self.hidden // self.heads

    def feed_forward(self, x, at, layer):
        if not self.is_sparse(layer):
            return super().feed_forward(x, at, layer)
        return self.sparse(x, at, 128, 8, 768)


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
    scores_cap = logits_cap = None
    base = 1e6

    def window(self, layer):
        pattern = self("sliding_window_pattern", 6)
        slides = sliding(self, self.layers, lambda i: (i + 1) % pattern != 0)
        return self("sliding_window", 4096) if slides[layer] else None

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


#===-- Phi, StableLM, Cohere -------------------------------------------------------===


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


#===-- GPT-2, GPT-NeoX, OPT, Falcon -------------------------------------------------===


class GPT2(Model):
    def conv1d(self, x, name, outputs):
        return x @ self.t(name + ".weight", x.shape[-1], outputs) + self.t(name + ".bias", outputs)

    def norm(self, x, name):
        return self.layer_norm(x, name, self("layer_norm_epsilon", 1e-5))

    def run(self, ids):
        n, heads = self("n_embd", 768), self("n_head", 12)
        x = self.embed(ids, "transformer.wte", n)
        x = x + self.t("transformer.wpe.weight", self("n_positions", 1024), n)[:len(ids)]
        for layer in range(self("n_layer", 12)):
            at = f"transformer.h.{layer}"
            y = self.conv1d(self.norm(x, at + ".ln_1"), at + ".attn.c_attn", 3 * n)
            q, k, v = (heads_of(y[:, i * n:(i + 1) * n], heads) for i in range(3))
            scale = (n // heads) ** -0.5
            if self("scale_attn_by_inverse_layer_idx", False):
                scale /= layer + 1
            x = x + self.conv1d(attend(q, k, v, scale), at + ".attn.c_proj", n)
            act = ACT2FN[self("activation_function", "gelu_new")]
            y = act(self.conv1d(self.norm(x, at + ".ln_2"), at + ".mlp.c_fc",
                                self("n_inner", 4 * n)))
            x = x + self.conv1d(y, at + ".mlp.c_proj", n)
        return self.logits(self.norm(x, "transformer.ln_f"), "transformer.wte", True)


class GPTNeoX(Model):
    def norm(self, x, name):
        return self.layer_norm(x, name, self("layer_norm_eps", 1e-5))

    def run(self, ids):
        n, heads = self("hidden_size"), self("num_attention_heads")
        d, bias = n // heads, self("attention_bias", True)
        rope = self("rope_parameters") or {}
        part = rope.get("partial_rotary_factor", self("rotary_pct", 0.25))
        angles = self.angles(len(ids), int(d * part), self("rotary_emb_base", 10000.0))
        act = ACT2FN[self("hidden_act", "gelu")]
        x = self.embed(ids, "gpt_neox.embed_in", n)
        for layer in range(self("num_hidden_layers")):
            at = f"gpt_neox.layers.{layer}"
            y = self.linear(self.norm(x, at + ".input_layernorm"), at + ".attention.query_key_value",
                            3 * n, bias)
            q, k, v = np.split(heads_of(y, heads), 3, axis=-1)
            y = attend(rotate(q, angles), rotate(k, angles), v, d**-0.5)
            attended = self.linear(y, at + ".attention.dense", n, bias)
            before = x if self("use_parallel_residual", True) else x + attended
            y = act(self.linear(self.norm(before, at + ".post_attention_layernorm"),
                                at + ".mlp.dense_h_to_4h", self("intermediate_size"), True))
            x = x + attended + self.linear(y, at + ".mlp.dense_4h_to_h", n, True)
        return self.logits(self.norm(x, "gpt_neox.final_layer_norm"), "gpt_neox.embed_in", False,
                           "embed_out")


class OPT(Model):
    def norm(self, x, name):
        if not self("layer_norm_elementwise_affine", True):
            return layer_norm(x, 1, 0, 1e-5)
        return self.layer_norm(x, name, 1e-5)

    def run(self, ids):
        n, heads, bias = self("hidden_size"), self("num_attention_heads"), self("enable_bias", True)
        width = self("word_embed_proj_dim", n)
        is_pre = self("do_layer_norm_before", True)
        act = ACT2FN[self("activation_function", "relu")]
        at = "model.decoder"
        x = self.embed(ids, at + ".embed_tokens", width)
        if width != n:
            x = self.linear(x, at + ".project_in", n)
        positions = self.t(at + ".embed_positions.weight", self("max_position_embeddings") + 2, n)
        x = x + positions[2:2 + len(ids)]
        for layer in range(self("num_hidden_layers")):
            at = f"model.decoder.layers.{layer}"

            def attention(y):
                q, k, v = (heads_of(self.linear(y, f"{at}.self_attn.{p}_proj", n, bias), heads)
                           for p in "qkv")
                return self.linear(attend(q, k, v, (n // heads) ** -0.5), at + ".self_attn.out_proj",
                                   n, bias)

            def feed_forward(y):
                return self.linear(act(self.linear(y, at + ".fc1", self("ffn_dim"), bias)),
                                   at + ".fc2", n, bias)

            for part, name in ((attention, ".self_attn_layer_norm"), (feed_forward, ".final_layer_norm")):
                if is_pre:
                    x = x + part(self.norm(x, at + name))
                else:
                    x = self.norm(x + part(x), at + name)
        at = "model.decoder"
        if is_pre and not self("_remove_final_layer_norm", False):
            x = self.norm(x, at + ".final_layer_norm")
        if width != n:
            x = self.linear(x, at + ".project_out", width)
        return self.logits(x, at + ".embed_tokens", True)


class Falcon(Model):
    def norm(self, x, name):
        return self.layer_norm(x, name, self("layer_norm_epsilon", 1e-5))

    def run(self, ids):
        n, heads, bias = self("hidden_size"), self("num_attention_heads"), self("bias", False)
        d = n // heads
        is_new, is_multi = self("new_decoder_architecture", False), self("multi_query", True)
        kv = self("num_kv_heads", heads) if is_new else 1 if is_multi else heads
        is_parallel = self("parallel_attn", True) or is_new
        two_norms = is_new and self("num_ln_in_parallel_attn", 2) == 2
        alibi = self("alibi", False)
        angles = None if alibi else self.angles(len(ids), d)
        act = ACT2FN[self("activation", "gelu")]
        x = self.embed(ids, "transformer.word_embeddings", n)
        for layer in range(self("num_hidden_layers")):
            at = f"transformer.h.{layer}"
            normed = self.norm(x, at + (".ln_attn" if two_norms else ".input_layernorm"))
            y = self.linear(normed, at + ".self_attention.query_key_value", (heads + 2 * kv) * d, bias)
            groups = y.reshape(len(x), kv, heads // kv + 2, d)
            q = groups[:, :, :-2].reshape(len(x), heads, d)
            k, v = groups[:, :, -2], groups[:, :, -1]
            more = {}
            if alibi:
                slopes = alibi_slopes(heads).astype(np.float32).view(np.uint32)
                slopes = ((slopes + 0x7fff + (slopes >> 16 & 1)) >> 16 << 16).view(np.float32)
                more["slopes"] = slopes * d**-0.5
            else:
                q, k = rotate(q, angles), rotate(k, angles)
            attended = self.linear(attend(q, k, v, d**-0.5, **more), at + ".self_attention.dense", n,
                                   bias)
            if two_norms:
                inner = self.norm(x, at + ".ln_mlp")
            elif is_parallel:
                inner = normed
            else:
                inner = self.norm(x + attended, at + ".post_attention_layernorm")
            y = act(self.linear(inner, at + ".mlp.dense_h_to_4h", self("ffn_hidden_size", 4 * n), bias))
            x = x + attended + self.linear(y, at + ".mlp.dense_4h_to_h", n, bias)
        return self.logits(self.norm(x, "transformer.ln_f"), "transformer.word_embeddings", True)


#===-- DeepSeek, gpt-oss --------------------------------------------------------------===


class DeepSeek(Llama, Experts):
    first_dense = 0

    def attention(self, x, at, layer):
        plain, rotating = self("qk_nope_head_dim", 128), self("qk_rope_head_dim", 64)
        width, rank, bias = self("v_head_dim", 128), self("kv_lora_rank", 512), self("attention_bias", False)
        query = x
        name = ".q_proj"
        if self.config.get("q_lora_rank", 1536):
            query = self.linear(x, at + ".q_a_proj", self("q_lora_rank", 1536), bias)
            query = self.rms(query, at + ".q_a_layernorm", 1e-6)
            name = ".q_b_proj"
        q = heads_of(self.linear(query, at + name, self.heads * (plain + rotating)), self.heads)
        latent = self.linear(x, at + ".kv_a_proj_with_mqa", rank + rotating, bias)
        kv = self.rms(latent[:, :rank], at + ".kv_a_layernorm", 1e-6)
        kv = heads_of(self.linear(kv, at + ".kv_b_proj", self.heads * (plain + width)), self.heads)
        angles = self.angles(len(x), rotating)
        interleaved = self("rope_interleave", True)
        turned = rotate(latent[:, None, rank:], angles, interleaved)
        k = np.concatenate([kv[..., :plain], np.repeat(turned, self.heads, axis=1)], axis=-1)
        q = np.concatenate([q[..., :plain], rotate(q[..., plain:], angles, interleaved)], axis=-1)
        scale = (plain + rotating) ** -0.5
        rope = self("rope_scaling") or {}
        if rope.get("mscale_all_dim"):
            scale *= mscale(rope["factor"], rope["mscale_all_dim"]) ** 2
        return self.linear(attend(q, k, kv[..., plain:], scale), at + ".o_proj", self.hidden, bias)

    def shares(self, x, at):
        """Of all experts; 0 of those that a token does not take."""
        raise NotImplementedError

    def feed_forward(self, x, at, layer):
        if layer < self("first_k_dense_replace", self.first_dense):
            return super().feed_forward(x, at, layer)
        width = self("moe_intermediate_size")
        shares = self.shares(x, at)
        result = np.zeros_like(x)
        for e in range(self("n_routed_experts")):
            names = (f"{at}.experts.{e}.{w}_proj" for w in ("gate", "up", "down"))
            result += shares[:, e:e + 1] * self.gated(x, width, *names)
        shared = self("n_shared_experts", self.default_shared)
        if shared:
            names = (f"{at}.shared_experts.{w}_proj" for w in ("gate", "up", "down"))
            result += self.gated(x, width * shared, *names)
        return result

    def choose(self, ranked, scores, group_score):
        groups, top_groups = self("n_group", self.groups[0]), self("topk_group", self.groups[1])
        shares = np.zeros_like(scores)
        for row, score, share in zip(ranked, scores, shares):
            if groups > 1:
                parts = row.reshape(groups, -1)
                best = np.argsort(-group_score(parts), kind="stable")[:top_groups]
                kept = np.full_like(parts, -np.inf)
                kept[best] = parts[best]
                row = kept.reshape(-1)
            chosen = np.argsort(-row, kind="stable")[:self("num_experts_per_tok")]
            share[chosen] = score[chosen]
        return shares


class DeepSeekV2(DeepSeek):
    default_shared, groups = 2, (1, 1)

    def shares(self, x, at):
        scores = softmax(self.linear(x, at + ".gate", self("n_routed_experts")))
        limited = self("topk_method", "greedy") == "group_limited_greedy"
        if not limited:
            plain = DeepSeekV2({**self.config, "n_group": 1}, self.t)
            return plain.choose(scores, scores, None) * self("routed_scaling_factor", 1.0)
        return (self.choose(scores, scores, lambda g: g.max(axis=1))
                * self("routed_scaling_factor", 1.0))


class DeepSeekV3(DeepSeek):
    default_shared, groups, first_dense = 1, (8, 4), 3

    def shares(self, x, at):
        count = self("n_routed_experts")
        scores = sigmoid(self.linear(x, at + ".gate", count))
        ranked = scores + self.t(at + ".gate.e_score_correction_bias", count)
        shares = self.choose(ranked, scores, lambda g: np.sort(g, axis=1)[:, -2:].sum(axis=1))
        if self("norm_topk_prob", True):
            shares = shares / (shares.sum(axis=1, keepdims=True) + 1e-20)
        return shares * self("routed_scaling_factor", 2.5)


class GPTOSS(Llama):
    base, epsilon = 150000.0, 1e-5

    def default_kv(self):
        return 8

    def default_head(self):
        return 64

    def biases(self):
        bias = self("attention_bias", True)
        return bias, bias

    def window(self, layer):
        slides = sliding(self, self.layers, lambda i: i % 2 == 0)
        return self("sliding_window", 128) if slides[layer] else None

    def more_of_scores(self, at):
        return {"sinks": self.t(at + ".sinks", self.heads, scale=1.0)}

    def feed_forward(self, x, at, layer):
        count, width, limit = self("num_local_experts", 128), self("intermediate_size"), self("swiglu_limit", 7.0)
        both = self.t(at + ".experts.gate_up_proj", count, self.hidden, 2 * width)
        both_bias = self.t(at + ".experts.gate_up_proj_bias", count, 2 * width)
        down = self.t(at + ".experts.down_proj", count, width, self.hidden)
        down_bias = self.t(at + ".experts.down_proj_bias", count, self.hidden)
        logits = self.linear(x, at + ".router", count, True)
        result = np.zeros_like(x)
        for row, y, out in zip(logits, x, result):
            chosen = np.argsort(-row, kind="stable")[:self("num_experts_per_tok", 4)]
            for e, share in zip(chosen, softmax(row[chosen])):
                z = y @ both[e] + both_bias[e]
                gate, up = np.minimum(z[0::2], limit), np.clip(z[1::2], -limit, limit)
                out += share * ((gate * sigmoid(1.702 * gate) * (up + 1)) @ down[e] + down_bias[e])
        return result


FAMILIES = {
    "cohere": ("CohereForCausalLM", Cohere), "cohere2": ("Cohere2ForCausalLM", Cohere2),
    "deepseek_v2": ("DeepseekV2ForCausalLM", DeepSeekV2),
    "deepseek_v3": ("DeepseekV3ForCausalLM", DeepSeekV3),
    "falcon": ("FalconForCausalLM", Falcon), "gemma": ("GemmaForCausalLM", Gemma),
    "gemma2": ("Gemma2ForCausalLM", Gemma2), "gemma3_text": ("Gemma3ForCausalLM", Gemma3),
    "gpt2": ("GPT2LMHeadModel", GPT2), "gpt_neox": ("GPTNeoXForCausalLM", GPTNeoX),
    "gpt_oss": ("GptOssForCausalLM", GPTOSS), "granite": ("GraniteForCausalLM", Granite),
    "llama": ("LlamaForCausalLM", Llama), "mistral": ("MistralForCausalLM", Mistral),
    "mixtral": ("MixtralForCausalLM", Mixtral), "olmo2": ("Olmo2ForCausalLM", OLMo2),
    "olmo3": ("Olmo3ForCausalLM", OLMo3), "opt": ("OPTForCausalLM", OPT),
    "phi": ("PhiForCausalLM", Phi), "phi3": ("Phi3ForCausalLM", Phi3),
    "qwen2": ("Qwen2ForCausalLM", Qwen2), "qwen2_moe": ("Qwen2MoeForCausalLM", Qwen2MoE),
    "qwen3": ("Qwen3ForCausalLM", Qwen3), "qwen3_moe": ("Qwen3MoeForCausalLM", Qwen3MoE),
    "smollm3": ("SmolLM3ForCausalLM", SmolLM3), "stablelm": ("StableLmForCausalLM", StableLM),
}  # fmt: skip


def logits_of(config, tensors, ids):
    """[length, vocabulary]"""
    return FAMILIES[config["model_type"]][1](config, tensors).run(np.asarray(ids))
