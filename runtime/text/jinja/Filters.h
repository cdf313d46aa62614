// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The tables of filters, one for each concern.

#ifndef HEDDLE_TEXT_JINJA_FILTERS_H
#define HEDDLE_TEXT_JINJA_FILTERS_H

#include "runtime/text/jinja/Arguments.h"

namespace heddle::text::jinja {

struct FilterCall {
  Context &context;
  const std::string &name;
  const Value &operand;
  const Arguments &arguments;

  /// The operand as str() makes it; a text stays as it is.
  Value text() const;
};

using FilterTable = std::map<std::string, Value (*)(const FilterCall &)>;

const FilterTable &textFilters();
const FilterTable &markupFilters();
const FilterTable &numberFilters();
const FilterTable &sequenceFilters();
const FilterTable &orderFilters();
const FilterTable &selectionFilters();

/// As textwrap.wrap() of Python, without tabs and white space that it changes.
std::vector<std::string> wrapWords(Context &context, const std::string &line,
                                   int64_t width, bool breaksWords,
                                   bool breaksAtHyphens);

} // namespace heddle::text::jinja

#endif // HEDDLE_TEXT_JINJA_FILTERS_H
