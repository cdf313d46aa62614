// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys, and what their absence means, are those of llama.cpp's llama-arch.cpp
// and llama-model.cpp; names of fields are those of transformers.

#include "compiler/Import/Gguf/GgufConfig.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Endian.h"

#include <cmath>

using namespace llvm;
using namespace heddle;

namespace {
class ConfigWriter;

struct Architecture {
  StringLiteral name;       ///< in `general.architecture`
  StringLiteral modelType;  ///< of the family
  StringLiteral modelClass; ///< in `architectures`
  void (*write)(ConfigWriter &);
  bool rotatesNeighbours = false;
};

/// Collects the fields of a config. The first failure counts.
class ConfigWriter {
public:
  ConfigWriter(const GgufFile &file, StringRef architecture)
      : file(file), architecture(architecture) {}

  json::Object fields;

  bool has(StringRef key) const {
    return file.header.has((architecture + "." + key).str());
  }
  bool hasTensor(StringRef name) const { return file.tensors.find(name); }
  /// Whether a layer has the tensor.
  bool hasInLayer(StringRef name) const {
    for (int64_t layer = 0; layer < layers; ++layer)
      if (hasTensor(("blk." + Twine(layer) + "." + name).str()))
        return true;
    return false;
  }

  std::optional<int64_t> integer(StringRef key) {
    return integerOf((architecture + "." + key).str());
  }
  std::optional<int64_t> integerOf(const std::string &key);
  std::optional<double> number(StringRef key);
  std::optional<bool> boolean(StringRef key);
  std::optional<std::string> text(StringRef key);

  // Each writes the field, if there is the key.
  void writeInteger(StringRef key, StringRef field) {
    if (auto value = integer(key))
      fields[field] = *value;
  }
  void writeNumber(StringRef key, StringRef field) {
    if (auto value = number(key))
      fields[field] = *value;
  }
  int64_t required(StringRef key) {
    auto value = integer(key);
    if (!value)
      fail(key, "a number", "nothing");
    return value.value_or(1);
  }

  /// What all decoders have. Fields of sizes have other names in old families.
  struct SizeFields {
    StringRef hidden = "hidden_size", layers = "num_hidden_layers",
              heads = "num_attention_heads", kvHeads = "num_key_value_heads",
              positions = "max_position_embeddings",
              inner = "intermediate_size", epsilon = "layer_norm_eps";
  };
  void writeSizes(const SizeFields &names);
  /// `hasOwnOfWindows`: layers with windows may have a base of their own, which
  /// the caller reads.
  void writeRotary(StringRef base = "rope_theta", bool hasOwnOfWindows = false);
  void writeTokens();
  /// Which layers slide: each `usual`th does not, unless a key tells. Without a
  /// fallback a file has to say how far.
  void writeWindows(int64_t usual, std::optional<int64_t> fallback = {});
  void writeExperts(StringRef count, StringRef size);
  /// The factor of scores where a model has another one than that of heads.
  void writeScoreChannels(int64_t layersOfLargest);

  /// Keys of the architecture that nothing has asked for.
  void rejectUnasked();
  void ask(StringRef key) { asked.insert((architecture + "." + key).str()); }
  void fail(StringRef key, const Twine &expected, const Twine &found);
  Error takeError() {
    return error.empty() ? Error::success() : createStringError(error);
  }

  int64_t layers = 0, hidden = 0, heads = 1, headChannels = 0;

private:
  const gguf::Value *find(const std::string &key) {
    asked.insert(key);
    auto found = file.header.metadata.find(key);
    return found == file.header.metadata.end() ? nullptr : &found->second;
  }
  void failOf(const std::string &key, const Twine &expected,
              const Twine &found) {
    if (error.empty())
      error = (file.path + ": key '" + key + "': expected " + expected +
               ", found " + found)
                  .str();
  }
  void writeScaling(json::Object &scaling);
  void writeFactors(json::Object &scaling, StringRef longName,
                    StringRef shortName, double magnitude, int64_t original);
  json::Array factors(StringRef tensor);

