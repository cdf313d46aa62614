# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Encoders, and encoder-decoders, as GGUF files: keys, names of tensors and what is left out are
those of llama.cpp's converter."""
import re

import encoders
import seq2seq
from gguf_model import Exported

NONE, MEAN, CLS, LAST, RANK = range(5)  # llama.cpp's numbers of poolings


class Bert(Exported):
    architecture, layer = "bert", re.compile(r"encoder\.layer\.(\d+)\.(.*)")
    names = {
        "attention.self.query": "attn_q", "attention.self.key": "attn_k",
        "attention.self.value": "attn_v", "attention.output.dense": "attn_output",
        "attention.output.LayerNorm": "attn_output_norm", "intermediate.dense": "ffn_up",
        "output.dense": "ffn_down", "output.LayerNorm": "layer_output_norm",
    }  # fmt: skip
    ends = {
        "embeddings.word_embeddings": "token_embd", "embeddings.LayerNorm": "token_embd_norm",
        "embeddings.position_embeddings": "position_embd",
        "embeddings.token_type_embeddings": "token_types",
        "classifier.dense": "cls", "classifier.out_proj": "cls.output",
    }  # fmt: skip
    pooling = MEAN
    inner, epsilon = "intermediate_size", "layer_norm_eps"

    def first_position(self):
        return 0

    def positions(self):
        return self.model("max_position_embeddings") - self.first_position()

    def metadata(self):
        m = self.model
        return {
            "context_length": self.positions(), "embedding_length": m.hidden,
            "block_count": m.layers, "feed_forward_length": m(self.inner),
            "attention.head_count": m.heads, "attention.causal": False,
            "attention.layer_norm_epsilon": float(m(self.epsilon, 1e-12)),
            "pooling_type": self.pooling,
        }  # fmt: skip

    def merged(self):
        """The converter leaves out the pooler."""
        plain = {name.removeprefix(self.model.root): value
                 for name, value in super().merged().items()}
        return {name: value for name, value in plain.items() if not name.startswith("pooler.")}

    def convert(self, name, value):
        rows = slice(self.first_position() if name.endswith("position_embeddings") else 0, None)
        yield from super().convert(name, value[rows])


class UnpooledBert(Bert):
    pooling = NONE


class OldBert(Bert):
    """Of a time before there was the key: the mean counts."""

    def metadata(self):
        return {key: v for key, v in super().metadata().items() if key != "pooling_type"}


class Roberta(Bert):
    def first_position(self):
        return self.model("pad_token_id", 1) + 1


class RankingRoberta(Roberta):
    pooling = RANK


class DistilBert(Bert):
    layer, inner = re.compile(r"transformer\.layer\.(\d+)\.(.*)"), "hidden_dim"
    names = {
        "attention.q_lin": "attn_q", "attention.k_lin": "attn_k", "attention.v_lin": "attn_v",
        "attention.out_lin": "attn_output", "sa_layer_norm": "attn_output_norm",
        "ffn.lin1": "ffn_up", "ffn.lin2": "ffn_down", "output_layer_norm": "layer_output_norm",
    }  # fmt: skip
    pooling = CLS


class ModernBert(Bert):
    architecture, layer = "modern-bert", re.compile(r"layers\.(\d+)\.(.*)")
    names = {"attn_norm": "attn_norm", "attn.Wqkv": "attn_qkv", "attn.Wo": "attn_output",
             "mlp_norm": "ffn_norm", "mlp.Wi": "ffn_up", "mlp.Wo": "ffn_down"}  # fmt: skip
    ends = {"embeddings.tok_embeddings": "token_embd", "embeddings.norm": "token_embd_norm",
            "final_norm": "output_norm"}  # fmt: skip
    epsilon, pooling = "norm_eps", LAST

    def metadata(self):
        m = self.model
        base = m("global_rope_theta", 160000.0)
        return super().metadata() | {
            "attention.layer_norm_rms_epsilon": float(m("norm_eps", 1e-5)),
            "attention.layer_norm_epsilon": float(m("norm_eps", 1e-5)),
            "attention.sliding_window": m("local_attention"), "rope.scaling.type": "none",
            "attention.sliding_window_pattern": m("global_attn_every_n_layers", 3),
            "rope.freq_base": float(base),
            "rope.freq_base_swa": float(m.config.get("local_rope_theta", 10000.0) or base),
        }  # fmt: skip


