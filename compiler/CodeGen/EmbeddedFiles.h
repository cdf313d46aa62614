// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files inside of the object, such as a tokenizer's.

#ifndef HEDDLE_COMPILER_CODEGEN_EMBEDDEDFILES_H
#define HEDDLE_COMPILER_CODEGEN_EMBEDDEDFILES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"

namespace heddle {

struct EmbeddedFile {
  std::string name;
  std::string content;
};

/// Adds `<prefix>_files`, the heddle_file of each (runtime/text/heddle_text.h),
/// which only what is linked with the object can see.
void embedFiles(llvm::Module &module, llvm::StringRef prefix,
                llvm::ArrayRef<EmbeddedFile> files);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_EMBEDDEDFILES_H
