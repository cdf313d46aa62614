// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_HOST_EMITENTRY_H
#define HEDDLE_COMPILER_HOST_EMITENTRY_H

#include "compiler/Host/BufferPlan.h"

namespace heddle {

/// Emits `run` of a heddle_entry where `builder` stands.
void emitEntry(mlir::OpBuilder &builder, mlir::func::FuncOp function,
               const EntryPlan &entry, const WeightPlan &weights,
               const KernelSignatures &kernels, const BufferPlan &plan);

} // namespace heddle

#endif // HEDDLE_COMPILER_HOST_EMITENTRY_H
