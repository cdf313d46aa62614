// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The part of the C API about tokenizers and the text of ids.

#include "runtime/text/ApiSupport.h"
#include "runtime/text/EndIds.h"
#include "runtime/text/Files.h"
#include "runtime/text/GgufTokenizer.h"
#include "runtime/text/Labels.h"
#include "runtime/text/Utf8.h"

#include <algorithm>
#include <cstring>
#include <memory>

using namespace heddle::text;

struct heddle_text_stream {
  TokenStream implementation;
  /// What the last call has handed out.
  std::string piece;
};

/// Fills *error, where given, and returns `status`. A long message is cut, at a
/// whole character.
heddle_status heddle::text::report(heddle_error *error, heddle_status status,
                                   std::string_view message) {
  if (!error)
    return status;
  error->status = status;
  message = cutAtCharacter(message, sizeof(error->message) - 1);
  snprintf(error->message, sizeof(error->message), "%.*s", int(message.size()),
           message.data());
  return status;
}

//===-- tokenizers --------------------------------------------------------===//

static heddle_tokenizer *readTokenizer(const FileSet &files) {
  std::unique_ptr<Tokenizer> tokenizer = Tokenizer::fromFiles(files);
  std::vector<int32_t> endIds = readEndIds(files, *tokenizer);
  return new heddle_tokenizer{std::move(tokenizer), std::move(endIds),
                              readLabels(files), readSpeech(files),
                              ChatTemplate(files)};
}

static std::unique_ptr<FileSet> openFiles(const char *path) {
  if (isGgufFile(path))
    return std::make_unique<GgufFiles>(path);
  return std::make_unique<Folder>(path);
}

heddle_status heddle_tokenizer_open(const char *path,
                                    heddle_tokenizer **tokenizer,
                                    heddle_error *error) {
  return guarded({{"path", path}, {"tokenizer", tokenizer}}, error, [&] {
    *tokenizer = nullptr;
    *tokenizer = readTokenizer(*openFiles(path));
  });
}

heddle_status heddle_tokenizer_read_files(const char *path, heddle_file **files,
                                          size_t *count, heddle_error *error) {
  return guarded(
      {{"path", path}, {"files", files}, {"count", count}}, error, [&] {
        *files = nullptr;
        *count = 0;
        std::unique_ptr<FileSet> all = openFiles(path);
        std::vector<heddle_file> found;
        std::vector<std::string> contents;
        size_t size = 0;
        for (auto *name = heddle_tokenizer_file_names(); *name; ++name) {
          if (!all->has(*name))
            continue;
          contents.push_back(all->read(*name, SIZE_MAX, "a file"));
          size += contents.back().size();
          found.push_back({*name, nullptr, contents.back().size()});
        }
        // The contents follow what describes them.
        size_t head = found.size() * sizeof(heddle_file);
        std::string memory(head + size, '\0');
        char *bytes = copyOut(memory.data(), memory.size());
        char *content = bytes + head;
        for (size_t i = 0; i < found.size(); ++i) {
          std::copy(contents[i].begin(), contents[i].end(), content);
          found[i].data = content;
          content += contents[i].size();
        }
        if (head != 0)
          std::memcpy(bytes, found.data(), head);
        *files = reinterpret_cast<heddle_file *>(bytes);
        *count = found.size();
      });
}

heddle_status heddle_tokenizer_open_files(const heddle_file *files,
                                          size_t count,
                                          heddle_tokenizer **tokenizer,
                                          heddle_error *error) {
  return guarded({required("files", files, count), {"tokenizer", tokenizer}},
                 error, [&] {
                   *tokenizer = nullptr;
                   *tokenizer = readTokenizer(MemoryFiles(files, count));
                 });
}

const char *const *heddle_tokenizer_file_names(void) {
  static const char *const names[] = {"tokenizer.json",
                                      "tokenizer.model",
                                      "tokenizer_config.json",
                                      "added_tokens.json",
                                      "chat_template.jinja",
                                      "special_tokens_map.json",
                                      "config.json",
                                      "generation_config.json",
                                      "vocab.txt",
                                      "vocab.json",
                                      "merges.txt",
                                      "spiece.model",
                                      "sentencepiece.bpe.model",
                                      "source.spm",
                                      nullptr};
  return names;
}

void heddle_tokenizer_close(heddle_tokenizer *tokenizer) { delete tokenizer; }

int32_t heddle_tokenizer_vocabulary(const heddle_tokenizer *tokenizer) {
  return tokenizer ? tokenizer->implementation->vocabularySize() : 0;
}

const int32_t *heddle_tokenizer_end_ids(const heddle_tokenizer *tokenizer,
                                        size_t *count) {
  if (count)
    *count = tokenizer ? tokenizer->endIds.size() : 0;
  return tokenizer ? tokenizer->endIds.data() : nullptr;
}

heddle_status heddle_tokenizer_encode(const heddle_tokenizer *tokenizer,
                                      const char *text, size_t size,
                                      int add_special, int32_t **ids,
                                      size_t *count, heddle_error *error) {
  return guarded({{"tokenizer", tokenizer},
                  required("text", text, size),
                  {"ids", ids},
                  {"count", count}},
                 error, [&] {
                   *ids = nullptr;
                   *count = 0;
                   EncodeRequest request = {std::string_view(text, size)};
                   request.addSpecial = add_special != 0;
                   std::vector<int32_t> result =
                       tokenizer->implementation->encode(request).ids;
                   *ids = copyOut(result.data(), result.size());
                   *count = result.size();
                 });
}

