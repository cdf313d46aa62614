// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The added tokens of a folder without a tokenizer.json.

#ifndef HEDDLE_TEXT_FOLDERTOKENS_H
#define HEDDLE_TEXT_FOLDERTOKENS_H

#include "runtime/text/Json.h"
#include "runtime/text/Vocabulary.h"

#include <map>

namespace heddle::text {

/// A special token of a class: the field that may name another, and the token
/// where it does not.
struct SpecialTokenDefault {
  const char *field;
  const char *content;
  /// Takes the white space on its left with it, where the field has no flags.
  bool lstrip = false;
};

/// Collects the tokens that are found in a text before anything else, as
/// transformers numbers them: those of `added_tokens_decoder` in
/// tokenizer_config.json or else of added_tokens.json, then those of the class,
/// then special ones.
class FolderTokens {
public:
  FolderTokens(const FileSet &files, const Vocabulary &vocabulary);

  /// Adds a special token, unless it is there.
  void add(const std::string &content, bool lstrip = false,
           bool rstrip = false);

  /// Adds the special tokens, and those of `additional_special_tokens`.
  void addSpecial(const std::vector<SpecialTokenDefault> &defaults);

  /// The id of a special token by its field.
  int32_t idOf(const std::string &field) const;
  /// The id of a token that the class needs.
  int32_t idOfToken(const std::string &content) const;
  const std::string &contentOf(const std::string &field) const;

  /// As "added_tokens" of a tokenizer.json has them.
  const Json &list() const { return tokens; }
  /// tokenizer_config.json.
  const Json &config() const { return configuration; }
  Fields fields() const { return Fields(configuration, path); }

private:
  void readDecoder();
  void readAddedTokens(const FileSet &files);
  void append(Json token);

  const Vocabulary &vocabulary;
  Json configuration;
  std::string path;
  Json tokens = Json::array();
  struct Place {
    int32_t id;
    /// In `tokens`.
    size_t index;
  };
  std::map<std::string, Place> places;
  /// By field.
  std::map<std::string, std::string> special;
  int32_t nextId;
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_FOLDERTOKENS_H
