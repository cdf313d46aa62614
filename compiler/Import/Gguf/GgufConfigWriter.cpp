// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Gguf/GgufConfigWriter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

#include <cmath>

using namespace llvm;
using namespace heddle;

/// As a config.json may have.
static constexpr int64_t kMostLayers = 65536;

//===-- values ------------------------------------------------------------===//

void GgufConfigWriter::fail(StringRef key, const Twine &expected,
                            const Twine &found) {
  failOf((architecture + "." + key).str(), expected, found);
}

void GgufConfigWriter::failTensor(StringRef name, const Twine &expected) {
  const TensorEntry *tensor = file.tensors.find(name);
  if (error.empty())
    error = (file.path + ": tensor '" + name + "': expected " + expected +
             ", found " + (tensor ? tensor->dtype : "no such tensor"))
                .str();
}

std::optional<int64_t> GgufConfigWriter::integerOf(const std::string &key) {
  const gguf::Value *value = find(key);
  if (!value)
    return std::nullopt;
  if (const auto *integer = std::get_if<int64_t>(value))
    return *integer;
  // Of each layer.
  const auto *each = std::get_if<std::vector<int64_t>>(value);
  bool isOfAll = each && layers > 0 && int64_t(each->size()) == layers;
  if (isOfAll && all_equal(*each))
    return each->front();
  if (each && layers > 0 && !isOfAll)
    failOf(key, "a number, or one for each of the " + Twine(layers) + " layers",
           Twine(each->size()) + " numbers");
  failOf(key,
         isOfAll ? "one number for all layers (others are not supported)"
                 : "an integer",
         isOfAll ? "several" : gguf::describe(*value));
  return std::nullopt;
}

std::optional<double> GgufConfigWriter::number(StringRef key) {
  std::string whole = (architecture + "." + key).str();
  const gguf::Value *value = find(whole);
  if (!value)
    return std::nullopt;
  if (const auto *number = std::get_if<double>(value))
    if (std::isfinite(*number))
      return *number;
  if (const auto *integer = std::get_if<int64_t>(value))
    return double(*integer);
  failOf(whole, "a finite number", gguf::describe(*value));
  return std::nullopt;
}

std::optional<bool> GgufConfigWriter::boolean(StringRef key) {
  std::string whole = (architecture + "." + key).str();
  const gguf::Value *value = find(whole);
  if (!value)
    return std::nullopt;
  if (const auto *truth = std::get_if<bool>(value))
    return *truth;
  failOf(whole, "a bool", gguf::describe(*value));
  return std::nullopt;
}

std::optional<std::string> GgufConfigWriter::text(StringRef key) {
  std::string whole = (architecture + "." + key).str();
  const gguf::Value *value = find(whole);
  if (!value)
    return std::nullopt;
  if (const auto *text = std::get_if<std::string>(value))
    return *text;
  failOf(whole, "a string", gguf::describe(*value));
  return std::nullopt;
}

void GgufConfigWriter::rejectUnasked() {
  for (const auto &[key, value] : file.header.metadata)
    if (StringRef(key).starts_with(architecture + ".") && !asked.contains(key))
      return failOf(key, "only keys that are known of this architecture",
                    gguf::describe(value));
}

//===-- what models have in common ----------------------------------------===//

void GgufConfigWriter::writeSizes(const SizeFields &names) {
  layers = required("block_count");
  if (layers < 1 || layers > kMostLayers) {
    fail("block_count", "1 to " + Twine(kMostLayers) + " layers",
         Twine(layers));
    layers = 1;
  }
  hidden = required("embedding_length");
  heads = required("attention.head_count");
  fields[names.layers] = layers;
  fields[names.hidden] = hidden;
  fields[names.heads] = heads;
  fields[names.positions] = required("context_length");
  fields[names.inner] = required("feed_forward_length");
  writeNumber("attention.layer_norm_rms_epsilon", "rms_norm_eps");
  writeNumber("attention.layer_norm_epsilon", names.epsilon);
  if (!fields.get("rms_norm_eps") && !fields.get(names.epsilon))
    fail("attention.layer_norm_rms_epsilon",
         "that or attention.layer_norm_epsilon", "nothing");
  writeVocabulary();
  // Of how weights were loaded, long ago.
  ask("tensor_data_layout");
  ask("rope.scaling.finetuned");
}

