// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The front door: whatever a model comes in, told by its content.

#ifndef HEDDLE_COMPILER_IMPORT_MODELIMPORT_H
#define HEDDLE_COMPILER_IMPORT_MODELIMPORT_H

#include "compiler/Import/ImportedModel.h"

#include "llvm/Support/SourceMgr.h"

namespace heddle {

/// One kind of model that can be read. To add one, write its reader and its
/// line in ModelImport.cpp.
struct FrontEnd {
  llvm::StringLiteral name; ///< with an article: "MLIR text"
  bool (*accepts)(llvm::StringRef path);
  llvm::Expected<ImportedModel> (*read)(llvm::StringRef path,
                                        const ImportOptions &options,
                                        llvm::SourceMgr &sources,
                                        mlir::MLIRContext &context);
};

/// Reads the model at `path`, with the first front end that accepts it. A path
/// that is nothing known is an error, which says what is there. `sources` gets
/// text, for diagnostics.
llvm::Expected<ImportedModel> importModel(llvm::StringRef path,
                                          const ImportOptions &options,
                                          llvm::SourceMgr &sources,
                                          mlir::MLIRContext &context);

/// Whether the checkpoint that `option` names has all weights that the text
/// takes from one. What only prints text needs none.
llvm::Error checkHasWeights(ImportedModel &model, llvm::StringRef option);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_MODELIMPORT_H
