// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Families/Family.h"
#include "compiler/Import/Families/QuantizationConfig.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace heddle;

// Endings of the names of architectures, by what a model has behind its layers.
static constexpr StringLiteral causal[] = {"ForCausalLM"},
                               conditional[] = {"ForConditionalGeneration"},
                               languageModel[] = {"LMHeadModel"},
                               bare[] = {"Model"},
                               projected[] = {"Model", "ModelWithProjection"};
static constexpr StringLiteral textHeads[] = {
    "Model", "ForMaskedLM", "ForSequenceClassification",
    "ForTokenClassification", "ForQuestionAnswering"};
static constexpr StringLiteral imageHeads[] = {"Model",
                                               "ForImageClassification"};
static constexpr StringLiteral teacherHeads[] = {
    "Model", "ForImageClassification", "ForImageClassificationWithTeacher"};

static constexpr Family known[] = {
    {"BART", "bart", "Bart", conditional, describeBart},
    {"BERT", "bert", "Bert", textHeads, describeBert},
    {"CamemBERT", "camembert", "Camembert", textHeads, describeRoberta},
    {"CLIP", "clip", "CLIP", bare, describeClip},
    {"CLIP", "clip_text_model", "CLIPText", projected, describeClipText},
    {"CLIP", "clip_vision_model", "CLIPVision", projected, describeClipVision},
    {"Cohere", "cohere", "Cohere", causal, describeCohere},
    {"Cohere 2", "cohere2", "Cohere2", causal, describeCohere2},
    {"DeepSeek V2", "deepseek_v2", "DeepseekV2", causal, describeDeepSeekV2},
    {"DeepSeek V3", "deepseek_v3", "DeepseekV3", causal, describeDeepSeekV3},
    {"DeiT", "deit", "DeiT", teacherHeads, describeDeiT},
    {"DistilBERT", "distilbert", "DistilBert", textHeads, describeDistilBert},
    {"Falcon", "falcon", "Falcon", causal, describeFalcon},
    {"Gemma", "gemma", "Gemma", causal, describeGemma},
    {"Gemma 2", "gemma2", "Gemma2", causal, describeGemma2},
    {"Gemma 3", "gemma3_text", "Gemma3", causal, describeGemma3},
    {"Gemma 3", "gemma3_text", "Gemma3Text", bare, describeGemma3Encoder},
    {"Gemma 3", "gemma3", "Gemma3", conditional, describeGemma3Images},
    {"GPT-2", "gpt2", "GPT2", languageModel, describeGPT2},
    {"GPT-NeoX", "gpt_neox", "GPTNeoX", causal, describeGPTNeoX},
    {"gpt-oss", "gpt_oss", "GptOss", causal, describeGPTOSS},
    {"Granite", "granite", "Granite", causal, describeGranite},
    {"Llama", "llama", "Llama", causal, describeLlama},
    {"Marian", "marian", "MarianMT", bare, describeMarian},
    {"mBART", "mbart", "MBart", conditional, describeMBart},
    {"Mistral", "mistral", "Mistral", causal, describeMistral},
    {"Mistral 3", "mistral3", "Mistral3", conditional, describeMistral3},
    {"Mixtral", "mixtral", "Mixtral", causal, describeMixtral},
    {"ModernBERT", "modernbert", "ModernBert", textHeads, describeModernBert},
    {"MPNet", "mpnet", "MPNet", textHeads, describeMPNet},
    {"OLMo 2", "olmo2", "Olmo2", causal, describeOLMo2},
    {"OLMo 3", "olmo3", "Olmo3", causal, describeOLMo3},
    {"OPT", "opt", "OPT", causal, describeOPT},
    {"Phi", "phi", "Phi", causal, describePhi},
    {"Phi-3", "phi3", "Phi3", causal, describePhi3},
    {"Qwen 2", "qwen2", "Qwen2", causal, describeQwen2},
    {"Qwen 2 MoE", "qwen2_moe", "Qwen2Moe", causal, describeQwen2MoE},
    {"Qwen 3", "qwen3", "Qwen3", causal, describeQwen3},
    {"Qwen 3 MoE", "qwen3_moe", "Qwen3Moe", causal, describeQwen3MoE},
    {"RoBERTa", "roberta", "Roberta", textHeads, describeRoberta},
    {"SigLIP", "siglip", "Siglip", bare, describeSiglip},
    {"SigLIP", "siglip_text_model", "SiglipText", bare, describeSiglipText},
    {"SigLIP", "siglip_vision_model", "SiglipVision", bare,
     describeSiglipVision},
    {"SmolLM3", "smollm3", "SmolLM3", causal, describeSmolLM3},
    {"StableLM", "stablelm", "StableLm", causal, describeStableLM},
    {"StarCoder 2", "starcoder2", "Starcoder2", causal, describeStarCoder2},
    {"T5", "t5", "T5", conditional, describeT5},
    {"ViT", "vit", "ViT", imageHeads, describeViT},
    {"Whisper", "whisper", "Whisper", conditional, describeWhisper},
    {"XLM-RoBERTa", "xlm-roberta", "XLMRoberta", textHeads, describeRoberta},
};

