// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_HOST_LOWERDISPATCH_H
#define HEDDLE_COMPILER_HOST_LOWERDISPATCH_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// heddle.dispatch -> llvm. Functions of kernels are declared, and begin with
/// `prefix`.
void populateDispatchPatterns(mlir::LLVMTypeConverter &converter,
                              mlir::RewritePatternSet &patterns,
                              llvm::StringRef prefix);

/// The name of the constant that holds the text `name`.
std::string textSymbol(llvm::StringRef prefix, llvm::StringRef name);

} // namespace heddle

#endif // HEDDLE_COMPILER_HOST_LOWERDISPATCH_H
