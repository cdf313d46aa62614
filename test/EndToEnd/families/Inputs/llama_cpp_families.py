# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The decoders of variants.py that llama.cpp has, and what it lacks."""
import gguf_experts as experts
import gguf_gpt_like as gpt_like
import gguf_models as models
from variants import GEMMA3, LLAMA, LONGROPE, UNTIED, VARIANTS, WINDOW, YARN

# What writes each as GGUF.
FAMILIES = {
    "cohere": models.Cohere, "cohere2": models.Cohere2, "deepseek_v2": experts.DeepSeekV2,
    "deepseek_v3": experts.DeepSeekV3, "falcon": gpt_like.Falcon, "gemma": models.Gemma,
    "gemma2": models.Gemma2, "gemma3": models.Gemma3, "gemma3_text": models.Gemma3,
    "gpt2": gpt_like.GPT2, "gpt_neox": gpt_like.GPTNeoX, "gpt_oss": experts.GPTOSS,
    "granite": models.Granite, "llama": models.Llama, "mistral": models.Llama,
    "mistral3": models.Llama, "mixtral": experts.Mixtral, "olmo2": models.OLMo2,
    "olmo3": models.OLMo3, "phi": models.Phi, "phi3": models.Phi3, "qwen2": models.Qwen2,
    "qwen2_moe": experts.Qwen2MoE, "qwen3": models.Qwen3, "qwen3_moe": experts.Qwen3MoE,
    "smollm3": models.SmolLM3, "stablelm": models.StableLM, "starcoder2": models.StarCoder2,
}  # fmt: skip
# It has no architecture for them.
ABSENT = {"opt"}
assert FAMILIES.keys() | ABSENT == VARIANTS.keys(), "a family is to be in FAMILIES, or ABSENT"

# What every config says, as llama.cpp knows nothing else: shares of experts add up to one; GELU is
# that of tanh.
ALWAYS = {"qwen3_moe": {"norm_topk_prob": True}, "gpt_neox": {"hidden_act": "gelu_new"},
          "falcon": {"activation": "gelu_new"}}  # fmt: skip

# Fields that it lacks, and why: what it has for all models of the family. It also truncates the
# bounds of yarn whatever `truncate` says, which changes nothing where heads have so few channels.
NO_WINDOW = "layers have no windows"
ACTIVATION = "one activation is built in"
BIAS = "such biases are not read"
ALL_SPARSE = "all layers have experts"
PERIOD = "one layer of so many has no window, the last of them"
FOURTH = "each fourth layer has no rope"
LACKS = {
    "llama": {"hidden_act": ACTIVATION},
    "mistral": {"sliding_window": NO_WINDOW},
    "mixtral": {"sliding_window": NO_WINDOW},
    "qwen2": {"use_sliding_window": NO_WINDOW},
    "qwen2_moe": {"norm_topk_prob": "shares are those of all experts' softmax",
                  "mlp_only_layers": ALL_SPARSE, "decoder_sparse_step": ALL_SPARSE},
    "qwen3": {"attention_bias": BIAS, "use_sliding_window": NO_WINDOW},
    "qwen3_moe": {"norm_topk_prob": "shares always add up to one, see ALWAYS",
                  "mlp_only_layers": ALL_SPARSE, "attention_bias": BIAS},
    "smollm3": {"no_rope_layers": FOURTH, "no_rope_layer_interval": FOURTH,
                "use_sliding_window": NO_WINDOW, "attention_bias": BIAS, "mlp_bias": BIAS},
    "olmo2": {"attention_bias": BIAS},
    "olmo3": {"rope_parameters": "all layers have one base"},
    "gemma": {"hidden_activation": ACTIVATION, "attention_bias": BIAS},
    "gemma2": {"layer_types": PERIOD},
    "phi": {"qk_layernorm": "queries and keys have no norms", "hidden_act": ACTIVATION},
    "phi3": {"sliding_window": "windows are disabled, says its log",
             "rope_scaling": "a context has one list for all positions, see MORE"},
    "starcoder2": {"sliding_window": NO_WINDOW, "hidden_act": ACTIVATION,
                   "use_bias": "biases are always read"},
    "cohere": {"tie_word_embeddings": "always tied", "attention_bias": BIAS,
               "use_qk_norm": "where there are 64 layers, see MORE"},
    "cohere2": {"layer_types": PERIOD},
    "gpt2": {"scale_attn_by_inverse_layer_idx": "there is one scale",
             "activation_function": ACTIVATION},
    "gpt_neox": {"hidden_act": ACTIVATION},
    "falcon": {"parallel_attn": "always parallel", "bias": BIAS, "alibi": "always rope"},
    "deepseek_v2": {"q_lora_rank": "where there are 26 layers, see MORE",
                    "topk_method": "groups are as DeepSeek V3 has them",
                    "rope_scaling": "mscale is taken for mscale_all_dim, see MORE"},
    "deepseek_v3": {"q_lora_rank": "where there are 26 layers, see MORE", "attention_bias": BIAS,
                    "rope_scaling": "mscale is taken for mscale_all_dim, see MORE"},
    "gpt_oss": {"swiglu_limit": "always 7", "layer_types": PERIOD},
}  # fmt: skip
# Logits of gemma2 are always capped; gemma3 is always tied; Mistral's layers have no windows.
LACKS_CHANGES = [("gemma2", {"final_logit_softcapping": None}),
                ("gemma3", {"text_config": {**GEMMA3, **UNTIED}}),
                ("mistral3", {"text_config": {**LLAMA, **WINDOW}})]

# The same fields, where it has them.
DEEPSEEK = [{"q_lora_rank": None, "num_hidden_layers": 26, "first_k_dense_replace": 25},
            {"rope_scaling": {**YARN, "mscale": 0.7, "mscale_all_dim": 0.7}}]  # fmt: skip
MORE = {
    "cohere": [{"use_qk_norm": True, "num_hidden_layers": 64}],
    "deepseek_v2": DEEPSEEK, "deepseek_v3": DEEPSEEK,
    "phi3": [{"rope_scaling": LONGROPE, "original_max_position_embeddings": 512,
              "max_position_embeddings": 1024}],
}  # fmt: skip


def variants_of(name):
    """Changes of the plain config."""
    lacks = LACKS.get(name, {})
    fields = {field for changes in VARIANTS[name][1] for field in changes}
    assert lacks.keys() <= fields, (name, lacks.keys() - fields)
    yield {}
    for changes in VARIANTS[name][1]:
        if not lacks.keys() & changes.keys() and (name, changes) not in LACKS_CHANGES:
            yield changes
    yield from MORE.get(name, [])
