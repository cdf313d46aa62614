// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Families/ModelConfig.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace llvm;
using namespace heddle;

bool ModelConfig::isNull(StringRef name) {
  return !has(name) && root.get(name);
}

std::optional<int64_t> ModelConfig::optionalSize(StringRef name) {
  return has(name) ? std::optional(size(name)) : std::nullopt;
}

std::optional<double> ModelConfig::optionalNumber(StringRef name) {
  return has(name) ? std::optional(positive(name)) : std::nullopt;
}

void ModelConfig::expect(StringRef name, StringRef value) {
  // The text is well-formed.
  if (has(name) && *root.get(name) != cantFail(json::parse(value)))
    fail(name, value + " (nothing else is supported)");
}

// Names are those of ACT2FN (transformers/activations.py).
ActivationKind ModelConfig::activation(StringRef name, StringRef fallback) {
  return activationOf(name, has(name) ? text(name) : fallback);
}

ActivationKind ModelConfig::activationOf(StringRef name, StringRef text) {
  auto kind = StringSwitch<std::optional<ActivationKind>>(text)
                  .Cases({"silu", "swish"}, ActivationKind::Silu)
                  .Case("relu", ActivationKind::Relu)
                  .Cases({"gelu", "gelu_python"}, ActivationKind::Gelu)
                  .Cases({"gelu_new", "gelu_pytorch_tanh", "gelu_fast",
                          "gelu_accurate"},
                         ActivationKind::GeluTanh)
                  .Case("quick_gelu", ActivationKind::QuickGelu)
                  .Case("tanh", ActivationKind::Tanh)
                  .Case("sigmoid", ActivationKind::Sigmoid)
                  .Default(std::nullopt);
  if (!kind && !failed())
    fail(name, "one of the supported activations [\"silu\", \"swish\", "
               "\"relu\", \"gelu\", \"gelu_new\", \"gelu_pytorch_tanh\", "
               "\"gelu_fast\", \"quick_gelu\", \"tanh\", \"sigmoid\"]");
  return kind.value_or(ActivationKind::Silu);
}

// Null means that there is none, absence means the default, if it exists.
TokenIds ModelConfig::tokens(int64_t vocabulary, std::optional<int64_t> bos,
                             std::optional<int64_t> eos) {
  TokenIds ids;
  int64_t last = vocabulary - 1;
  if (has("bos_token_id"))
    ids.bos = {integer("bos_token_id", 0, last)};
  else if (!root.get("bos_token_id") && bos && *bos <= last)
    ids.bos = {*bos};
  if (root.getArray("eos_token_id"))
    ids.eos = integers("eos_token_id", 0, last);
  else if (has("eos_token_id"))
    ids.eos = {integer("eos_token_id", 0, last)};
  else if (!root.get("eos_token_id")) {
    ids.hasDefaultEos = true;
    if (eos && *eos <= last)
      ids.eos = {*eos};
  }
  return ids;
}

//===-- harmless fields ---------------------------------------------------===//

/// Fields that change no result, whatever they are.
static constexpr StringLiteral harmless[] = {
    // Where the file comes from.
    "_commit_hash",
    "_name_or_path",
    "name_or_path",
    "transformers_version",
    "transformers.js_config",
    // How other software runs the model.
    "_attn_implementation_autoset",
    "_flash_attn_2_enabled",
    "return_dict",
    "torchscript",
    "use_cache",
    "output_past", // its name in the first versions
    "cache_implementation",
    // Code of its own, which transformers uses only where it is told to.
    "auto_map",
    // Written beside `layer_types`, which it has become.
    "_sliding_window_pattern",
    // A product of matrices in so many parts, whose sum it is
    // (transformers 4, LlamaMLP.forward).
    "pretraining_tp",
    // Training.
    "attention_dropout",
    "attn_pdrop",
    "embd_pdrop",
    "resid_pdrop",
    "hidden_dropout",
    "attention_probs_dropout_prob",
    "hidden_dropout_prob",
    "dropout",
    "activation_dropout",
    "embedding_dropout",
    "classifier_dropout",
    "initializer_range",
    "initializer_factor",
    "layerdrop",
    "init_std",
    "gradient_checkpointing",
    "router_aux_loss_coef",
    "output_router_logits",
    "router_jitter_noise",
    "router_z_loss_coef",
    "aux_loss_alpha",
    // Tokenizer and other tasks. Padding is not computed: lengths say where
    // a sequence ends.
    "finetuning_task",
    "id2label",
    "label2id",
    "num_labels",
    "pad_token_id",
    "problem_type",
    "sep_token_id",
    "task_specific_params",
    "tokenizer_class",
    // Old files hold generation settings. They act on the logits, are the
    // caller's to choose, and transformers drops them on loading, too.
    "bad_words_ids",
    "begin_suppress_tokens",
    "diversity_penalty",
    "do_sample",
    "early_stopping",
    "encoder_no_repeat_ngram_size",
    "exponential_decay_length_penalty",
    "forced_bos_token_id",
    "forced_decoder_ids",
    "forced_eos_token_id",
    "length_penalty",
    "max_length",
    "min_length",
    "no_repeat_ngram_size",
    "num_beam_groups",
    "num_beams",
    "num_return_sequences",
    "output_scores",
    "remove_invalid_values",
    "repetition_penalty",
    "return_dict_in_generate",
    "suppress_tokens",
    "temperature",
    "top_k",
    "top_p",
    "typical_p",
};

