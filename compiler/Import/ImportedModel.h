// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The result of every front end.

#ifndef HEDDLE_COMPILER_IMPORT_IMPORTEDMODEL_H
#define HEDDLE_COMPILER_IMPORT_IMPORTEDMODEL_H

#include "compiler/Import/ImportOptions.h"
#include "compiler/Import/TensorSource.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace heddle {

/// The nodes of a graph that was translated node after node.
struct NodeCounts {
  llvm::StringMap<int64_t> operators; ///< how many nodes of each
  int64_t known = 0; ///< nodes whose results are known sizes and constants
};

struct ImportedModel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The values of the module's weights, which name their tensors. Null where
  /// the module has them all.
  std::unique_ptr<TensorSource> tensors;
  /// Of what is a graph of nodes itself.
  std::optional<NodeCounts> nodes = std::nullopt;
};

/// Stands for an error that MLIR's diagnostics have reported: its message is
/// empty.
llvm::Error alreadyReported();

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_IMPORTEDMODEL_H
