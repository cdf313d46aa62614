// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/MlirText.h"

#include "compiler/Import/OnnxModel.h"
#include "compiler/Import/SafeTensors.h"
#include "compiler/Support/ModuleFile.h"
#include "dialect/Halide/HalideDialect.h"
#include "dialect/Heddle/HeddleDialect.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace heddle;

// What this compiler has made of a model says nothing of a model.
static llvm::Error checkIsModel(ModuleOp module, StringRef path) {
  Operation *made = nullptr;
  module.walk([&](Operation *op) {
    if (!isa<KernelOp, halide::PipelineOp, halide::ScheduleOp>(op))
      return WalkResult::advance();
    made = op;
    return WalkResult::interrupt();
  });
  if (!made)
    return llvm::Error::success();
  return llvm::createStringError(
      path +
      ": expected a model, found what --emit=kernels, halide, schedule "
      "or host prints (" +
      made->getName().getStringRef() + ")");
}

// The safetensors file of the text's name, where the text needs one.
static std::string findWeightsBeside(ModuleOp module, StringRef path) {
  auto isStored = [](WeightOp weight) {
    return weight.getSource().has_value();
  };
  SmallString<128> beside(path);
  llvm::sys::path::replace_extension(beside, "safetensors");
  bool isFound = llvm::any_of(module.getOps<WeightOp>(), isStored) &&
                 llvm::sys::fs::exists(beside) &&
                 !llvm::sys::fs::is_directory(beside);
  return isFound ? std::string(beside) : std::string();
}

llvm::Expected<ImportedModel>
heddle::importMlirText(StringRef path, const ImportOptions &options,
                       llvm::SourceMgr &sources, MLIRContext &context) {
  if (options.cacheElement)
    return llvm::createStringError(
        "--cache-type: expected a model folder or a .gguf file; " + path +
        " says itself what its caches hold");
  ImportedModel imported;
  imported.module = parseModuleFile(path, sources, &context);
  if (!imported.module)
    return alreadyReported();
  if (llvm::Error error = checkIsModel(*imported.module, path))
    return error;
  std::string checkpoint = options.checkpoint.empty()
                               ? findWeightsBeside(*imported.module, path)
                               : options.checkpoint;
  if (checkpoint.empty())
    return imported;
  auto tensors = isOnnxFile(checkpoint)
                     ? openOnnxTensors(checkpoint, options.fixedSizes)
                     : openSafeTensors(checkpoint);
  if (!tensors)
    return tensors.takeError();
  imported.tensors = std::make_unique<TensorSource>(std::move(*tensors));
  return imported;
}