namespace {
struct OnlyValue {
  StringLiteral name, value;
};
} // namespace

/// Fields that change no result where they have one value, as JSON text. Null
/// always means "not set".
static constexpr OnlyValue harmlessInOneValue[] = {
    // Of the library of that name: there are none.
    {"adapters", R"({"adapters": {}, "config_map": {},
                     "fusion_config_map": {}, "fusions": {}})"},
    {"add_cross_attention", "false"},
    {"chunk_size_feed_forward", "0"},
    {"cross_attention_hidden_size", "null"},
    {"decoder_start_token_id", "null"},
    {"is_decoder", "false"},
    {"is_encoder_decoder", "false"},
    {"is_llama_config", "true"},
    {"output_attentions", "false"},
    {"output_hidden_states", "false"},
    {"prefix", "null"},
    {"pruned_heads", "{}"},
    {"quantization_config", "null"},
    {"rope_interleaved", "false"},
    {"sliding_window", "null"},
    {"tf_legacy_loss", "false"},
    {"tie_encoder_decoder", "false"},
    {"use_bfloat16", "false"},
    {"use_mrope", "false"},
    {"use_sliding_window", "false"},
};

/// Notes of Unsloth, which trains models: what it has mended, its version.
static constexpr StringLiteral unslothPrefix = "unsloth_";

void ModelConfig::askHarmless() {
  for (StringRef name : harmless)
    ask(name);
  // Without windows it does not matter what they would be (Qwen2Config).
  const json::Value *slides = root.get("use_sliding_window");
  if (slides && slides->getAsBoolean() == false)
    for (StringRef name : {"sliding_window", "max_window_layers"})
      ask(name);
  for (const OnlyValue &field : harmlessInOneValue)
    if (!wasAsked(field.name))
      expect(field.name, field.value);
  for (const auto &field : root)
    if (StringRef(field.first).starts_with(unslothPrefix))
      ask(field.first);
  // The type that transformers saved the weights in. It says no more than the
  // tensors' own types, which decide: what was converted since is taken as it
  // is stored. A type that no tensor may have is of a checkpoint that needs
  // more than reading (scales, packed values).
  for (StringRef name : {"torch_dtype", "dtype"})
    if (has(name) &&
        !is_contained({"float32", "bfloat16", "float16"}, text(name)))
      fail(name, "one of the supported types [\"float32\", \"bfloat16\", "
                 "\"float16\"]");
}

//===-- rotary embeddings -------------------------------------------------===//

