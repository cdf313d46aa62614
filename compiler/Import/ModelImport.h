// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From a Hugging Face folder to a module: the front door of this folder.

#ifndef HEDDLE_COMPILER_IMPORT_MODELIMPORT_H
#define HEDDLE_COMPILER_IMPORT_MODELIMPORT_H

#include "compiler/Import/Families/Family.h"
#include "compiler/Import/ImportOptions.h"
#include "compiler/Import/TensorSource.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>

namespace heddle {

struct ImportedModel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The values of the module's weights, which name their tensors.
  std::unique_ptr<TensorSource> tensors;
};

/// Reads `config.json`, `generation_config.json` (whose end tokens count more)
/// and the safetensors file or shards of `folder`. Loads the dialects that it
/// needs into `context`.
llvm::Expected<ImportedModel> importModel(llvm::StringRef folder,
                                          ImportOptions options,
                                          mlir::MLIRContext &context);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_MODELIMPORT_H
