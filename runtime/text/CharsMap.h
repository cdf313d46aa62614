// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The replacements that a SentencePiece model has compiled its normalization
// to.

#ifndef HEDDLE_TEXT_CHARSMAP_H
#define HEDDLE_TEXT_CHARSMAP_H

#include "runtime/text/Budget.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::text {

/// A "precompiled_charsmap": a trie of texts, as a double array (Darts), and
/// what replaces each. Applied as in spm_precompiled 0.1, which Hugging Face
/// tokenizers use; SentencePiece itself takes the longest match at each place.
/// Immutable.
class CharsMap {
public:
  /// `bytes` are the size of the trie in bytes, the trie, and the replacements,
  /// each with a zero behind it. `where` starts each message.
  CharsMap(std::string_view bytes, std::string where);

  std::string run(std::string_view text, GrowingText &grown) const;

private:
  std::optional<std::string_view> replacementOf(std::string_view text) const;
  [[noreturn]] void failDamaged() const;

  std::string where;
  std::vector<uint32_t> units;
  std::string replacements;
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_CHARSMAP_H
