// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/ModelImport.h"

#include "compiler/Import/GgufModel.h"
#include "compiler/Import/HuggingFaceFolder.h"
#include "compiler/Import/MlirText.h"
#include "compiler/Import/OnnxModel.h"
#include "compiler/Support/FileKinds.h"
#include "dialect/Heddle/HeddleDialect.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace heddle;

static const FrontEnd frontEnds[] = {
    {"a Hugging Face folder",
     [](StringRef path) { return sys::fs::is_directory(path); },
     [](StringRef path, const ImportOptions &options, SourceMgr &,
        mlir::MLIRContext &context) {
       return importHuggingFaceFolder(path, options, context);
     }},
    {"a GGUF file", isGgufFile,
     [](StringRef path, const ImportOptions &options, SourceMgr &,
        mlir::MLIRContext &context) {
       return importGguf(path, options, context);
     }},
    {"an ONNX file", isOnnxFile,
     [](StringRef path, const ImportOptions &options, SourceMgr &,
        mlir::MLIRContext &context) {
       return importOnnx(path, options, context);
     }},
    {"MLIR text", [](StringRef path) { return !findFileKindOf(path); },
     importMlirText},
};

Expected<ImportedModel> heddle::importModel(StringRef path,
                                            const ImportOptions &options,
                                            SourceMgr &sources,
                                            mlir::MLIRContext &context) {
  if (!sys::fs::exists(path))
    return createStringError(path + ": no such file or folder");
  for (const FrontEnd &frontEnd : frontEnds)
    if (frontEnd.accepts(path))
      return frontEnd.read(path, options, sources, context);
  auto names =
      map_range(ArrayRef(frontEnds).drop_back(),
                [](const FrontEnd &known) -> StringRef { return known.name; });
  return createStringError(path + ": expected " + join(names, ", ") + " or " +
                           std::end(frontEnds)[-1].name + ", " +
                           findFileKindOf(path)->found());
}

Error heddle::checkHasWeights(ImportedModel &model, StringRef option) {
  for (auto weight : model.module->getOps<WeightOp>()) {
    std::optional<StringRef> source = weight.getSource();
    if (!source || (model.tensors && model.tensors->find(*source)))
      continue;
    if (model.tensors)
      return createStringError("weight '" + weight.getSymName() +
                               "': " + model.tensors->path() +
                               " has no tensor '" + *source + "'");
    return createStringError(
        "weight '" + weight.getSymName() + "' is tensor '" + *source +
        "' of a checkpoint; expected " + option +
        "=FOLDER, or a .safetensors file beside the text, of its name");
  }
  return Error::success();
}

Error heddle::alreadyReported() {
  return make_error<StringError>("", inconvertibleErrorCode());
}
