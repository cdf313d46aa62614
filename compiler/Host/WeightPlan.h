// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where constants lie in the weights file: heddle.weights as their layouts say,
// dense where there is none, and tables of angles, which are dense f32.

#ifndef HEDDLE_COMPILER_HOST_WEIGHTPLAN_H
#define HEDDLE_COMPILER_HOST_WEIGHTPLAN_H

#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

#include <vector>

namespace heddle {

/// One packed tensor of the weights file.
struct PackedWeight {
  mlir::Operation *source; ///< heddle.weight, or heddle.rotary_table
  mlir::RankedTensorType type;
  llvm::SmallVector<int64_t> first; ///< the place in the source of element 0
  int64_t offset = 0; ///< in bytes, a multiple of HEDDLE_ALIGNMENT
  int64_t size = 0;   ///< in bytes
  LayoutAttr layout;  ///< none where it is dense
};

class WeightPlan {
public:
  /// All constants that functions of `module` have, each part of one once in
  /// each of its layouts.
  static WeightPlan of(mlir::ModuleOp module);

  /// In bytes, of a heddle.weight_ref or a heddle.rotary_table.
  int64_t offsetOf(mlir::Operation *constant) const {
    return packed[indices.at(constant)].offset;
  }

  llvm::ArrayRef<PackedWeight> weights() const { return packed; }
  int64_t size() const { return bytes; } ///< of all

private:
  std::vector<PackedWeight> packed;
  int64_t bytes = 0;
  /// A constant -> the index of what is packed for it.
  llvm::DenseMap<mlir::Operation *, unsigned> indices;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_HOST_WEIGHTPLAN_H
