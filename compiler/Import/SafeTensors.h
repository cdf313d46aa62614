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

#include "runtime/heddle_abi.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// One tensor of a checkpoint.
struct TensorEntry {
  std::string name;
  /// Nothing where the dtype is one that no element here has, so that a tensor
  /// that nobody reads does no harm.
  std::optional<heddle_type> type;
  /// The file's own name of the type, such as "BF16".
  std::string dtype;
  /// Outermost dimension first; empty for a scalar. Sizes may be zero. Where
  /// the type is known, elements and bytes fit int64_t.
  llvm::SmallVector<int64_t> shape;
  /// The values, little-endian and dense, last dimension fastest. Mapped from
  /// the file, and not necessarily aligned to the element's size.
  llvm::ArrayRef<uint8_t> data;
  /// The path of the file that holds it.
  std::string file;
};

/// The tensors of a Hugging Face folder, or of a file. The files stay mapped,
/// read-only, for as long as this lives, and must not change meanwhile. All
/// methods may be called from many threads.
class SafeTensors {
public:
  /// Opens `model.safetensors`, or else the shards that
  /// `model.safetensors.index.json` lists. Checks everything that the format
  /// demands of the headers; reads no tensor's data.
  static llvm::Expected<SafeTensors> openFolder(llvm::StringRef folder);
  /// The same, or opens a file alone.
  static llvm::Expected<SafeTensors> open(llvm::StringRef path);

  /// The tensor of that name, or null.
  const TensorEntry *find(llvm::StringRef name) const;

  /// The file, or the index of the shards, that was opened.
  llvm::StringRef path() const { return openedPath; }

  /// All tensors, sorted by name.
  llvm::ArrayRef<TensorEntry> tensors() const { return entries; }

  /// Tells the system that the memory that `tensor.data` occupies is not needed
  /// any more, which keeps the resident size small while gigabytes are read one
  /// tensor after the other. The data stays valid: it is read from the file
  /// again where it is used again.
  void release(const TensorEntry &tensor) const;

private:
  static llvm::Expected<SafeTensors> openSingle(llvm::StringRef path);
  llvm::Error openFile(llvm::StringRef path);
  llvm::Error openShards(llvm::StringRef folder, llvm::StringRef indexPath);

  std::string openedPath;
  std::vector<TensorEntry> entries;
  std::vector<llvm::sys::fs::mapped_file_region> mappings;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_SAFETENSORS_H
