// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Verify/VerifyBroadcasts.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace heddle;

static std::optional<unsigned> symbolOf(const EntryPlan &entry,
                                        BroadcastAttr broadcast) {
  SizeAttr size = broadcast.getSize();
  if (size.getKind() != SizeKind::Symbol)
    return std::nullopt;
  std::optional<unsigned> symbol = entry.symbol(size.getName().getValue());
  bool isFree = entry.symbols[*symbol].getRole() == SymbolRole::Other ||
                !entry.hasCaches();
  return isFree ? symbol : std::nullopt;
}

SmallVector<unsigned> heddle::broadcastSymbolsOf(const EntryPlan &entry) {
  llvm::SmallSetVector<unsigned, 4> symbols;
  for (BroadcastAttr broadcast : entry.broadcasts)
    if (auto symbol = symbolOf(entry, broadcast))
      symbols.insert(*symbol);
  return symbols.takeVector();
}

// The size of all symbols of which nothing else says what they are broadcast
// to.
static int64_t chooseCommon(const EntryPlan &entry, ArrayRef<int64_t> sizes,
                            ArrayRef<unsigned> ones) {
  int64_t common = INT64_MAX;
  for (unsigned symbol : broadcastSymbolsOf(entry))
    if (!llvm::is_contained(ones, symbol))
      common = std::min(common, sizes[symbol]);
  for (unsigned symbol : broadcastSymbolsOf(entry))
    common = std::clamp(common, entry.symbols[symbol].getMinimum(),
                        entry.symbols[symbol].getMaximum());
  return common;
}

void heddle::matchBroadcasts(const EntryPlan &entry,
                             MutableArrayRef<int64_t> sizes,
                             SmallVector<unsigned> ones) {
  int64_t common = chooseCommon(entry, sizes, ones);
  for (BroadcastAttr broadcast : entry.broadcasts) {
    SizeAttr target = broadcast.getTarget();
    auto setAll = [&](int64_t size) {
      for (BroadcastAttr other : entry.broadcasts)
        if (auto symbol = symbolOf(entry, other);
            symbol && other.getTarget() == target)
          sizes[*symbol] = llvm::is_contained(ones, *symbol) ? 1 : size;
    };
    // The target is then the size of everything else that is broadcast to it.
    setAll(1);
    int64_t others = entry.evaluate(target, sizes);
    bool isOfAll = broadcastOperands(target).size() > 1;
    setAll(isOfAll && others == 1 ? common : others);
  }
  // A size that is broadcast to several ones is 1 where these differ.
  for (BroadcastAttr broadcast : entry.broadcasts) {
    std::optional<unsigned> symbol = symbolOf(entry, broadcast);
    if (!symbol || llvm::is_contained(ones, *symbol) ||
        sizes[*symbol] == entry.evaluate(broadcast.getTarget(), sizes))
      continue;
    ones.push_back(*symbol);
    return matchBroadcasts(entry, sizes, ones);
  }
}
