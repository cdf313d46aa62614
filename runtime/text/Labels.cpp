// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/Labels.h"

#include "runtime/text/Files.h"
#include "runtime/text/Json.h"

using namespace heddle::text;

static std::vector<std::string> namesIn(const Json &config) {
  std::vector<std::string> names;
  const Json *object = findObject(config, "id2label");
  for (size_t number = 0; object && number < object->size(); ++number) {
    const std::string *label = findText(*object, std::to_string(number));
    if (!label)
      return {};
    names.push_back(*label);
  }
  return names;
}

// Other kinds are of no labels.
static heddle_problem problemIn(const Json &config) {
  const std::string *type = findText(config, "problem_type");
  if (type && *type == "multi_label_classification")
    return HEDDLE_PROBLEM_MANY_LABELS;
  if (type && *type == "regression")
    return HEDDLE_PROBLEM_REGRESSION;
  return HEDDLE_PROBLEM_ONE_LABEL;
}

Labels heddle::text::readLabels(const FileSet &files) {
  constexpr const char *file = "config.json";
  if (!files.has(file))
    return {};
  Json config = readJsonFile(files, file);
  return {namesIn(config), problemIn(config)};
}
