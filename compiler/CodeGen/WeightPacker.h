// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the weights file: constants in the layout that kernels read.

#ifndef HEDDLE_COMPILER_CODEGEN_WEIGHTPACKER_H
#define HEDDLE_COMPILER_CODEGEN_WEIGHTPACKER_H

#include "compiler/Host/EntryPlan.h"
#include "compiler/Import/TensorSource.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle {

/// Writes the weights of `plan`, which has been made of `module`, to the start
/// of `file`, a few panels at a time, so that memory stays small. `tensors` may
/// be null where the module has the value of every weight. Returns the
/// fingerprint that ties the file, and caches, to the object: a hash of
/// `modelHash`, which tells models of the same weights apart, of the data, and
/// of where each tensor lies. Whether all was written the stream knows.
llvm::Expected<uint64_t> packWeights(mlir::ModuleOp module,
                                     const ModelPlan &plan,
                                     const TensorSource *tensors,
                                     uint64_t modelHash,
                                     llvm::raw_fd_ostream &file);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_WEIGHTPACKER_H
