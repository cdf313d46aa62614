// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From a Hugging Face folder to a module.

#ifndef HEDDLE_COMPILER_IMPORT_HUGGINGFACEFOLDER_H
#define HEDDLE_COMPILER_IMPORT_HUGGINGFACEFOLDER_H

#include "compiler/Import/ImportedModel.h"

namespace heddle {

/// Reads `config.json`, `generation_config.json` (whose end tokens count more),
/// `modules.json` and the safetensors file or shards of `folder`. Loads the
/// dialects that it needs into `context`.
llvm::Expected<ImportedModel>
importHuggingFaceFolder(llvm::StringRef folder, ImportOptions options,
                        mlir::MLIRContext &context);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_HUGGINGFACEFOLDER_H
