// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models in GGUF files, such as llama.cpp reads.

#ifndef HEDDLE_COMPILER_IMPORT_GGUFMODEL_H
#define HEDDLE_COMPILER_IMPORT_GGUFMODEL_H

#include "compiler/Import/ImportedModel.h"

namespace heddle {

/// Whether the file at `path` calls itself GGUF.
bool isGgufFile(llvm::StringRef path);

/// Reads a decoder, an encoder, or both. Matrices of blocks stay integers with
/// scales, which are decoded where they are read.
llvm::Expected<ImportedModel> importGguf(llvm::StringRef path,
                                         ImportOptions options,
                                         mlir::MLIRContext &context);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_GGUFMODEL_H
