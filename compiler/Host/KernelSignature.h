// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel takes: parameters and buffers, with sizes as expressions. All
// that the host program and verification know of a kernel's implementation.

#ifndef HEDDLE_COMPILER_HOST_KERNELSIGNATURE_H
#define HEDDLE_COMPILER_HOST_KERNELSIGNATURE_H

#include "dialect/Halide/HalideDialect.h"

namespace heddle {

struct KernelBuffer {
  /// Outermost first; elements lie without gaps.
  Sizes extents;
  mlir::Type elementType;
  bool isWritten = false;
  /// The argument that is read, or the result that is written, of the
  /// heddle.kernel.
  unsigned value = 0;
  unsigned part = 0; ///< of a cache: one of CacheType::getParts

  mlir::MemRefType type() const;
};

struct KernelSignature {
  /// The symbol of the kernel.
  mlir::StringAttr name;
  Sizes parameters;
  /// Those that are read, then those that are written.
  llvm::SmallVector<KernelBuffer> buffers;

  static KernelSignature of(halide::PipelineOp pipeline);

  /// The types of the function's arguments after its context.
  llvm::SmallVector<mlir::Type> types(mlir::MLIRContext *context) const;
};

/// The signatures of all kernels, by their names.
using KernelSignatures = llvm::StringMap<KernelSignature>;

} // namespace heddle

#endif // HEDDLE_COMPILER_HOST_KERNELSIGNATURE_H
