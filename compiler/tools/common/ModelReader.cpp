// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/common/ModelReader.h"

#include "compiler/Import/SafeTensors.h"
#include "compiler/Support/ModuleFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace heddle;
namespace cl = llvm::cl;

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

llvm::Error heddle::checkHasWeights(ImportedModel &model, StringRef option) {
  for (auto weight : model.module->getOps<WeightOp>()) {
    std::optional<StringRef> source = weight.getSource();
    if (!source || (model.tensors && model.tensors->find(*source)))
      continue;
    if (model.tensors)
      return llvm::createStringError("weight '" + weight.getSymName() +
                                     "': " + model.tensors->path() +
                                     " has no tensor '" + *source + "'");
    return llvm::createStringError(
        "weight '" + weight.getSymName() + "' is tensor '" + *source +
        "' of a checkpoint; expected " + option +
        "=FOLDER, or a .safetensors file beside the text, of its name");
  }
  return llvm::Error::success();
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

llvm::Expected<ImportedModel> heddle::readModel(const ModelPath &model,
                                                llvm::SourceMgr &sources,
                                                MLIRContext &context) {
  if (!llvm::sys::fs::exists(model.path))
    return llvm::createStringError("%s: no such file or folder",
                                   model.path.c_str());
  if (llvm::sys::fs::is_directory(model.path)) {
    if (!model.checkpoint.empty())
      return llvm::createStringError(
          "--weights: '%s' is a folder with weights of its own; expected "
          "--weights with a .mlir file alone",
          model.path.c_str());
    ImportOptions options;
    options.weightType = model.weightType;
    return importModel(model.path, options, context);
  }
  if (model.weightType != WeightType::Keep)
    return llvm::createStringError(
        "--weight-type: only checkpoints can be converted; the types of '%s' "
        "are those of its text",
        model.path.c_str());
  ImportedModel imported;
  imported.module = parseModuleFile(model.path, sources, &context);
  if (!imported.module)
    return alreadyReported();
  if (llvm::Error error = checkIsModel(*imported.module, model.path))
    return error;
  std::string checkpoint = model.checkpoint.empty()
                               ? findWeightsBeside(*imported.module, model.path)
                               : model.checkpoint;
  if (checkpoint.empty())
    return imported;
  auto tensors = openSafeTensors(checkpoint);
  if (!tensors)
    return tensors.takeError();
  imported.tensors = std::make_unique<TensorSource>(std::move(*tensors));
  return imported;
}

cl::ValuesClass heddle::weightTypes() {
  return cl::values(
      clEnumValN(WeightType::Keep, "stored", "as the checkpoint has them"),
      clEnumValN(WeightType::F32, "f32", "single precision"),
      clEnumValN(WeightType::BF16, "bf16", "bfloat16, rounded to even"),
      clEnumValN(WeightType::F16, "f16", "half precision, rounded to even"));
}

llvm::StringRef heddle::nameOf(WeightType type) {
  switch (type) {
  case WeightType::Keep:
    return "stored";
  case WeightType::F32:
    return "f32";
  case WeightType::BF16:
    return "bf16";
  case WeightType::F16:
    return "f16";
  }
  llvm_unreachable("covered switch");
}

llvm::Error heddle::alreadyReported() {
  return llvm::make_error<llvm::StringError>("",
                                             llvm::inconvertibleErrorCode());
}
