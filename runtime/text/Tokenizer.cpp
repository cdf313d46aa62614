// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/Tokenizer.h"

#include "runtime/text/Files.h"
#include "runtime/text/HuggingFaceTokenizer.h"
#include "runtime/text/SentencePieceTokenizer.h"
#include "runtime/text/TokenizerConfig.h"
#include "runtime/text/TokenizerFolder.h"

using namespace heddle::text;

Tokenizer::~Tokenizer() = default;

static std::unique_ptr<Tokenizer> readTokenizer(const FileSet &files) {
  if (files.has("tokenizer.json"))
    return HuggingFaceTokenizer::fromFiles(files);
  if (files.has("tokenizer.model"))
    return loadSentencePiece(files);
  if (isTokenizerFolder(files))
    return loadTokenizerFolder(files);
  throw files.missing("'tokenizer.json', 'tokenizer.model' or a vocabulary "
                      "such as 'vocab.txt', found none");
}

std::unique_ptr<Tokenizer> Tokenizer::fromFiles(const FileSet &files) {
  std::unique_ptr<Tokenizer> tokenizer = readTokenizer(files);
  readTruncation(files, tokenizer->truncationConfig);
  return tokenizer;
}

Encoding Tokenizer::encode(const EncodeRequest &request) const {
  auto [text, secondText, addSpecial, truncation] = request;
  std::vector<int32_t> first = idsOf(text), ofSecond, *second = nullptr;
  size_t size = text.size();
  if (secondText) {
    ofSecond = idsOf(*secondText);
    second = &ofSecond;
    size += secondText->size();
  }
  size_t added = addSpecial ? postProcessor.added(second != nullptr) : 0;
  truncate(truncation, truncationConfig.atBegin, added, first, second);
  return postProcessor.apply(first, second, addSpecial, Budget(size));
}

//===-- TokenStream -------------------------------------------------------===//

// A character has at most four bytes and a token at least one, so a character
// that is still incomplete lies in the last three tokens.
static constexpr size_t longestIncomplete = 3;

static constexpr std::string_view replacementCharacter = "\xEF\xBF\xBD";

static bool endsWithReplacement(std::string_view text) {
  size_t size = replacementCharacter.size();
  return text.size() >= size &&
         text.substr(text.size() - size) == replacementCharacter;
}

TokenStream::TokenStream(const Tokenizer &tokenizer,
                         std::vector<int32_t> before)
    : tokenizer(tokenizer), context(std::move(before)) {
  tokenizer.decode(context); // fails for ids that are none
}

/// The text of the first `count` pending ids, which become the context.
///
/// A token's text depends on what precedes it: the first one of a text loses a
/// space, byte tokens join into one character. So it is decoded behind the
/// context, and the context's own text taken off.
std::string TokenStream::take(size_t count) {
  std::vector<int32_t> taken(pending.begin(), pending.begin() + count);
  std::vector<int32_t> all = context;
  all.insert(all.end(), taken.begin(), taken.end());
  std::string shown = tokenizer.decode(context);
  std::string text = tokenizer.decode(all);
  // New byte tokens may make a run invalid that was valid as far as it was
  // shown.
  if (text.compare(0, shown.size(), shown) == 0)
    text.erase(0, shown.size());
  else
    text = tokenizer.decode(taken);
  context = std::move(taken);
  pending.erase(pending.begin(), pending.begin() + count);
  return text;
}

std::string TokenStream::push(int32_t id) {
  if (id >= 0 && tokenizer.isOmitted(id))
    return {};
  std::vector<int32_t> ids = context;
  ids.insert(ids.end(), pending.begin(), pending.end());
  ids.push_back(id);
  std::string text = tokenizer.decode(ids);

  pending.push_back(id);
  if (!endsWithReplacement(text))
    return take(pending.size());
  if (pending.size() > longestIncomplete)
    return take(pending.size() - longestIncomplete);
  return {};
}

std::string TokenStream::finish() {
  std::string text = take(pending.size());
  context.clear();
  return text;
}
