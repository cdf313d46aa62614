# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GPT-2, GPT-NeoX, OPT and Falcon, written down as transformers' modeling_*.py has them."""
import numpy as np

from layers import ACT2FN, alibi_slopes, attend, layer_norm, rotate
from model import Model, heads_of


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
