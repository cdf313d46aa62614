// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program that takes text needs of a model.

#ifndef HEDDLE_COMPILER_TOOLS_HEDDLEC_TEXTFILES_H
#define HEDDLE_COMPILER_TOOLS_HEDDLEC_TEXTFILES_H

#include "compiler/CodeGen/EmbeddedFiles.h"

#include "llvm/Support/Error.h"

#include <vector>

namespace heddle {

/// The files of the tokenizer in a folder, or in a GGUF file; empty where there
/// is none. One that libheddle_text refuses is an error; of a chat template it
/// prints a warning.
llvm::Expected<std::vector<EmbeddedFile>> readTextFiles(llvm::StringRef path);

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_HEDDLEC_TEXTFILES_H
