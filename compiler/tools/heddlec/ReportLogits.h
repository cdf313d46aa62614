// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --quantization-report --text.

#ifndef HEDDLE_COMPILER_TOOLS_HEDDLEC_REPORTLOGITS_H
#define HEDDLE_COMPILER_TOOLS_HEDDLEC_REPORTLOGITS_H

#include "compiler/tools/heddlec/Compilation.h"

namespace heddle {

/// How well what `library` has for `target` expects the text of the options,
/// and how far its logits are from those of the model as it is stored, in f32,
/// which is compiled for it (heddle-run perplexity). `weights` is the file of
/// its weights, or empty where they are inside.
llvm::Expected<std::string> reportLogits(const CompilationOptions &options,
                                         llvm::StringRef target,
                                         llvm::StringRef library,
                                         llvm::StringRef weights);

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_HEDDLEC_REPORTLOGITS_H
