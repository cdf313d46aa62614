# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decoders whose feed-forward parts are mixtures of experts, written down as transformers'
modeling_*.py has them."""
import numpy as np

from layers import ACT2FN, attend, mscale, rotate, sigmoid, softmax
from llama_like import Llama, Mistral, Qwen2, Qwen3, sliding
from model import heads_of


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
