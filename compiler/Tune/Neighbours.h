// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Configurations beside one that a kernel has.

#ifndef HEDDLE_COMPILER_TUNE_NEIGHBOURS_H
#define HEDDLE_COMPILER_TUNE_NEIGHBOURS_H

#include "compiler/Target/MachineModel.h"

namespace heddle {

/// The configurations that differ from `configuration` by one step of one
/// number, and by what has to follow it, and that the kernel may have: none of
/// a kernel of a device. Sums of products stay as deep as they are, and panels
/// of weights as wide. Attention in other chunks of keys adds up in another
/// order.
llvm::SmallVector<mlir::Attribute> neighboursOf(KernelOp kernel,
                                                mlir::Attribute configuration,
                                                const MachineModel &machine);

} // namespace heddle

#endif // HEDDLE_COMPILER_TUNE_NEIGHBOURS_H
