// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Support/UsualSizes.h"

#include "llvm/ADT/Twine.h"

#include <algorithm>

using namespace llvm;
using namespace heddle;

static constexpr int64_t usual = 512;

Expected<SmallVector<int64_t>>
heddle::usualSizes(StringRef entry, ArrayRef<ChosenSize> symbols,
                   const std::map<std::string, int64_t> &given) {
  auto isBatch = [&](StringRef name) {
    return any_of(symbols, [&](const ChosenSize &symbol) {
      return symbol.isBatch && symbol.name == name;
    });
  };
  int64_t largest = 0;
  for (const auto &[name, size] : given)
    if (!isBatch(name))
      largest = std::max(largest, size);
  SmallVector<int64_t> sizes;
  for (auto [name, isBatch, least, most] : symbols) {
    auto found = given.find(name.str());
    if (found == given.end()) {
      int64_t size = isBatch ? 1 : largest ? largest : usual;
      sizes.push_back(std::clamp(size, least, most));
      continue;
    }
    if (found->second < least || found->second > most)
      return createStringError(Twine(entry) + ": size '" + name + "' is " +
                               Twine(found->second) + ", expected " +
                               Twine(least) + " to " + Twine(most));
    sizes.push_back(found->second);
  }
  return sizes;
}
