// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `heddlec --explain-masks`: which blocks of keys each tile of queries skips,
// compares with the mask, or keeps whole.

#ifndef HEDDLE_COMPILER_EXPLAIN_EXPLAINMASKS_H
#define HEDDLE_COMPILER_EXPLAIN_EXPLAINMASKS_H

#include "compiler/Host/EntryPlan.h"
#include "compiler/Import/TensorSource.h"
#include "compiler/Reference/Values.h"

#include <map>

namespace heddle {

/// What the user says of a call.
struct ExplainedCall {
  std::string entry; ///< the entry point; empty for all
  /// By name. Batch is 1 by default, and every other size the largest of those
  /// given, or 512.
  std::map<std::string, int64_t> sizes;
  /// The value of an input of this shape, if it is given.
  std::function<llvm::Expected<std::optional<reference::Tensor>>(
      const ArgumentPlan &input, llvm::ArrayRef<int64_t> shape)>
      readInput;
};

/// Of a module of launches, kernels and their pipelines. `tensors` are those of
/// its weights, or null. An error says which size or input is wrong.
llvm::Expected<std::string> explainMasks(mlir::ModuleOp module,
                                         const TensorSource *tensors,
                                         const ExplainedCall &call);

} // namespace heddle

#endif // HEDDLE_COMPILER_EXPLAIN_EXPLAINMASKS_H