void GgufConfigWriter::writeEpsilon(StringRef field) {
  auto root = number("attention.layer_norm_rms_epsilon");
  auto plain = number("attention.layer_norm_epsilon");
  if (root && plain && *root != *plain)
    fail("attention.layer_norm_rms_epsilon",
         "that of attention.layer_norm_epsilon, " + gguf::describe(*plain),
         gguf::describe(*root));
  fields.erase("rms_norm_eps");
  if (root || plain)
    fields[field] = root ? *root : *plain;
}

void GgufConfigWriter::writeVocabulary() {
  // The file's own table counts, which may be padded.
  const TensorEntry *table = file.tensors.find("token_embd.weight");
  if (table && table->shape.size() == 2)
    fields["vocab_size"] = table->shape[0];
  else if (error.empty())
    error =
        (file.path + ": tensor 'token_embd.weight': expected a matrix, found " +
         (table ? Twine(table->shape.size()) + " dimensions"
                : Twine("no such tensor")))
            .str();
  constexpr const char *tokensKey = "tokenizer.ggml.tokens";
  const auto *tokens = file.header.find<std::vector<std::string>>(tokensKey);
  if (table && !table->shape.empty() && tokens &&
      int64_t(tokens->size()) > table->shape[0])
    failOf(tokensKey,
           "at most the " + Twine(table->shape[0]) +
               " tokens of token_embd.weight",
           Twine(tokens->size()));
  ask("vocab_size");
  // Some files repeat a tied head.
  const TensorEntry *head = file.tensors.find("output.weight");
  fields["tie_word_embeddings"] =
      !head || (table && head->dtype == table->dtype &&
                head->shape == table->shape && head->data == table->data);
}

void GgufConfigWriter::writeHeads(StringRef kvHeads, StringRef channels) {
  fields[kvHeads] = integer("attention.head_count_kv").value_or(heads);
  auto keys = integer("attention.key_length");
  auto values = integer("attention.value_length");
  headChannels = keys.value_or(hidden / std::max<int64_t>(heads, 1));
  if (values && *values != headChannels)
    fail("attention.value_length", "that of keys, " + Twine(headChannels),
         Twine(*values));
  fields[channels] = headChannels;
}

void GgufConfigWriter::writeDecoder(const SizeFields &names) {
  writeSizes(names);
  writeHeads(names.kvHeads);
  checkCausal(true);
}

void GgufConfigWriter::checkCausal(bool isCausal) {
  auto found = boolean("attention.causal");
  if (found && *found != isCausal)
    fail("attention.causal", isCausal ? "true" : "false",
         *found ? "true" : "false");
}

// Divisors of the rotary frequencies.
json::Array GgufConfigWriter::factors(StringRef name) {
  json::Array result;
  const TensorEntry *tensor = file.tensors.find(name);
  if (!tensor || tensor->type != HEDDLE_TYPE_F32 || tensor->shape.size() != 1) {
    failTensor(name, "F32 of one dimension");
    return result;
  }
  for (int64_t i = 0; i < tensor->shape[0]; ++i) {
    uint32_t bits = support::endian::read32le(&tensor->data[i * 4]);
    result.push_back(double(bit_cast<float>(bits)));
  }
  return result;
}

// Factors of frequencies that a file has as tensors count alone here, and
// llama.cpp multiplies what else there is.
void GgufConfigWriter::writeFactors(json::Object &scaling, StringRef longName,
                                    StringRef shortName, double magnitude,
                                    int64_t original) {
  scaling["rope_type"] = "longrope";
  scaling["long_factor"] = factors(longName);
  scaling["short_factor"] = factors(shortName);
  scaling["attention_factor"] = magnitude;
  scaling["original_max_position_embeddings"] = original;
  auto factor = number("rope.scaling.factor");
  if (factor && *factor != 1)
    fail("rope.scaling.factor", "none beside tensors of factors",
         gguf::describe(*factor));
}

