// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The header of one safetensors file. See SafeTensors.h for the format.

#ifndef HEDDLE_COMPILER_IMPORT_SAFETENSORSHEADER_H
#define HEDDLE_COMPILER_IMPORT_SAFETENSORSHEADER_H

#include "compiler/Import/TensorSource.h"

namespace heddle {

/// Reads and checks the header of the file that `bytes`, at least 8 of them,
/// are; `file` names it in errors and in the entries. The entries' data points
/// into `bytes`, beyond the header, where nothing is read. They are in the
/// order of their position.
llvm::Expected<std::vector<TensorEntry>>
readSafeTensorsHeader(llvm::StringRef bytes, llvm::StringRef file);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_SAFETENSORSHEADER_H
