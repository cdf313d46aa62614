// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From a file of MLIR text to a module.

#ifndef HEDDLE_COMPILER_IMPORT_MLIRTEXT_H
#define HEDDLE_COMPILER_IMPORT_MLIRTEXT_H

#include "compiler/Import/ImportedModel.h"

#include "llvm/Support/SourceMgr.h"

namespace heddle {

/// Reads the text at `path`, which is added to `sources`, and the weights that
/// options.checkpoint names, or else those in the safetensors file beside it.
/// Its dialects are in `context`.
llvm::Expected<ImportedModel> importMlirText(llvm::StringRef path,
                                             const ImportOptions &options,
                                             llvm::SourceMgr &sources,
                                             mlir::MLIRContext &context);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_MLIRTEXT_H
