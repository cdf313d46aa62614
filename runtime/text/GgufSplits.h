// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How byte-level tokenizers in GGUF files cut texts, which such a file has as
// the name of a tokenizer.

#ifndef HEDDLE_TEXT_GGUFSPLITS_H
#define HEDDLE_TEXT_GGUFSPLITS_H

#include <string>
#include <vector>

namespace heddle::text {

struct GgufSplits {
  /// Expressions of which each cuts what the one before it leaves.
  std::vector<const char *> expressions;
  /// A piece that is a token is that, whatever merges say.
  bool ignoresMerges = false;
  /// A start token stands before texts, where a file does not say so.
  bool addsStart = false;
  /// Texts are brought to normal form C first.
  bool isNFC = false;
};

/// Null where `name` (`tokenizer.ggml.pre`) is not known.
const GgufSplits *findGgufSplits(const std::string &name);

/// All names, separated by commas.
std::string ggufSplitNames();

} // namespace heddle::text

#endif // HEDDLE_TEXT_GGUFSPLITS_H
