// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the buffers between kernels lie. Buffers with as many rows share an
// arena, in which a row has a slot for each that is alive at once.

#ifndef HEDDLE_COMPILER_CODEGEN_WORKSPACE_H
#define HEDDLE_COMPILER_CODEGEN_WORKSPACE_H

#include "compiler/CodeGen/EntryPlan.h"

#include "llvm/ADT/DenseSet.h"

namespace heddle {

/// Parts of an arena that are reused once what they held is dead.
class SlotAllocator {
public:
  /// Takes a slot from launch `first` to launch `last`; returns its index.
  unsigned allocate(int64_t bytesPerRow, unsigned first, unsigned last);

  /// Byte offsets per row of all slots, and their total.
  llvm::SmallVector<int64_t> offsets() const;

private:
  struct Slot {
    int64_t bytes;
    int64_t lastUse;
  };
  llvm::SmallVector<Slot> slots;
};

/// Plans the arenas of `entry`, whose symbols are known.
class WorkspacePlanner {
public:
  explicit WorkspacePlanner(EntryPlan &entry) : entry(entry) {}

  /// A buffer of `rows` (as in halide.param) that is written by launch `first`
  /// and last read by launch `last`.
  BufferPlace allocate(SizeAttr rows, int64_t bytesPerRow, unsigned first,
                       unsigned last);

  /// Buffers of `rows` are read in tiles, and so (never written) past the last.
  void readInTiles(SizeAttr rows) { tiledRows.insert(rows); }

  /// Sizes the arenas, and gives all launches their offsets, once everything
  /// is allocated.
  void finish(int64_t rowTile);

private:
  EntryPlan &entry;
  llvm::SmallVector<SlotAllocator> allocators; ///< one for each arena
  llvm::DenseSet<mlir::Attribute> tiledRows;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_WORKSPACE_H
