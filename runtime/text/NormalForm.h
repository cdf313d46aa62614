// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The normal forms of Unicode.

#ifndef HEDDLE_TEXT_NORMALFORM_H
#define HEDDLE_TEXT_NORMALFORM_H

#include "runtime/text/Budget.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unicode/normalizer2.h>

namespace heddle::text {

/// A normal form of the characters of Unicode 9, and all others as they are:
/// that is what unicode-normalization-alignments 0.1 does, by which Hugging
/// Face tokenizers normalize. Immutable.
class NormalForm {
public:
  /// `name` is NFC, NFD, NFKC or NFKD; none for others.
  static std::optional<NormalForm> named(const std::string &name);

  std::string of(std::string_view text, Budget &budget,
                 GrowingText &grown) const;

private:
  explicit NormalForm(const icu::Normalizer2 &newest);

  std::shared_ptr<const icu::Normalizer2> form;
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_NORMALFORM_H
