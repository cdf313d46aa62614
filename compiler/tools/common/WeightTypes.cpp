// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/common/WeightTypes.h"

using namespace llvm;
using namespace heddle;

namespace {
struct Name {
  StringLiteral text;
  WeightType type;
  int64_t group; ///< where the text names none
};
} // namespace

static constexpr Name names[] = {
    {"stored", WeightType::Keep, 0}, {"f32", WeightType::F32, 0},
    {"bf16", WeightType::BF16, 0},   {"f16", WeightType::F16, 0},
    {"int8", WeightType::Int8, 0},   {"int4", WeightType::Int4, 32},
};

// name or name:group
static std::optional<Name> parse(StringRef text) {
  StringRef name, group;
  std::tie(name, group) = text.split(':');
  const Name *known =
      find_if(names, [&](const Name &known) { return known.text == name; });
  if (known == std::end(names))
    return std::nullopt;
  Name found = *known;
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
  Name name = *parse(text);
  if (!keep.empty() && !isInteger(name.type))
    return createStringError(
        "--keep: expected --weight-type=int8 or int4 with it");
  options.weightType = name.type;
  options.weightGroup = name.group;
  options.keep = keep;
  return Error::success();
}

std::string heddle::weightTypeText(const ImportOptions &options) {
  std::string text(find_if(names, [&](const Name &known) {
                     return known.type == options.weightType;
                   })->text);
  if (options.weightGroup > 0)
    text += ":" + std::to_string(options.weightGroup);
  return text;
}
