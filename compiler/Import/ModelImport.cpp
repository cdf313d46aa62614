// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/ModelImport.h"

#include "compiler/Import/GenerationConfig.h"
#include "compiler/Import/SafeTensors.h"
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
                        LlamaConfig &config) {
  if (generation.eosTokens) {
    config.eosTokens.assign(*generation.eosTokens);
    return Error::success();
  }
  if (!config.hasDefaultEos)
    return Error::success();
  auto id = readTokenizerEnd(folder, config.vocabularySize);
  if (!id)
    return id.takeError();
  if (*id)
    config.eosTokens = {**id};
  return Error::success();
}

Expected<ImportedModel> heddle::importModel(StringRef folder,
                                            ImportOptions options,
                                            mlir::MLIRContext &context) {
  if (Error error = checkHasConfig(folder))
    return error;
  Expected<LlamaConfig> config = readLlamaConfig(folder);
  if (!config)
    return config.takeError();
  Expected<GenerationConfig> generation =
      readGenerationConfig(folder, config->vocabularySize);
  if (!generation)
    return generation.takeError();
  if (Error error = chooseEnds(folder, *generation, *config))
    return error;
  Expected<TensorSource> tensors = openSafeTensorsFolder(folder);
  if (!tensors)
    return tensors.takeError();
  if (options.name.empty())
    options.name = nameOf(folder);
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> module =
      importLlama(*config, *tensors, options, context);
  if (!module)
    return module.takeError();
  if (auto fields = generation->defaults.toAttribute(&context))
    (**module)->setAttr(kGenerationAttr, fields);
  return ImportedModel{std::move(*module),
                       std::make_unique<TensorSource>(std::move(*tensors)),
                       std::move(*config)};
}
