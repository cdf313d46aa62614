// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/Labels.h"

#include "runtime/text/Files.h"
#include "runtime/text/Json.h"

#include <algorithm>
#include <cmath>

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

static bool isOfIds(const Json &config) {
  auto architectures = config.find("architectures");
  if (architectures == config.end() || !architectures->is_array() ||
      architectures->empty() || !architectures->front().is_string())
    return false;
  const std::string &name =
      architectures->front().get_ref<const std::string &>();
  constexpr std::string_view end = "ForMaskedLM";
  return name.size() >= end.size() &&
         name.compare(name.size() - end.size(), end.size(), end) == 0;
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
  if (isOfIds(config))
    return {{}, HEDDLE_PROBLEM_IDS};
  return {namesIn(config), problemIn(config)};
}

void heddle::text::probabilitiesOf(heddle_problem problem, const float *logits,
                                   size_t count, double *probabilities) {
  std::copy_n(logits, count, probabilities);
  if (problem == HEDDLE_PROBLEM_REGRESSION || count == 0)
    return;
  double *end = probabilities + count;
  if (problem == HEDDLE_PROBLEM_MANY_LABELS || count == 1) {
    for (double *share = probabilities; share != end; ++share)
      *share = 1 / (1 + std::exp(-*share));
    return;
  }
  double largest = *std::max_element(probabilities, end), sum = 0;
  for (double *share = probabilities; share != end; ++share)
    sum += *share = std::exp(*share - largest);
  for (double *share = probabilities; share != end; ++share)
    *share /= sum;
}
