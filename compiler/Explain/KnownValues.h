// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of a call before it: values that follow from sizes, constants
// and the arguments that are given. They are computed by the reference
// evaluator, and only those that are asked for.

#ifndef HEDDLE_COMPILER_EXPLAIN_KNOWNVALUES_H
#define HEDDLE_COMPILER_EXPLAIN_KNOWNVALUES_H

#include "compiler/Reference/Evaluator.h"
#include "dialect/Heddle/HeddleDialect.h"

namespace heddle {

class KnownValues {
public:
  /// None where it is not known.
  using Known = std::optional<reference::Value>;

  /// Of a function of launches in `module`.
  KnownValues(mlir::ModuleOp module, reference::Evaluator &evaluator,
              llvm::StringMap<int64_t> symbols)
      : module(module), evaluator(evaluator), symbols(std::move(symbols)) {}

  /// Says what an argument of the function is.
  void give(mlir::Value argument, reference::Tensor value) {
    values.insert_or_assign(argument, reference::Value(std::move(value)));
  }

  /// The value of `size`, if it is one.
  std::optional<int64_t> evaluate(SizeAttr size) const;
  /// A value of the function.
  Known of(mlir::Value value);
  /// A value of the kernel that `launch` runs.
  Known of(LaunchOp launch, mlir::Value value);

private:
  using Values = llvm::DenseMap<mlir::Value, Known>;
  using Find = llvm::function_ref<Known(mlir::Value)>;

  /// What an op gives whose operands `find` knows.
  Known run(mlir::OpResult result, Find find, Values &known);
  Known argumentOf(LaunchOp launch, mlir::BlockArgument argument);

  mlir::ModuleOp module;
  reference::Evaluator &evaluator;
  llvm::StringMap<int64_t> symbols;
  Values values;                                    ///< of the function
  llvm::DenseMap<mlir::Operation *, Values> inside; ///< of launches
};

} // namespace heddle

#endif // HEDDLE_COMPILER_EXPLAIN_KNOWNVALUES_H
