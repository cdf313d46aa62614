// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_HOST_TRANSLATEHOST_H
#define HEDDLE_COMPILER_HOST_TRANSLATEHOST_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"

namespace heddle {

/// The LLVM module of a host program that `--heddle-lower-host` has been
/// through; null where an error has been reported.
std::unique_ptr<llvm::Module> translateHost(mlir::ModuleOp host,
                                            llvm::LLVMContext &context);

} // namespace heddle

#endif // HEDDLE_COMPILER_HOST_TRANSLATEHOST_H
