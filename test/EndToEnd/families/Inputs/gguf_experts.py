# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decoders with mixtures of experts as GGUF files for llama.cpp."""
import numpy as np

from gguf_model import neighbours, windows_of
from gguf_models import PROJECTIONS, TWO_NORMS, Llama, Qwen2, Qwen3

EXPERTS = {"mlp.gate": "ffn_gate_inp", "mlp.experts.gate_proj": "ffn_gate_exps",
           "mlp.experts.up_proj": "ffn_up_exps", "mlp.experts.down_proj": "ffn_down_exps"}
SOFTMAX, SIGMOID = 1, 2  # llama.cpp's numbers of what makes probabilities


class Mixtral(Llama):
    names = TWO_NORMS | PROJECTIONS | {
        "block_sparse_moe.gate": "ffn_gate_inp", "block_sparse_moe.experts.w1": "ffn_gate_exps",
        "block_sparse_moe.experts.w2": "ffn_down_exps",
        "block_sparse_moe.experts.w3": "ffn_up_exps",
    }  # fmt: skip

    def metadata(self):
        m = self.model
        return super().metadata() | {"expert_count": m("num_local_experts", 8),
                                     "expert_used_count": m("num_experts_per_tok", 2)}


class Qwen3MoE(Qwen3):
    architecture = "qwen3moe"
    names = Qwen3.names | EXPERTS

    def metadata(self):
        m = self.model
        return super().metadata() | {"expert_count": m("num_experts", 128),
                                     "expert_used_count": m("num_experts_per_tok", 8),
                                     "expert_feed_forward_length": m("moe_intermediate_size", 768)}


class Qwen2MoE(Qwen2):
    architecture = "qwen2moe"
    names = Llama.names | EXPERTS | {
        "mlp.shared_expert.gate_proj": "ffn_gate_shexp",
        "mlp.shared_expert.up_proj": "ffn_up_shexp",
        "mlp.shared_expert.down_proj": "ffn_down_shexp",
        "mlp.shared_expert_gate": "ffn_gate_inp_shexp",
    }  # fmt: skip

    def metadata(self):
        m = self.model
        return super().metadata() | {
            "expert_count": m("num_experts", 60), "expert_used_count": m("num_experts_per_tok", 4),
            "expert_feed_forward_length": m("moe_intermediate_size", 1408),
            "expert_shared_feed_forward_length": m("shared_expert_intermediate_size", 5632),
        }  # fmt: skip

