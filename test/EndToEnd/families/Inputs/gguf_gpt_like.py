# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GPT-2, GPT-NeoX and Falcon as GGUF files for llama.cpp."""
import numpy as np

from gguf_model import Exported


def by_part(rows, groups, heads):
    """Rows [groups, heads of queries, keys and values, channels] with all queries first, then all
    keys and then all values; `heads` of each are in a group."""
    of_heads = rows.reshape(groups, sum(heads), -1, *rows.shape[1:])
    parts = np.split(of_heads, np.cumsum(heads)[:-1], axis=1)
    return np.concatenate([part.reshape(-1, *rows.shape[1:]) for part in parts])


class GPT2(Exported):
    architecture = "gpt2"
    names = {"ln_1": "attn_norm", "ln_2": "ffn_norm", "attn.c_attn": "attn_qkv",
             "attn.c_proj": "attn_output", "mlp.c_fc": "ffn_up", "mlp.c_proj": "ffn_down"}
    ends = {"transformer.wte": "token_embd", "transformer.wpe": "position_embd",
            "transformer.ln_f": "output_norm", "lm_head": "output"}  # fmt: skip

    def metadata(self):
        m = self.model
        width = m("n_embd", 768)
        return {
            "context_length": m("n_positions", 1024), "embedding_length": width,
            "block_count": m("n_layer", 12), "feed_forward_length": m("n_inner", 4 * width),
            "attention.head_count": m("n_head", 12),
            "attention.layer_norm_epsilon": float(m("layer_norm_epsilon", 1e-5)),
        }  # fmt: skip

    def convert(self, name, value):
        yield from super().convert(name, value.T if ".c_" in name else value)


class GPTNeoX(Exported):
    architecture, needs_bias = "gptneox", ("attn_qkv", "attn_output")
    names = {"input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm",
             "attention.query_key_value": "attn_qkv", "attention.dense": "attn_output",
             "mlp.dense_h_to_4h": "ffn_up", "mlp.dense_4h_to_h": "ffn_down"}  # fmt: skip
    ends = {"gpt_neox.embed_in": "token_embd", "gpt_neox.final_layer_norm": "output_norm",
            "embed_out": "output"}  # fmt: skip

    def metadata(self):
        m = self.model
        width, heads, rope = m("hidden_size"), m("num_attention_heads"), m("rope_parameters") or {}
        part = rope.get("partial_rotary_factor", m("rotary_pct", 0.25))
        return {
            "context_length": m("max_position_embeddings"), "embedding_length": width,
            "block_count": m("num_hidden_layers"), "feed_forward_length": m("intermediate_size"),
            "attention.head_count": heads, "rope.dimension_count": int(width // heads * part),
            "rope.freq_base": float(rope.get("rope_theta", m("rotary_emb_base", 10000.0))),
            "attention.layer_norm_epsilon": float(m("layer_norm_eps", 1e-5)),
            "use_parallel_residual": m("use_parallel_residual", True),
        }  # fmt: skip

    def convert(self, name, value):
        if name == "attention.query_key_value":
            value = by_part(value, self.model("num_attention_heads"), (1, 1, 1))
        yield from super().convert(name, value)


class Falcon(Exported):
    architecture = "falcon"
    names = {"input_layernorm": "attn_norm", "ln_mlp": "attn_norm", "ln_attn": "attn_norm_2",
             "self_attention.query_key_value": "attn_qkv", "self_attention.dense": "attn_output",
             "mlp.dense_h_to_4h": "ffn_up", "mlp.dense_4h_to_h": "ffn_down"}  # fmt: skip
    ends = {"transformer.word_embeddings": "token_embd", "transformer.ln_f": "output_norm"}

    def heads(self):
        """Of queries, and of keys and values."""
        m = self.model
        heads = m("num_attention_heads")
        if m("new_decoder_architecture", False):
            return heads, m("num_kv_heads", heads)
        return heads, 1 if m("multi_query", True) else heads

    def metadata(self):
        m = self.model
        width, (heads, kv) = m("hidden_size"), self.heads()
        return {
            "context_length": m("max_position_embeddings"), "embedding_length": width,
            "block_count": m("num_hidden_layers"),
            "feed_forward_length": m("ffn_hidden_size", 4 * width), "attention.head_count": heads,
            "attention.head_count_kv": kv, "rope.dimension_count": width // heads,
            "attention.layer_norm_epsilon": float(m("layer_norm_epsilon", 1e-5)),
        }  # fmt: skip

    def convert(self, name, value):
        if name == "self_attention.query_key_value":
            heads, kv = self.heads()
            value = by_part(value, kv, (heads // kv, 1, 1))
        yield from super().convert(name, value)