  const GgufFile &file;
  std::string architecture;
  StringSet<> asked;
  std::string error;
};
} // namespace

//===-- values ------------------------------------------------------------===//

void ConfigWriter::fail(StringRef key, const Twine &expected,
                        const Twine &found) {
  failOf((architecture + "." + key).str(), expected, found);
}

std::optional<int64_t> ConfigWriter::integerOf(const std::string &key) {
  const gguf::Value *value = find(key);
  if (!value)
    return std::nullopt;
  if (const auto *integer = std::get_if<int64_t>(value))
    return *integer;
  // Of each layer.
  const auto *each = std::get_if<std::vector<int64_t>>(value);
  if (each && !each->empty() && all_equal(*each))
    return each->front();
  failOf(key,
         each ? "one number for all layers (others are not supported)"
              : "an integer",
         each ? "several" : gguf::describe(*value));
  return std::nullopt;
}

std::optional<double> ConfigWriter::number(StringRef key) {
  std::string whole = (architecture + "." + key).str();
  const gguf::Value *value = find(whole);
  if (!value)
    return std::nullopt;
  if (const auto *number = std::get_if<double>(value))
    if (std::isfinite(*number))
      return *number;
  failOf(whole, "a finite number", gguf::describe(*value));
  return std::nullopt;
}

std::optional<bool> ConfigWriter::boolean(StringRef key) {
  std::string whole = (architecture + "." + key).str();
  const gguf::Value *value = find(whole);
  if (!value)
    return std::nullopt;
  if (const auto *truth = std::get_if<bool>(value))
    return *truth;
  failOf(whole, "a bool", gguf::describe(*value));
  return std::nullopt;
}

std::optional<std::string> ConfigWriter::text(StringRef key) {
  std::string whole = (architecture + "." + key).str();
  const gguf::Value *value = find(whole);
  if (!value)
    return std::nullopt;
  if (const auto *text = std::get_if<std::string>(value))
    return *text;
  failOf(whole, "a string", gguf::describe(*value));
  return std::nullopt;
}

void ConfigWriter::rejectUnasked() {
  for (const auto &[key, value] : file.header.metadata)
    if (StringRef(key).starts_with(architecture + ".") && !asked.contains(key))
      return failOf(key, "only keys that are known of this architecture",
                    gguf::describe(value));
}

//===-- what decoders have in common --------------------------------------===//

void ConfigWriter::writeSizes(const SizeFields &names) {
  layers = required("block_count");
  hidden = required("embedding_length");
  heads = required("attention.head_count");
  fields[names.layers] = layers;
  fields[names.hidden] = hidden;
  fields[names.heads] = heads;
  fields[names.positions] = required("context_length");
  fields[names.inner] = required("feed_forward_length");
  fields[names.kvHeads] = integer("attention.head_count_kv").value_or(heads);
  auto keys = integer("attention.key_length");
  auto values = integer("attention.value_length");
  if (keys.value_or(0) != values.value_or(keys.value_or(0)))
    fail("attention.value_length", "that of keys, " + Twine(keys.value_or(0)),
         Twine(*values));
  headChannels = keys.value_or(hidden / std::max<int64_t>(heads, 1));
  fields["head_dim"] = headChannels;
  writeNumber("attention.layer_norm_rms_epsilon", "rms_norm_eps");
  writeNumber("attention.layer_norm_epsilon", names.epsilon);
  if (!fields.get("rms_norm_eps") && !fields.get(names.epsilon))
    fail("attention.layer_norm_rms_epsilon",
         "that or attention.layer_norm_epsilon", "nothing");
  // The file's own table counts, which may be padded.
  const TensorEntry *table = file.tensors.find("token_embd.weight");
  if (table && table->shape.size() == 2)
    fields["vocab_size"] = table->shape[0];
  ask("vocab_size");
  // Some files repeat a tied head.
  const TensorEntry *head = file.tensors.find("output.weight");
  fields["tie_word_embeddings"] =
      !head || (table && head->dtype == table->dtype &&
                head->shape == table->shape && head->data == table->data);
  // Of how weights were loaded, long ago.
  ask("tensor_data_layout");
  ask("rope.scaling.finetuned");
  if (boolean("attention.causal") == false)
    fail("attention.causal", "true", "false");
}

