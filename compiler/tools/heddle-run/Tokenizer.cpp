// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddle-run/Tokenizer.h"

#include "compiler/tools/heddle-run/HuggingFaceTokenizer.h"
#include "compiler/tools/heddle-run/SentencePieceTokenizer.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace heddle;

Tokenizer::~Tokenizer() = default;

Expected<std::unique_ptr<Tokenizer>> Tokenizer::fromFolder(StringRef folder) {
  SmallString<128> path(folder);
  sys::path::append(path, "tokenizer.json");
  if (sys::fs::exists(path))
    return HuggingFaceTokenizer::fromFile(path);
  sys::path::remove_filename(path);
  sys::path::append(path, "tokenizer.model");
  if (sys::fs::exists(path))
    return loadSentencePiece(folder);
  if (!sys::fs::is_directory(folder))
    return createStringError(folder + ": no such folder");
  return createStringError(folder + ": expected 'tokenizer.json' or "
                                    "'tokenizer.model', found neither");
}

//===-- TokenStream -------------------------------------------------------===//

// A character has at most four bytes and a token at least one, so a character
// that is still incomplete lies in the last three tokens.
static constexpr size_t longestIncomplete = 3;

static constexpr StringRef replacementCharacter = "\xEF\xBF\xBD";

TokenStream::TokenStream(const Tokenizer &tokenizer, ArrayRef<int32_t> before)
    : tokenizer(tokenizer), context(before.begin(), before.end()) {}

/// The text of the first `count` pending ids, which become the context.
///
/// A token's text depends on what precedes it: the first one of a text loses a
/// space, byte tokens join into one character. So it is decoded behind the
/// context, and the context's own text taken off.
Expected<std::string> TokenStream::take(size_t count) {
  std::vector<int32_t> taken(pending.begin(), pending.begin() + count);
  Expected<std::string> shown = tokenizer.decode(context);
  if (!shown)
    return shown.takeError();
  context.insert(context.end(), taken.begin(), taken.end());
  Expected<std::string> text = tokenizer.decode(context);
  if (!text)
    return text.takeError();
  context = std::move(taken);
  pending.erase(pending.begin(), pending.begin() + count);
  if (StringRef(*text).starts_with(*shown))
    return text->substr(shown->size());
  // New byte tokens made a run invalid that was valid as far as it was shown.
  return tokenizer.decode(context);
}

Expected<std::string> TokenStream::push(int32_t id) {
  if (id >= 0 && tokenizer.isOmitted(id))
    return std::string();
  pending.push_back(id);

  std::vector<int32_t> ids = context;
  ids.insert(ids.end(), pending.begin(), pending.end());
  Expected<std::string> text = tokenizer.decode(ids);
  if (!text) {
    pending.pop_back();
    return text.takeError();
  }
  if (!StringRef(*text).ends_with(replacementCharacter))
    return take(pending.size());
  if (pending.size() > longestIncomplete)
    return take(pending.size() - longestIncomplete);
  return std::string();
}

Expected<std::string> TokenStream::finish() {
  Expected<std::string> text = take(pending.size());
  context.clear();
  return text;
}
