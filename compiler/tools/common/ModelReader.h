// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be compiled, read as a module.

#ifndef HEDDLE_COMPILER_TOOLS_COMMON_MODELREADER_H
#define HEDDLE_COMPILER_TOOLS_COMMON_MODELREADER_H

#include "compiler/Import/ModelImport.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

namespace heddle {

/// A model as the command line names it.
struct ModelPath {
  std::string path; ///< a Hugging Face folder, or MLIR text
  /// Folder or file of an MLIR text's weights. Where this is empty, those of
  /// model.mlir are in model.safetensors, if that is there.
  std::string checkpoint;
  WeightType weightType = WeightType::Keep;
};

/// `sources` gets MLIR text, for diagnostics.
llvm::Expected<ImportedModel> readModel(const ModelPath &model,
                                        llvm::SourceMgr &sources,
                                        mlir::MLIRContext &context);

/// Whether the checkpoint that `option` names has all weights that the text
/// takes from one. What only prints text needs none.
llvm::Error checkHasWeights(ImportedModel &model, llvm::StringRef option);

/// The values of --weight-type, and how it names one of them.
llvm::cl::ValuesClass weightTypes();
llvm::StringRef nameOf(WeightType type);

/// Stands for an error that MLIR's diagnostics have reported: its message is
/// empty.
llvm::Error alreadyReported();

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_COMMON_MODELREADER_H
