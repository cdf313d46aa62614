// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/LlamaConfig.h"

#include "compiler/Import/JsonFields.h"
#include "compiler/Import/LlamaFields.h"
#include "dialect/Heddle/HeddleDialect.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace heddle;

//===-- rotary embedding --------------------------------------------------===//

namespace {
struct RopeKind {
  StringLiteral name;
  RopeScaling::Kind kind;
};
} // namespace

static constexpr RopeKind ropeKinds[] = {
    {"default", RopeScaling::Kind::None},
    {"linear", RopeScaling::Kind::Linear},
    {"llama3", RopeScaling::Kind::Llama3},
};

/// Reads the object of `rope_scaling` or `rope_parameters`; `rope` are its
/// fields. The older spelling of "rope_type" is "type".
static RopeScaling readRopeObject(JsonFields &rope,
                                  const json::Object &object) {
  RopeScaling scaling;
  StringRef typeField = rope.has("rope_type") ? "rope_type" : "type";
  StringRef type = rope.has(typeField) ? rope.text(typeField) : "default";
  if (rope.has("rope_type") && rope.has("type") && rope.text("type") != type)
    rope.fail("type", "the same as 'rope_type', \"" + type + "\"");
  const RopeKind *kind =
      find_if(ropeKinds, [&](const RopeKind &k) { return k.name == type; });
  if (kind == std::end(ropeKinds)) {
    rope.fail(typeField, "one of the supported kinds [\"default\", \"linear\", "
                         "\"llama3\"]");
    return scaling;
  }

  scaling.kind = kind->kind;
  SmallVector<StringRef> known = {"rope_type", "type", "rope_theta",
                                  "partial_rotary_factor"};
  if (scaling.kind != RopeScaling::Kind::None) {
    known.push_back("factor");
    scaling.factor = rope.positive("factor");
  }
  if (scaling.kind == RopeScaling::Kind::Llama3) {
    known.append({"low_freq_factor", "high_freq_factor",
                  "original_max_position_embeddings"});
    scaling.lowFrequencyFactor = rope.positive("low_freq_factor");
    scaling.highFrequencyFactor = rope.positive("high_freq_factor");
    if (scaling.highFrequencyFactor <= scaling.lowFrequencyFactor)
      rope.fail("high_freq_factor", "more than 'low_freq_factor', " +
                                        describe(scaling.lowFrequencyFactor));
    scaling.originalMaxPositions =
        rope.integer("original_max_position_embeddings", 1, INT32_MAX);
  }
  if (rope.has("partial_rotary_factor") &&
      rope.positive("partial_rotary_factor") != 1.0)
    rope.fail("partial_rotary_factor", "1 (nothing else is supported)");
  for (StringRef name : sortedKeys(object))
    if (!is_contained(known, name) && rope.has(name))
      rope.fail(name, "no such field with the kind \"" + type + "\"");
  return scaling;
}

/// transformers 4 writes `rope_theta` and `rope_scaling`, 5 writes
/// `rope_parameters` with both inside. Which of two wins depends on the
/// version, so two that differ are rejected.
static void readRope(JsonFields &fields, const json::Object &object,
                     StringRef file, LlamaConfig &config) {
  config.ropeTheta = fields.positive("rope_theta", 10000.0);
  StringRef name = "rope_scaling";
  if (fields.has("rope_parameters")) {
    if (fields.has(name) && *object.get(name) != *object.get("rope_parameters"))
      fields.fail(name, "the same as 'rope_parameters'");
    name = "rope_parameters";
  }
  if (!fields.has(name))
    return;
  const json::Object *ropeObject = object.getObject(name);
  if (!ropeObject)
    return fields.fail(name, "an object or null");

  JsonFields rope(*ropeObject, (file + ": field '" + name + "'").str());
  config.ropeScaling = readRopeObject(rope, *ropeObject);
  if (rope.has("rope_theta")) {
    double theta = rope.positive("rope_theta");
    if (fields.has("rope_theta") && theta != config.ropeTheta)
      rope.fail("rope_theta", "the same as 'rope_theta' outside, " +
                                  describe(config.ropeTheta));
    config.ropeTheta = theta;
  }
  fields.merge(rope);
}

//===-- sizes and tokens --------------------------------------------------===//

static void readSizes(JsonFields &fields, LlamaConfig &config) {
  auto size = [&](StringRef name, int64_t fallback) {
    return fields.integer(name, 1, INT32_MAX, fallback);
  };
  config.hiddenSize = size("hidden_size", 4096);
  config.intermediateSize = size("intermediate_size", 11008);
  config.layers = size("num_hidden_layers", 32);
  config.heads = size("num_attention_heads", 32);
  config.vocabularySize = size("vocab_size", 32000);
  config.maxPositions = fields.integer("max_position_embeddings", 1,
                                       RotaryTableOp::kLargestPositions, 2048);

  config.kvHeads = fields.has("num_key_value_heads")
                       ? size("num_key_value_heads", 1)
                       : config.heads;
  if (fields.failed())
    return;
  if (config.heads % config.kvHeads != 0)
    fields.fail("num_key_value_heads",
                "a divisor of 'num_attention_heads', " + Twine(config.heads));

  if (fields.has("head_dim")) {
    config.headDim = size("head_dim", 2);
  } else {
    if (config.hiddenSize % config.heads != 0)
      fields.fail("hidden_size", "a multiple of 'num_attention_heads', " +
                                     Twine(config.heads) +
                                     ", because 'head_dim' is not given");
    config.headDim = config.hiddenSize / config.heads;
  }
  // The rotary embedding turns pairs.
  if (config.headDim == 0 || config.headDim % 2 != 0)
    fields.fail("head_dim", "an even integer", Twine(config.headDim));
}

