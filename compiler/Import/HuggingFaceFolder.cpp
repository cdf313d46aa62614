// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/HuggingFaceFolder.h"

#include "compiler/Import/AudioPreprocessor.h"
#include "compiler/Import/BuildModel.h"
#include "compiler/Import/Families/Family.h"
#include "compiler/Import/GenerationConfig.h"
#include "compiler/Import/SafeTensors.h"
#include "compiler/Import/SentenceTransformers.h"
#include "compiler/Import/TokenizerEnd.h"
#include "compiler/Support/FileKinds.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace heddle;

/// The folder's own name, also where it is given as "." or through a link.
static std::string nameOf(StringRef folder) {
  SmallString<128> path;
  if (sys::fs::real_path(folder, path))
    path = folder;
  return sys::path::filename(path).str();
}

// A folder with a model in files of another kind has no config.json, either.
static Error checkHasConfig(StringRef folder) {
  for (StringRef name :
       {"config.json", "model.safetensors", "model.safetensors.index.json"}) {
    SmallString<128> path(folder);
    sys::path::append(path, name);
    if (sys::fs::exists(path))
      return Error::success(); // reading the folder tells what is missing
  }
  std::optional<std::string> other = describeWeightsIn(folder);
  return other ? createStringError(
                     folder +
                     ": expected a Hugging Face folder, with 'config.json' "
                     "and 'model.safetensors', found " +
                     *other)
               : Error::success();
}

// generation_config.json has the last word on end ids, and the tokenizer comes
// before a default.
static Error chooseEnds(StringRef folder, const GenerationConfig &generation,
                        int64_t vocabularySize, TokenIds &tokens) {
  if (generation.eosTokens) {
    tokens.eos = *generation.eosTokens;
    return Error::success();
  }
  if (!tokens.hasDefaultEos)
    return Error::success();
  auto id = readTokenizerEnd(folder, vocabularySize);
  if (!id)
    return id.takeError();
  if (*id)
    tokens.eos = {**id};
  return Error::success();
}

// Of the decoder, or of the encoder of texts; 1 where there are only images.
static int64_t vocabularyOf(const ModelDescription &model) {
  int64_t size = 1;
  forEachTransformer(model, [&](const TransformerDescription &transformer) {
    size = std::max(size, transformer.vocabularySize);
  });
  return size;
}

// sentence-transformers' stages give the embedding, in place of other results.
static Error addSentenceModules(SentenceModules modules, StringRef folder,
                                ModelDescription &model,
                                TensorSource &tensors) {
  if (auto *decoder = std::get_if<DecoderDescription>(&model.kind))
    model.kind = EncoderDescriptions{encoderOf(*decoder)};
  auto *encoders = std::get_if<EncoderDescriptions>(&model.kind);
  if (!encoders || encoders->size() != 1 || encoders->front().image ||
      encoders->front().hasPaddedTexts)
    return createStringError(folder + ": expected an encoder of texts before "
                                      "the stages of 'modules.json', found "
                                      "another model");
  EncoderDescription &encoder = encoders->front();
  if (modules.tokenChannels.value_or(encoder.hiddenSize) != encoder.hiddenSize)
    return createStringError(
        modules.channelsField + ": expected " + Twine(encoder.hiddenSize) +
        ", the channels of the model, got " + Twine(*modules.tokenChannels));
  encoder.results = {
      {"embedding", ArgumentRole::Embedding, {std::move(modules.stages)}, ""}};
  if (modules.maxLength)
    encoder.maxLength = std::min(*modules.maxLength, encoder.maxPositions);
  tensors.add("", std::move(modules.tensors));
  return Error::success();
}

Expected<ImportedModel>
heddle::importHuggingFaceFolder(StringRef folder, ImportOptions options,
                                mlir::MLIRContext &context) {
  if (!options.checkpoint.empty())
    return createStringError("--weights: '" + folder +
                             "' is a folder with weights of its own; expected "
                             "--weights with a .mlir file alone");
  if (options.name.empty())
    options.name = nameOf(folder);
  auto modules = readSentenceModules(folder);
  if (!modules)
    return modules.takeError();
  std::string root = *modules ? (*modules)->folder : folder.str();
  if (Error error = checkHasConfig(root))
    return error;
  Expected<ModelDescription> model = describeModelOf(root, context);
  if (!model)
    return model.takeError();
  int64_t vocabularySize = vocabularyOf(*model);
  auto *both = std::get_if<EncoderDecoderDescription>(&model->kind);
  ModelAnswers answers = !both                 ? ModelAnswers::Prompts
                         : both->encoder.audio ? ModelAnswers::Recordings
                                               : ModelAnswers::Texts;
  if (both && both->encoder.audio)
    if (Error error = checkAudioPreprocessor(root, *both->encoder.audio))
      return error;
  // Encoders answer nothing.
  Expected<GenerationConfig> generation =
      std::holds_alternative<EncoderDescriptions>(model->kind)
          ? GenerationConfig()
          : readGenerationConfig(root, vocabularySize, answers);
  if (!generation)
    return generation.takeError();
  if (Error error =
          chooseEnds(root, *generation, vocabularySize, model->tokens))
    return error;
  for (int64_t id : generation->badWords)
    if (!is_contained(model->tokens.eos, id))
      generation->defaults.suppressedIds.push_back(id);
  if (generation->decoderStart)
    model->tokens.bos = {*generation->decoderStart};
  Expected<TensorSource> tensors = openSafeTensorsFolder(root);
  if (!tensors)
    return tensors.takeError();
  if (*modules)
    if (Error error =
            addSentenceModules(std::move(**modules), folder, *model, *tensors))
      return error;
  return buildModel(*model, std::move(*tensors), generation->defaults, options,
                    context);
}