class DeepSeekV2(Llama):
    """llama.cpp attends to the latent keys and values that all heads share: the weights that would
    expand them, of each head, are applied to queries and to results instead."""

    architecture = "deepseek2"
    names = Llama.names | EXPERTS | {
        "self_attn.q_a_proj": "attn_q_a", "self_attn.q_a_layernorm": "attn_q_a_norm",
        "self_attn.q_b_proj": "attn_q_b", "self_attn.kv_a_proj_with_mqa": "attn_kv_a_mqa",
        "self_attn.kv_a_layernorm": "attn_kv_a_norm", "mlp.gate.e_score_correction": "exp_probs_b",
        "mlp.shared_experts.gate_proj": "ffn_gate_shexp",
        "mlp.shared_experts.up_proj": "ffn_up_shexp",
        "mlp.shared_experts.down_proj": "ffn_down_shexp",
    }  # fmt: skip

    def __init__(self, model, stored):
        super().__init__(model, stored)
        self.plain, self.turned = model("qk_nope_head_dim", 128), model("qk_rope_head_dim", 64)
        self.rank = model("kv_lora_rank", 512)

    def metadata(self):
        m = self.model
        result = super().metadata() | {
            "attention.head_count_kv": 1, "rope.dimension_count": self.turned,
            "attention.kv_lora_rank": self.rank, "attention.key_length": self.rank + self.turned,
            "attention.value_length": self.rank,
            "attention.key_length_mla": self.plain + self.turned,
            "attention.value_length_mla": m("v_head_dim", 128),
            "leading_dense_block_count": m("first_k_dense_replace", m.first_dense),
            "expert_count": m("n_routed_experts"), "expert_used_count": m("num_experts_per_tok"),
            "expert_shared_count": m("n_shared_experts", m.default_shared),
            "expert_feed_forward_length": m("moe_intermediate_size"), **self.routing(),
        }  # fmt: skip
        if m.config.get("q_lora_rank", 1536):
            result["attention.q_lora_rank"] = m("q_lora_rank", 1536)
        if "mscale_all_dim" in self.rope_config():
            result["rope.scaling.yarn_log_multiplier"] = 0.1 * self.rope_config()["mscale_all_dim"]
        return result

    def routing(self):
        m = self.model
        result = {"expert_weights_scale": float(m("routed_scaling_factor", 1.0)),
                  "expert_gating_func": SOFTMAX}
        if m("topk_method") == "group_limited_greedy":
            result |= {"expert_group_count": m("n_group"),
                       "expert_group_used_count": m("topk_group")}
        return result

    def split(self, name):
        return super().split(name.replace("_correction_bias", "_correction.bias"))

    def convert(self, name, value):
        heads = self.model.heads
        if name == "self_attn.kv_b_proj":
            keys, values = np.split(value.reshape(heads, -1, self.rank), [self.plain], axis=1)
            yield from (("attn_k_b", keys.swapaxes(1, 2)), ("attn_v_b", values))
            return
        if not self.model("rope_interleave", True):
            if name in ("self_attn.q_proj", "self_attn.q_b_proj"):
                value = neighbours(value, heads, self.plain)
            if name == "self_attn.kv_a_proj_with_mqa":
                value = neighbours(value, 1, self.rank)
        yield self.names.get(name) or self.ends[name], value


class ExpandedDeepSeekV2(DeepSeekV2):
    """As files were before llama.cpp attended to what heads share."""

    def metadata(self):
        shared = ("attention.key_length_mla", "attention.value_length_mla")
        keys, values = (super(ExpandedDeepSeekV2, self).metadata()[key] for key in shared)
        rest = {key: v for key, v in super().metadata().items() if key not in shared}
        return rest | {"attention.head_count_kv": self.model.heads,
                       "attention.key_length": keys, "attention.value_length": values}

    def convert(self, name, value):
        if name == "self_attn.kv_b_proj":
            yield "attn_kv_b", value
        else:
            yield from super().convert(name, value)


class DeepSeekV3(DeepSeekV2):
    def routing(self):
        m = self.model
        return {"expert_weights_scale": float(m("routed_scaling_factor", 2.5)),
                "expert_weights_norm": m("norm_topk_prob", True), "expert_gating_func": SIGMOID,
                "expert_group_count": m("n_group", m.groups[0]),
                "expert_group_used_count": m("topk_group", m.groups[1])}


class GPTOSS(Qwen2):
    architecture, needs_bias = "gpt-oss", ("attn_output",)
    names = PROJECTIONS | {
        "input_layernorm": "attn_norm", "post_attention_layernorm": "post_attention_norm",
        "self_attn.sinks": "attn_sinks", "mlp.router": "ffn_gate_inp",
    }  # fmt: skip

    def metadata(self):
        m = self.model
        return super().metadata() | windows_of(m) | {
            "expert_count": m("num_local_experts", 128),
            "expert_used_count": m("num_experts_per_tok", 4),
            "expert_feed_forward_length": m("intermediate_size"),
        }  # fmt: skip

    def split(self, name):
        if ".experts." in name:
            return name.removesuffix("_bias"), "bias" if name.endswith("_bias") else "weight"
        return super().split(name + ".weight" if name.endswith("sinks") else name)

    def convert(self, name, value):
        """Experts are stored as [experts, inputs, outputs], whose even outputs are gates."""
        if ".experts." not in name:
            yield from super().convert(name, value)
            return
        value = value.swapaxes(1, -1)
        if name.endswith("down_proj"):
            yield "ffn_down_exps", value
        else:
            yield from (("ffn_gate_exps", value[:, 0::2]), ("ffn_up_exps", value[:, 1::2]))
