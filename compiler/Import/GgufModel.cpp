// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/GgufModel.h"

#include "compiler/Import/BuildModel.h"
#include "compiler/Import/Gguf/GgufConfig.h"
#include "compiler/Import/Gguf/GgufNames.h"
#include "compiler/Import/Gguf/GgufPooling.h"
#include "compiler/Support/FileKinds.h"

#include "llvm/Support/Path.h"

using namespace llvm;
using namespace heddle;

bool heddle::isGgufFile(StringRef path) {
  const FileKind *kind = findFileKindOf(path);
  return kind && kind->isGguf();
}

// "model" of "model-00001-of-00003.gguf", too.
static std::string nameOf(StringRef path) {
  StringRef stem = sys::path::stem(path);
  auto [before, after] = stem.rsplit("-00001-of-");
  return (after.empty() ? stem : before).str();
}

// Ids that the file lacks stay absent: defaults of the family are another
// file's.
static void readTokens(const gguf::Header &header, ModelDescription &model) {
  int64_t vocabularySize = 0;
  forEachTransformer(model, [&](const TransformerDescription &transformer) {
    vocabularySize = transformer.vocabularySize;
  });
  auto ends = gguf::endIds(header, vocabularySize);
  model.tokens.eos.assign(ends.begin(), ends.end());
  // Another key says what answers to a text begin with.
  if (std::holds_alternative<EncoderDecoderDescription>(model.kind))
    return;
  model.tokens.bos.clear();
  if (auto bos = gguf::specialId(header, "bos", vocabularySize))
    model.tokens.bos = {*bos};
}

static Error nameTensors(const GgufConfig &config, const GgufFile &file,
                         ModelDescription &model) {
  if (auto *decoder = std::get_if<DecoderDescription>(&model.kind)) {
    if (config.rotatesNeighbours)
      for (LayerDescription &layer : decoder->layers)
        if (layer.rotary)
          layer.rotary->interleaved = true;
    nameAsGguf(*decoder, file.tensors);
    return Error::success();
  }
  if (auto *both = std::get_if<EncoderDecoderDescription>(&model.kind)) {
    nameAsGguf(*both, file.tensors);
    return Error::success();
  }
  EncoderDescription &encoder =
      std::get<EncoderDescriptions>(model.kind).front();
  nameAsGguf(encoder, file.tensors);
  return config.pooling
             ? setPooling(encoder, *config.pooling, file.tensors, file.path)
             : Error::success();
}

Expected<ImportedModel> heddle::importGguf(StringRef path,
                                           ImportOptions options,
                                           mlir::MLIRContext &context) {
  if (!options.checkpoint.empty())
    return createStringError("--weights: '" + path +
                             "' has weights of its own; expected --weights "
                             "with a .mlir file alone");
  if (options.name.empty())
    options.name = nameOf(path);
  Expected<GgufFile> file = openGguf(path);
  if (!file)
    return file.takeError();
  Expected<GgufConfig> config = readGgufConfig(*file);
  if (!config)
    return config.takeError();
  Expected<ModelDescription> model =
      describeModel(config->config, (path + ": as config.json").str(), context);
  if (!model)
    return model.takeError();
  readTokens(file->header, *model);
  if (Error error = nameTensors(*config, *file, *model))
    return error;
  model->quantization = QuantizationDescription{MatrixFormat::Blocks};
  return buildModel(*model, std::move(file->tensors), GenerationDefaults(),
                    options, context);
}
