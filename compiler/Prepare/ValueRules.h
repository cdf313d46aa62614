// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the values of a function's integers have to satisfy, so that no kernel
// reads or writes past a buffer: told by the ops that use them.

#ifndef HEDDLE_COMPILER_PREPARE_VALUERULES_H
#define HEDDLE_COMPILER_PREPARE_VALUERULES_H

#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// What one op, or all ops together, ask of an argument.
struct ValueRule {
  ArgumentRole role = ArgumentRole::Other; ///< Other: nothing
  int64_t minimum = 0;
  SizeAttr maximum = nullptr;
  /// What is added to a value: that of another argument, or a size.
  std::optional<unsigned> lengths = std::nullopt;
  SizeAttr size = nullptr;
  /// Of starts and positions: how many tokens begin there, and how many
  /// positions there are angles for.
  SizeAttr tokens = nullptr;
  std::optional<int64_t> positions = std::nullopt;
  mlir::Operation *user = nullptr; ///< the op that asks for it
};

/// The rule for `argument`, an i32 tensor of `function`. Reports an argument
/// that is used in two ways.
mlir::FailureOr<ValueRule> findValueRule(mlir::func::FuncOp function,
                                         mlir::BlockArgument argument);

/// Reports integers of `function` that index memory and are computed: calls
/// check those of arguments alone.
mlir::LogicalResult checkComputedIndices(mlir::func::FuncOp function);

} // namespace heddle

#endif // HEDDLE_COMPILER_PREPARE_VALUERULES_H
