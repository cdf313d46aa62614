// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Host/Workspace.h"

#include "runtime/heddle_abi.h"

using namespace mlir;
using namespace heddle;

unsigned SlotAllocator::allocate(int64_t bytesPerUnit, unsigned first,
                                 unsigned last) {
  // The free slot that has to grow least, or wastes least.
  std::optional<unsigned> best;
  auto cost = [&](unsigned slot) {
    int64_t growth = std::max<int64_t>(bytesPerUnit - slots[slot].bytes, 0);
    int64_t waste = std::max<int64_t>(slots[slot].bytes - bytesPerUnit, 0);
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
  slots[*best].bytes = std::max(slots[*best].bytes, bytesPerUnit);
  slots[*best].lastUse = last;
  return *best;
}

SmallVector<int64_t> SlotAllocator::sizes() const {
  return llvm::map_to_vector(slots,
                             [](const Slot &slot) { return slot.bytes; });
}

Workspace::Buffer Workspace::allocate(SizeAttr rows, int64_t bytesPerRow,
                                      unsigned first, unsigned last) {
  auto [number, factors] = factorsOf(rows);
  SizeAttr symbols = product(context, factors);
  Group &group = groups[symbols];
  return {symbols, group.slots.allocate(number * bytesPerRow, first, last)};
}

void Workspace::finish() {
  total = SizeAttr::number(context, 0);
  for (auto &[symbols, group] : groups) {
    for (int64_t bytesPerUnit : group.slots.sizes()) {
      SizeAttr bytes = roundUp(symbols * bytesPerUnit, HEDDLE_ALIGNMENT);
      group.places.push_back({total, bytes});
      total = total + bytes;
    }
  }
}