// Factors of positions up to the original length and of later ones: what
// decoding token by token computes (_compute_longrope_parameters).
void ModelConfig::readLongRope(JsonFields &rope, int64_t maxPositions,
                               RotaryDescription &rotary) {
  StringRef name = "original_max_position_embeddings";
  JsonFields &owner = has(name) ? *this : rope;
  int64_t original = owner.integer(name, 2, INT32_MAX);
  if (has(name) && rope.has(name) &&
      rope.integer(name, 2, INT32_MAX) != original)
    rope.fail(name, "the same as '" + name + "' outside, " + Twine(original));
  rope.ask("factor"); // that of the lengths counts
  double factor = double(maxPositions) / double(std::max<int64_t>(original, 1));
  SmallVector<double> shortFactors = rope.positives("short_factor"),
                      longFactors = rope.positives("long_factor");
  if (shortFactors.size() != longFactors.size())
    rope.fail("long_factor", "as many numbers as 'short_factor' has, " +
                                 Twine(shortFactors.size()));
  mlir::Builder b(context);
  mlir::FloatAttr attention;
  if (rope.has("attention_factor"))
    attention = b.getF64FloatAttr(rope.positive("attention_factor"));
  if (rope.failed())
    return;
  rotary.scaling = RopeScalingAttr::get(
      context, RopeScalingKind::LongRope, b.getF64FloatAttr(factor),
      mlir::FloatAttr(), mlir::FloatAttr(), b.getI64IntegerAttr(original),
      mlir::IntegerAttr(), mlir::FloatAttr(), mlir::FloatAttr(), attention,
      mlir::BoolAttr(), b.getDenseF64ArrayAttr(shortFactors),
      b.getDenseF64ArrayAttr(longFactors));
}

// Names, defaults and meaning are those of transformers'
// modeling_rope_utils.py. The older spelling of "rope_type" is "type".
void ModelConfig::readScaling(JsonFields &rope, int64_t maxPositions,
                              RotaryDescription &rotary) {
  StringRef typeField = rope.has("rope_type") ? "rope_type" : "type";
  StringRef type = rope.has(typeField) ? rope.text(typeField) : "default";
  if (rope.has("rope_type") && rope.has("type") && rope.text("type") != type)
    rope.fail("type", "the same as 'rope_type', \"" + type + "\"");
  auto kind = StringSwitch<std::optional<RopeScalingKind>>(type)
                  .Case("linear", RopeScalingKind::Linear)
                  .Case("llama3", RopeScalingKind::Llama3)
                  .Case("yarn", RopeScalingKind::Yarn)
                  .Cases({"longrope", "su"}, RopeScalingKind::LongRope)
                  .Case("dynamic", RopeScalingKind::Dynamic)
                  .Default(std::nullopt);
  if (!kind && type != "default")
    return rope.fail(typeField,
                     "one of the supported kinds [\"default\", \"linear\", "
                     "\"dynamic\", \"llama3\", \"longrope\", \"yarn\"]");
  mlir::Builder b(context);
  auto number = [&](std::optional<double> value) {
    return value ? b.getF64FloatAttr(*value) : mlir::FloatAttr();
  };
  auto optional = [&](StringRef name) {
    return rope.has(name) ? std::optional(rope.positive(name)) : std::nullopt;
  };
  auto original = [&](std::optional<int64_t> fallback) {
    StringRef name = "original_max_position_embeddings";
    return b.getI64IntegerAttr(rope.integer(name, 1, INT32_MAX, fallback));
  };
  if (!kind)
    return;
  if (*kind == RopeScalingKind::LongRope)
    return readLongRope(rope, maxPositions, rotary);
  mlir::FloatAttr factor = number(rope.positive("factor"));
  switch (*kind) {
  case RopeScalingKind::Dynamic:
    // It stretches sequences of more positions than the model has.
    if (original(maxPositions).getInt() < maxPositions)
      rope.fail("original_max_position_embeddings",
                "at least 'max_position_embeddings', " + Twine(maxPositions));
    return;
  case RopeScalingKind::Linear:
    rotary.scaling = RopeScalingAttr::get(context, *kind, factor);
    return;
  case RopeScalingKind::Llama3: {
    double low = rope.positive("low_freq_factor");
    double high = rope.positive("high_freq_factor");
    if (high <= low)
      rope.fail("high_freq_factor",
                "more than 'low_freq_factor', " + describe(low));
    rotary.scaling = RopeScalingAttr::get(context, *kind, factor, number(low),
                                          number(high), original(std::nullopt));
    return;
  }
  case RopeScalingKind::Yarn: {
    std::optional<double> fast = optional("beta_fast"),
                          slow = optional("beta_slow"),
                          attention = optional("attention_factor");
    bool truncate = rope.boolean("truncate", true);
    // As _compute_yarn_parameters and DeepSeek's attention have them.
    auto magnitude = [&](double scale) {
      double stretch = factor.getValueAsDouble();
      return stretch <= 1 ? 1 : 0.1 * scale * std::log(stretch) + 1;
    };
    std::optional<double> scale = optional("mscale"),
                          ofAll = optional("mscale_all_dim");
    if (!attention && scale && ofAll)
      attention = magnitude(*scale) / magnitude(*ofAll);
    if (ofAll)
      rotary.scoreFactor = magnitude(*ofAll) * magnitude(*ofAll);
    if (fast.value_or(RopeScalingAttr::kFast) <=
        slow.value_or(RopeScalingAttr::kSlow))
      rope.fail("beta_fast", "more than 'beta_slow'");
    rotary.scaling = RopeScalingAttr::get(
        context, *kind, factor, mlir::FloatAttr(), mlir::FloatAttr(),
        original(maxPositions), mlir::IntegerAttr(), number(fast), number(slow),
        number(attention), truncate ? mlir::BoolAttr() : b.getBoolAttr(false),
        mlir::DenseF64ArrayAttr(), mlir::DenseF64ArrayAttr());
    return;
  }
  default:
    llvm_unreachable("no other kind is read");
  }
}

