// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddle-run/TokenizerJson.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace heddle;

Error TokenizerComponent::unknownType(StringRef implemented) const {
  JsonFields fields(object, where);
  fields.fail("type", "one of " + implemented);
  return fields.takeError();
}

Error heddle::forEachComponent(
    const json::Value *value, const std::string &where, StringRef list,
    function_ref<Error(const TokenizerComponent &)> visit) {
  if (!value || value->kind() == json::Value::Null)
    return Error::success();
  const json::Object *object = value->getAsObject();
  if (!object)
    return createStringError(where + ": expected an object or null, got " +
                             describe(*value));
  JsonFields fields(*object, where);
  StringRef type = fields.text("type");
  if (fields.failed() || type != "Sequence") {
    if (Error error = fields.takeError())
      return error;
    return visit({type, *object, where});
  }
  const json::Array *components = object->getArray(list);
  if (!components)
    fields.fail(list, "an array");
  rejectUnknownFields(fields, *object, {"type", list});
  if (Error error = fields.takeError())
    return error;
  for (const auto &[index, component] : enumerate(*components)) {
    std::string inside = (where + "." + list + "[" + Twine(index) + "]").str();
    if (Error error = forEachComponent(&component, inside, list, visit))
      return error;
  }
  return Error::success();
}

void heddle::rejectUnknownFields(JsonFields &fields, const json::Object &object,
                                 ArrayRef<StringRef> known) {
  for (StringRef key : sortedKeys(object))
    if (!is_contained(known, key))
      fields.rejectUnknown(key);
}

Expected<SplitPattern>
heddle::parsePattern(const TokenizerComponent &component) {
  JsonFields fields(component.object, component.where);
  const json::Object *pattern = component.object.getObject("pattern");
  if (pattern && pattern->size() == 1) {
    if (std::optional<StringRef> text = pattern->getString("String"))
      if (!text->empty())
        return SplitPattern::fromText(*text);
    if (std::optional<StringRef> expression = pattern->getString("Regex")) {
      Expected<SplitPattern> regex = SplitPattern::fromRegex(*expression);
      if (regex)
        return regex;
      return createStringError(component.where + ": field 'pattern': " +
                               toString(regex.takeError()));
    }
  }
  fields.fail("pattern", "{\"String\": text} or {\"Regex\": expression}");
  return fields.takeError();
}