void GgufConfigWriter::writeScaling(json::Object &scaling) {
  // A factor without a type is linear.
  std::string kind = text("rope.scaling.type").value_or("linear");
  auto factor = number("rope.scaling.factor");
  if (auto old = number("rope.scale_linear"); old && !factor && *old != 1) {
    kind = "linear";
    factor = old;
  }
  bool hasFactor = factor.value_or(0) != 0 && *factor != 1;
  int64_t positions = fields.getInteger("max_position_embeddings").value_or(0);
  auto original = integer("rope.scaling.original_context_length");
  auto magnitude = number("rope.scaling.attn_factor");
  auto fast = number("rope.scaling.yarn_beta_fast"),
       slow = number("rope.scaling.yarn_beta_slow");
  if (hasTensor("rope_factors_long.weight"))
    return writeFactors(scaling, "rope_factors_long.weight",
                        "rope_factors_short.weight", magnitude.value_or(1),
                        original.value_or(positions));
  // Llama 3's, already computed: the same ones at all positions.
  if (hasTensor("rope_freqs.weight"))
    return writeFactors(scaling, "rope_freqs.weight", "rope_freqs.weight",
                        magnitude.value_or(1), positions);
  if (kind == "yarn" && hasFactor) {
    scaling["rope_type"] = kind;
    scaling["factor"] = *factor;
    if (original)
      scaling["original_max_position_embeddings"] = *original;
    if (fast)
      scaling["beta_fast"] = *fast;
    if (slow)
      scaling["beta_slow"] = *slow;
    // llama.cpp multiplies the factor that follows from the other, which
    // DeepSeek's files say in another way.
    if (magnitude && has("rope.scaling.yarn_log_multiplier")) {
      if (*magnitude != 1)
        fail("rope.scaling.attn_factor", "1 beside yarn_log_multiplier",
             gguf::describe(*magnitude));
    } else if (magnitude) {
      scaling["attention_factor"] = *magnitude * (0.1 * std::log(*factor) + 1);
    }
    return;
  }
  if (kind == "linear" && hasFactor) {
    scaling["rope_type"] = kind;
    scaling["factor"] = *factor;
  } else if (kind != "none" && kind != "linear") {
    fail("rope.scaling.type",
         "none, linear, or yarn with a factor, or tensors of factors", kind);
  }
  if (magnitude && *magnitude != 1)
    fail("rope.scaling.attn_factor", "1, or rope.scaling.type yarn",
         gguf::describe(*magnitude));
}

void GgufConfigWriter::writeRotary(StringRef base, bool hasOwnOfWindows) {
  double theta = number("rope.freq_base").value_or(10000.0);
  fields[base] = theta;
  int64_t rotated = integer("rope.dimension_count").value_or(headChannels);
  fields["partial_rotary_factor"] =
      rotated == headChannels || headChannels == 0
          ? 1.0
          : double(rotated) / double(headChannels);
  if (!hasOwnOfWindows)
    if (auto own = number("rope.freq_base_swa"); own && *own != theta)
      fail("rope.freq_base_swa", "that of all layers, " + gguf::describe(theta),
           gguf::describe(*own));
  json::Object scaling;
  writeScaling(scaling);
  if (!scaling.empty())
    fields["rope_scaling"] = std::move(scaling);
}

void GgufConfigWriter::writeWindows(int64_t usual,
                                    std::optional<int64_t> fallback) {
  std::string key = architecture + ".attention.sliding_window_pattern";
  json::Array types;
  auto add = [&](bool slides) {
    types.push_back(slides ? "sliding_attention" : "full_attention");
  };
  const auto *each = file.header.find<std::vector<bool>>(key);
  if (each) {
    ask("attention.sliding_window_pattern");
    if (int64_t(each->size()) != layers)
      failOf(key, "a bool for each of the " + Twine(layers) + " layers",
             Twine(each->size()));
    for (bool slides : *each)
      add(slides);
  } else {
    int64_t period = integerOf(key).value_or(usual);
    if (period < 0)
      failOf(key, "a number of layers", Twine(period));
    period = std::max<int64_t>(period, 0);
    for (int64_t layer = 0; layer < std::min<int64_t>(layers, 65536); ++layer)
      add(period == 0 || (layer + 1) % period != 0);
  }
  fields["layer_types"] = std::move(types);
  fields["sliding_window"] = fallback && !has("attention.sliding_window")
                                 ? *fallback
                                 : required("attention.sliding_window");
}

void GgufConfigWriter::writePooling() {
  // Names of labels, which tell no more than their number.
  ask("classifier.output_labels");
  auto number = integer("pooling_type");
  if (!number)
    return;
  if (*number < 0 || *number > int64_t(GgufPooling::Rank))
    return fail("pooling_type", "0 to 4", Twine(*number));
  pooling = GgufPooling(*number);
}

void GgufConfigWriter::writeExperts(StringRef count, StringRef size) {
  fields[count] = required("expert_count");
  fields["num_experts_per_tok"] = required("expert_used_count");
  if (!size.empty())
    fields[size] = required("expert_feed_forward_length");
}

void GgufConfigWriter::writeScoreChannels(int64_t layersOfLargest) {
  fields["query_pre_attn_scalar"] =
      double(layers == layersOfLargest ? hidden / std::max<int64_t>(heads, 1)
                                       : headChannels);
}