static Truncation truncationOf(const heddle_encode_options &options) {
  Truncation result;
  if (options.maximum_length < 0)
    throw Failure("options.maximum_length: expected a number >= 0, got " +
                  std::to_string(options.maximum_length));
  result.maximumLength = options.maximum_length;
  switch (options.truncation) {
  case HEDDLE_TRUNCATE_LONGEST_FIRST:
    return result;
  case HEDDLE_TRUNCATE_ONLY_FIRST:
    result.strategy = TruncationStrategy::OnlyFirst;
    return result;
  case HEDDLE_TRUNCATE_ONLY_SECOND:
    result.strategy = TruncationStrategy::OnlySecond;
    return result;
  }
  throw Failure("options.truncation: expected a heddle_truncation, got " +
                std::to_string(int(options.truncation)));
}

heddle_status heddle_tokenizer_encode_pair(const heddle_tokenizer *tokenizer,
                                           const char *first, size_t first_size,
                                           const char *second,
                                           size_t second_size,
                                           const heddle_encode_options *options,
                                           int32_t **ids, int32_t **type_ids,
                                           size_t *count, heddle_error *error) {
  return guarded(
      {{"tokenizer", tokenizer},
       required("first", first, first_size),
       required("second", second, second_size),
       {"options", options},
       {"ids", ids},
       {"count", count}},
      error, [&] {
        *ids = nullptr;
        *count = 0;
        if (type_ids)
          *type_ids = nullptr;
        EncodeRequest request = {std::string_view(first, first_size)};
        if (second)
          request.second = std::string_view(second, second_size);
        request.addSpecial = options->add_special != 0;
        request.truncation = truncationOf(*options);
        Encoding result = tokenizer->implementation->encode(request);
        std::unique_ptr<int32_t, decltype(&free)> types(
            type_ids ? copyOut(result.typeIds.data(), result.typeIds.size())
                     : nullptr,
            free);
        *ids = copyOut(result.ids.data(), result.ids.size());
        *count = result.ids.size();
        if (type_ids)
          *type_ids = types.release();
      });
}

int64_t heddle_tokenizer_maximum_length(const heddle_tokenizer *tokenizer) {
  return tokenizer ? tokenizer->implementation->maximumLength() : 0;
}

heddle_status heddle_tokenizer_decode(const heddle_tokenizer *tokenizer,
                                      const int32_t *ids, size_t count,
                                      char **text, size_t *size,
                                      heddle_error *error) {
  return guarded({{"tokenizer", tokenizer},
                  required("ids", ids, count),
                  {"text", text},
                  {"size", size}},
                 error, [&] {
                   *text = nullptr;
                   *size = 0;
                   std::string result = tokenizer->implementation->decode(
                       std::vector<int32_t>(ids, ids + count));
                   *text = copyOut(result.data(), result.size());
                   *size = result.size();
                 });
}

void heddle_text_free(void *pointer) { free(pointer); }

//===-- text as it comes --------------------------------------------------===//

heddle_status heddle_text_stream_create(const heddle_tokenizer *tokenizer,
                                        const int32_t *before,
                                        size_t before_count,
                                        heddle_text_stream **stream,
                                        heddle_error *error) {
  return guarded(
      {{"tokenizer", tokenizer},
       required("before", before, before_count),
       {"stream", stream}},
      error, [&] {
        *stream = nullptr;
        *stream = new heddle_text_stream{
            TokenStream(*tokenizer->implementation,
                        std::vector<int32_t>(before, before + before_count)),
            {}};
      });
}

void heddle_text_stream_destroy(heddle_text_stream *stream) { delete stream; }

/// Hands out what `next` makes of the stream.
template <typename Next>
static heddle_status handOut(heddle_text_stream *stream, const char **piece,
                             size_t *size, heddle_error *error,
                             const Next &next) {
  return guarded({{"stream", stream}, {"piece", piece}, {"size", size}}, error,
                 [&] {
                   *piece = "";
                   *size = 0;
                   stream->piece = next(stream->implementation);
                   *piece = stream->piece.c_str();
                   *size = stream->piece.size();
                 });
}

heddle_status heddle_text_stream_push(heddle_text_stream *stream, int32_t id,
                                      const char **piece, size_t *size,
                                      heddle_error *error) {
  return handOut(stream, piece, size, error,
                 [id](TokenStream &tokens) { return tokens.push(id); });
}

heddle_status heddle_text_stream_finish(heddle_text_stream *stream,
                                        const char **piece, size_t *size,
                                        heddle_error *error) {
  return handOut(stream, piece, size, error,
                 [](TokenStream &tokens) { return tokens.finish(); });
}

//===-- conversations -----------------------------------------------------===//

int heddle_tokenizer_has_chat(const heddle_tokenizer *tokenizer) {
  return tokenizer && tokenizer->chat.isThere();
}

heddle_status heddle_tokenizer_apply_chat(const heddle_tokenizer *tokenizer,
                                          const heddle_message *messages,
                                          size_t count,
                                          int add_generation_prompt,
                                          char **text, size_t *size,
                                          heddle_error *error) {
  return guarded({{"tokenizer", tokenizer},
                  required("messages", messages, count),
                  {"text", text},
                  {"size", size}},
                 error, [&] {
                   *text = nullptr;
                   *size = 0;
                   std::string result = tokenizer->chat.apply(
                       messages, count, add_generation_prompt != 0);
                   *text = copyOut(result.data(), result.size());
                   *size = result.size();
                 });
}
