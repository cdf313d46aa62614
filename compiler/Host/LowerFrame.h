// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.frame.* and heddle.descriptors -> llvm: what a call has been given,
// room on the stack for what its kernels get, and what it does in a device's
// memory.

#ifndef HEDDLE_COMPILER_HOST_LOWERFRAME_H
#define HEDDLE_COMPILER_HOST_LOWERFRAME_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

void addFrameConversions(mlir::LLVMTypeConverter &converter);
void populateFramePatterns(mlir::LLVMTypeConverter &converter,
                           mlir::RewritePatternSet &patterns);
/// heddle.frame.copy, load and store.
void populateFrameMemoryPatterns(mlir::LLVMTypeConverter &converter,
                                 mlir::RewritePatternSet &patterns);

} // namespace heddle

#endif // HEDDLE_COMPILER_HOST_LOWERFRAME_H