void ModelConfig::readRope(const json::Object &object, const std::string &where,
                           int64_t maxPositions, RotaryDescription &rotary,
                           double &partial, bool isOfLayers) {
  JsonFields rope(object, where);
  readScaling(rope, maxPositions, rotary);
  auto read = [&](StringRef name, double &value) {
    if (!rope.has(name))
      return;
    double inside = rope.positive(name);
    if (!isOfLayers && has(name) && inside != value)
      rope.fail(name, "the same as '" + name + "' outside, " + describe(value));
    value = inside;
  };
  read("rope_theta", rotary.base);
  read("partial_rotary_factor", partial);
  for (const auto &[key, value] : object)
    if (value.kind() == json::Value::Null) // not set
      rope.ask(key);
  rope.rejectUnasked();
  merge(rope);
}

void ModelConfig::setRotated(RotaryDescription &rotary, int64_t headChannels,
                             double partial) {
  if (partial != 1)
    rotary.channels = int64_t(double(headChannels) * partial);
  int64_t pairs = rotary.channels.value_or(headChannels) / 2;
  if (rotary.scaling && rotary.scaling.getShortFactor() &&
      rotary.scaling.getShortFactor().size() != pairs)
    fail("rope_scaling",
         "a 'short_factor' of " + Twine(pairs) +
             " numbers, one for each pair of channels",
         Twine(rotary.scaling.getShortFactor().size()));
  if (partial == 1)
    return;
  if (partial > 1 || *rotary.channels < 2 || *rotary.channels % 2 != 0)
    fail("partial_rotary_factor", "an even number of the " +
                                      Twine(headChannels) +
                                      " channels of a head, as a part of them");
}

RotaryDescription ModelConfig::rotary(int64_t headChannels,
                                      int64_t maxPositions, double base,
                                      double partial, StringRef layerType) {
  RotaryDescription rotary;
  rotary.base = positive("rope_theta", base);
  partial = positive("partial_rotary_factor", partial);
  StringRef name = "rope_scaling";
  // Versions of transformers prefer one or the other, so two that differ are
  // rejected.
  if (has("rope_parameters")) {
    if (has(name) && *root.get(name) != *root.get("rope_parameters"))
      fail(name, "the same as 'rope_parameters'");
    name = "rope_parameters";
  }
  if (has(name)) {
    const json::Object *found = root.getObject(name);
    if (!found) {
      fail(name, "an object or null");
      return rotary;
    }
    std::string where = place(name);
    const json::Object *own = found->getObject(layerType);
    if (own) {
      found = own;
      where += "." + layerType.str();
    }
    readRope(*found, where, maxPositions, rotary, partial, own != nullptr);
  }
  setRotated(rotary, headChannels, partial);
  return rotary;
}

std::optional<RotaryDescription> ModelConfig::rotaryOf(StringRef layerType,
                                                       int64_t headChannels,
                                                       int64_t maxPositions,
                                                       double base) {
  const json::Object *all = root.getObject("rope_parameters");
  const json::Object *own = all ? all->getObject(layerType) : nullptr;
  if (!own)
    return std::nullopt;
  RotaryDescription rotary;
  rotary.base = base;
  double partial = 1;
  readRope(*own, place("rope_parameters") + "." + layerType.str(), maxPositions,
           rotary, partial, /*isOfLayers=*/true);
  setRotated(rotary, headChannels, partial);
  return rotary;
}