class T5(Exported):
    architecture = "t5"
    layer = re.compile(r"(encoder|decoder)\.block\.(\d+)\.layer\.\d\.(.*)")
    attention = {"q": "attn_q", "k": "attn_k", "v": "attn_v", "o": "attn_o",
                 "relative_attention_bias": "attn_rel_b"}  # fmt: skip
    names = {f"SelfAttention.{a}": b for a, b in attention.items()}
    names |= {f"EncDecAttention.{a}": f"cross_{b}" for a, b in attention.items()}
    names |= {f"DenseReluDense.{a}": b for a, b in {
        "wi": "ffn_up", "wi_0": "ffn_gate", "wi_1": "ffn_up", "wo": "ffn_down"}.items()}  # fmt: skip
    ends = {"shared": "token_embd", "lm_head": "output",
            "encoder.final_layer_norm": "enc.output_norm",
            "decoder.final_layer_norm": "dec.output_norm"}  # fmt: skip
    norms = {"encoder": ["attn_norm", "ffn_norm"],
             "decoder": ["attn_norm", "cross_attn_norm", "ffn_norm"]}  # fmt: skip

    def metadata(self):
        m = self.model
        layers = m("num_layers", 6)
        return {
            "context_length": m("n_positions", 512), "embedding_length": m("d_model"),
            "feed_forward_length": m("d_ff"), "block_count": layers,
            "decoder_block_count": m("num_decoder_layers", layers),
            "attention.head_count": m("num_heads"), "attention.key_length": m("d_kv"),
            "attention.value_length": m("d_kv"),
            "attention.layer_norm_epsilon": float(m("layer_norm_epsilon", 1e-6)),
            "attention.layer_norm_rms_epsilon": float(m("layer_norm_epsilon", 1e-6)),
            "attention.relative_buckets_count": m("relative_attention_num_buckets", 32),
            "decoder_start_token_id": m("decoder_start_token_id"),
        }  # fmt: skip

    def merged(self):
        """Norms of a layer have one name, and are told apart by the number of their part."""
        numbered = re.compile(r"(encoder|decoder)(\.block\.\d+\.layer\.)(\d)\.layer_norm(.*)")

        def renamed(name):
            match = numbered.fullmatch(name)
            return name if not match else (f"{match[1]}{match[2]}{match[3]}."
                                           f"{self.norms[match[1]][int(match[3])]}{match[4]}")

        return {renamed(name): value for name, value in super().merged().items()}

    def place(self, stack, number):
        return f"{stack[:3]}.blk.{number}."

    def convert(self, name, value):
        plain = name in ("attn_norm", "cross_attn_norm", "ffn_norm")
        yield from [(name, value)] if plain else super().convert(name, value)


# llama.cpp knows one activation, and of T5 one with gates and one without.
T5_LACKS = [{"feed_forward_proj": "gated-silu"}, {"feed_forward_proj": "gelu"}]
BERT_LACKS = {"hidden_act", "activation"}
# The writer of each architecture, the evaluator, and fields that a file lacks.
ENCODERS = {
    "BertModel": (Bert, encoders.Encoder, BERT_LACKS),
    "DistilBertModel": (DistilBert, encoders.DistilBert, BERT_LACKS),
    "RobertaModel": (Roberta, encoders.Roberta, BERT_LACKS),
    "XLMRobertaModel": (Roberta, encoders.Roberta, BERT_LACKS),
    "RobertaForSequenceClassification": (RankingRoberta, encoders.Roberta, BERT_LACKS),
    "ModernBertModel": (ModernBert, encoders.ModernBert, {
        "hidden_activation", "norm_bias", "attention_bias", "mlp_bias", "layer_types",
        "rope_parameters"}),
}  # fmt: skip
# Other forms of files of an architecture.
FORMS = {"unpooled BertModel": ("BertModel", UnpooledBert), "old BertModel": ("BertModel", OldBert)}
ENCODER_DECODERS = {
    "t5": (T5, seq2seq.T5, {"relative_attention_max_distance", "scale_decoder_outputs"}),
}  # fmt: skip
# Fields of every config, as a file of llama.cpp's has nothing else.
ALWAYS = {"t5": {"relative_attention_max_distance": 128}}
