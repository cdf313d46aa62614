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

struct ValueRule {
  heddle_value_rule kind = HEDDLE_RULE_NONE;
  /// HEDDLE_RULE_BELOW_LIMIT: what values are below. HEDDLE_RULE_LENGTH: the
  /// largest, unless `size` names it.
  int64_t limit = 0;
  mlir::StringAttr size = nullptr;
  mlir::Operation *user = nullptr; ///< the op that asks for it
};

/// The rule for `argument`, an i32 tensor, from the kernels that are launched
/// with it. Reports an argument that is used in two ways.
mlir::FailureOr<ValueRule> findValueRule(mlir::BlockArgument argument,
                                         mlir::SymbolTable &kernels);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_VALUERULES_H
