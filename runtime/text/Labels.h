// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a classifier's logits stand for.

#ifndef HEDDLE_TEXT_LABELS_H
#define HEDDLE_TEXT_LABELS_H

#include "runtime/text/heddle_text.h"

#include <string>
#include <vector>

namespace heddle::text {

class FileSet;

struct Labels {
  /// `id2label` of config.json, by number; empty where it has none, or not one
  /// for each number.
  std::vector<std::string> names;
  heddle_problem problem = HEDDLE_PROBLEM_ONE_LABEL;
};

Labels readLabels(const FileSet &files);

/// As transformers' text-classification pipeline has them.
void probabilitiesOf(heddle_problem problem, const float *logits, size_t count,
                     double *probabilities);

} // namespace heddle::text

#endif // HEDDLE_TEXT_LABELS_H
