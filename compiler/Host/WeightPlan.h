// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where constants lie in the weights file. Each as kernels read it
// (LowerInputs.cpp):
//   matrix [n, k]   panels [ceil(n / w)][k][w] of the stored type, zeros past
//                   n, w = panelWidth
//   vector [n]      f32
//   rotary_table    f32, dense
// What is no kernel's, but returned or handed to control flow, is f32 and
// dense.

#ifndef HEDDLE_COMPILER_HOST_WEIGHTPLAN_H
#define HEDDLE_COMPILER_HOST_WEIGHTPLAN_H

#include "compiler/Schedule/MachineModel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

#include <vector>

namespace heddle {

/// One packed tensor of the weights file.
struct PackedWeight {
  mlir::Operation *source; ///< heddle.weight, or heddle.rotary_table
  int64_t offset = 0;      ///< in bytes, a multiple of HEDDLE_ALIGNMENT
  int64_t size = 0;        ///< in bytes
  bool isDense = false;    ///< as no kernel reads it
};

class WeightPlan {
public:
  /// All constants that ops of functions of `module` use, each once.
  static WeightPlan of(mlir::ModuleOp module, const MachineModel &machine);

  /// In bytes, of a heddle.weight_ref or a heddle.rotary_table that `user`
  /// uses.
  int64_t offsetOf(mlir::Operation *constant, mlir::Operation *user) const;

  llvm::ArrayRef<PackedWeight> weights() const { return packed; }
  int64_t size() const { return bytes; } ///< of all

private:
  std::vector<PackedWeight> packed;
  int64_t bytes = 0;
  /// A constant, and whether it is dense -> the index of what is packed for it.
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, unsigned> indices;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_HOST_WEIGHTPLAN_H
