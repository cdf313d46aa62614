// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/common/NamedValue.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

Expected<std::pair<StringRef, StringRef>> heddle::splitPair(StringRef text,
                                                            StringRef option) {
  auto [name, value] = text.split('=');
  if (name.empty() || value.empty())
    return createStringError("--" + option + " is '" + text +
                             "', expected name=value");
  return std::pair(name, value);
}

Expected<std::map<std::string, int64_t>>
heddle::parseSizes(ArrayRef<std::string> texts) {
  std::map<std::string, int64_t> values;
  for (const std::string &text : texts) {
    auto pair = splitPair(text, "size");
    if (!pair)
      return pair.takeError();
    auto [name, digits] = *pair;
    int64_t value;
    if (digits.getAsInteger(10, value))
      return createStringError("size '" + name + "' is '" + digits +
                               "', expected an integer");
    if (!values.emplace(name, value).second)
      return createStringError("size '" + name + "' is given twice");
  }
  return values;
}

Expected<std::map<std::string, int64_t>>
heddle::parseSizes(ArrayRef<std::string> texts, StringRef model,
                   ArrayRef<StringRef> known) {
  Expected<std::map<std::string, int64_t>> values = parseSizes(texts);
  if (!values)
    return values;
  SetVector<StringRef> names(known.begin(), known.end());
  for (const auto &[name, value] : *values)
    if (!names.contains(name))
      return createStringError(
          "model '" + model + "' has no size '" + name + "'" +
          (names.empty() ? ", nor any other"
                         : ", expected one of: " + join(names, ", ")));
  return values;
}
