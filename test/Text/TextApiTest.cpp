// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the C API itself promises: null arguments, messages, memory, threads;
// and what is no file.

#include "test/Text/TokenizerTestSupport.h"

#include <atomic>
#include <cstring>
#include <new>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

using namespace heddle::test;

static std::atomic<size_t> allocations;

[[gnu::noinline]] void *operator new(size_t size) {
  ++allocations;
  if (void *pointer = malloc(size ? size : 1))
    return pointer;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void *pointer) noexcept {
  free(pointer);
}
[[gnu::noinline]] void operator delete(void *pointer, size_t) noexcept {
  free(pointer);
}

static const char *const smallest = R"({"decoder": {"type": "ByteLevel"},
    "model": {"vocab": {"a": 0, "b": 1, "Ã": 2, "©": 3}, "merges": []}})";

namespace {
struct TextApi : testing::Test {
  std::unique_ptr<Tokenizer> tokenizer = good(parseTokenizer(smallest));
  heddle_error error;

  /// The message of a call that gave `status`.
  std::string invalid(heddle_status status) {
    EXPECT_EQ(status, HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(error.status, HEDDLE_INVALID_ARGUMENT);
    return error.message;
  }
};
} // namespace

TEST_F(TextApi, null_arguments) {
  heddle_tokenizer *handle = tokenizer->handle, *opened;
  int32_t id = 0, *ids;
  char *text;
  const char *piece;
  size_t count;
  heddle_text_stream *stream;
  EXPECT_EQ(invalid(heddle_tokenizer_open(nullptr, &opened, &error)),
            "path is null");
  EXPECT_EQ(invalid(heddle_tokenizer_open("x", nullptr, &error)),
            "tokenizer is null");
  auto encode = [&](const heddle_tokenizer *handle, const char *text,
                    int32_t **ids, size_t *count) {
    return invalid(
        heddle_tokenizer_encode(handle, text, 1, 1, ids, count, &error));
  };
  EXPECT_EQ(encode(nullptr, "a", &ids, &count), "tokenizer is null");
  EXPECT_EQ(encode(handle, nullptr, &ids, &count), "text is null");
  EXPECT_EQ(encode(handle, "a", nullptr, &count), "ids is null");
  EXPECT_EQ(encode(handle, "a", &ids, nullptr), "count is null");
  auto decode = [&](const heddle_tokenizer *handle, const int32_t *ids,
                    char **text, size_t *size) {
    return invalid(heddle_tokenizer_decode(handle, ids, 1, text, size, &error));
  };
  EXPECT_EQ(decode(nullptr, &id, &text, &count), "tokenizer is null");
  EXPECT_EQ(decode(handle, nullptr, &text, &count), "ids is null");
  EXPECT_EQ(decode(handle, &id, nullptr, &count), "text is null");
  EXPECT_EQ(decode(handle, &id, &text, nullptr), "size is null");
  EXPECT_EQ(
      invalid(heddle_text_stream_create(nullptr, &id, 1, &stream, &error)),
      "tokenizer is null");
  EXPECT_EQ(
      invalid(heddle_text_stream_create(handle, nullptr, 1, &stream, &error)),
      "before is null");
  EXPECT_EQ(invalid(heddle_text_stream_create(handle, &id, 1, nullptr, &error)),
            "stream is null");
  EXPECT_EQ(
      invalid(heddle_text_stream_push(nullptr, 0, &piece, &count, &error)),
      "stream is null");
  EXPECT_EQ(invalid(heddle_text_stream_finish(nullptr, &piece, &count, &error)),
            "stream is null");
  ASSERT_EQ(heddle_text_stream_create(handle, nullptr, 0, &stream, &error),
            HEDDLE_OK);
  EXPECT_EQ(
      invalid(heddle_text_stream_push(stream, 0, nullptr, &count, &error)),
      "piece is null");
  EXPECT_EQ(
      invalid(heddle_text_stream_push(stream, 0, &piece, nullptr, &error)),
      "size is null");
  heddle_text_stream_destroy(stream);

  heddle_tokenizer_close(nullptr);
  heddle_text_stream_destroy(nullptr);
  heddle_text_free(nullptr);
  EXPECT_EQ(heddle_tokenizer_vocabulary(nullptr), 0);
}

TEST_F(TextApi, nothing_may_be_null) {
  int32_t *ids;
  char *text;
  size_t count;
  ASSERT_EQ(heddle_tokenizer_encode(tokenizer->handle, nullptr, 0, 1, &ids,
                                    &count, nullptr),
            HEDDLE_OK);
  EXPECT_EQ(count, 0u);
  EXPECT_TRUE(ids);
  heddle_text_free(ids);
  ASSERT_EQ(heddle_tokenizer_decode(tokenizer->handle, nullptr, 0, &text,
                                    &count, nullptr),
            HEDDLE_OK);
  EXPECT_EQ(count, 0u);
  EXPECT_STREQ(text, "");
  heddle_text_free(text);
}

TEST_F(TextApi, null_error) {
  heddle_tokenizer *opened;
  int32_t *ids;
  size_t count;
  size_t before = allocations;
  EXPECT_EQ(heddle_tokenizer_open(nullptr, &opened, nullptr),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(heddle_tokenizer_encode(tokenizer->handle, nullptr, 1, 1, &ids,
                                    &count, nullptr),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(heddle_tokenizer_encode(tokenizer->handle, "\xFF", 1, 1, &ids,
                                    &count, nullptr),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(ids, nullptr);
  EXPECT_EQ(count, 0u);
}

TEST_F(TextApi, long_messages_end_at_a_character) {
  // 507 bytes are kept: names of 1 to 3 bytes, then characters of 4.
  for (unsigned start = 0; start < 4; ++start) {
    std::string folder(start + 1, 'x');
    for (unsigned i = 0; i < 200; ++i)
      folder += "🦙";
    heddle_tokenizer *opened;
    ASSERT_EQ(heddle_tokenizer_open(folder.c_str(), &opened, &error),
              HEDDLE_IO_ERROR);
    std::string message = error.message;
    EXPECT_EQ(message, folder.substr(0, message.size()));
    EXPECT_EQ(message.size() % 4, (start + 1) % 4);
    EXPECT_GT(message.size(), 503u);
  }
}

TEST_F(TextApi, statuses) {
  TemporaryFolder folder;
  EXPECT_EQ(Tokenizer::fromFolder(folder.path()).status, HEDDLE_IO_ERROR);
  folder.write("tokenizer.json", "{");
  EXPECT_EQ(Tokenizer::fromFolder(folder.path()).status,
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(tokenizer->encode("\xFF").status, HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(tokenizer->decode({-1}).status, HEDDLE_INVALID_ARGUMENT);
}

TEST_F(TextApi, text_with_a_zero) {
  auto tokenizer = good(parseTokenizer(
      R"({"decoder": {"type": "Fuse"},
          "model": {"vocab": {"\u0000": 0, "a": 1}, "merges": []}})"));
  std::string text("a\0a", 3);
  EXPECT_EQ(good(tokenizer->encode(text)), (Ids{1, 0, 1}));
  EXPECT_EQ(good(tokenizer->decode({1, 0, 1})), text);
}

TEST_F(TextApi, many_threads_share_a_tokenizer) {
  std::vector<std::thread> threads;
  std::atomic<unsigned> right = 0;
  for (unsigned i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (unsigned j = 0; j < 500; ++j) {
        right += tokenizer->decode({0, 2, 3, 1}).value == "aéb";
        right +=
            stream(*tokenizer, {0, 2, 3, 1}) == (Texts{"a", "", "é", "b", ""});
        right += tokenizer->encode("ab").value == Ids{0, 1};
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 4 * 500 * 3u);
}

//===-- what is no file ---------------------------------------------------===//

static std::string messageFor(const TemporaryFolder &folder) {
  auto result = Tokenizer::fromFolder(folder.path());
  EXPECT_EQ(result.status, HEDDLE_IO_ERROR);
  return result.message;
}

TEST(TextFiles, pipes_and_folders_are_not_read) {
  for (const char *name : {"tokenizer.json", "tokenizer.model"}) {
    TemporaryFolder folder;
    std::string path = folder.file(name);
    std::string expected = path + ": cannot read: expected a regular file, ";
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    EXPECT_EQ(messageFor(folder), expected + "found a pipe");
    unlink(path.c_str());
    std::filesystem::create_directory(path);
    EXPECT_EQ(messageFor(folder), expected + "found a folder");
    std::filesystem::remove(path);
    std::filesystem::create_symlink("/dev/zero", path);
    EXPECT_EQ(messageFor(folder), expected + "found a device");
    std::filesystem::remove(path);

    int socketNumber = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    ASSERT_LT(path.size(), sizeof(address.sun_path));
    std::copy(path.begin(), path.end(), address.sun_path);
    ASSERT_EQ(bind(socketNumber, reinterpret_cast<sockaddr *>(&address),
                   sizeof(address)),
              0);
    EXPECT_EQ(messageFor(folder), expected + "found a socket");
    close(socketNumber);
  }
}

TEST(TextFiles, links_that_lead_nowhere_are_not_absent) {
  TemporaryFolder folder;
  for (const char *name : {"tokenizer.json", "chat_template.jinja"}) {
    std::filesystem::create_symlink("nowhere", folder.file(name));
    EXPECT_EQ(messageFor(folder), folder.file(name) +
                                      ": cannot read: No such file or "
                                      "directory");
    std::filesystem::remove(folder.file(name));
    folder.write(name, R"({"model": {"vocab": {"a": 0}, "merges": []}})");
  }
}

TEST(TextFiles, large_files_are_not_read) {
  TemporaryFolder folder;
  folder.write("tokenizer.json", "");
  // Nearly all of it is a hole, which takes no space.
  std::filesystem::resize_file(folder.file("tokenizer.json"), 100'000'001);
  EXPECT_EQ(messageOf(Tokenizer::fromFolder(folder.path())),
            folder.file("tokenizer.json") +
                ": expected at most 100000000 bytes of JSON, got 100000001");
  std::filesystem::remove(folder.file("tokenizer.json"));
  folder.write("tokenizer.model", "");
  std::filesystem::resize_file(folder.file("tokenizer.model"), 256'000'001);
  EXPECT_EQ(messageOf(Tokenizer::fromFolder(folder.path())),
            folder.file("tokenizer.model") +
                ": expected at most 256000000 bytes of a SentencePiece model, "
                "got 256000001");
}

//===-- files in memory ---------------------------------------------------===//

namespace {
/// What heddle_tokenizer_open_files makes of files.
struct Opened {
  explicit Opened(const std::vector<heddle_file> &files) {
    status = heddle_tokenizer_open_files(files.data(), files.size(), &tokenizer,
                                         &error);
    EXPECT_EQ(tokenizer != nullptr, status == HEDDLE_OK);
  }
  ~Opened() { heddle_tokenizer_close(tokenizer); }
  Opened(const Opened &) = delete;

  heddle_tokenizer *tokenizer = nullptr;
  heddle_error error = {};
  heddle_status status;
};
} // namespace

TEST(FilesInMemory, are_what_a_folder_would_be) {
  std::map<std::string, std::string> contents = {
      {"tokenizer.json", R"({"model": {"vocab": {"a": 0, "b": 1},
                                       "merges": []}})"},
      {"chat_template.jinja", "{{ bos_token }}{{ messages[0].content }}"},
      {"tokenizer_config.json", R"({"bos_token": "a"})"},
      {"config.json", R"({"eos_token_id": [1]})"}};
  std::vector<heddle_file> files;
  for (auto *name = heddle_tokenizer_file_names(); *name; ++name)
    if (auto content = contents.find(*name); content != contents.end())
      files.push_back({*name, content->second.data(), content->second.size()});
  ASSERT_EQ(files.size(), contents.size());
  Opened opened(files);
  contents.clear(); // nothing of it is needed any more
  ASSERT_EQ(opened.status, HEDDLE_OK) << opened.error.message;
  EXPECT_EQ(heddle_tokenizer_vocabulary(opened.tokenizer), 2);
  size_t count = 0;
  const int32_t *ends = heddle_tokenizer_end_ids(opened.tokenizer, &count);
  ASSERT_EQ(count, 1u);
  EXPECT_EQ(ends[0], 1);
  heddle_message message = {"user", "b"};
  char *text = nullptr;
  size_t size = 0;
  ASSERT_EQ(heddle_tokenizer_apply_chat(opened.tokenizer, &message, 1, 1, &text,
                                        &size, &opened.error),
            HEDDLE_OK);
  EXPECT_STREQ(text, "ab");
  heddle_text_free(text);
}

TEST(FilesInMemory, end_ids_are_of_the_first_file_that_says_so) {
  // "c" is an added token, "b" one of the vocabulary.
  const std::string tokenizer =
      R"({"model": {"vocab": {"a": 0, "b": 1}, "merges": []},
          "added_tokens": [{"id": 2, "content": "c", "special": true,
              "single_word": false, "lstrip": false, "rstrip": false,
              "normalized": false}]})";
  using Ids = std::vector<int32_t>;
  struct Case {
    const char *generation, *config, *tokenizerConfig;
    Ids expected;
    const char *specialTokens = "{}";
  };
  for (const Case &each : {
           Case{R"({"eos_token_id": [5, 6]})", R"({"eos_token_id": 7})",
                R"({"eos_token": "b"})", Ids{5, 6}},
           Case{R"({"eos_token_id": 5})", "{}", "{}", Ids{5}},
           Case{R"({"eos_token_id": null})", R"({"eos_token_id": 7})",
                R"({"eos_token": "b"})", Ids{7}},
           Case{"{}", R"({"eos_token_id": [7, 8]})", "{}", Ids{7, 8}},
           Case{"{}", R"({"eos_token_id": null})",
                R"({"eos_token": {"content": "c"}})", Ids{2}},
           Case{"{}", "{}", R"({"eos_token": "b"})", Ids{1}},
           Case{"{}", "{}", R"({"eos_token": "missing"})", Ids{}},
           Case{"{}", "{}", R"({"eos_token": null})", Ids{}},
           Case{"{}", "{}", R"({"eos_token": "a"})", Ids{1},
                R"({"eos_token": "b"})"},
           Case{"{}", "{}", R"({"eos_token": "a", "added_tokens_decoder": {}})",
                Ids{0}, R"({"eos_token": "b"})"},
       }) {
    auto file = [](const char *name, std::string_view text) {
      return heddle_file{name, text.data(), text.size()};
    };
    Opened opened({file("tokenizer.json", tokenizer),
                   file("generation_config.json", each.generation),
                   file("config.json", each.config),
                   file("tokenizer_config.json", each.tokenizerConfig),
                   file("special_tokens_map.json", each.specialTokens)});
    ASSERT_EQ(opened.status, HEDDLE_OK) << opened.error.message;
    size_t count = 0;
    const int32_t *ends = heddle_tokenizer_end_ids(opened.tokenizer, &count);
    EXPECT_EQ(Ids(ends, ends + count), each.expected);
  }
}

TEST(ChatTemplates, time_is_the_environments) {
  std::vector<std::pair<std::string, std::string>> contents = {
      {"tokenizer.json",
       R"({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}})"},
      {"chat_template.jinja", "{{ strftime_now('%d %b %Y %H:%M') }}"}};
  std::vector<heddle_file> files;
  for (const auto &[name, content] : contents)
    files.push_back({name.c_str(), content.data(), content.size()});
  Opened opened(files);
  ASSERT_EQ(opened.status, HEDDLE_OK) << opened.error.message;
  auto apply = [&] {
    heddle_message message = {"user", "b"};
    char *text = nullptr;
    size_t size = 0;
    if (heddle_tokenizer_apply_chat(opened.tokenizer, &message, 1, 1, &text,
                                    &size, &opened.error) != HEDDLE_OK)
      return std::string(opened.error.message);
    std::string result = text;
    heddle_text_free(text);
    return result;
  };
  setenv("TZ", "UTC", 1);
  setenv("SOURCE_DATE_EPOCH", "1700000000", 1);
  EXPECT_EQ(apply(), "14 Nov 2023 22:13");
  setenv("SOURCE_DATE_EPOCH", "tomorrow", 1);
  EXPECT_EQ(apply(),
            "SOURCE_DATE_EPOCH: expected seconds since 1970, got 'tomorrow'");
  unsetenv("SOURCE_DATE_EPOCH");
  EXPECT_EQ(apply().size(), 17u);
  unsetenv("TZ");
}

TEST(FilesInMemory, errors) {
  auto message = [](const std::vector<heddle_file> &files) {
    Opened opened(files);
    EXPECT_EQ(opened.status, HEDDLE_INVALID_ARGUMENT);
    return std::string(opened.error.message);
  };
  const std::string none = "files: expected 'tokenizer.json', "
                           "'tokenizer.model' or a vocabulary such as "
                           "'vocab.txt', found none";
  EXPECT_EQ(message({}), none);
  EXPECT_EQ(message({{"other", "", 0}}), none);
  EXPECT_EQ(message({{"a", nullptr, 0}, {nullptr, "", 0}}),
            "files[1] has a null name");
  EXPECT_EQ(message({{"tokenizer.json", nullptr, 1}}),
            "files[0] has a null data");
  EXPECT_EQ(message({{"a", "", 0}, {"b", "", 0}, {"a", "", 0}}),
            "files[2]: the name 'a' is there twice");
  EXPECT_EQ(message({{"tokenizer.json", "{", 1}}).substr(0, 16),
            "tokenizer.json: ");
}

TEST_F(TextApi, ids_before_a_stream_are_checked) {
  heddle_error error = {};
  heddle_text_stream *stream = nullptr;
  int32_t before[] = {0, -3};
  EXPECT_EQ(
      heddle_text_stream_create(tokenizer->handle, before, 2, &stream, &error),
      HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "expected token ids >= 0, got -3");
  EXPECT_EQ(stream, nullptr);
}
