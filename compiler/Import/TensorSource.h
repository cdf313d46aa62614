// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tensors of a checkpoint, whatever files hold them: names, shapes, and how
// the elements are encoded. Only the readers of file formats, such as
// SafeTensors.h, know where they come from.

#ifndef HEDDLE_COMPILER_IMPORT_TENSORSOURCE_H
#define HEDDLE_COMPILER_IMPORT_TENSORSOURCE_H

#include "runtime/heddle_abi.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// How elements lie in blocks of bytes, which tensors have along their last
/// dimension: a part of what a block holds, such as its integers or its scales.
struct BlockPart {
  heddle_type type;   ///< of the elements
  int64_t elements;   ///< of a block
  int64_t blockBytes; ///< with all parts
  /// Writes all elements of a block, as memory has them.
  void (*decode)(const uint8_t *block, uint8_t *elements);
};

/// One tensor of a checkpoint.
struct TensorEntry {
  std::string name;
  /// The type of an element. None where Heddle has no such type: nothing can
  /// read the tensor then, which does no harm where nothing does.
  std::optional<heddle_type> type;
  /// The file's own name of the type, such as "BF16", for messages.
  std::string dtype;
  /// Outermost dimension first; empty for a scalar. Sizes may be zero. Where
  /// the type is known, elements and bytes fit int64_t.
  llvm::SmallVector<int64_t> shape;
  /// The elements, little-endian and dense, last dimension fastest. Not
  /// necessarily aligned to the element's size. Or blocks, see `part`.
  llvm::ArrayRef<uint8_t> data;
  /// The path of the file that holds it.
  std::string file;
  /// The elements are this part of the blocks in `data`, of which the last
  /// dimension is a whole number. Null where `data` is the elements.
  const BlockPart *part = nullptr;

  /// Copies `count` elements from the one of that number on, in the order of
  /// the last dimension. The type is known.
  void read(int64_t first, int64_t count, uint8_t *to) const;
};

/// All tensors of a checkpoint. The files stay mapped, read-only, for as long
/// as this lives, and must not change meanwhile. Constant methods may be called
/// from many threads.
class TensorSource {
public:
  /// No tensors.
  TensorSource() = default;
  /// `path` is the file, or the index of several, that was opened. No two
  /// tensors have one name; their data is in `files`, in `memory`, or outlives
  /// the source.
  TensorSource(std::string path, std::vector<TensorEntry> tensors,
               std::vector<llvm::sys::fs::mapped_file_region> files = {},
               std::vector<std::vector<uint8_t>> memory = {});

  /// The tensor of that name, or null.
  const TensorEntry *find(llvm::StringRef name) const;

  llvm::StringRef path() const { return openedPath; }
  /// The path where a tensor of that name would be.
  llvm::StringRef pathOf(llvm::StringRef name) const;

  /// All tensors, sorted by name.
  llvm::ArrayRef<TensorEntry> tensors() const { return entries; }

  /// Takes over the tensors of `other`, whose names begin with `prefix` from
  /// now on. No name is in both.
  void add(llvm::StringRef prefix, TensorSource other);

  /// Tells the system that the memory that `tensor.data` occupies is not needed
  /// any more, which keeps the resident size small while gigabytes are read one
  /// tensor after the other. The data stays valid: it is read from the file
  /// again where it is used again.
  void release(const TensorEntry &tensor) const;

private:
  void sortByName();

  std::string openedPath;
  /// Prefixes of the tensors of other sources, and the paths of these.
  std::vector<std::pair<std::string, std::string>> added;
  std::vector<TensorEntry> entries; ///< sorted by name
  std::vector<llvm::sys::fs::mapped_file_region> files;
  std::vector<std::vector<uint8_t>> memory;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_TENSORSOURCE_H
