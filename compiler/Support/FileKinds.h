// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that models come in, told by their contents: whoever expects another
// kind says which one was found, and what to do.

#ifndef HEDDLE_COMPILER_SUPPORT_FILEKINDS_H
#define HEDDLE_COMPILER_SUPPORT_FILEKINDS_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace heddle {

struct FileKind {
  llvm::StringLiteral name;   ///< with an article: "an ONNX file"
  llvm::StringLiteral advice; ///< what to do instead; may be empty
  bool holdsWeights;          ///< a model's folder may have it
  /// Looks at the first kFileKindBytes, or at all of a shorter file.
  bool (*matches)(llvm::StringRef contents);

  /// "found an ONNX file; convert it"
  std::string found() const;
  bool isSafeTensors() const;
  bool isGguf() const;
  bool isOnnx() const;
};

inline constexpr size_t kFileKindBytes = 4096;

/// The kind of a file that begins with `contents`. Null for others, among which
/// is MLIR text.
const FileKind *findFileKind(llvm::StringRef contents);

/// The same of the file at `path`; null where it cannot be read, too.
const FileKind *findFileKindOf(llvm::StringRef path);

/// The first file of `folder`, in the order of names, that holds weights, as
/// "'pytorch_model.bin', a PyTorch checkpoint; convert it".
std::optional<std::string> describeWeightsIn(llvm::StringRef folder);

} // namespace heddle

#endif // HEDDLE_COMPILER_SUPPORT_FILEKINDS_H
