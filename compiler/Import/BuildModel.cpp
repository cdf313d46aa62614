// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/BuildModel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace llvm;
using namespace heddle;

static bool hasCaches(mlir::ModuleOp module) {
  return any_of(module.getOps<mlir::func::FuncOp>(), [](auto function) {
    return any_of(function.getArgumentTypes(),
                  [](mlir::Type type) { return mlir::isa<CacheType>(type); });
  });
}

Expected<ImportedModel> heddle::buildModel(const ModelDescription &model,
                                           TensorSource tensors,
                                           const GenerationDefaults &generation,
                                           const ImportOptions &options,
                                           mlir::MLIRContext &context) {
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> module =
      buildModule(model.kind, model.quantization, tensors, options, context);
  if (!module)
    return module.takeError();
  if (options.cacheElement && !hasCaches(**module))
    return createStringError("--cache-type: expected a model that generates, "
                             "found one without caches");
  mlir::Builder b(&context);
  (**module)->setAttr(kNameAttr, b.getStringAttr(options.name));
  (**module)->setAttr(kBosAttr, b.getDenseI64ArrayAttr(model.tokens.bos));
  (**module)->setAttr(kEosAttr, b.getDenseI64ArrayAttr(model.tokens.eos));
  if (auto fields = generation.toAttribute(&context))
    (**module)->setAttr(kGenerationAttr, fields);
  return ImportedModel{std::move(*module),
                       std::make_unique<TensorSource>(std::move(tensors))};
}
