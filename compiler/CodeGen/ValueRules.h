// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the values of an entry point's integers have to satisfy, so that no
// kernel reads or writes past a buffer: told by the ops that use them.

#ifndef HEDDLE_COMPILER_CODEGEN_VALUERULES_H
#define HEDDLE_COMPILER_CODEGEN_VALUERULES_H

#include "dialect/Heddle/HeddleDialect.h"
#include "runtime/heddle_abi.h"

#include "mlir/IR/SymbolTable.h"

namespace heddle {

/// How many tokens each sequence of a tensor has: a number, unless `size` names
/// it.
struct TokenCount {
  mlir::StringAttr size = nullptr;
  int64_t number = 0;

  bool operator==(const TokenCount &other) const {
    return size == other.size && number == other.number;
  }
};

struct ValueRule {
  heddle_value_rule kind = HEDDLE_RULE_NONE;
  /// HEDDLE_RULE_BELOW_LIMIT: what values are below. HEDDLE_RULE_START and
  /// HEDDLE_RULE_POSITION: how many positions there are, caches aside.
  int64_t limit = INT64_MAX;
  /// HEDDLE_RULE_LENGTH: the most. HEDDLE_RULE_START and HEDDLE_RULE_POSITION:
  /// those that begin there.
  TokenCount tokens = {};
  /// HEDDLE_RULE_START: the argument that says how many of them are valid.
  unsigned lengths = 0;
  mlir::Operation *user = nullptr; ///< the op that asks for it
};

/// The rule for `argument`, an i32 tensor, from the kernels that are launched
/// with it. Reports an argument that is used in two ways.
mlir::FailureOr<ValueRule> findValueRule(mlir::BlockArgument argument,
                                         mlir::SymbolTable &kernels);

/// Reports integers of `kernel` that index memory and are computed: calls check
/// those of arguments alone.
mlir::LogicalResult checkComputedIndices(KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_VALUERULES_H
