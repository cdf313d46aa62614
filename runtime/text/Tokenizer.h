// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Text to token ids and back, for the tokenizer files that come with a model.

#ifndef HEDDLE_TEXT_TOKENIZER_H
#define HEDDLE_TEXT_TOKENIZER_H

#include "runtime/text/PostProcessor.h"
#include "runtime/text/TokenizerConfig.h"
#include "runtime/text/Truncation.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::text {

class FileSet;

/// What is to be encoded, and how.
struct EncodeRequest {
  std::string_view first;
  /// None for a text alone.
  std::optional<std::string_view> second = std::nullopt;
  /// Adds what the tokenizer's files put around texts, such as a start token.
  bool addSpecial = true;
  Truncation truncation = {};
};

/// A model's tokenizer. Immutable: any number of threads may use one.
class Tokenizer {
public:
  /// Reads tokenizer.json (Hugging Face) or, where there is none,
  /// tokenizer.model (SentencePiece), or the files of a class of transformers.
  /// Whatever a file asks for that is not implemented is an error that names
  /// it: a tokenizer that loads gives the ids of its reference implementation.
  static std::unique_ptr<Tokenizer> fromFiles(const FileSet &files);

  virtual ~Tokenizer();

  /// The ids of a text or of two, which must be UTF-8.
  Encoding encode(const EncodeRequest &request) const;

  /// The text of `ids`, always UTF-8: bytes that are not become U+FFFD. Omits
  /// special tokens and ids without a token (models pad their vocabulary); a
  /// negative id is an error.
  virtual std::string decode(const std::vector<int32_t> &ids) const = 0;

  /// Whether decode() omits `id`: a special token, or an id without a token.
  virtual bool isOmitted(int32_t id) const = 0;

  /// One more than the largest id.
  virtual int32_t vocabularySize() const = 0;

  /// The id of the token that the tokenizer's files call `token`, if there is
  /// one.
  virtual std::optional<int32_t> idOf(const std::string &token) const = 0;

  /// How many ids the model takes, as its files say: `model_max_length` of
  /// tokenizer_config.json, or else `truncation` of tokenizer.json. 0 where
  /// they are silent.
  int64_t maximumLength() const { return truncationConfig.maximumLength; }

protected:
  Tokenizer() = default;

  /// The ids of a text alone, without those around it.
  virtual std::vector<int32_t> idsOf(std::string_view text) const = 0;

  PostProcessor postProcessor;
  TruncationConfig truncationConfig;
};

/// Decodes ids that arrive one by one into text that can be shown at once.
///
/// What it returns, joined, is decode() of all ids, with one exception: where
/// byte tokens follow each other, one that is not UTF-8 makes decode() replace
/// the whole run, of which the valid start was already shown here.
class TokenStream {
public:
  /// `before` are the ids that precede the first pushed one, such as a
  /// prompt's. Their text is not returned, but some decoders treat the first
  /// token of a text in a special way. `tokenizer` must outlive this.
  TokenStream(const Tokenizer &tokenizer, std::vector<int32_t> before);

  /// The text that `id` completes, possibly none. Never ends inside a
  /// character.
  std::string push(int32_t id);

  /// What is left at the end, with U+FFFD for an incomplete character. The
  /// stream is empty afterwards and can be used again.
  std::string finish();

private:
  std::string take(size_t count);

  const Tokenizer &tokenizer;
  /// The ids whose text was returned last.
  std::vector<int32_t> context;
  /// The ids whose text was not returned yet.
  std::vector<int32_t> pending;
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_TOKENIZER_H
