// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddlec --explain-masks, as the command line says it.

#ifndef HEDDLE_COMPILER_TOOLS_HEDDLEC_EXPLANATION_H
#define HEDDLE_COMPILER_TOOLS_HEDDLEC_EXPLANATION_H

#include "compiler/Import/TensorSource.h"
#include "compiler/tools/heddlec/CallOptions.h"

namespace heddle {

/// The explanation of a module with its pipelines, as text. `tensors` may be
/// null; `name` is the model's, for errors.
llvm::Expected<std::string> explainMasks(mlir::ModuleOp module,
                                         const TensorSource *tensors,
                                         llvm::StringRef name,
                                         const CallOptions &options);

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_HEDDLEC_EXPLANATION_H
