// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddlec --explain-masks, as the command line says it.

#ifndef HEDDLE_COMPILER_TOOLS_HEDDLEC_EXPLANATION_H
#define HEDDLE_COMPILER_TOOLS_HEDDLEC_EXPLANATION_H

#include "compiler/Import/TensorSource.h"

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

struct ExplainOptions {
  std::string entry; ///< the entry point; empty for all
  /// "name=value", and "name=file.npy" or "name=number".
  std::vector<std::string> sizes, inputs;

  bool isEmpty() const {
    return entry.empty() && sizes.empty() && inputs.empty();
  }
};

/// The explanation of a module with its pipelines, as text. `tensors` may be
/// null; `name` is the model's, for errors.
llvm::Expected<std::string> explainMasks(mlir::ModuleOp module,
                                         const TensorSource *tensors,
                                         llvm::StringRef name,
                                         const ExplainOptions &options);

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_HEDDLEC_EXPLANATION_H
