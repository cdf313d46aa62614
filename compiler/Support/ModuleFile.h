// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of MLIR text. MLIR's parser trusts them: brackets that are nested
// deeply end its stack, and damaged bytecode ends the process. So each file is
// looked through first.

#ifndef HEDDLE_COMPILER_SUPPORT_MODULEFILE_H
#define HEDDLE_COMPILER_SUPPORT_MODULEFILE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/SourceMgr.h"

namespace heddle {

/// Fails on what MLIR's parser cannot be given: files of other kinds, bytecode
/// among them (FileKinds.h), more than 256 nested brackets, sums and products
/// of more than 1024 terms, and arrays of index, which end it. `name` is that
/// of the text's file.
llvm::Error checkModuleText(llvm::StringRef text, llvm::StringRef name);

/// The regular file `path` of MLIR text, once checkModuleText has passed it.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readModuleText(llvm::StringRef path);

/// Parses that file, which is added to `sources`. Null after a diagnostic.
mlir::OwningOpRef<mlir::ModuleOp> parseModuleFile(llvm::StringRef path,
                                                  llvm::SourceMgr &sources,
                                                  mlir::MLIRContext *context);
mlir::OwningOpRef<mlir::ModuleOp> parseModuleFile(llvm::StringRef path,
                                                  mlir::MLIRContext *context);

} // namespace heddle

#endif // HEDDLE_COMPILER_SUPPORT_MODULEFILE_H
