# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decoders as GGUF files for llama.cpp: Llama and what is like it. Architectures, keys, names of
tensors and their layouts are those that llama.cpp's own converter writes."""
from gguf_model import Exported, Rope, neighbours, windows_of

TWO_NORMS = {"input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm"}
PROJECTIONS = {"self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k",
               "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output"}  # fmt: skip
GATED = {"mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down"}
HEAD_NORMS = {"self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm"}
NORMS_AFTER = {"post_attention_layernorm": "post_attention_norm",
               "post_feedforward_layernorm": "post_ffw_norm"}  # fmt: skip


class Llama(Rope, Exported):
    """`turns_neighbours`: rope turns two halves of a head together in transformers, and neighbours
    in llama.cpp, so that rows of queries and keys change places."""

    architecture, turns_neighbours = "llama", True
    names = TWO_NORMS | PROJECTIONS | GATED
    ends = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}

    def metadata(self):
        m = self.model
        return {
            "context_length": m("max_position_embeddings"), "embedding_length": m.hidden,
            "block_count": m.layers, "feed_forward_length": m("intermediate_size"),
            "attention.head_count": m.heads, "attention.head_count_kv": m.kv,
            "attention.key_length": m.d, "attention.value_length": m.d,
            **self.epsilon(), **self.rope(),
        }  # fmt: skip

    def epsilon(self):
        return {"attention.layer_norm_rms_epsilon": float(self.model.eps)}

    def more_tensors(self):
        return self.rope_tensors()

    def convert(self, name, value):
        heads = {"self_attn.q_proj": self.model.heads, "self_attn.k_proj": self.model.kv}
        if self.turns_neighbours and name in heads:
            value = neighbours(value, heads[name])
        yield from super().convert(name, value)


class SmolLM3(Llama):
    architecture = "smollm3"


class Granite(Llama):
    architecture = "granite"

    def metadata(self):
        m = self.model
        return super().metadata() | {
            "attention.scale": float(m.scale(0)),
            "embedding_scale": float(m("embedding_multiplier", 1.0)),
            "residual_scale": float(m("residual_multiplier", 1.0)),
            "logit_scale": float(m("logits_scaling", 1.0)),
        }  # fmt: skip


class Qwen2(Llama):
    architecture, turns_neighbours = "qwen2", False


class Qwen3(Qwen2):
    architecture = "qwen3"
    names = Llama.names | HEAD_NORMS


class OLMo2(Qwen2):
    architecture, needs_output = "olmo2", True
    names = PROJECTIONS | GATED | HEAD_NORMS | NORMS_AFTER


class OLMo3(OLMo2):
    def metadata(self):
        windows = [self.model.window(i) for i in range(self.model.layers)]
        return super().metadata() | {
            "attention.sliding_window": max(filter(None, windows)),
            "attention.sliding_window_pattern": [w is not None for w in windows],
        }  # fmt: skip


#===-- Gemma -------------------------------------------------------------------===


class Gemma(Qwen2):
    architecture = "gemma"

    def convert(self, name, value):
        """Norms multiply by one more than the stored weights."""
        yield from super().convert(name, value + 1 if name.endswith("norm") else value)


class Gemma2(Gemma):
    """llama.cpp divides scores by the root of a head's channels, transformers by that of
    `query_pre_attn_scalar`: the ratio is in the weights that `scaled` names."""

    architecture, scaled = "gemma2", "self_attn.q_proj"
    names = Llama.names | NORMS_AFTER | {"pre_feedforward_layernorm": "ffn_norm"}

    def metadata(self):
        m = self.model
        caps = {"attn_logit_softcapping": m("attn_logit_softcapping", m.scores_cap),
                "final_logit_softcapping": m("final_logit_softcapping", m.logits_cap)}
        return (super().metadata() | windows_of(m)
                | {name: float(cap) for name, cap in caps.items() if cap})

    def convert(self, name, value):
        ratio = self.model.scale(0) * self.model.d**0.5 if name == self.scaled else 1
        for new, part in super().convert(name, value):
            yield new, ratio * part


class Gemma3(Gemma2):
    architecture, scaled = "gemma3", "self_attn.q_norm"
    names = Gemma2.names | HEAD_NORMS

    def rope(self):
        local = self.model("rope_local_base_freq", 10000.0)
        if self.model("rope_parameters"):
            local = self.rope_config("sliding_attention")["rope_theta"]
        return super().rope() | {"rope.freq_base_swa": float(local)}


#===-- Phi, StableLM and Cohere ------------------------------------------------===


class Phi3(Qwen2):
    architecture = "phi3"
    names = Llama.names | {"self_attn.qkv_proj": "attn_qkv", "mlp.gate_up_proj": "ffn_up"}


class StableLM(Qwen2):
    architecture = "stablelm"
    names = Llama.names | {"self_attn.q_layernorm.norms": "attn_q_norm",
                           "self_attn.k_layernorm.norms": "attn_k_norm"}

    def epsilon(self):
        return {"attention.layer_norm_epsilon": float(self.model("layer_norm_eps", 1e-5))}


class StarCoder2(StableLM):
    architecture = "starcoder2"
    names = TWO_NORMS | PROJECTIONS | {"mlp.c_fc": "ffn_up", "mlp.c_proj": "ffn_down"}

    def epsilon(self):
        return {"attention.layer_norm_epsilon": float(self.model("norm_epsilon", 1e-5))}


class Phi(StableLM):
    architecture = "phi2"
    names = PROJECTIONS | {"input_layernorm": "attn_norm", "self_attn.dense": "attn_output",
                           "mlp.fc1": "ffn_up", "mlp.fc2": "ffn_down"}
    ends = Llama.ends | {"model.final_layernorm": "output_norm"}


class Cohere(StableLM):
    """Rope turns neighbours in both libraries."""

    architecture = "command-r"
    names = Llama.names | HEAD_NORMS

    def metadata(self):
        return super().metadata() | {"logit_scale": float(self.model("logit_scale", 0.0625))}


class Cohere2(Cohere):
    architecture = "cohere2"

    def metadata(self):
        return super().metadata() | windows_of(self.model)
