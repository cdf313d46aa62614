// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/LlamaFields.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace heddle;

namespace {
struct KnownField {
  StringLiteral name;
  /// The one value, as JSON text, that leaves the result alone. Empty: any
  /// does. Null always means "not set" and is accepted.
  StringLiteral onlyValue;
};
} // namespace

/// Fields that parseLlamaConfig reads.
static constexpr StringLiteral honoured[] = {
    "architectures",
    "attention_bias",
    "bos_token_id",
    "dtype",
    "eos_token_id",
    "head_dim",
    "hidden_act",
    "hidden_size",
    "intermediate_size",
    "max_position_embeddings",
    "mlp_bias",
    "model_type",
    "num_attention_heads",
    "num_hidden_layers",
    "num_key_value_heads",
    "rms_norm_eps",
    "rope_parameters",
    "rope_scaling",
    "rope_theta",
    "tie_word_embeddings",
    "torch_dtype",
    "vocab_size",
};

/// Fields without effect on the logits that the model computes.
static constexpr KnownField harmless[] = {
    // Where the file comes from.
    {"_commit_hash", ""},
    {"_name_or_path", ""},
    {"name_or_path", ""},
    {"transformers_version", ""},
    {"is_llama_config", "true"},
    {"transformers.js_config", ""},
    // How other software runs the model.
    {"_attn_implementation_autoset", ""},
    {"_flash_attn_2_enabled", ""},
    {"return_dict", ""},
    {"torchscript", ""},
    {"use_cache", ""},
    // A product of matrices in so many parts, whose sum it is
    // (transformers 4, LlamaMLP.forward).
    {"pretraining_tp", ""},
    // Training.
    {"attention_dropout", ""},
    {"initializer_range", ""},
    // Tokenizer and tasks other than next-token logits. Padding is not
    // computed: lengths say where a sequence ends.
    {"finetuning_task", ""},
    {"id2label", ""},
    {"label2id", ""},
    {"num_labels", ""},
    {"pad_token_id", ""},
    {"problem_type", ""},
    {"sep_token_id", ""},
    {"task_specific_params", ""},
    {"tokenizer_class", ""},
    // Old files hold generation settings. They act on the logits, are the
    // caller's to choose, and transformers drops them on loading, too.
    {"bad_words_ids", ""},
    {"begin_suppress_tokens", ""},
    {"diversity_penalty", ""},
    {"do_sample", ""},
    {"early_stopping", ""},
    {"encoder_no_repeat_ngram_size", ""},
    {"exponential_decay_length_penalty", ""},
    {"forced_bos_token_id", ""},
    {"forced_eos_token_id", ""},
    {"length_penalty", ""},
    {"max_length", ""},
    {"min_length", ""},
    {"no_repeat_ngram_size", ""},
    {"num_beam_groups", ""},
    {"num_beams", ""},
    {"num_return_sequences", ""},
    {"output_scores", ""},
    {"remove_invalid_values", ""},
    {"repetition_penalty", ""},
    {"return_dict_in_generate", ""},
    {"suppress_tokens", ""},
    {"temperature", ""},
    {"top_k", ""},
    {"top_p", ""},
    {"typical_p", ""},
    // Harmless in one value only.
    {"add_cross_attention", "false"},
    {"auto_map", "null"},
    {"chunk_size_feed_forward", "0"},
    {"cross_attention_hidden_size", "null"},
    {"decoder_start_token_id", "null"},
    {"is_decoder", "false"},
    {"is_encoder_decoder", "false"},
    {"output_attentions", "false"},
    {"output_hidden_states", "false"},
    {"partial_rotary_factor", "1"},
    {"prefix", "null"},
    {"pruned_heads", "{}"},
    {"quantization_config", "null"},
    {"rope_interleaved", "false"},
    {"sliding_window", "null"},
    {"tf_legacy_loss", "false"},
    {"tie_encoder_decoder", "false"},
    {"use_bfloat16", "false"},
    {"use_sliding_window", "false"},
};

/// Fields without a meaning where `use_sliding_window` is false (transformers,
/// Qwen2Config).
static constexpr StringLiteral ofSlidingWindow[] = {"max_window_layers",
                                                    "sliding_window"};

/// Notes of Unsloth, which trains models: what it has mended, its version.
static constexpr StringLiteral unslothPrefix = "unsloth_";

void heddle::checkLlamaFields(JsonFields &fields, const json::Object &object) {
  const json::Value *slides = object.get("use_sliding_window");
  bool hasNoWindow = slides && slides->getAsBoolean() == false;
  for (StringRef name : sortedKeys(object)) {
    if (is_contained(honoured, name) || name.starts_with(unslothPrefix) ||
        (hasNoWindow && is_contained(ofSlidingWindow, name)))
      continue;
    const KnownField *known =
        find_if(harmless, [&](const KnownField &f) { return f.name == name; });
    if (known == std::end(harmless)) {
      fields.rejectUnknown(name);
    } else if (!known->onlyValue.empty() && fields.has(name)) {
      // The table's text is well-formed.
      if (*object.get(name) != cantFail(json::parse(known->onlyValue)))
        fields.fail(name, known->onlyValue + " (nothing else is supported)");
    }
  }
}

void heddle::checkArchitecture(JsonFields &fields, const json::Object &object) {
  constexpr StringLiteral supported = "LlamaForCausalLM";
  const json::Value *architectures = object.get("architectures");
  if (!architectures || *architectures != json::Value(json::Array{supported}))
    fields.fail("architectures",
                "one of the supported architectures [\"" + supported + "\"]");
  if (!fields.has("model_type") || fields.text("model_type") != "llama")
    fields.fail("model_type", "\"llama\"");
}
