// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a classifier's logits stand for.

#ifndef HEDDLE_TEXT_LABELS_H
#define HEDDLE_TEXT_LABELS_H

#include <string>
#include <vector>

namespace heddle::text {

class FileSet;

/// `id2label` of config.json, by number; empty where it has none.
std::vector<std::string> readLabels(const FileSet &files);

} // namespace heddle::text

#endif // HEDDLE_TEXT_LABELS_H
