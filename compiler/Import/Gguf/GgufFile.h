// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GGUF file, or the files that one was split into: metadata and tensors.

#ifndef HEDDLE_COMPILER_IMPORT_GGUF_GGUFFILE_H
#define HEDDLE_COMPILER_IMPORT_GGUF_GGUFFILE_H

#include "compiler/Import/TensorSource.h"
#include "runtime/text/GgufHeader.h"

#include "llvm/Support/Error.h"

namespace heddle {

struct GgufFile {
  std::string path;
  gguf::Header header; ///< of the first file
  /// A tensor of blocks has no type, and beside it a tensor for each part of
  /// its blocks: codes of its shape, scales and minimums of [.., groups].
  TensorSource tensors;
};

/// Opens the file, and those that follow one called NAME-00001-of-00003.gguf.
/// Checks all of the headers, and that files have all bytes of their tensors.
llvm::Expected<GgufFile> openGguf(llvm::StringRef path);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_GGUF_GGUFFILE_H
