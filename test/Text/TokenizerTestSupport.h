// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the tests of tokenizers share: folders with tokenizer files, and the C
// API in short forms, with vectors and strings for what it hands out.

#ifndef HEDDLE_TEST_TEXT_TOKENIZERTESTSUPPORT_H
#define HEDDLE_TEST_TEXT_TOKENIZERTESTSUPPORT_H

#include "runtime/text/heddle_text.h"
#include "test/TemporaryFolder.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::test {

using Ids = std::vector<int32_t>;
using Texts = std::vector<std::string>;

inline std::string readFile(const std::string &path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return content.str();
}

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

inline bool startsWith(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

/// What a call gave: a value, or a message.
template <typename T> struct Result {
  heddle_status status = HEDDLE_OK;
  std::string message;
  T value = T();

  /// Takes over how a call went.
  Result &operator=(heddle_status ended) {
    EXPECT_EQ(ended, error.status);
    EXPECT_EQ(ended == HEDDLE_OK, error.message[0] == '\0');
    status = ended;
    message = error.message;
    return *this;
  }
  heddle_error error = {};
};

/// The value; a failed expectation and an empty value for an error.
template <typename T> T good(Result<T> result) {
  EXPECT_EQ(result.status, HEDDLE_OK) << result.message;
  return std::move(result.value);
}

/// The error's message; empty for a value.
template <typename T> std::string messageOf(const Result<T> &result) {
  return result.message;
}

/// The ids of two texts, and the text that each belongs to.
struct EncodedPair {
  Ids ids;
  Ids types;
};

class Tokenizer {
public:
  static Result<std::unique_ptr<Tokenizer>>
  fromFolder(const std::string &folder) {
    Result<std::unique_ptr<Tokenizer>> result;
    heddle_tokenizer *handle = nullptr;
    result = heddle_tokenizer_open(folder.c_str(), &handle, &result.error);
    EXPECT_EQ(handle != nullptr, result.status == HEDDLE_OK);
    if (handle)
      result.value.reset(new Tokenizer(handle));
    return result;
  }

  ~Tokenizer() { heddle_tokenizer_close(handle); }
  Tokenizer(const Tokenizer &) = delete;

  Result<Ids> encode(std::string_view text, bool addSpecial = true) const {
    Result<Ids> result;
    int32_t *ids = nullptr;
    size_t count = 0;
    result = heddle_tokenizer_encode(handle, text.data(), text.size(),
                                     addSpecial, &ids, &count, &result.error);
    EXPECT_EQ(ids != nullptr, result.status == HEDDLE_OK);
    result.value.assign(ids, ids + count);
    heddle_text_free(ids);
    return result;
  }

  Result<EncodedPair>
  encodePair(std::string_view first, std::optional<std::string_view> second,
             heddle_encode_options options = HEDDLE_ENCODE_OPTIONS) const {
    Result<EncodedPair> result;
    int32_t *ids = nullptr, *types = nullptr;
    size_t count = 0;
    result = heddle_tokenizer_encode_pair(handle, first.data(), first.size(),
                                          second ? second->data() : nullptr,
                                          second ? second->size() : 0, &options,
                                          &ids, &types, &count, &result.error);
    EXPECT_EQ(ids != nullptr, result.status == HEDDLE_OK);
    result.value.ids.assign(ids, ids + count);
    result.value.types.assign(types, types + count);
    heddle_text_free(ids);
    heddle_text_free(types);
    return result;
  }

  Result<std::string> decode(const Ids &ids) const {
    Result<std::string> result;
    char *text = nullptr;
    size_t size = 0;
    result = heddle_tokenizer_decode(handle, ids.data(), ids.size(), &text,
                                     &size, &result.error);
    EXPECT_EQ(text != nullptr, result.status == HEDDLE_OK);
    if (text) {
      EXPECT_EQ(text[size], '\0');
      result.value.assign(text, size);
    }
    heddle_text_free(text);
    return result;
  }

  /// Whether the id stands for no text.
  bool omits(int32_t id) const { return good(decode({id})).empty(); }

  int32_t vocabularySize() const { return heddle_tokenizer_vocabulary(handle); }

  heddle_tokenizer *const handle;

private:
  explicit Tokenizer(heddle_tokenizer *handle) : handle(handle) {}
};

class TokenStream {
public:
  explicit TokenStream(const Tokenizer &tokenizer, const Ids &before = {}) {
    heddle_error error;
    EXPECT_EQ(heddle_text_stream_create(tokenizer.handle, before.data(),
                                        before.size(), &handle, &error),
              HEDDLE_OK)
        << error.message;
  }
  ~TokenStream() { heddle_text_stream_destroy(handle); }
  TokenStream(const TokenStream &) = delete;

  Result<std::string> push(int32_t id) {
    Result<std::string> result;
    const char *piece = nullptr;
    size_t size = 0;
    result = heddle_text_stream_push(handle, id, &piece, &size, &result.error);
    result.value.assign(piece, size);
    return result;
  }

  Result<std::string> finish() {
    Result<std::string> result;
    const char *piece = nullptr;
    size_t size = 0;
    result = heddle_text_stream_finish(handle, &piece, &size, &result.error);
    result.value.assign(piece, size);
    return result;
  }

private:
  heddle_text_stream *handle = nullptr;
};

inline Result<std::unique_ptr<Tokenizer>>
parseTokenizer(std::string_view json) {
  TemporaryFolder folder;
  folder.write("tokenizer.json", json);
  return Tokenizer::fromFolder(folder.path());
}

/// What a stream returns for each id, and at its end.
inline Texts stream(const Tokenizer &tokenizer, const Ids &ids,
                    const Ids &before = {}) {
  TokenStream stream(tokenizer, before);
  Texts texts;
  for (int32_t id : ids)
    texts.push_back(good(stream.push(id)));
  texts.push_back(good(stream.finish()));
  return texts;
}

inline std::string join(const Texts &texts) {
  std::string joined;
  for (const std::string &text : texts)
    joined += text;
  return joined;
}

} // namespace heddle::test

#endif // HEDDLE_TEST_TEXT_TOKENIZERTESTSUPPORT_H
