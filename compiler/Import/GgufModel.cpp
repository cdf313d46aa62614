// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/GgufModel.h"

#include "compiler/Import/BuildModel.h"
#include "compiler/Import/Gguf/GgufConfig.h"
#include "compiler/Import/Gguf/GgufNames.h"
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
  DecoderDescription &decoder = model->decoder();
  // Ids that the file lacks stay absent: defaults of the family are another
  // file's.
  auto bos = gguf::specialId(file->header, "bos", decoder.vocabularySize);
  model->tokens.bos.clear();
  if (bos)
    model->tokens.bos = {*bos};
  auto ends = gguf::endIds(file->header, decoder.vocabularySize);
  model->tokens.eos.assign(ends.begin(), ends.end());
  if (config->rotatesNeighbours)
    for (LayerDescription &layer : decoder.layers)
      if (layer.rotary)
        layer.rotary->interleaved = true;
  nameAsGguf(decoder, file->tensors);
  model->quantization = QuantizationDescription{MatrixFormat::Blocks};
  return buildModel(*model, std::move(file->tensors), GenerationDefaults(),
                    options, context);
}
