// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/common/WeightTypes.h"

using namespace llvm;
using namespace heddle;

namespace {
struct Choice {
  WeightType type;
  int64_t group; ///< where the text names none
};
} // namespace

static constexpr Choice choices[] = {
    {WeightType::Keep, 0}, {WeightType::F32, 0},  {WeightType::BF16, 0},
    {WeightType::F16, 0},  {WeightType::Int8, 0}, {WeightType::Int4, 32},
};

// name or name:group
static std::optional<Choice> parse(StringRef text) {
  StringRef name, group;
  std::tie(name, group) = text.split(':');
  const Choice *known = find_if(choices, [&](const Choice &choice) {
    return weightTypeName(choice.type) == name;
  });
  if (known == std::end(choices))
    return std::nullopt;
  Choice found = *known;
  if (name == text)
    return found;
  if (!isInteger(found.type) || group.getAsInteger(10, found.group) ||
      found.group < 1)
    return std::nullopt;
  return found;
}

OptionValues::Kind heddle::weightTypeKind() {
  return {"one of stored, f32, bf16, f16, int8, int4, or int8 or int4 with the "
          "size of a group, as int4:64",
          [](StringRef text) { return parse(text).has_value(); }};
}

Error heddle::setWeightType(ImportOptions &options, StringRef text,
                            ArrayRef<std::string> keep) {
  Choice choice = *parse(text);
  if (!keep.empty() && !isInteger(choice.type))
    return createStringError(
        "--keep: expected --weight-type=int8 or int4 with it");
  options.weightType = choice.type;
  options.weightGroup = choice.group;
  options.keep = keep;
  return Error::success();
}

// Sets what a text says, name or auto:error; false if it says nothing.
static bool parseArithmetic(StringRef text, ImportOptions &options) {
  auto [name, error] = text.split(':');
  for (Arithmetic known : {Arithmetic::F32, Arithmetic::BF16, Arithmetic::Int16,
                           Arithmetic::Int8, Arithmetic::Auto})
    if (name == arithmeticName(known)) {
      options.arithmetic = known;
      return name == text ||
             (known == Arithmetic::Auto &&
              !error.getAsDouble(options.largestInputError) &&
              options.largestInputError >= 0 && options.largestInputError <= 1);
    }
  return false;
}

OptionValues::Kind heddle::arithmeticKind() {
  return {"one of f32, bf16, int16, int8, auto, or auto with the largest "
          "relative error of inputs, as auto:0.01",
          [](StringRef text) {
            ImportOptions options;
            return parseArithmetic(text, options);
          }};
}

void heddle::setArithmetic(ImportOptions &options, StringRef text) {
  parseArithmetic(text, options);
}

std::string heddle::weightTypeText(const ImportOptions &options) {
  std::string text = weightTypeName(options.weightType).str();
  if (options.weightGroup > 0)
    text += ":" + std::to_string(options.weightGroup);
  return text;
}

static std::optional<CacheElement> findCacheElement(StringRef text) {
  for (CacheElement known : {CacheElement::F32, CacheElement::BF16,
                             CacheElement::F16, CacheElement::Int8})
    if (text == cacheElementName(known))
      return known;
  return std::nullopt;
}

OptionValues::Kind heddle::cacheTypeKind() {
  return {"one of f32, bf16, f16, int8",
          [](StringRef text) { return findCacheElement(text).has_value(); }};
}

void heddle::setCacheType(ImportOptions &options, StringRef text) {
  options.cacheElement = findCacheElement(text);
}