SmallVector<std::string> Family::architectures() const {
  SmallVector<std::string> names;
  for (StringRef ending : endings)
    names.push_back((stem + ending).str());
  return names;
}

ArrayRef<Family> heddle::families() { return known; }

EncoderDescription heddle::encoderOf(const DecoderDescription &decoder) {
  EncoderDescription encoder;
  static_cast<TransformerDescription &>(encoder) = decoder;
  encoder.ignoredPrefixes.push_back(decoder.head.name + ".");
  return encoder;
}

void heddle::forEachTransformer(
    const ModelDescription &model,
    function_ref<void(const TransformerDescription &)> visit) {
  if (const auto *decoder = std::get_if<DecoderDescription>(&model.kind))
    return visit(*decoder);
  if (const auto *both = std::get_if<EncoderDecoderDescription>(&model.kind)) {
    visit(both->encoder);
    return visit(both->decoder);
  }
  for (const EncoderDescription &encoder :
       std::get<EncoderDescriptions>(model.kind))
    visit(encoder);
}

/// Files that name no architecture have the first one of their type. Sets that
/// of the config.
static const Family *findFamily(ModelConfig &config) {
  SmallVector<StringRef> named;
  bool isNamed = config.has("architectures") || !config.has("model_type");
  if (isNamed)
    named = config.texts("architectures");
  if (config.failed())
    return nullptr;
  const Family *family = find_if(known, [&](const Family &f) {
    return isNamed ? named.size() == 1 &&
                         is_contained(f.architectures(), named.front())
                   : config.text("model_type") == f.modelType;
  });
  if (family == std::end(known)) {
    config.fail("architectures",
                "one of the architectures that heddlec --list-families prints");
    return nullptr;
  }
  config.architecture =
      isNamed ? named.front().str() : family->architectures().front();
  if (!config.has("model_type") ||
      config.text("model_type") != family->modelType)
    config.fail("model_type", "\"" + family->modelType + "\"");
  return family;
}

/// Rejects sizes whose products, in bytes of f32, do not fit int64_t, and
/// positions without a rotary table.
static void checkProducts(ModelConfig &config,
                          const TransformerDescription &d) {
  // The field is the first of those that the file has.
  auto check = [&](ArrayRef<int64_t> factors, ArrayRef<StringRef> names,
                   const Twine &what) {
    int64_t bytes = 4;
    for (int64_t factor : factors)
      if (MulOverflow(bytes, factor, bytes)) {
        const StringRef *name =
            find_if(names, [&](StringRef n) { return config.has(n); });
        return config.fail(name == names.end() ? names.front() : *name,
                           what + " whose size in bytes fits 64 bits");
      }
  };
  const AttentionDescription &a = d.block.attention;
  int64_t layers = d.layers.size();
  check({d.vocabularySize, d.hiddenSize}, {"vocab_size", "text_config"},
        "an embedding");
  check({d.block.feedForward.hiddenSize, d.hiddenSize, layers},
        {"intermediate_size", "d_ff", "hidden_dim", "ffn_dim",
         "encoder_ffn_dim", "n_inner", "hidden_size", "d_model", "text_config"},
        "feed-forward weights");
  check({a.heads, a.headChannels, d.hiddenSize, layers},
        {"num_attention_heads", "num_heads", "n_heads", "n_head",
         "encoder_attention_heads", "text_config", "vision_config"},
        "attention weights");
  check({2, layers, a.kvHeads, a.headChannels, d.maxPositions},
        {"max_position_embeddings", "n_positions", "max_target_positions",
         "image_size", "text_config"},
        "keys and values");
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

Expected<ModelDescription> heddle::describeModel(const json::Object &object,
                                                 StringRef file,
                                                 mlir::MLIRContext &context) {
  context.loadDialect<HeddleDialect>();
  ModelConfig config(object, file.str(), context);
  const Family *family = findFamily(config);
  ModelDescription description;
  if (!config.failed())
    description = family->describe(config);
  description.quantization = readQuantization(config);
  config.askHarmless();
  config.rejectUnasked();
  if (!config.failed())
    forEachTransformer(description, [&](const TransformerDescription &d) {
      checkProducts(config, d);
    });
  if (Error error = config.takeError())
    return error;
  return description;
}

Expected<ModelDescription> heddle::describeModel(StringRef text, StringRef file,
                                                 mlir::MLIRContext &context) {
  Expected<json::Object> object = parseJsonObject(text, file);
  if (!object)
    return object.takeError();
  return describeModel(*object, file, context);
}

Expected<ModelDescription> heddle::describeModelOf(StringRef folder,
                                                   mlir::MLIRContext &context) {
  SmallString<128> path(folder);
  sys::path::append(path, "config.json");
  Expected<json::Object> object = readJsonFile(path);
  if (!object)
    return object.takeError();
  return describeModel(*object, path, context);
}
