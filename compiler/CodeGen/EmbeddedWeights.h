// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights inside the object (heddlec --embed-weights), which may be many times
// its code. They never pass through memory: code generation leaves an empty
// section for them, which becomes the end of the file.

#ifndef HEDDLE_COMPILER_CODEGEN_EMBEDDEDWEIGHTS_H
#define HEDDLE_COMPILER_CODEGEN_EMBEDDEDWEIGHTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle {

/// The local constant `<prefix>_weights`, of which writeObject makes the
/// weights file of that target (GlueOptions::target). Its section is one of
/// large data, so that code stays within reach of other code and data however
/// large it is.
llvm::GlobalVariable *reserveEmbeddedWeights(llvm::Module &module,
                                             llvm::StringRef prefix,
                                             llvm::StringRef target);

/// The file that a target's weights are.
struct TargetWeights {
  std::string target;
  std::unique_ptr<llvm::MemoryBuffer> file;
};

/// Writes `object`, which it changes for that, and makes `weights` the contents
/// of what reserveEmbeddedWeights has declared.
llvm::Error writeObject(llvm::MutableArrayRef<char> object,
                        llvm::ArrayRef<TargetWeights> weights,
                        llvm::raw_ostream &file);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_EMBEDDEDWEIGHTS_H
