// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the readers of tokenizer.json's components share.

#ifndef HEDDLE_TEXT_TOKENIZERJSON_H
#define HEDDLE_TEXT_TOKENIZERJSON_H

#include "runtime/text/Json.h"
#include "runtime/text/SplitPattern.h"

#include <functional>

namespace heddle::text {

/// One component of tokenizer.json: an object with a "type".
struct TokenizerComponent {
  std::string type;
  const Json &object;
  /// Starts each message: "tokenizer.json: decoder.decoders[2]".
  std::string where;

  /// Fails with a list of the types that are implemented.
  [[noreturn]] void unknownType(const std::string &implemented) const;
};

/// Calls `visit` for the components that `value` stands for, in order: none for
/// null, those in field `list` for a "Sequence", however nested. More than 64
/// are an error: each costs time, however short a text is.
void forEachComponent(
    const Json *value, const std::string &where, const char *list,
    const std::function<void(const TokenizerComponent &)> &visit);

/// The field "pattern": {"String": text} or {"Regex": expression}.
SplitPattern parsePattern(const TokenizerComponent &component);

} // namespace heddle::text

#endif // HEDDLE_TEXT_TOKENIZERJSON_H
