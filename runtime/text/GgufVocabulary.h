// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The vocabulary of a GGUF file: its keys tokenizer.ggml.*, with types checked.

#ifndef HEDDLE_TEXT_GGUFVOCABULARY_H
#define HEDDLE_TEXT_GGUFVOCABULARY_H

#include "runtime/text/GgufHeader.h"
#include "runtime/text/Json.h"

#include <set>

namespace heddle::text {

class GgufVocabulary {
public:
  /// `path` starts each message. `header` must outlive this.
  GgufVocabulary(const gguf::Header &header, std::string path);

  /// What `token_type` tells of a token.
  enum class Kind { Normal = 1, Unknown, Control, UserDefined, Unused, Byte };

  int64_t size() const { return int64_t(tokens.size()); }
  const std::string &token(int64_t id) const { return tokens[id]; }
  Kind kind(int64_t id) const {
    return kinds.empty() ? Kind::Normal : kinds[id];
  }
  /// Ids by token, of those that a model of text may give.
  Json ids() const;
  /// Tokens that are found before anything else. `stripsRight` says that they
  /// take the white space behind them, as Phi-3's do.
  Json addedTokens(bool stripsRight) const;
  /// An error where there is a key that nothing has asked for.
  void rejectUnasked() const;

  bool has(const std::string &name) const {
    return header.has("tokenizer.ggml." + name);
  }
  // Null where there is no such key.
  template <typename T> const T *find(const std::string &name) const {
    asked.insert(name);
    return header.find<T>("tokenizer.ggml." + name);
  }
  /// A bool, or `fallback` where there is none.
  bool flag(const std::string &name, bool fallback) const;
  /// A string, empty where there is none.
  std::string text(const std::string &name) const;
  /// Numbers of as many elements as there are tokens.
  const std::vector<double> &scores() const;
  const std::vector<std::string> &merges() const;
  /// The id of `name`_token_id, if it is one of the vocabulary's.
  std::optional<int64_t> idOf(const std::string &name) const;
  /// The token of that id.
  std::optional<std::string> special(const std::string &name) const;

  [[noreturn]] void fail(const std::string &name,
                         const std::string &expected) const;

private:
  const gguf::Header &header;
  std::string path;
  std::vector<std::string> tokens;
  std::vector<Kind> kinds;
  mutable std::set<std::string> asked; ///< keys without what all begin with
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_GGUFVOCABULARY_H
