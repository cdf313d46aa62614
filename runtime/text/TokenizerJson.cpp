// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/TokenizerJson.h"

#include "runtime/text/Failure.h"

using namespace heddle::text;

static constexpr unsigned mostComponents = 64;

void TokenizerComponent::unknownType(const std::string &implemented) const {
  Fields(object, where).fail("type", "one of " + implemented);
}

/// As forEachComponent; `count` are those before.
static void
visitComponents(const Json *value, const std::string &where, const char *list,
                const std::function<void(const TokenizerComponent &)> &visit,
                unsigned &count) {
  if (!value || value->is_null())
    return;
  if (!value->is_object())
    throw Failure(where + ": expected an object or null, got " +
                  describe(*value));
  Fields fields(*value, where);
  std::string type = fields.text("type");
  if (type != "Sequence") {
    if (++count > mostComponents)
      throw Failure(where + ": expected at most " +
                    std::to_string(mostComponents) + " components, got more");
    return visit({type, *value, where});
  }
  const Json *components = findArray(*value, list);
  if (!components)
    fields.fail(list, "an array");
  fields.rejectOthers({"type", list});
  for (size_t index = 0; index < components->size(); ++index)
    visitComponents(&(*components)[index],
                    where + "." + list + "[" + std::to_string(index) + "]",
                    list, visit, count);
}

void heddle::text::forEachComponent(
    const Json *value, const std::string &where, const char *list,
    const std::function<void(const TokenizerComponent &)> &visit) {
  unsigned count = 0;
  visitComponents(value, where, list, visit, count);
}

SplitPattern heddle::text::parsePattern(const TokenizerComponent &component) {
  std::string where = component.where + ": field 'pattern'";
  const Json *pattern = findObject(component.object, "pattern");
  if (pattern && pattern->size() == 1) {
    const std::string *text = findText(*pattern, "String");
    if (text && !text->empty())
      return SplitPattern::fromText(*text, where);
    if (const std::string *expression = findText(*pattern, "Regex"))
      return SplitPattern::fromRegex(*expression, where);
  }
  Fields(component.object, component.where)
      .fail("pattern", "{\"String\": text} or {\"Regex\": expression}");
}
