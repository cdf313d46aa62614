// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes, lengths and values of the arguments of a call.

#include "compiler/Import/ElementFormats.h"
#include "compiler/Verify/VerifyBroadcasts.h"
#include "compiler/Verify/VerifySession.h"

#include <numeric>

using namespace mlir;
using namespace heddle;

// Of a cache in pages and its table: enough for `capacity` positions of each
// sequence, and one page that nobody has. They are those of all calls.
std::optional<int64_t> VerifySession::sizeOfPages(const EntryPlan &entry,
                                                  SizeAttr size) const {
  auto one = SizeAttr::number(size.getContext(), 1);
  for (const ArgumentPlan &cache : entry.arguments)
    for (const ArgumentPlan &table : entry.arguments) {
      if (cache.kind != HEDDLE_ARGUMENT_CACHE ||
          table.role != ArgumentRole::Pages || !table.values ||
          table.values.getMaximum() != cache.extents[0] - one)
        continue;
      int64_t columns =
          llvm::divideCeil(capacity, cache.extents[1].asNumber().value_or(1));
      if (size == table.extents[1])
        return columns;
      if (size == cache.extents[0])
        return batch * columns + 1;
    }
  return std::nullopt;
}

// Sizes with no meaning known here differ from all others, so that none is
// taken for another. In the first round they are less than a vector if there is
// no length that is. In the last round each is more than a block of keys and a
// tail: 70 and more, or 40 and more where an argument has many bytes. Where
// that is still much work, one symbol after the other gets a small size again,
// the first one first, if that spares any.
void VerifySession::chooseSizes(const EntryPlan &entry, int64_t round,
                                int64_t length) {
  constexpr int64_t manyBytes = int64_t(1) << 16;
  constexpr int64_t few = 2, tail = 5;
  bool isFew = round == rounds[0] && !entry.symbol(SymbolRole::Length);
  int64_t base = isFew ? few : 2 * round;
  const int64_t least = std::min(base, round + tail);
  SmallVector<int64_t> bases(entry.symbols.size(), base);
  setSizes(entry, length, bases);
  while (bytesOfLargest(entry) > manyBytes && base > least) {
    base = std::max(least, base * 2 / 3);
    bases.assign(bases.size(), base);
    setSizes(entry, length, bases);
  }
  for (int64_t small : {8, 3})
    for (int64_t &own : bases) {
      double before = workOf(entry);
      if (before <= 1)
        break;
      int64_t large = std::exchange(own, std::min(own, small));
      setSizes(entry, length, bases);
      if (workOf(entry) < before)
        continue;
      own = large;
      setSizes(entry, length, bases);
    }
  takeSizesOfCaches(entry);
  matchBroadcasts(entry, sizes);
  if (!entry.hasCaches() && !(areAllowed(entry) && haveElements(entry)))
    drawSizes(entry, length);
}

void VerifySession::setSizes(const EntryPlan &entry, int64_t length,
                             ArrayRef<int64_t> bases) {
  sizes.clear();
  for (auto [index, symbol] : llvm::enumerate(entry.symbols)) {
    int64_t size = bases[index] + 3 * index;
    auto name = SizeAttr::symbol(symbol.getContext(), symbol.getName());
    if (std::optional<int64_t> ofPages = sizeOfPages(entry, name))
      size = *ofPages;
    else if (limitsStarts(entry, name))
      size = capacity;
    else if (symbol.getRole() == SymbolRole::Batch)
      size = batch;
    else if (symbol.getRole() == SymbolRole::Length)
      size = length;
    else if (symbol.getRole() == SymbolRole::Capacity)
      size = capacity;
    sizes.push_back(std::clamp(size, symbol.getMinimum(), symbol.getMaximum()));
  }
}

int64_t VerifySession::bytesOfLargest(const EntryPlan &entry) const {
  int64_t largest = 0;
  for (const ArgumentPlan &argument : entry.arguments)
    largest = std::max(largest, entry.evaluate(argument.bytes, sizes));
  return largest;
}

double VerifySession::workOf(const EntryPlan &entry) const {
  constexpr double mostBytes = 1 << 20, mostSteps = 1 << 22;
  constexpr double mostTerms = int64_t(1) << 33;
  double steps = llvm::product_of(sizes, 1.0), largest = 0, fixed = 1;
  for (const ArgumentPlan &argument : entry.arguments) {
    double bytes = entry.evaluate(argument.bytes, sizes);
    double &most = argument.bytes.asNumber() ? fixed : largest;
    most = std::max(most, bytes);
  }
  return std::max(
      {largest / mostBytes, steps / mostSteps, steps * fixed / mostTerms});
}

bool VerifySession::areAllowed(const EntryPlan &entry) const {
  size_t index = &entry - input.plan.entries.data(), bytes = 0;
  return heddle_workspace_size(input.model.entries[index], sizes.data(), &bytes,
                               /*error=*/nullptr) == HEDDLE_OK;
}

bool VerifySession::haveElements(const EntryPlan &entry) const {
  return llvm::all_of(entry.arguments, [&](const ArgumentPlan &argument) {
    return entry.evaluate(argument.bytes, sizes) > 0;
  });
}

