# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiny configs of encoder-decoders: a plain one, and fields that are set in addition, of which each
changes the logits, in texts of a dozen tokens."""

T5 = {
    "vocab_size": 48, "d_model": 32, "d_kv": 8, "d_ff": 40, "num_layers": 2, "num_heads": 4,
    "relative_attention_num_buckets": 8, "relative_attention_max_distance": 16,
    "decoder_start_token_id": 0, "pad_token_id": 0, "eos_token_id": 1, "is_encoder_decoder": True,
}  # fmt: skip
BART = {
    "vocab_size": 48, "d_model": 32, "encoder_layers": 2, "decoder_layers": 2,
    "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 40,
    "decoder_ffn_dim": 40, "max_position_embeddings": 40, "decoder_start_token_id": 2,
    "pad_token_id": 1, "eos_token_id": 2, "is_encoder_decoder": True,
}  # fmt: skip
MARIAN = {**BART, "decoder_start_token_id": 47, "pad_token_id": 47, "eos_token_id": 0,
          "scale_embedding": True, "activation_function": "swish"}  # fmt: skip
WHISPER = {**BART, "num_mel_bins": 8, "max_source_positions": 12, "max_target_positions": 32}
del WHISPER["max_position_embeddings"]
UNTIED = {"tie_word_embeddings": False}
STACKS = [{"activation_function": "relu"}, UNTIED, {"encoder_layers": 1}, {"decoder_layers": 3},
          {"encoder_attention_heads": 2}, {"decoder_attention_heads": 8},
          {"encoder_ffn_dim": 24}, {"decoder_ffn_dim": 24}]  # fmt: skip
OWN_WORDS = {"share_encoder_decoder_embeddings": False}

VARIANTS = {
    "t5": (T5, [
        {"feed_forward_proj": "gated-gelu"}, {"feed_forward_proj": "gated-silu"},
        {"feed_forward_proj": "gelu"}, UNTIED, {"feed_forward_proj": "gated-gelu", **UNTIED},
        {"d_kv": 5}, {"num_decoder_layers": 1}, {"relative_attention_num_buckets": 16},
        {"relative_attention_max_distance": 8}, {"layer_norm_epsilon": 0.3},
        {"tie_word_embeddings": True, "scale_decoder_outputs": False}]),
    "bart": (BART, [*STACKS, {"scale_embedding": True}]),
    "mbart": (BART, [*STACKS, {"scale_embedding": True}]),
    "marian": (MARIAN, [
        {"scale_embedding": False}, UNTIED, OWN_WORDS, {**OWN_WORDS, **UNTIED},
        {"activation_function": "gelu"}]),
    "whisper": (WHISPER, [*STACKS, {"num_mel_bins": 6}, {"max_source_positions": 10}]),
}  # fmt: skip
