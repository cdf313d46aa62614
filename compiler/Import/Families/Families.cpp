// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Families/Family.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace heddle;

static constexpr Family known[] = {
    {"CohereForCausalLM", "cohere", describeCohere},
    {"Cohere2ForCausalLM", "cohere2", describeCohere2},
    {"DeepseekV2ForCausalLM", "deepseek_v2", describeDeepSeekV2},
    {"DeepseekV3ForCausalLM", "deepseek_v3", describeDeepSeekV3},
    {"FalconForCausalLM", "falcon", describeFalcon},
    {"GPT2LMHeadModel", "gpt2", describeGPT2},
    {"GPTNeoXForCausalLM", "gpt_neox", describeGPTNeoX},
    {"GptOssForCausalLM", "gpt_oss", describeGPTOSS},
    {"GemmaForCausalLM", "gemma", describeGemma},
    {"Gemma2ForCausalLM", "gemma2", describeGemma2},
    {"Gemma3ForCausalLM", "gemma3_text", describeGemma3},
    {"GraniteForCausalLM", "granite", describeGranite},
    {"LlamaForCausalLM", "llama", describeLlama},
    {"MistralForCausalLM", "mistral", describeMistral},
    {"MixtralForCausalLM", "mixtral", describeMixtral},
    {"Olmo2ForCausalLM", "olmo2", describeOLMo2},
    {"Olmo3ForCausalLM", "olmo3", describeOLMo3},
    {"OPTForCausalLM", "opt", describeOPT},
    {"PhiForCausalLM", "phi", describePhi},
    {"Phi3ForCausalLM", "phi3", describePhi3},
    {"Qwen2ForCausalLM", "qwen2", describeQwen2},
    {"Qwen2MoeForCausalLM", "qwen2_moe", describeQwen2MoE},
    {"Qwen3ForCausalLM", "qwen3", describeQwen3},
    {"Qwen3MoeForCausalLM", "qwen3_moe", describeQwen3MoE},
    {"SmolLM3ForCausalLM", "smollm3", describeSmolLM3},
    {"StableLmForCausalLM", "stablelm", describeStableLM},
};

ArrayRef<Family> heddle::families() { return known; }

/// Files that name no architecture are of the first one of their type.
static const Family *findFamily(ModelConfig &config) {
  SmallVector<StringRef> architectures;
  bool isNamed = config.has("architectures") || !config.has("model_type");
  if (isNamed)
    architectures = config.texts("architectures");
  if (config.failed())
    return nullptr;
  const Family *family = find_if(known, [&](const Family &f) {
    return isNamed
               ? architectures.size() == 1 && architectures[0] == f.architecture
               : config.text("model_type") == f.modelType;
  });
  if (family == std::end(known)) {
    config.fail("architectures",
                "one of the architectures that heddlec --list-families prints");
    return nullptr;
  }
  if (!config.has("model_type") ||
      config.text("model_type") != family->modelType)
    config.fail("model_type", "\"" + family->modelType + "\"");
  return family;
}

/// Rejects sizes whose products, in bytes of f32, do not fit int64_t, and
/// positions without a rotary table.
static void checkProducts(ModelConfig &config, const DecoderDescription &d) {
  auto check = [&](ArrayRef<int64_t> factors, StringRef name,
                   const Twine &what) {
    int64_t bytes = 4;
    for (int64_t factor : factors)
      if (MulOverflow(bytes, factor, bytes))
        return config.fail(name, what + " whose size in bytes fits 64 bits");
  };
  const AttentionDescription &a = d.block.attention;
  int64_t layers = d.layers.size();
  check({d.vocabularySize, d.hiddenSize}, "vocab_size", "an embedding");
  check({d.block.feedForward.hiddenSize, d.hiddenSize, layers},
        "intermediate_size", "feed-forward weights");
  check({a.heads, a.headChannels, d.hiddenSize, layers}, "num_attention_heads",
        "attention weights");
  check({2, layers, a.kvHeads, a.headChannels, d.maxPositions},
        "max_position_embeddings", "a key/value cache");
  bool rotates = any_of(d.layers, [](const LayerDescription &layer) {
    return layer.rotary.has_value();
  });
  if (rotates && RotaryTableOp::bytesOf(a.headChannels, d.maxPositions) >
                     RotaryTableOp::kLargestBytes)
    config.fail("max_position_embeddings",
                "positions whose rotary table takes at most " +
                    Twine(RotaryTableOp::kLargestBytes) + " bytes",
                Twine(d.maxPositions));
}

static Expected<ModelDescription> describeObject(const json::Object &object,
                                                 StringRef file,
                                                 mlir::MLIRContext &context) {
  context.loadDialect<HeddleDialect>();
  ModelConfig config(object, file.str(), context);
  const Family *family = findFamily(config);
  ModelDescription description;
  if (!config.failed())
    description = family->describe(config);
  config.askHarmless();
  config.rejectUnasked();
  if (!config.failed())
    checkProducts(config, description.decoder);
  if (Error error = config.takeError())
    return error;
  return description;
}

Expected<ModelDescription> heddle::describeModel(StringRef text, StringRef file,
                                                 mlir::MLIRContext &context) {
  Expected<json::Object> object = parseJsonObject(text, file);
  if (!object)
    return object.takeError();
  return describeObject(*object, file, context);
}

Expected<ModelDescription> heddle::describeModelOf(StringRef folder,
                                                   mlir::MLIRContext &context) {
  SmallString<128> path(folder);
  sys::path::append(path, "config.json");
  Expected<json::Object> object = readJsonFile(path);
  if (!object)
    return object.takeError();
  return describeObject(*object, path, context);
}