// Sizes such as `n - 5` and `n + 1` beside 5 fit for many small numbers.
void VerifySession::drawSizes(const EntryPlan &entry, int64_t seed) {
  constexpr int attempts = 1000;
  const SmallVector<int64_t> chosen = sizes;
  SmallVector<int64_t> best = sizes;
  bool isAllowed = areAllowed(entry);
  std::minstd_rand numbers(seed);
  for (int attempt = 0; attempt < attempts; ++attempt) {
    int64_t range = int64_t(8) << attempt / 100;
    for (auto [symbol, first, size] :
         llvm::zip_equal(entry.symbols, chosen, sizes)) {
      int64_t least = symbol.getMinimum();
      std::uniform_int_distribution<int64_t> near(
          least, std::min(symbol.getMaximum(), least + range));
      size = numbers() % 2 ? first : near(numbers);
    }
    if (!areAllowed(entry))
      continue;
    if (haveElements(entry))
      return;
    if (!std::exchange(isAllowed, true))
      best = sizes;
  }
  sizes = best;
}

// Of a ring that holds fewer positions than a sequence has.
bool VerifySession::limitsStarts(const EntryPlan &entry, SizeAttr size) {
  return llvm::any_of(entry.arguments, [&](const ArgumentPlan &argument) {
    if (argument.role != ArgumentRole::Starts || !argument.values)
      return false;
    bool isIn = false;
    argument.values.getMaximum().walkSymbols(
        [&](StringRef name) { isIn |= size.getName() == name; });
    return isIn;
  });
}

int64_t VerifySession::elementsOf(const EntryPlan &entry,
                                  const ArgumentPlan &argument) const {
  return entry.evaluate(argument.bytes, sizes) /
         int64_t(heddle_type_size(argument.type));
}

// Every argument gets lengths of its own, so that none is taken for another.
void VerifySession::chooseLengths(const EntryPlan &entry, int64_t length) {
  lengths.assign(entry.arguments.size(), {});
  int64_t lessBy = 0;
  for (auto [argument, values] : llvm::zip_equal(entry.arguments, lengths)) {
    if (argument.role != ArgumentRole::Lengths)
      continue;
    int64_t most = length;
    if (argument.values)
      most =
          std::min(most, entry.evaluate(argument.values.getMaximum(), sizes));
    int64_t count = elementsOf(entry, argument);
    for (int64_t b = 0; b < count; ++b) {
      int64_t value = (b % 2 ? most / 2 + 1 : most) - b / 2 - lessBy;
      values.push_back(std::max<int64_t>(value, 1));
    }
    ++lessBy;
  }
}

void VerifySession::fillNumbers(heddle_type type, int64_t elements,
                                void *data) {
  std::normal_distribution<float> gaussian;
  std::uniform_int_distribution<int> byte(INT8_MIN, INT8_MAX), share(0, 31);
  // Of either sign, which ops keep. Some are halfway between two integers.
  auto normal = [&] {
    float number = gaussian(random);
    int drawn = share(random);
    if (drawn < 2 && hasZeros)
      return std::copysign(0.0f, drawn == 0 ? 1.0f : -1.0f);
    return drawn < 4 ? std::floor(2 * number) + 0.5f : number;
  };
  visitElement(type, [&](auto zero) {
    using T = decltype(zero);
    auto *to = static_cast<T *>(data);
    for (int64_t i = 0; i < elements; ++i)
      if (std::is_same_v<T, Truth>)
        to[i] = T(byte(random) & 1);
      else if (isFloat(type))
        to[i] = T(normal());
      else
        to[i] = T(byte(random));
  });
}

void VerifySession::fill(const EntryPlan &entry, const ArgumentPlan &argument,
                         ArrayRef<int32_t> given, void *data) {
  int64_t elements = elementsOf(entry, argument);
  bool isWide = argument.type == HEDDLE_TYPE_I64;
  if (!isWide && argument.type != HEDDLE_TYPE_I32)
    return fillNumbers(argument.type, elements, data);
  auto store = [&](int64_t index, int64_t value) {
    if (isWide)
      static_cast<int64_t *>(data)[index] = value;
    else
      static_cast<int32_t *>(data)[index] = static_cast<int32_t>(value);
  };
  if (!given.empty()) {
    assert(int64_t(given.size()) == elements && "one for each sequence");
    for (int64_t i = 0; i < elements; ++i)
      store(i, given[i]);
    return;
  }
  // Integers without a rule are positions and counts of tokens; where all sizes
  // are fixed, of a few. Ops give all others a meaning, too.
  int64_t least = 0;
  int64_t largest = sizes.empty() ? 16 : *llvm::max_element(sizes);
  bool mayBeOutside = !argument.values && argument.role == ArgumentRole::Other;
  if (ValuesAttr values = argument.values) {
    least = values.getMinimum();
    largest = entry.evaluate(values.getMaximum(), sizes);
    if (values.getSize())
      largest -= entry.evaluate(values.getSize(), sizes);
  }
  // No two sequences share a page where there are enough, and each call finds
  // what those before it have appended.
  if (argument.role == ArgumentRole::Pages) {
    std::vector<int64_t> pages(largest + 1);
    std::iota(pages.begin(), pages.end(), 0);
    std::shuffle(pages.begin(), pages.end(), std::minstd_rand());
    for (int64_t i = 0; i < elements; ++i)
      store(i, pages[i % pages.size()]);
    return;
  }
  std::uniform_int_distribution<int64_t> between(least,
                                                 std::max(least, largest)),
      outside(-2 * largest, 2 * largest);
  for (int64_t i = 0; i < elements; ++i)
    store(i, mayBeOutside && random() % 4 == 0 ? outside(random)
                                               : between(random));
}
