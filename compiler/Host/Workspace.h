// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the buffers between kernels lie: in slots of one allocation, which are
// used again once what they held is dead. Sizes that differ by a number can
// share slots: which is larger is known.

#ifndef HEDDLE_COMPILER_HOST_WORKSPACE_H
#define HEDDLE_COMPILER_HOST_WORKSPACE_H

#include "dialect/Heddle/HeddleDialect.h"

#include "llvm/ADT/MapVector.h"

namespace heddle {

/// Parts of one size unit that are reused once what they held is dead.
class SlotAllocator {
public:
  /// Takes a slot from step `first` to step `last`; returns its index.
  unsigned allocate(int64_t bytesPerUnit, unsigned first, unsigned last);

  /// Bytes per unit of all slots.
  llvm::SmallVector<int64_t> sizes() const;

private:
  struct Slot {
    int64_t bytes;
    int64_t lastUse;
  };
  llvm::SmallVector<Slot> slots;
};

class Workspace {
public:
  /// A buffer that `allocate` has found a place for.
  struct Buffer {
    SizeAttr symbols; ///< the group: what its sizes have but for numbers
    unsigned slot;
  };
  /// Where a buffer lies, in bytes from the start of the workspace.
  struct Place {
    SizeAttr offset, bytes;
  };

  explicit Workspace(mlir::MLIRContext *context) : context(context) {}

  /// A buffer of `rows` (as in halide.param) that is written at step `first`
  /// and last read at step `last`. Buffers come in the order of `first`.
  Buffer allocate(SizeAttr rows, int64_t bytesPerRow, unsigned first,
                  unsigned last);

  /// Gives all buffers their places, once everything is allocated.
  void finish();
  Place placeOf(Buffer buffer) const {
    return groups.find(buffer.symbols)->second.places[buffer.slot];
  }
  SizeAttr bytes() const { return total; }

private:
  struct Group {
    SlotAllocator slots;
    llvm::SmallVector<Place> places; ///< of the slots
  };

  mlir::MLIRContext *context;
  llvm::MapVector<SizeAttr, Group> groups;
  SizeAttr total;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_HOST_WORKSPACE_H