void ConfigWriter::writeTokens() {
  int64_t count = fields.getInteger("vocab_size").value_or(0);
  if (auto id = gguf::specialId(file.header, "bos", count))
    fields["bos_token_id"] = *id;
  std::vector<int64_t> ends = gguf::endIds(file.header, count);
  if (!ends.empty())
    fields["eos_token_id"] = json::Array(ends);
}

// What frequencies are divided by.
json::Array ConfigWriter::factors(StringRef name) {
  json::Array result;
  const TensorEntry *tensor = file.tensors.find(name);
  if (!tensor || tensor->type != HEDDLE_TYPE_F32 || tensor->shape.size() != 1) {
    if (error.empty())
      error = (file.path + ": tensor '" + name +
               "': expected F32 of one dimension, found " +
               (tensor ? tensor->dtype : "no such tensor"))
                  .str();
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
void ConfigWriter::writeFactors(json::Object &scaling, StringRef longName,
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

void ConfigWriter::writeScaling(json::Object &scaling) {
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
    // llama.cpp multiplies the factor that follows from the other.
    if (magnitude)
      scaling["attention_factor"] = *magnitude * (0.1 * std::log(*factor) + 1);
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

void ConfigWriter::writeRotary(StringRef base, bool hasOwnOfWindows) {
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

void ConfigWriter::writeWindows(int64_t usual,
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
    for (int64_t layer = 0; layer < std::min<int64_t>(layers, 65536); ++layer)
      add(period > 0 && (layer + 1) % period != 0);
  }
  fields["layer_types"] = std::move(types);
  fields["sliding_window"] = fallback && !has("attention.sliding_window")
                                 ? *fallback
                                 : required("attention.sliding_window");
}

void ConfigWriter::writeExperts(StringRef count, StringRef size) {
  fields[count] = required("expert_count");
  fields["num_experts_per_tok"] = required("expert_used_count");
  if (!size.empty())
    fields[size] = required("expert_feed_forward_length");
}

void ConfigWriter::writeScoreChannels(int64_t layersOfLargest) {
  fields["query_pre_attn_scalar"] =
      double(layers == layersOfLargest ? hidden / std::max<int64_t>(heads, 1)
                                       : headChannels);
}

//===-- architectures -----------------------------------------------------===//

static void writeLlamaLike(ConfigWriter &w) {
  w.writeSizes({});
  w.writeRotary();
}

// Mistral's windows, and Mixtral's experts, are in files of this architecture.
static void writeLlama(ConfigWriter &w) {
  writeLlamaLike(w);
  if (w.integer("expert_count").value_or(0) > 0) {
    w.fields["architectures"] = json::Array{"MixtralForCausalLM"};
    w.fields["model_type"] = "mixtral";
    w.writeExperts("num_local_experts", "");
    w.writeInteger("attention.sliding_window", "sliding_window");
    w.ask("expert_feed_forward_length");
    return;
  }
  w.ask("expert_used_count");
  if (!w.has("attention.sliding_window"))
    return;
  w.fields["architectures"] = json::Array{"MistralForCausalLM"};
  w.fields["model_type"] = "mistral";
  w.writeInteger("attention.sliding_window", "sliding_window");
}

static void writeQwen2MoE(ConfigWriter &w) {
  writeLlamaLike(w);
  w.writeExperts("num_experts", "moe_intermediate_size");
  w.fields["shared_expert_intermediate_size"] =
      w.required("expert_shared_feed_forward_length");
}

static void writeQwen3MoE(ConfigWriter &w) {
  writeLlamaLike(w);
  w.writeExperts("num_experts", "moe_intermediate_size");
  w.fields["norm_topk_prob"] = true;
}

static void writeCaps(ConfigWriter &w) {
  w.writeNumber("attn_logit_softcapping", "attn_logit_softcapping");
  w.writeNumber("final_logit_softcapping", "final_logit_softcapping");
}

static void writeGemma2(ConfigWriter &w) {
  writeLlamaLike(w);
  w.writeWindows(2, 4096);
  w.writeScoreChannels(46);
  writeCaps(w);
}

static void writeGemma3(ConfigWriter &w) {
  w.writeSizes({});
  w.writeRotary("rope_theta", /*hasOwnOfWindows=*/true);
  // Without windows all layers are alike.
  if (w.has("attention.sliding_window"))
    w.writeWindows(6);
  else
    w.fields["layer_types"] = json::Array(
        std::vector<json::Value>(std::clamp<int64_t>(w.layers, 0, 65536),
                                 json::Value("full_attention")));
  w.writeScoreChannels(62);
  writeCaps(w);
  w.fields["rope_local_base_freq"] =
      w.number("rope.freq_base_swa").value_or(10000.0);
}

static void writeGranite(ConfigWriter &w) {
  writeLlamaLike(w);
  w.fields["attention_multiplier"] =
      w.number("attention.scale")
          .value_or(1 /
                    std::sqrt(double(std::max<int64_t>(w.headChannels, 1))));
  w.writeNumber("embedding_scale", "embedding_multiplier");
  w.writeNumber("residual_scale", "residual_multiplier");
  w.writeNumber("logit_scale", "logits_scaling");
}

static void writeOLMo2(ConfigWriter &w) {
  writeLlamaLike(w);
  if (!w.has("attention.sliding_window"))
    return;
  w.fields["architectures"] = json::Array{"Olmo3ForCausalLM"};
  w.fields["model_type"] = "olmo3";
  w.writeWindows(4);
}

static void writePhi3(ConfigWriter &w) {
  writeLlamaLike(w);
  w.writeInteger("attention.sliding_window", "sliding_window");
}

static void writeStableLM(ConfigWriter &w) {
  writeLlamaLike(w);
  w.fields["use_parallel_residual"] = !w.hasInLayer("ffn_norm.weight");
  w.fields["qk_layernorm"] = w.hasInLayer("attn_q_norm.weight");
  w.ask("use_parallel_residual");
}

static void writeStarCoder2(ConfigWriter &w) {
  ConfigWriter::SizeFields names;
  names.epsilon = "norm_epsilon";
  w.writeSizes(names);
  w.writeRotary();
  w.writeInteger("attention.sliding_window", "sliding_window");
}

static void writeCohere(ConfigWriter &w) {
  writeLlamaLike(w);
  w.writeNumber("logit_scale", "logit_scale");
  w.fields["use_qk_norm"] = w.hasInLayer("attn_q_norm.weight");
}

static void writeCohere2(ConfigWriter &w) {
  writeCohere(w);
  w.writeWindows(4);
}

static void writeGPT2(ConfigWriter &w) {
  ConfigWriter::SizeFields names;
  names.hidden = "n_embd";
  names.layers = "n_layer";
  names.heads = "n_head";
  names.positions = "n_positions";
  names.inner = "n_inner";
  names.epsilon = "layer_norm_epsilon";
  w.writeSizes(names);
}

static void writeGPTNeoX(ConfigWriter &w) {
  w.writeSizes({});
  w.writeRotary("rotary_emb_base");
  w.fields["rotary_pct"] = *w.fields.get("partial_rotary_factor");
  w.fields.erase("partial_rotary_factor");
  w.fields["use_parallel_residual"] =
      w.boolean("use_parallel_residual").value_or(true);
}

static void writeFalcon(ConfigWriter &w) {
  ConfigWriter::SizeFields names;
  names.kvHeads = "num_kv_heads";
  names.inner = "ffn_hidden_size";
  names.epsilon = "layer_norm_epsilon";
  w.writeSizes(names);
  w.writeRotary();
  // Two norms are those of the later architecture; the first one has one key.
  bool hasTwo = w.hasInLayer("attn_norm_2.weight");
  bool isSingle = w.fields.getInteger("num_kv_heads") == 1;
  w.fields["new_decoder_architecture"] = hasTwo || !isSingle;
  w.fields["num_ln_in_parallel_attn"] = hasTwo ? 2 : 1;
  w.fields["multi_query"] = true;
}

static void writeGPTOSS(ConfigWriter &w) {
  w.writeSizes({});
  w.writeRotary();
  if (json::Object *scaling = w.fields.getObject("rope_scaling"))
    (*scaling)["truncate"] = false; // as the model was trained
  w.writeWindows(2);
  w.writeExperts("num_local_experts", "intermediate_size");
}

/// In ascending order.
static constexpr Architecture architectures[] = {
    {"cohere2", "cohere2", "Cohere2ForCausalLM", writeCohere2},
    {"command-r", "cohere", "CohereForCausalLM", writeCohere},
    {"falcon", "falcon", "FalconForCausalLM", writeFalcon},
    {"gemma", "gemma", "GemmaForCausalLM", writeLlamaLike},
    {"gemma2", "gemma2", "Gemma2ForCausalLM", writeGemma2},
    {"gemma3", "gemma3_text", "Gemma3ForCausalLM", writeGemma3},
    {"gpt-oss", "gpt_oss", "GptOssForCausalLM", writeGPTOSS},
    {"gpt2", "gpt2", "GPT2LMHeadModel", writeGPT2},
    {"gptneox", "gpt_neox", "GPTNeoXForCausalLM", writeGPTNeoX},
    {"granite", "granite", "GraniteForCausalLM", writeGranite, true},
    {"llama", "llama", "LlamaForCausalLM", writeLlama, true},
    {"olmo2", "olmo2", "Olmo2ForCausalLM", writeOLMo2},
    {"phi2", "phi", "PhiForCausalLM", writeLlamaLike},
    {"phi3", "phi3", "Phi3ForCausalLM", writePhi3},
    {"qwen2", "qwen2", "Qwen2ForCausalLM", writeLlamaLike},
    {"qwen2moe", "qwen2_moe", "Qwen2MoeForCausalLM", writeQwen2MoE},
    {"qwen3", "qwen3", "Qwen3ForCausalLM", writeLlamaLike},
    {"qwen3moe", "qwen3_moe", "Qwen3MoeForCausalLM", writeQwen3MoE},
    {"smollm3", "smollm3", "SmolLM3ForCausalLM", writeLlamaLike, true},
    {"stablelm", "stablelm", "StableLmForCausalLM", writeStableLM},
    {"starcoder2", "starcoder2", "Starcoder2ForCausalLM", writeStarCoder2},
};

SmallVector<StringRef> heddle::ggufArchitectures() {
  SmallVector<StringRef> names;
  for (const Architecture &architecture : architectures)
    names.push_back(architecture.name);
  return names;
}

Expected<GgufConfig> heddle::readGgufConfig(const GgufFile &file) {
  constexpr const char *key = "general.architecture";
  const auto *name = file.header.find<std::string>(key);
  const Architecture *known =
      find_if(architectures,
              [&](const Architecture &a) { return name && *name == a.name; });
  if (known == std::end(architectures)) {
    auto found = file.header.metadata.find(key);
    return createStringError(
        file.path + ": key '" + key + "': expected one of " +
        join(ggufArchitectures(), ", ") + ", found " +
        (found == file.header.metadata.end() ? "nothing"
                                             : gguf::describe(found->second)));
  }
  ConfigWriter writer(file, known->name);
  writer.fields["architectures"] = json::Array{known->modelClass};
  writer.fields["model_type"] = known->modelType;
  known->write(writer);
  writer.writeTokens();
  writer.rejectUnasked();
  if (Error error = writer.takeError())
    return error;
  return GgufConfig{std::move(writer.fields), known->rotatesNeighbours};
}
