// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/Labels.h"

#include "runtime/text/Files.h"
#include "runtime/text/Json.h"

using namespace heddle::text;

std::vector<std::string> heddle::text::readLabels(const FileSet &files) {
  constexpr const char *file = "config.json", *name = "id2label";
  if (!files.has(file))
    return {};
  Json config = readJsonFile(files, file);
  Fields fields(config, files.pathOf(file));
  if (!fields.has(name))
    return {};
  const Json *object = findObject(config, name);
  if (!object)
    fields.fail(name, "an object");
  std::vector<std::string> labels;
  for (size_t number = 0; number < object->size(); ++number) {
    const std::string *label = findText(*object, std::to_string(number));
    if (!label)
      fields.fail(name, "a label for each number below " +
                            std::to_string(object->size()));
    labels.push_back(*label);
  }
  return labels;
}
