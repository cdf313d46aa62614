// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How ops say what they become: LoweringInterface.td.

#ifndef HEDDLE_COMPILER_LOWERING_LOWERINGINTERFACE_H
#define HEDDLE_COMPILER_LOWERING_LOWERINGINTERFACE_H

#include "compiler/Lowering/KernelBuilder.h"

#include "compiler/Lowering/LoweringInterfaces.h.inc"

namespace heddle {

/// The model of an op that a function lowers.
template <typename Op, void (*Lower)(KernelBuilder &, Op)>
struct LoweringModel
    : LoweringOpInterface::ExternalModel<LoweringModel<Op, Lower>, Op> {
  void lower(mlir::Operation *op, KernelBuilder &k) const {
    Lower(k, llvm::cast<Op>(op));
  }
};

// In the files of the lowerings:
void registerAttentionLowering(mlir::MLIRContext *context);
void registerCacheLowerings(mlir::MLIRContext *context);
void registerGenericLowering(mlir::MLIRContext *context);
void registerFormulaMaskLowerings(mlir::MLIRContext *context);
void registerPositionMaskLowerings(mlir::MLIRContext *context);
void registerTensorMaskLowerings(mlir::MLIRContext *context);

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_LOWERINGINTERFACE_H
