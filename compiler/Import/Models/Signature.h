// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points of models: what their arguments and results are called and mean.

#ifndef HEDDLE_COMPILER_IMPORT_MODELS_SIGNATURE_H
#define HEDDLE_COMPILER_IMPORT_MODELS_SIGNATURE_H

#include "compiler/Import/Models/ModelBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

struct ArgumentDescription {
  mlir::Type type;
  llvm::StringRef name;
  llvm::SmallVector<std::string> sizes; ///< of dynamic dimensions
  /// Not declared where ops tell it.
  ArgumentRole role = ArgumentRole::Other;
  ValuesAttr values = {};
};

/// What sequences have: ids [batch, length], and a number for each.
mlir::RankedTensorType typeOfIds(mlir::OpBuilder &builder);
mlir::RankedTensorType typeOfCounts(mlir::OpBuilder &builder);
/// Values from 1 to a size.
ValuesAttr valuesUpTo(mlir::MLIRContext *context, SizeAttr size);

/// A function with an empty body. Its results are named when they are known.
mlir::func::FuncOp
createEntryPoint(ModelBuilder &model, llvm::StringRef name,
                 llvm::ArrayRef<ArgumentDescription> arguments);

struct NamedResult {
  mlir::Value value;
  std::string name;
  ArgumentRole role = ArgumentRole::Other;
  /// The number of the argument with the lengths of its sequences.
  std::optional<unsigned> padding;
};

/// Ends the body of the function.
void returnResults(ModelBuilder &model, mlir::func::FuncOp function,
                   llvm::ArrayRef<NamedResult> results);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_MODELS_SIGNATURE_H
