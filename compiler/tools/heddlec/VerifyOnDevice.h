// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --verify of what a device runs.

#ifndef HEDDLE_COMPILER_TOOLS_HEDDLEC_VERIFYONDEVICE_H
#define HEDDLE_COMPILER_TOOLS_HEDDLEC_VERIFYONDEVICE_H

#include "compiler/tools/heddlec/Compilation.h"

namespace heddle {

/// Has heddle-run verify compare what `library` has for `target`, as drivers of
/// devices bring LLVMs of their own, which do not go together with Halide's.
/// `weights` is the file of its weights, or empty where they are inside.
/// Returns the report.
llvm::Expected<std::string> verifyOnDevice(const CompilationOptions &options,
                                           llvm::StringRef target,
                                           llvm::StringRef library,
                                           llvm::StringRef weights);

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_HEDDLEC_VERIFYONDEVICE_H
