// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_HOST_EMITMEASURE_H
#define HEDDLE_COMPILER_HOST_EMITMEASURE_H

#include "compiler/Host/EntryPlan.h"

namespace heddle {

/// Emits `measure` of a heddle_entry where `builder` stands. `workspace` is the
/// size of that in bytes; `counts` are what kernels count with 32 bits.
void emitMeasure(mlir::OpBuilder &builder, mlir::Location loc,
                 const EntryPlan &entry, SizeAttr workspace,
                 llvm::ArrayRef<SizeAttr> counts);

} // namespace heddle

#endif // HEDDLE_COMPILER_HOST_EMITMEASURE_H
