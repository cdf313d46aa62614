// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/TextEntries/TextEntries.h"

#include "compiler/Prepare/Passes.h"
#include "compiler/TextEntries/AddDecoder.h"
#include "compiler/TextEntries/AddEncoder.h"

using namespace mlir;
using namespace heddle;

std::optional<std::string> heddle::addTextEntries(ModuleOp module,
                                                  const TensorSource *tensors) {
  auto run = module.lookupSymbol<func::FuncOp>("run");
  if (!run)
    return std::nullopt;
  // Mistakes in the copy are no fault of the model.
  std::string diagnosed;
  ScopedDiagnosticHandler silent(module.getContext(),
                                 [&](Diagnostic &diagnostic) {
                                   if (diagnosed.empty())
                                     diagnosed = diagnostic.str();
                                   return success();
                                 });
  func::FuncOp copy = run.clone();
  copy.setName("copy");
  OpBuilder b(run);
  b.setInsertionPointAfter(run);
  b.insert(copy);
  if (failed(resolveSizes(copy))) {
    copy.erase();
    return std::nullopt;
  }
  auto isDecoder = makeDecoder(copy, tensors);
  if (!isDecoder) {
    copy.erase();
    std::string reason = llvm::toString(isDecoder.takeError());
    return diagnosed.empty() ? reason : reason + ": " + diagnosed;
  }
  if (!*isDecoder && !makeEncoder(copy)) {
    copy.erase();
    return std::nullopt;
  }
  // A model compiles if its own function does.
  func::FuncOp trial = copy.clone();
  trial.setName("trial");
  b.insert(trial);
  bool isWhole = succeeded(resolveSizes(trial));
  trial.erase();
  if (isWhole)
    return std::nullopt;
  copy.erase();
  return "its sizes do not fit: " + diagnosed;
}
