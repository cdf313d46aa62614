// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_HOST_EMITMEASURE_H
#define HEDDLE_COMPILER_HOST_EMITMEASURE_H

#include "compiler/Host/Bounds.h"

namespace heddle {

/// Emits `measure` of a heddle_entry where `builder` stands. `workspace` is the
/// size of that in bytes.
void emitMeasure(mlir::OpBuilder &builder, mlir::Location loc,
                 const EntryPlan &entry, SizeAttr workspace,
                 const BoundMap &bounds);

} // namespace heddle

#endif // HEDDLE_COMPILER_HOST_EMITMEASURE_H
