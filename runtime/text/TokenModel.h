// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The third step of tokenization: turns one piece of text into ids.

#ifndef HEDDLE_TEXT_TOKENMODEL_H
#define HEDDLE_TEXT_TOKENMODEL_H

#include "runtime/text/Budget.h"
#include "runtime/text/Vocabulary.h"

#include <memory>

namespace heddle::text {

/// The "model" of a tokenizer.json. Immutable.
class TokenModel {
public:
  /// `where` starts each message.
  static std::unique_ptr<TokenModel> fromJson(const Json &model,
                                              const std::string &where);

  virtual ~TokenModel();

  /// Appends the ids of `piece` (UTF-8).
  virtual void encode(std::string_view piece, std::vector<int32_t> &ids,
                      Budget &budget) const = 0;

  const Vocabulary vocabulary;

protected:
  explicit TokenModel(Vocabulary vocabulary)
      : vocabulary(std::move(vocabulary)) {}
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_TOKENMODEL_H
