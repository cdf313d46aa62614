// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How constants lie in the weights file, as kernels read them
// (LowerInputs.cpp):
//   matrix [n, k]   panels [ceil(n / w)][k][w] of the stored type, zeros past
//                   n, w = panelWidth
//   vector [n]      f32
//   rotary_table    f32, dense

#ifndef HEDDLE_COMPILER_CODEGEN_WEIGHTLAYOUT_H
#define HEDDLE_COMPILER_CODEGEN_WEIGHTLAYOUT_H

#include "compiler/Schedule/MachineModel.h"

#include "mlir/IR/Operation.h"

namespace heddle {

/// Bytes of a packed heddle.weight or heddle.rotary_table. Kernels may read up
/// to a panel past the end of a vector, which this includes.
int64_t packedSize(mlir::Operation *constant, const MachineModel &machine);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_WEIGHTLAYOUT_H
