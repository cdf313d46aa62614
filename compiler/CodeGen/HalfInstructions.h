// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between f16 and f32 (see Translate/HalfConversions.h).

#ifndef HEDDLE_COMPILER_CODEGEN_HALFINSTRUCTIONS_H
#define HEDDLE_COMPILER_CODEGEN_HALFINSTRUCTIONS_H

#include "llvm/IR/Module.h"

namespace heddle {

/// Makes LLVM's conversions of calls to kWidenHalf and kNarrowHalf. Halide
/// calls for each element of a vector; these become one conversion of it.
void convertHalves(llvm::Module &module);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_HALFINSTRUCTIONS_H
