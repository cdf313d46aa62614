// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/common/MadeUpCall.h"

#include "compiler/Import/ElementFormats.h"
#include "compiler/Support/UsualSizes.h"

#include <random>

using namespace heddle;
using namespace llvm;

namespace {

/// Fills the inputs of one call.
class InputMaker {
public:
  InputMaker(const heddle_entry &entry, const EntryCall &call)
      : entry(entry), call(call) {}

  Error fillAll() {
    // Starts depend on lengths.
    for (bool ofStarts : {false, true})
      for (uint32_t a = 0; a < entry.argument_count; ++a)
        if (entry.arguments[a].kind == HEDDLE_ARGUMENT_INPUT &&
            (entry.arguments[a].role == HEDDLE_ROLE_STARTS) == ofStarts)
          if (Error error = fill(a))
            return error;
    for (uint32_t a = 0; a < entry.argument_count; ++a)
      if (entry.arguments[a].kind == HEDDLE_ARGUMENT_CACHE)
        fillCache(a);
    return Error::success();
  }

private:
  // How an integer is drawn: its number in the argument, the least and the
  // largest that it may be.
  using Draw =
      function_ref<int64_t(size_t number, int64_t least, int64_t most)>;

  Error fill(uint32_t argument) {
    switch (entry.arguments[argument].role) {
    case HEDDLE_ROLE_LENGTHS:
    case HEDDLE_ROLE_CROSS_LENGTHS:
    case HEDDLE_ROLE_STARTS:
      return fillIntegers(argument,
                          [](size_t, int64_t, int64_t most) { return most; });
    case HEDDLE_ROLE_PAGES:
      return fillIntegers(argument,
                          [](size_t number, int64_t least, int64_t most) {
                            return least + int64_t(number) % (most - least + 1);
                          });
    default:
      break;
    }
    uint32_t type = entry.arguments[argument].type;
    if (type == HEDDLE_TYPE_I32 || type == HEDDLE_TYPE_I64)
      return fillIntegers(argument, [&](size_t, int64_t least, int64_t most) {
        return std::uniform_int_distribution<int64_t>(least, most)(random);
      });
    fillNumbers(argument, static_cast<heddle_type>(type));
    return Error::success();
  }

  // The number that is added to each one of an argument, and must fit, too.
  int64_t addedTo(uint32_t argument, size_t number) {
    uint32_t lengths = entry.arguments[argument].lengths;
    if (lengths == HEDDLE_NO_ARGUMENT)
      return 0;
    return entry.arguments[lengths].type == HEDDLE_TYPE_I64
               ? elements<int64_t>(lengths)[number]
               : elements<int32_t>(lengths)[number];
  }

  Error fillIntegers(uint32_t argument, Draw draw) {
    const heddle_argument &description = entry.arguments[argument];
    std::optional<int64_t> largest = call.largestValue(argument);
    int64_t least = largest ? description.minimum : 0;
    bool isWide = description.type == HEDDLE_TYPE_I64;
    size_t count = call.bytes(argument).size() /
                   heddle_type_size(static_cast<heddle_type>(description.type));
    for (size_t number = 0; number < count; ++number) {
      int64_t most = largest.value_or(1) - addedTo(argument, number);
      if (most < least)
        return createStringError(
            Twine(entry.name) + ": with these sizes input '" +
            description.name + "' is at least " + Twine(least) +
            " and at most " + Twine(most) + "; give others with --size");
      int64_t value = draw(number, least, most);
      if (isWide)
        elements<int64_t>(argument)[number] = value;
      else
        elements<int32_t>(argument)[number] = static_cast<int32_t>(value);
    }
    return Error::success();
  }

  // Bytes from 0x38 to 0x3f: numbers from 0.00003 to 1.9 of each type of
  // floats, and from 56 to 63 of i8. A host may keep one page for many that are
  // alike.
  void fillCache(uint32_t argument) {
    std::mt19937_64 bytes{1};
    for (uint64_t &eight : elements<uint64_t>(argument))
      eight = (bytes() & 0x0707070707070707) | 0x3838383838383838;
  }

  void fillNumbers(uint32_t argument, heddle_type type) {
    std::normal_distribution<float> normal;
    std::uniform_int_distribution<int> byte(0, 100);
    visitElement(type, [&](auto zero) {
      using T = decltype(zero);
      for (T &element : elements<T>(argument))
        if (std::is_same_v<T, Truth>)
          element = T(byte(random) & 1);
        else if (isFloat(type))
          element = T(normal(random));
        else
          element = T(byte(random));
    });
  }

  template <typename T> MutableArrayRef<T> elements(uint32_t argument) {
    MutableArrayRef<char> bytes = call.bytes(argument);
    return {reinterpret_cast<T *>(bytes.data()), bytes.size() / sizeof(T)};
  }

  const heddle_entry &entry;
  const EntryCall &call;
  std::mt19937 random{1};
};

} // namespace

Expected<EntryCall>
heddle::makeUpCall(const Artifact &artifact, const heddle_entry &entry,
                   const std::map<std::string, int64_t> &given) {
  SmallVector<ChosenSize> symbols;
  for (uint32_t s = 0; s < entry.symbol_count; ++s) {
    const heddle_symbol &symbol = entry.symbols[s];
    symbols.push_back({symbol.name, symbol.counts == HEDDLE_COUNT_BATCH,
                       symbol.minimum, symbol.maximum});
  }
  auto sizes = usualSizes(entry.name, symbols, given);
  if (!sizes)
    return sizes.takeError();
  auto call =
      EntryCall::create(artifact, entry, {sizes->begin(), sizes->end()});
  if (!call)
    return call;
  if (Error error = InputMaker(entry, *call).fillAll())
    return error;
  return call;
}
