// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kinds of programs that --emit=exe makes; a model's entry points tell
// which.

#ifndef HEDDLE_COMPILER_TOOLS_HEDDLEC_PROGRAMKIND_H
#define HEDDLE_COMPILER_TOOLS_HEDDLEC_PROGRAMKIND_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace heddle {

/// The source of a program, a file of runtime/programs, and how to compile it.
struct ProgramKind {
  llvm::StringLiteral source;
  llvm::StringLiteral definition; ///< "" for none
  bool takesText;                 ///< so that it needs a tokenizer
};

/// Fails where there is no program for such a model, or none without a
/// tokenizer. With `takesIds` the program has none. `path` names the model.
llvm::Expected<ProgramKind> chooseProgram(mlir::ModuleOp module,
                                          llvm::StringRef path,
                                          bool hasTokenizer, bool takesIds);

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_HEDDLEC_PROGRAMKIND_H
