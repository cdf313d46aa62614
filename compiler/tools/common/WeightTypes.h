// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// --weight-type of the command line.

#ifndef HEDDLE_COMPILER_TOOLS_COMMON_WEIGHTTYPES_H
#define HEDDLE_COMPILER_TOOLS_COMMON_WEIGHTTYPES_H

#include "compiler/Import/ImportOptions.h"

#include "llvm/Support/CommandLine.h"

namespace heddle {

/// The values of --weight-type, and how it names one of them.
llvm::cl::ValuesClass weightTypes();
llvm::StringRef nameOf(WeightType type);

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_COMMON_WEIGHTTYPES_H
