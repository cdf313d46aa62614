# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Logits of decoders at every position of a text, in double precision, from a config.json and the
tensors of a checkpoint. Each family is written down as transformers' modeling_*.py has it, in
modules by kind; names and shapes of tensors are what it asks for."""
import numpy as np

from expert_models import (DeepSeekV2, DeepSeekV3, GPTOSS, Mixtral, Qwen2MoE,
                           Qwen3MoE)  # fmt: skip
from gpt_like import GPT2, Falcon, GPTNeoX, OPT
from llama_like import (Gemma, Gemma2, Gemma3, Granite, Llama, Mistral, OLMo2, OLMo3, Qwen2, Qwen3,
                        SmolLM3)  # fmt: skip
from phi_cohere import Cohere, Cohere2, Phi, Phi3, StableLM, StarCoder2
from text_parts import Gemma3Images, Mistral3

FAMILIES = {
    "cohere": ("CohereForCausalLM", Cohere), "cohere2": ("Cohere2ForCausalLM", Cohere2),
    "deepseek_v2": ("DeepseekV2ForCausalLM", DeepSeekV2),
    "deepseek_v3": ("DeepseekV3ForCausalLM", DeepSeekV3),
    "falcon": ("FalconForCausalLM", Falcon), "gemma": ("GemmaForCausalLM", Gemma),
    "gemma2": ("Gemma2ForCausalLM", Gemma2), "gemma3_text": ("Gemma3ForCausalLM", Gemma3),
    "gemma3": ("Gemma3ForConditionalGeneration", Gemma3Images),
    "gpt2": ("GPT2LMHeadModel", GPT2), "gpt_neox": ("GPTNeoXForCausalLM", GPTNeoX),
    "gpt_oss": ("GptOssForCausalLM", GPTOSS), "granite": ("GraniteForCausalLM", Granite),
    "llama": ("LlamaForCausalLM", Llama), "mistral": ("MistralForCausalLM", Mistral),
    "mistral3": ("Mistral3ForConditionalGeneration", Mistral3),
    "mixtral": ("MixtralForCausalLM", Mixtral), "olmo2": ("Olmo2ForCausalLM", OLMo2),
    "olmo3": ("Olmo3ForCausalLM", OLMo3), "opt": ("OPTForCausalLM", OPT),
    "phi": ("PhiForCausalLM", Phi), "phi3": ("Phi3ForCausalLM", Phi3),
    "qwen2": ("Qwen2ForCausalLM", Qwen2), "qwen2_moe": ("Qwen2MoeForCausalLM", Qwen2MoE),
    "qwen3": ("Qwen3ForCausalLM", Qwen3), "qwen3_moe": ("Qwen3MoeForCausalLM", Qwen3MoE),
    "smollm3": ("SmolLM3ForCausalLM", SmolLM3), "stablelm": ("StableLmForCausalLM", StableLM),
    "starcoder2": ("Starcoder2ForCausalLM", StarCoder2),
}  # fmt: skip


def logits_of(config, tensors, ids):
    """[length, vocabulary]"""
    return FAMILIES[config["model_type"]][1](config, tensors).run(np.asarray(ids))


def hidden_of(config, tensors, ids):
    """[length, channels], of Llama and what is like it."""
    return FAMILIES[config["model_type"]][1](config, tensors).encode(np.asarray(ids))
