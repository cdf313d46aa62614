// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The tensors of a checkpoint in the safetensors format, one file or sharded.
//
// A file is an 8-byte little-endian length N, N bytes of JSON that map each
// tensor's name to its dtype, shape and byte range, and the data. Ranges count
// from byte 8 + N and cover the rest of the file exactly: no two overlap,
// nothing lies between or after them.
// (https://github.com/huggingface/safetensors, README, "Format")

#ifndef HEDDLE_COMPILER_IMPORT_SAFETENSORS_H
#define HEDDLE_COMPILER_IMPORT_SAFETENSORS_H

#include "compiler/Import/TensorSource.h"

#include "llvm/Support/Error.h"

namespace heddle {

/// Opens `model.safetensors` of a Hugging Face folder, or else the shards that
/// `model.safetensors.index.json` lists. Checks everything that the format
/// demands of the headers; reads no tensor's data.
llvm::Expected<TensorSource> openSafeTensorsFolder(llvm::StringRef folder);

/// The same, or opens a file alone.
llvm::Expected<TensorSource> openSafeTensors(llvm::StringRef path);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_SAFETENSORS_H
