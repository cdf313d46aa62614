// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From what a thread does to PTX for exactly one kind of device.

#ifndef HEDDLE_COMPILER_CODEGEN_CUDACODE_H
#define HEDDLE_COMPILER_CODEGEN_CUDACODE_H

#include "compiler/Translate/HalideTranslation.h"

#include "llvm/Support/Error.h"

namespace heddle {

/// A program of PTX with a kernel of the name of `function`, of bitcode, for
/// `chip`: "sm_90". Its parameters are those of the function. Thread-safe.
llvm::Expected<std::string> compileToPtx(const TranslatedFunction &function,
                                         llvm::StringRef chip);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_CUDACODE_H
