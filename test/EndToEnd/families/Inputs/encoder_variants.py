# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiny configs of encoders of texts and images, by architecture: a plain one, and fields that are
set in addition, of which each changes the outputs. Texts hold none of the ids 0 to 3, which
variants make padding."""
from sentences import IDENTITY, NORMALIZE, dense, pooling

BERT = {
    "model_type": "bert", "hidden_size": 32, "intermediate_size": 40, "num_hidden_layers": 2,
    "num_attention_heads": 4, "vocab_size": 48, "max_position_embeddings": 40,
    "type_vocab_size": 2, "pad_token_id": 0,
}  # fmt: skip
DISTILBERT = {
    "model_type": "distilbert", "dim": 32, "hidden_dim": 40, "n_layers": 2, "n_heads": 4,
    "vocab_size": 48, "max_position_embeddings": 40, "pad_token_id": 0,
}  # fmt: skip
ROBERTA = {**BERT, "model_type": "roberta", "type_vocab_size": 1, "pad_token_id": 1}
MPNET = {**BERT, "model_type": "mpnet", "pad_token_id": 1}
del MPNET["type_vocab_size"]
MODERNBERT = {
    "model_type": "modernbert", "hidden_size": 32, "intermediate_size": 40,
    "num_hidden_layers": 4, "num_attention_heads": 4, "vocab_size": 48,
    "max_position_embeddings": 64, "local_attention": 4, "pad_token_id": 0,
}  # fmt: skip
UNTIED = {"tie_word_embeddings": False}
LABELS = [{"id2label": {"0": "A", "1": "B", "2": "C"}}, {"num_labels": 5}]
SHAPES = [{"hidden_act": "relu"}, {"layer_norm_eps": 0.3}, {"num_attention_heads": 2},
          {"num_hidden_layers": 3}]  # fmt: skip
PAD = {"pad_token_id": 3}
TYPES = ["full_attention", "sliding_attention"] * 2
HEAD = [{"classifier_bias": True}, {"classifier_activation": "relu"}, {"norm_bias": True}]

TEXTS = {
    "BertModel": (BERT, [*SHAPES, {"type_vocab_size": 1}]),
    "BertForMaskedLM": (BERT, [UNTIED, {"hidden_act": "silu"}]),
    "BertForSequenceClassification": (BERT, LABELS),
    "BertForTokenClassification": (BERT, LABELS),
    "BertForQuestionAnswering": (BERT, []),
    "DistilBertModel": (DISTILBERT, [{"activation": "relu"}, {"n_heads": 2}, {"n_layers": 1}]),
    "DistilBertForMaskedLM": (DISTILBERT, [UNTIED]),
    "DistilBertForSequenceClassification": (DISTILBERT, LABELS),
    "DistilBertForTokenClassification": (DISTILBERT, LABELS),
    "DistilBertForQuestionAnswering": (DISTILBERT, []),
    "RobertaModel": (ROBERTA, [*SHAPES, PAD, {"type_vocab_size": 2}]),
    "RobertaForMaskedLM": (ROBERTA, [UNTIED, {"hidden_act": "relu"}]),
    "RobertaForSequenceClassification": (ROBERTA, [*LABELS, PAD]),
    "RobertaForTokenClassification": (ROBERTA, LABELS),
    "RobertaForQuestionAnswering": (ROBERTA, []),
    "XLMRobertaModel": ({**ROBERTA, "model_type": "xlm-roberta"}, [PAD]),
    "XLMRobertaForMaskedLM": ({**ROBERTA, "model_type": "xlm-roberta"}, [UNTIED]),
    "XLMRobertaForSequenceClassification": ({**ROBERTA, "model_type": "xlm-roberta"}, LABELS),
    "XLMRobertaForTokenClassification": ({**ROBERTA, "model_type": "xlm-roberta"}, LABELS),
    "CamembertModel": ({**ROBERTA, "model_type": "camembert"}, [PAD]),
    "CamembertForMaskedLM": ({**ROBERTA, "model_type": "camembert"}, [UNTIED]),
    "CamembertForTokenClassification": ({**ROBERTA, "model_type": "camembert"}, LABELS),
    "MPNetModel": (MPNET, SHAPES),
    "MPNetForMaskedLM": (MPNET, [UNTIED]),
    "MPNetForSequenceClassification": (MPNET, LABELS),
    "MPNetForTokenClassification": (MPNET, LABELS),
    "MPNetForQuestionAnswering": (MPNET, []),
    "ModernBertModel": (MODERNBERT, [
        {"global_attn_every_n_layers": 2}, {"local_attention": 6}, {"norm_bias": True},
        {"attention_bias": True}, {"mlp_bias": True}, {"norm_eps": 0.3},
        {"hidden_activation": "relu"}, {"num_attention_heads": 2}, {"global_rope_theta": 50.0},
        {"local_rope_theta": 30.0}, {"local_rope_theta": None}, {"layer_types": TYPES},
        {"rope_parameters": {
            "full_attention": {"rope_type": "default", "rope_theta": 700.0},
            "sliding_attention": {"rope_type": "default", "rope_theta": 90.0}}},
        {"layer_types": TYPES, "global_attn_every_n_layers": 2,
         "rope_parameters": {
             "full_attention": {"rope_type": "linear", "factor": 4.0, "rope_theta": 700.0},
             "sliding_attention": {"rope_type": "default", "rope_theta": 90.0}}}]),
    "ModernBertForMaskedLM": (MODERNBERT, [*HEAD, UNTIED, {"decoder_bias": False}]),
    "ModernBertForSequenceClassification": (MODERNBERT, [
        *HEAD, *LABELS, {"classifier_pooling": "mean"}]),
    "ModernBertForTokenClassification": (MODERNBERT, [*HEAD, *LABELS]),
}  # fmt: skip

# Stages after an encoder: the first, and others, each of which gives another embedding.
SENTENCES = [
    (pooling("mean"),), (pooling("cls"),), (pooling("max"),), (pooling("mean_sqrt_len_tokens"),),
    (pooling("lasttoken"),), (pooling("weightedmean"),), (pooling("mean"), NORMALIZE),
    (pooling("cls", "max", "mean"),), (pooling("mean"), dense(20)),
    (pooling("mean"), dense(48, False, IDENTITY), dense(20, False, IDENTITY), NORMALIZE),
]  # fmt: skip

IMAGE = {
    "hidden_size": 32, "intermediate_size": 40, "num_hidden_layers": 2, "num_attention_heads": 4,
    "image_size": 12, "patch_size": 4, "num_channels": 3,
}  # fmt: skip
TEXT = {"hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 2,
        "num_attention_heads": 4, "vocab_size": 48, "max_position_embeddings": 16}  # fmt: skip
VIT, DEIT = {"model_type": "vit", **IMAGE}, {"model_type": "deit", **IMAGE}
# Another id than the largest ends texts, so that it matters how their end is found.
CLIP_TEXT = {"model_type": "clip_text_model", **TEXT, "eos_token_id": 46}
CLIP_VISION = {"model_type": "clip_vision_model", **IMAGE}
CLIP = {"model_type": "clip", "text_config": CLIP_TEXT, "vision_config": CLIP_VISION,
        "projection_dim": 20}  # fmt: skip
SIGLIP_TEXT = {"model_type": "siglip_text_model", **TEXT}
SIGLIP_VISION = {"model_type": "siglip_vision_model", **IMAGE}
SIGLIP = {"model_type": "siglip", "text_config": {**SIGLIP_TEXT, "hidden_size": 32},
          "vision_config": SIGLIP_VISION}  # fmt: skip
ACTS = [{"hidden_act": "gelu"}, {"hidden_act": "relu"}]
ENDS = [{"eos_token_id": 2}, {"eos_token_id": 47}]
PATCHES = [{"patch_size": 6}, {"image_size": 14}, {"num_channels": 1}]

IMAGES = {
    "ViTModel": (VIT, [*SHAPES, *PATCHES, {"qkv_bias": False}, {"image_size": [8, 12]},
                       {"pooler_output_size": 20}, {"pooler_act": "relu"}]),
    "ViTForImageClassification": (VIT, LABELS),
    "DeiTModel": (DEIT, [{"qkv_bias": False}, *PATCHES]),
    "DeiTForImageClassification": (DEIT, LABELS),
    "DeiTForImageClassificationWithTeacher": (DEIT, LABELS),
    "CLIPTextModel": (CLIP_TEXT, [*ACTS, *ENDS, {"layer_norm_eps": 0.3}]),
    "CLIPTextModelWithProjection": (CLIP_TEXT, [*ACTS, *ENDS, {"projection_dim": 20}]),
    "CLIPVisionModel": (CLIP_VISION, [*ACTS, *PATCHES, {"layer_norm_eps": 0.3}]),
    "CLIPVisionModelWithProjection": (CLIP_VISION, [*ACTS, {"projection_dim": 20}]),
    "CLIPModel": (CLIP, [
        {"projection_dim": 28}, {"text_config": {**CLIP_TEXT, "hidden_act": "gelu"}},
        {"vision_config": {**CLIP_VISION, "hidden_act": "gelu"}},
        {"text_config": {**CLIP_TEXT, "eos_token_id": 2}}]),
    "SiglipTextModel": (SIGLIP_TEXT, [
        {"hidden_act": "relu"}, {"layer_norm_eps": 0.3}, {"projection_size": 20}]),
    "SiglipVisionModel": (SIGLIP_VISION, [
        {"hidden_act": "relu"}, {"layer_norm_eps": 0.3}, {"vision_use_head": False}, *PATCHES]),
    "SiglipModel": (SIGLIP, [
        {"text_config": {**SIGLIP_TEXT, "projection_size": 32}},
        {"vision_config": {**SIGLIP_VISION, "hidden_act": "relu"}}]),
}  # fmt: skip
