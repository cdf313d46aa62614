# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiny configs of each family: a plain one, and fields that are set in addition, of which each
changes the logits."""

LLAMA = {
    "hidden_size": 32, "intermediate_size": 40, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "vocab_size": 48, "max_position_embeddings": 64,
}  # fmt: skip
GPT = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 48,
       "max_position_embeddings": 64}  # fmt: skip
TIED = {"tie_word_embeddings": True}
UNTIED = {"tie_word_embeddings": False}
WINDOW = {"sliding_window": 3}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16}
ROPES = [
    {"rope_theta": 500.0},
    {"rope_scaling": {"type": "linear", "factor": 3.0}},
    {"rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
                      "high_freq_factor": 4.0, "original_max_position_embeddings": 16}},
    {"rope_scaling": YARN},
    {"rope_scaling": {**YARN, "attention_factor": 1.25, "beta_fast": 4, "beta_slow": 0.5,
                      "truncate": False}},
    {"rope_parameters": {"rope_type": "linear", "factor": 2.0, "rope_theta": 300.0}},
]  # fmt: skip
GEMMA3 = {**LLAMA, "head_dim": 16, "num_hidden_layers": 3, "sliding_window_pattern": 3, **WINDOW}
TYPES = {"layer_types": ["full_attention", "sliding_attention"]}
EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 24}
DEEPSEEK = {
    **LLAMA, "num_key_value_heads": 4, "kv_lora_rank": 12, "q_lora_rank": 20, "qk_nope_head_dim": 8,
    "qk_rope_head_dim": 4, "v_head_dim": 6, "n_routed_experts": 8, "n_shared_experts": 1,
    "num_experts_per_tok": 2, "moe_intermediate_size": 16, "first_k_dense_replace": 1,
}  # fmt: skip
LONGROPE = {"type": "longrope", "short_factor": [1.0, 1.25, 1.5, 2.0],
            "long_factor": [1.5, 2.0, 4.0, 8.0]}  # fmt: skip

# The plain config, and what changes it.
VARIANTS = {
    "llama": (LLAMA, [TIED, {"attention_bias": True}, {"mlp_bias": True}, {"head_dim": 12},
                      {"rms_norm_eps": 0.3}, {"num_key_value_heads": 4}, {"hidden_act": "gelu"},
                      *ROPES]),
    "mistral": ({**LLAMA, "sliding_window": None}, [WINDOW, {"head_dim": 16}, TIED]),
    "mixtral": ({**LLAMA, "num_local_experts": 4}, [{"num_experts_per_tok": 1}, WINDOW]),
    "qwen2": (LLAMA, [
        TIED, {"use_sliding_window": True, **WINDOW, "max_window_layers": 1},
        {"use_sliding_window": True, **WINDOW, **TYPES}]),
    "qwen2_moe": ({**LLAMA, **EXPERTS, "shared_expert_intermediate_size": 20}, [
        {"norm_topk_prob": True}, {"mlp_only_layers": [0]}, {"decoder_sparse_step": 2},
        {"qkv_bias": False}]),
    "qwen3": ({**LLAMA, "head_dim": 8}, [
        TIED, {"attention_bias": True}, {"head_dim": 12},
        {"use_sliding_window": True, **WINDOW, "max_window_layers": 0}]),
    "qwen3_moe": ({**LLAMA, **EXPERTS}, [{"norm_topk_prob": True}, {"mlp_only_layers": [1]},
                                         {"attention_bias": True}]),
    "smollm3": ({**LLAMA, "num_hidden_layers": 4}, [
        UNTIED, {"no_rope_layers": [1, 0, 0, 1]}, {"no_rope_layer_interval": 2},
        {"use_sliding_window": True, **WINDOW}, {"attention_bias": True}, {"mlp_bias": True}]),
    "granite": (LLAMA, [{"embedding_multiplier": 3.0}, {"residual_multiplier": 0.5},
                        {"attention_multiplier": 0.2}, {"logits_scaling": 4.0},
                        {"attention_bias": True}, {"mlp_bias": True}, TIED]),
    "olmo2": (LLAMA, [{"attention_bias": True}, TIED]),
    "olmo3": ({**LLAMA, "num_hidden_layers": 4, **WINDOW}, [
        {"rope_scaling": YARN},
        {"layer_types": ["full_attention", "sliding_attention"] * 2},
        {"rope_parameters": {
            "full_attention": {**YARN, "rope_theta": 700.0},
            "sliding_attention": {"rope_type": "default", "rope_theta": 90.0}}}]),
    "gemma": ({**LLAMA, "head_dim": 16}, [{"hidden_activation": "relu"}, {"attention_bias": True}]),
    "gemma2": ({**LLAMA, "head_dim": 16, **WINDOW}, [
        {"query_pre_attn_scalar": 20}, {"attn_logit_softcapping": 1.0},
        {"final_logit_softcapping": 2.0},
        {"final_logit_softcapping": None}, TYPES]),
    "gemma3_text": (GEMMA3, [
        {"rope_local_base_freq": 50.0}, {"rope_scaling": {"rope_type": "linear", "factor": 8.0}},
        {"sliding_window_pattern": 2}, {"query_pre_attn_scalar": 9},
        {"rope_parameters": {
            "full_attention": {"rope_type": "linear", "factor": 4.0, "rope_theta": 700.0},
            "sliding_attention": {"rope_type": "default", "rope_theta": 90.0}}}]),
    "gemma3": ({"text_config": GEMMA3, "vision_config": {"hidden_size": 4},
                "mm_tokens_per_image": 4}, [
        {"text_config": {**GEMMA3, "query_pre_attn_scalar": 9}},
        {"text_config": {**GEMMA3, "rope_scaling": {"rope_type": "linear", "factor": 8.0}}},
        {"text_config": {**GEMMA3, **UNTIED}}]),
    "mistral3": ({"text_config": {**LLAMA, "sliding_window": None, "model_type": "mistral"},
                  "image_token_index": 10}, [{"text_config": {**LLAMA, **WINDOW}}]),
    "phi": (LLAMA, [{"partial_rotary_factor": 0.25}, {"qk_layernorm": True},
                    {"layer_norm_eps": 0.2}, {"hidden_act": "relu"}]),
    "phi3": (LLAMA, [
        WINDOW, {"partial_rotary_factor": 0.5}, TIED,
        {"rope_scaling": LONGROPE, "original_max_position_embeddings": 4},
        {"rope_scaling": {**LONGROPE, "type": "su", "attention_factor": 1.5},
         "original_max_position_embeddings": 4}]),
    "stablelm": (LLAMA, [{"use_qkv_bias": True}, {"qk_layernorm": True},
                         {"use_parallel_residual": True}, {"partial_rotary_factor": 0.5}]),
    # The publisher's files have more, which the class does not read.
    "starcoder2": ({**LLAMA, "activation_function": "gelu", "attention_softmax_in_fp32": True,
                    "embedding_dropout": 0.1, "layer_norm_epsilon": 0.5, "mlp_type": "default",
                    "norm_type": "layer_norm", "residual_dropout": 0.1,
                    "scale_attention_softmax_in_fp32": True, "scale_attn_weights": True}, [{"use_bias": False}, WINDOW, UNTIED, {"norm_epsilon": 0.2},
                           {"hidden_act": "relu"}]),
    "cohere": (LLAMA, [UNTIED, {"use_qk_norm": True}, {"logit_scale": 0.5},
                       {"attention_bias": True}, {"rope_theta": 20.0}]),
    "cohere2": ({**LLAMA, "num_hidden_layers": 4, **WINDOW}, [
        {"sliding_window_pattern": 2}, {"sliding_window": 5},
        {"layer_types": ["full_attention", "sliding_attention"] * 2}]),
    "gpt2": ({"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64, "vocab_size": 48}, [
        {"n_inner": 40}, {"scale_attn_by_inverse_layer_idx": True}, UNTIED,
        {"activation_function": "relu"}, {"layer_norm_epsilon": 0.2}]),
    "gpt_neox": ({**GPT, "intermediate_size": 40, "rotary_pct": 0.5}, [
        {"rotary_pct": 1.0}, {"rotary_emb_base": 50}, {"use_parallel_residual": False},
        {"attention_bias": False}, {"hidden_act": "relu"},
        {"rope_parameters": {"rope_type": "default", "rope_theta": 30.0,
                             "partial_rotary_factor": 0.25}}]),
    "opt": ({**GPT, "ffn_dim": 40}, [
        {"do_layer_norm_before": False}, {"word_embed_proj_dim": 20}, {"enable_bias": False},
        {"layer_norm_elementwise_affine": False}, {"_remove_final_layer_norm": True},
        {"activation_function": "gelu"}]),
    "falcon": (GPT, [
        {"multi_query": False}, {"new_decoder_architecture": True, "num_kv_heads": 2},
        {"new_decoder_architecture": True, "num_kv_heads": 2, "num_ln_in_parallel_attn": 1},
        {"parallel_attn": False}, {"bias": True}, {"alibi": True},
        {"alibi": True, "num_attention_heads": 6, "hidden_size": 48}, {"ffn_hidden_size": 40}]),
    "deepseek_v2": (DEEPSEEK, [
        {"q_lora_rank": None}, {"routed_scaling_factor": 2.0},
        {"topk_method": "group_limited_greedy", "n_group": 4, "topk_group": 1},
        {"n_shared_experts": 2}, {"first_k_dense_replace": 0},
        {"rope_scaling": {**YARN, "mscale": 1.0, "mscale_all_dim": 0.7}}]),
    "deepseek_v3": ({**DEEPSEEK, "n_group": 4, "topk_group": 2}, [
        {"q_lora_rank": None}, {"norm_topk_prob": False}, {"routed_scaling_factor": 1.0},
        {"n_group": 1, "topk_group": 1}, {"rope_interleave": False}, {"attention_bias": True},
        {"rope_scaling": {**YARN, "mscale": 1.0, "mscale_all_dim": 0.7}}]),
    "gpt_oss": ({**LLAMA, "head_dim": 8, **WINDOW, "num_local_experts": 4, "num_experts_per_tok": 2,
                 "rope_scaling": {**YARN, "truncate": False}}, [
        {"swiglu_limit": 0.2}, {"attention_bias": False}, TYPES, {"num_experts_per_tok": 3}]),
}  # fmt: skip
