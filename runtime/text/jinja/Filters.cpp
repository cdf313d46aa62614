// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/jinja/Filters.h"

#include "runtime/text/jinja/Functions.h"
#include "runtime/text/jinja/Printing.h"

using namespace heddle::text;
using namespace heddle::text::jinja;

Value FilterCall::text() const {
  return operand.isText() ? operand : Value(textOfAny(context, operand));
}

Value jinja::applyFilter(Context &context, const std::string &name,
                         const Value &operand, const Arguments &arguments) {
  addWorkOfTexts(context, operand, arguments);
  for (const FilterTable *table :
       {&textFilters(), &sequenceFilters(), &selectionFilters(),
        &orderFilters(), &numberFilters(), &markupFilters()})
    if (auto found = table->find(name); found != table->end())
      return found->second({context, name, operand, arguments});
  if (name == "random")
    throw Refusal{"the filter 'random' is not supported: it is random"};
  throw Refusal{"the filter '" + name + "' is not supported"};
}
