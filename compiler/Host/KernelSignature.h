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
  /// In elements, outermost first.
  Sizes extents, strides;
  /// The largest stride that is no product of others: rows have at least that.
  int64_t largestStride = 1;
  mlir::Type elementType;
  bool isWritten = false;
  /// The argument that is read, or the result that is written, of the
  /// heddle.kernel.
  unsigned value = 0;
  unsigned part = 0; ///< of a cache: 0 keys, 1 values

  /// Elements from the first to behind the last.
  SizeAttr elements() const;
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

} // namespace heddle

#endif // HEDDLE_COMPILER_HOST_KERNELSIGNATURE_H
