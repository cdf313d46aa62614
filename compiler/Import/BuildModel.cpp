// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/BuildModel.h"

using namespace llvm;
using namespace heddle;

Expected<ImportedModel> heddle::buildModel(const ModelDescription &model,
                                           TensorSource tensors,
                                           const GenerationDefaults &generation,
                                           const ImportOptions &options,
                                           mlir::MLIRContext &context) {
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> module =
      buildModule(model.kind, model.quantization, tensors, options, context);
  if (!module)
    return module.takeError();
  mlir::Builder b(&context);
  (**module)->setAttr(kNameAttr, b.getStringAttr(options.name));
  (**module)->setAttr(kBosAttr, b.getDenseI64ArrayAttr(model.tokens.bos));
  (**module)->setAttr(kEosAttr, b.getDenseI64ArrayAttr(model.tokens.eos));
  if (auto fields = generation.toAttribute(&context))
    (**module)->setAttr(kGenerationAttr, fields);
  return ImportedModel{std::move(*module),
                       std::make_unique<TensorSource>(std::move(tensors))};
}
