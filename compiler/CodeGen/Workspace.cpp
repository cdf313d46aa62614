// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/Workspace.h"

using namespace mlir;
using namespace heddle;

unsigned SlotAllocator::allocate(int64_t bytesPerRow, unsigned first,
                                 unsigned last) {
  // The free slot that has to grow least, or wastes least.
  std::optional<unsigned> best;
  auto cost = [&](unsigned slot) {
    int64_t growth = std::max<int64_t>(bytesPerRow - slots[slot].bytes, 0);
    int64_t waste = std::max<int64_t>(slots[slot].bytes - bytesPerRow, 0);
    return std::pair(growth, waste);
  };
  for (unsigned slot = 0; slot < slots.size(); ++slot)
    if (slots[slot].lastUse < int64_t(first) &&
        (!best || cost(slot) < cost(*best)))
      best = slot;
  if (!best) {
    slots.push_back({0, 0});
    best = slots.size() - 1;
  }
  slots[*best].bytes = std::max(slots[*best].bytes, bytesPerRow);
  slots[*best].lastUse = last;
  return *best;
}

SmallVector<int64_t> SlotAllocator::offsets() const {
  SmallVector<int64_t> result{0};
  for (const Slot &slot : slots)
    result.push_back(result.back() + slot.bytes);
  return result;
}

BufferPlace WorkspacePlanner::allocate(SizeAttr rows, int64_t bytesPerRow,
                                       unsigned first, unsigned last) {
  BufferPlace place{BufferPlace::Workspace};
  auto found = llvm::find_if(
      entry.arenas, [&](const ArenaPlan &arena) { return arena.rows == rows; });
  place.arena = found - entry.arenas.begin();
  if (found == entry.arenas.end()) {
    entry.arenas.push_back({rows, entry.parse(rows)});
    allocators.emplace_back();
  }
  // The slot's index, until its offset is known.
  place.offset = allocators[place.arena].allocate(bytesPerRow, first, last);
  return place;
}

void WorkspacePlanner::finish(int64_t rowTile) {
  for (auto [arena, allocator] : llvm::zip(entry.arenas, allocators)) {
    arena.unitMultiple = tiledRows.contains(arena.rows) ? rowTile : 1;
    arena.bytesPerUnit = allocator.offsets().back();
  }
  for (LaunchPlan &launch : entry.launches)
    for (BufferPlace &place : launch.buffers)
      if (place.kind == BufferPlace::Workspace)
        place.offset = allocators[place.arena].offsets()[place.offset];
}
