// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the host program hands a memref to the function that launches a kernel,
// and how that describes it to the kernel.

#ifndef HEDDLE_COMPILER_HOST_BUFFERARGUMENTS_H
#define HEDDLE_COMPILER_HOST_BUFFERARGUMENTS_H

#include "compiler/Host/AbiCode.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"

namespace heddle {

/// A memref as a function takes it: its address and the sizes and strides that
/// its type does not have.
class BufferArguments {
public:
  explicit BufferArguments(mlir::MemRefType type);

  llvm::SmallVector<mlir::Value> flatten(AbiCode &code,
                                         mlir::MemRefDescriptor memref) const;
  /// Takes what `flatten` gives from the front of `arguments`, and fills
  /// descriptor `index` of `room` with it; returns the descriptor's address.
  mlir::Value describe(AbiCode &code, mlir::Type room, mlir::Value roomAddress,
                       unsigned index, mlir::ValueRange &arguments) const;

private:
  mlir::MemRefType type;
  llvm::SmallVector<int64_t> strides;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_HOST_BUFFERARGUMENTS_H
