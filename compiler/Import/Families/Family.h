// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Families of models: each describes what its config.json says. To add one,
// write its file and its line in Families.cpp.

#ifndef HEDDLE_COMPILER_IMPORT_FAMILIES_FAMILY_H
#define HEDDLE_COMPILER_IMPORT_FAMILIES_FAMILY_H

#include "compiler/Import/Families/ModelConfig.h"
#include "compiler/Import/Models/ModuleBuilder.h"

namespace heddle {

struct ModelDescription {
  ModelKind kind;
  TokenIds tokens;
  /// How matrices are stored, if they are quantised.
  std::optional<QuantizationDescription> quantization = std::nullopt;

  DecoderDescription &decoder() { return std::get<DecoderDescription>(kind); }
  const DecoderDescription &decoder() const {
    return std::get<DecoderDescription>(kind);
  }
};

/// The decoder, and each encoder.
void forEachTransformer(
    const ModelDescription &model,
    llvm::function_ref<void(const TransformerDescription &)> visit);

/// Models of one `model_type`, and the reader of their configurations.
struct Family {
  llvm::StringLiteral name;      ///< for people
  llvm::StringLiteral modelType; ///< in `model_type`
  /// Names in `architectures` are the stem and one of the endings.
  llvm::StringLiteral stem;
  llvm::ArrayRef<llvm::StringLiteral> endings;
  /// Failures are those of the config.
  ModelDescription (*describe)(ModelConfig &config);

  llvm::SmallVector<std::string> architectures() const;
};

llvm::ArrayRef<Family> families();

/// The encoder that a decoder is where its tokens are what is wanted.
EncoderDescription encoderOf(const DecoderDescription &decoder);

/// Reads the fields of a config.json; `file` names it in errors.
llvm::Expected<ModelDescription> describeModel(const llvm::json::Object &config,
                                               llvm::StringRef file,
                                               mlir::MLIRContext &context);
/// Reads the text of a config.json; `file` names it in errors.
llvm::Expected<ModelDescription> describeModel(llvm::StringRef text,
                                               llvm::StringRef file,
                                               mlir::MLIRContext &context);
/// Reads config.json of a folder.
llvm::Expected<ModelDescription> describeModelOf(llvm::StringRef folder,
                                                 mlir::MLIRContext &context);

// One function for each family, in the file of its name.
ModelDescription describeBart(ModelConfig &config);
ModelDescription describeBert(ModelConfig &config);
ModelDescription describeClip(ModelConfig &config);
ModelDescription describeClipText(ModelConfig &config);
ModelDescription describeClipVision(ModelConfig &config);
ModelDescription describeCohere(ModelConfig &config);
ModelDescription describeCohere2(ModelConfig &config);
ModelDescription describeDeepSeekV2(ModelConfig &config);
ModelDescription describeDeepSeekV3(ModelConfig &config);
ModelDescription describeDeiT(ModelConfig &config);
ModelDescription describeDistilBert(ModelConfig &config);
ModelDescription describeFalcon(ModelConfig &config);
ModelDescription describeGPT2(ModelConfig &config);
ModelDescription describeGPTNeoX(ModelConfig &config);
ModelDescription describeGPTOSS(ModelConfig &config);
ModelDescription describeGemma(ModelConfig &config);
ModelDescription describeGemma2(ModelConfig &config);
ModelDescription describeGemma3(ModelConfig &config);
ModelDescription describeGemma3Encoder(ModelConfig &config);
ModelDescription describeGemma3Images(ModelConfig &config);
ModelDescription describeGranite(ModelConfig &config);
ModelDescription describeLlama(ModelConfig &config);
ModelDescription describeMBart(ModelConfig &config);
ModelDescription describeMPNet(ModelConfig &config);
ModelDescription describeMarian(ModelConfig &config);
ModelDescription describeMistral(ModelConfig &config);
ModelDescription describeMistral3(ModelConfig &config);
ModelDescription describeMixtral(ModelConfig &config);
ModelDescription describeModernBert(ModelConfig &config);
ModelDescription describeOLMo2(ModelConfig &config);
ModelDescription describeOLMo3(ModelConfig &config);
ModelDescription describeOPT(ModelConfig &config);
ModelDescription describePhi(ModelConfig &config);
ModelDescription describePhi3(ModelConfig &config);
ModelDescription describeQwen2(ModelConfig &config);
ModelDescription describeQwen2MoE(ModelConfig &config);
ModelDescription describeQwen3(ModelConfig &config);
ModelDescription describeQwen3MoE(ModelConfig &config);
ModelDescription describeRoberta(ModelConfig &config);
ModelDescription describeSiglip(ModelConfig &config);
ModelDescription describeSiglipText(ModelConfig &config);
ModelDescription describeSiglipVision(ModelConfig &config);
ModelDescription describeSmolLM3(ModelConfig &config);
ModelDescription describeStableLM(ModelConfig &config);
ModelDescription describeStarCoder2(ModelConfig &config);
ModelDescription describeT5(ModelConfig &config);
ModelDescription describeViT(ModelConfig &config);
ModelDescription describeWhisper(ModelConfig &config);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_FAMILIES_FAMILY_H