/// Rejects sizes whose products, in bytes of f32, do not fit int64_t, and those
/// without a rotary table.
static void checkProducts(JsonFields &fields, const LlamaConfig &config) {
  auto check = [&](ArrayRef<int64_t> factors, StringRef name,
                   const Twine &what) {
    int64_t bytes = 4;
    for (int64_t factor : factors)
      if (MulOverflow(bytes, factor, bytes))
        return fields.fail(name, what + " whose size in bytes fits 64 bits");
  };
  const LlamaConfig &c = config;
  check({c.vocabularySize, c.hiddenSize}, "vocab_size", "an embedding");
  check({c.intermediateSize, c.hiddenSize, c.layers}, "intermediate_size",
        "feed-forward weights");
  check({c.heads, c.headDim, c.hiddenSize, c.layers}, "num_attention_heads",
        "attention weights");
  check({2, c.layers, c.kvHeads, c.headDim, c.maxPositions},
        "max_position_embeddings", "a key/value cache");
  if (RotaryTableOp::bytesOf(c.headDim, c.maxPositions) >
      RotaryTableOp::kLargestBytes)
    fields.fail("max_position_embeddings",
                "positions whose rotary table takes at most " +
                    Twine(RotaryTableOp::kLargestBytes) + " bytes",
                Twine(c.maxPositions));
}

static void readTokens(JsonFields &fields, const json::Object &object,
                       LlamaConfig &config) {
  int64_t last = config.vocabularySize - 1;
  // Null means that there is none, absence means the default, if it exists.
  if (fields.has("bos_token_id"))
    config.bosToken = fields.integer("bos_token_id", 0, last);
  else if (!object.get("bos_token_id") && last >= 1)
    config.bosToken = 1;

  if (object.getArray("eos_token_id"))
    config.eosTokens.assign(fields.integers("eos_token_id", 0, last));
  else if (fields.has("eos_token_id"))
    config.eosTokens = {fields.integer("eos_token_id", 0, last)};
  else if (!object.get("eos_token_id")) {
    config.hasDefaultEos = true;
    if (last >= 2)
      config.eosTokens = {2};
  }
}

/// The type that transformers saved the weights in, under its older and its
/// newer name. It says no more than the tensors' own dtypes, which decide: what
/// was converted since is taken as it is stored, and nothing is rounded that
/// --weight-type does not ask for. A type that no tensor may have is of a
/// checkpoint that needs more than reading (scales, packed values).
static void checkDtype(JsonFields &fields) {
  constexpr StringLiteral supported[] = {"float32", "bfloat16", "float16"};
  for (StringRef name : {"torch_dtype", "dtype"})
    if (fields.has(name) && !is_contained(supported, fields.text(name)))
      fields.fail(name, "one of the supported types [\"float32\", "
                        "\"bfloat16\", \"float16\"]");
}

//===-- the file ----------------------------------------------------------===//

/// All but what family the model is of.
static void readFields(JsonFields &fields, const json::Object &object,
                       StringRef file, LlamaConfig &config) {
  checkLlamaFields(fields, object);
  readSizes(fields, config);
  if (!fields.failed())
    checkProducts(fields, config);
  readRope(fields, object, file, config);
  readTokens(fields, object, config);
  config.rmsNormEpsilon =
      fields.positive("rms_norm_eps", 1e-6, /*zeroAllowed=*/true);
  config.tieWordEmbeddings = fields.boolean("tie_word_embeddings", false);
  config.attentionBias = fields.boolean("attention_bias", false);
  config.mlpBias = fields.boolean("mlp_bias", false);
  if (fields.text("hidden_act", "silu") != "silu")
    fields.fail("hidden_act", "\"silu\" (nothing else is supported)");
  checkDtype(fields);
}

/// The error of a model of another family, with what it has that a Llama has
/// not: some families differ in names alone.
static Error refuseFamily(Error family, const json::Object &object,
                          StringRef file) {
  LlamaConfig config = {};
  JsonFields fields(object, file.str());
  readFields(fields, object, file, config);
  std::string difference = toString(fields.takeError());
  StringRef rest = difference;
  rest.consume_front((file + ": ").str());
  return createStringError(
      toString(std::move(family)) +
      "; the nearest known family is Llama, from which " +
      (rest.empty() ? "no other field differs" : "also differs: " + rest));
}

static Expected<LlamaConfig> readConfig(const json::Object &object,
                                        StringRef file) {
  LlamaConfig config = {};
  JsonFields fields(object, file.str());
  checkArchitecture(fields, object);
  if (Error error = fields.takeError())
    return refuseFamily(std::move(error), object, file);
  readFields(fields, object, file, config);
  if (Error error = fields.takeError())
    return error;
  return config;
}

Expected<LlamaConfig> heddle::parseLlamaConfig(StringRef text, StringRef file) {
  Expected<json::Object> object = parseJsonObject(text, file);
  if (!object)
    return object.takeError();
  return readConfig(*object, file);
}

Expected<LlamaConfig> heddle::readLlamaConfig(StringRef folder) {
  SmallString<128> path(folder);
  sys::path::append(path, "config.json");
  Expected<json::Object> object = readJsonFile(path);
  if (!object)
    return object.takeError();
  return readConfig(*object, path);
}
