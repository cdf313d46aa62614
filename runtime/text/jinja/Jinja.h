// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Jinja (jinja.palletsprojects.com, version 3) as Hugging Face transformers
// sets it up for chat templates: trim_blocks and lstrip_blocks, break and
// continue, its own functions and tojson, and a sandbox in which values do not
// change. chat-templates.md says what is refused.

#ifndef HEDDLE_TEXT_JINJA_JINJA_H
#define HEDDLE_TEXT_JINJA_JINJA_H

#include "runtime/text/jinja/Tree.h"

#include <ctime>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace heddle::text {

/// JSON whose objects keep their fields in order, as Python does.
using OrderedJson = nlohmann::ordered_json;

/// A template. Immutable.
class Jinja {
public:
  /// `where` starts each message. Whatever is not known throws a Failure that
  /// names it and its line.
  Jinja(std::string_view source, std::string where);

  /// The text for these variables, an object, at the time `now`. Undefined
  /// ones are empty, as Jinja has it. At most 16 MiB of text and of each value,
  /// a million steps, and 256 MiB that all of them together look at or make.
  std::string render(const OrderedJson &variables, std::time_t now) const;

private:
  std::string where;
  jinja::Nodes nodes;
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_JINJA_JINJA_H
