// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The part of Jinja (jinja.palletsprojects.com, version 3) that chat templates
// are written in, with the options that Hugging Face transformers sets:
// trim_blocks and lstrip_blocks.

#ifndef HEDDLE_TEXT_JINJA_JINJA_H
#define HEDDLE_TEXT_JINJA_JINJA_H

#include "runtime/text/Json.h"
#include "runtime/text/jinja/Tree.h"

#include <string>
#include <string_view>

namespace heddle::text {

/// A template. Immutable.
class Jinja {
public:
  /// `where` starts each message. Whatever is not known throws a Failure that
  /// names it and its line.
  Jinja(std::string_view source, std::string where);

  /// The text for these variables, an object. Undefined ones are empty, as
  /// Jinja has it. At most 16 MiB of text and of each value, a million steps,
  /// and 256 MiB that all of them together look at or make.
  std::string render(const Json &variables) const;

private:
  std::string where;
  jinja::Nodes nodes;
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_JINJA_JINJA_H
