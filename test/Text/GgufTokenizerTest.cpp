// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tokenizers of GGUF files.

#include "test/Text/GgufTokenizerTesting.h"

#include <cmath>

using namespace heddle::test;

using GgufTokenizer = GgufTokenizerTest;
using namespace heddle::test::kinds;

/// A vocabulary of merged bytes: "ab" and " ab" are tokens.
static GgufBuilder byteLevel(const char *pre = "gpt-2") {
  GgufBuilder b;
  b.set("tokenizer.ggml.model", "gpt2");
  b.set("tokenizer.ggml.pre", pre);
  b.set("tokenizer.ggml.tokens",
        std::vector<std::string>{"a", "b", "Ġ", "ab", "Ġab", "<|end|>", "<u>",
                                 "1"});
  b.setNumbers<int32_t>(
      "tokenizer.ggml.token_type", 5,
      {Normal, Normal, Normal, Normal, Normal, Control, UserDefined, Normal});
  b.set("tokenizer.ggml.merges", std::vector<std::string>{"a b", "Ġ ab"});
  return b;
}

TEST_F(GgufTokenizer, byte_level) {
  auto tokenizer = good(open(byteLevel()));
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(good(tokenizer->encode("ab ab<|end|>a<u>b")),
            (Ids{3, 4, 5, 0, 6, 1}));
  EXPECT_EQ(good(tokenizer->decode({3, 4, 5, 0, 6})), "ab aba<u>");
}

TEST_F(GgufTokenizer, cuts_digits_as_its_name_says) {
  EXPECT_EQ(good(good(open(byteLevel()))->encode("11")), (Ids{7, 7}));
  GgufBuilder b = byteLevel("llama-bpe");
  // Its texts have a start, which there has to be.
  EXPECT_EQ(error(b), "key 'tokenizer.ggml.bos_token_id': expected the id of a "
                      "token, as add_bos_token is true, got nothing");
  b.set("tokenizer.ggml.bos_token_id", 5u);
  EXPECT_EQ(good(good(open(b))->encode("ab")), (Ids{5, 3}));
  b.set("tokenizer.ggml.add_bos_token", false);
  EXPECT_EQ(good(good(open(b))->encode("ab")), Ids{3});
}

/// SentencePiece's: pieces with scores.
static GgufBuilder pieces() {
  GgufBuilder b;
  b.set("general.architecture", "llama");
  b.set("tokenizer.ggml.model", "llama");
  b.set("tokenizer.ggml.tokens",
        std::vector<std::string>{"<unk>", "<s>", "</s>", "<0xC3>", "<0xA9>",
                                 "▁", "a", "b", "ab", "▁a", "<|user|>"});
  b.setNumbers<int32_t>("tokenizer.ggml.token_type", 5,
                        {Unknown, Control, Control, Byte, Byte, Normal, Normal,
                         Normal, Normal, Normal, Control});
  b.setNumbers<float>("tokenizer.ggml.scores", 6,
                      {0, 0, 0, 0, 0, -9, -8, -7, -1, -2, 0});
  b.set("tokenizer.ggml.unknown_token_id", 0u);
  b.set("tokenizer.ggml.bos_token_id", 1u);
  b.set("tokenizer.ggml.eos_token_id", 2u);
  return b;
}

TEST_F(GgufTokenizer, pieces_merge_by_their_scores) {
  auto tokenizer = good(open(pieces()));
  ASSERT_TRUE(tokenizer);
  // "ab" has a better score than "▁a"; é has no piece but its bytes.
  EXPECT_EQ(good(tokenizer->encode("ab aé")), (Ids{1, 5, 8, 9, 3, 4}));
  EXPECT_EQ(good(tokenizer->decode({1, 5, 8, 9, 3, 4})), "ab aé");
  GgufBuilder b = pieces();
  b.set("tokenizer.ggml.add_space_prefix", false);
  b.set("tokenizer.ggml.add_eos_token", true);
  EXPECT_EQ(good(good(open(b))->encode("ab")), (Ids{1, 8, 2}));
}

TEST_F(GgufTokenizer, special_tokens_of_phi_3_take_spaces) {
  EXPECT_EQ(good(good(open(pieces()))->encode("<|user|> ab")),
            (Ids{1, 10, 5, 5, 8}));
  GgufBuilder b = pieces();
  b.set("split.no", 0u); // another file than the one above
  std::string bytes = b.bytes();
  size_t at = bytes.find("llama");
  bytes.replace(at, 5, "phi3x");
  // The name has a character less.
  bytes.erase(at + 4, 1);
  bytes[at - 8] = 4;
  folder.write("m.gguf", bytes);
  auto tokenizer = good(Tokenizer::fromFolder(folder.file("m.gguf")));
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(good(tokenizer->encode("<|user|> ab")), (Ids{1, 10, 5, 8}));
  EXPECT_EQ(good(tokenizer->encode("<s> ab")), (Ids{1, 1, 5, 5, 8}));
}

TEST_F(GgufTokenizer, word_pieces) {
  GgufBuilder b;
  b.set("tokenizer.ggml.model", "bert");
  b.set(
      "tokenizer.ggml.tokens",
      std::vector<std::string>{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "▁ab", "c"});
  b.set("tokenizer.ggml.unknown_token_id", 1u);
  b.set("tokenizer.ggml.cls_token_id", 2u);
  b.set("tokenizer.ggml.seperator_token_id", 3u);
  auto tokenizer = good(open(b));
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(good(tokenizer->encode("ABC ab c")), (Ids{2, 4, 5, 4, 1, 3}));
}

// Files often name one end alone.
TEST_F(GgufTokenizer, turns_end_by_their_text) {
  auto endsOf = [&](const std::vector<std::string> &special) {
    GgufBuilder b;
    b.set("tokenizer.ggml.model", "gpt2");
    b.set("tokenizer.ggml.pre", "gpt-2");
    std::vector<std::string> tokens = {"a"};
    tokens.insert(tokens.end(), special.begin(), special.end());
    b.set("tokenizer.ggml.tokens", tokens);
    std::vector<int32_t> types(tokens.size(), Control);
    types[0] = Normal;
    b.setNumbers("tokenizer.ggml.token_type", 5, types);
    b.set("tokenizer.ggml.merges", std::vector<std::string>{});
    b.set("tokenizer.ggml.eos_token_id", 1u);
    folder.write("m.gguf", b.bytes());
    heddle_tokenizer *tokenizer = nullptr;
    heddle_error error = {};
    EXPECT_EQ(heddle_tokenizer_open(folder.file("m.gguf").c_str(), &tokenizer,
                                    &error),
              HEDDLE_OK)
        << error.message;
    size_t count = 0;
    const int32_t *ids = heddle_tokenizer_end_ids(tokenizer, &count);
    Ids result(ids, ids + count);
    heddle_tokenizer_close(tokenizer);
    return result;
  };
  EXPECT_EQ(endsOf({"<|x|>", "<|user|>", "<|end|>"}), (Ids{1, 3}));
  EXPECT_EQ(endsOf({"<eos>", "<end_of_turn>"}), (Ids{1, 2}));
  // It ends a part of an answer where there are these.
  EXPECT_EQ(endsOf({"<|return|>", "<|end|>", "<|call|>"}), (Ids{1, 3}));
}

TEST_F(GgufTokenizer, texts_have_the_normal_form_of_their_model) {
  for (const char *name : {"qwen2", "llama4"}) {
    auto files = [&] {
      folder.write("m.gguf", byteLevel(name).bytes());
      heddle_file *found = nullptr;
      size_t count = 0;
      heddle_error error = {};
      EXPECT_EQ(heddle_tokenizer_read_files(folder.file("m.gguf").c_str(),
                                            &found, &count, &error),
                HEDDLE_OK)
          << error.message;
      std::string first(static_cast<const char *>(found->data), found->size);
      heddle_text_free(found);
      return first;
    };
    EXPECT_EQ(contains(files(), R"({"type":"NFC"})"),
              std::string_view(name) == "qwen2");
  }
}

TEST_F(GgufTokenizer, chats_and_ends) {
  GgufBuilder b = byteLevel();
  b.set("tokenizer.ggml.eos_token_id", 5u);
  b.set("tokenizer.ggml.eot_token_id", 6u);
  b.set("tokenizer.ggml.padding_token_id", 0xffffffffu);
  b.set("tokenizer.chat_template", "{{ messages[0].content }}{{ eos_token }}");
  folder.write("m.gguf", b.bytes());
  heddle_tokenizer *tokenizer = nullptr;
  heddle_error error = {};
  ASSERT_EQ(
      heddle_tokenizer_open(folder.file("m.gguf").c_str(), &tokenizer, &error),
      HEDDLE_OK)
      << error.message;
  size_t count = 0;
  const int32_t *ids = heddle_tokenizer_end_ids(tokenizer, &count);
  EXPECT_EQ(Ids(ids, ids + count), (Ids{5, 6}));
  heddle_message message = {"user", "ab"};
  char *text = nullptr;
  size_t size = 0;
  ASSERT_EQ(heddle_tokenizer_apply_chat(tokenizer, &message, 1, 1, &text, &size,
                                        &error),
            HEDDLE_OK)
      << error.message;
  EXPECT_EQ(std::string(text, size), "ab<|end|>");
  heddle_text_free(text);
  heddle_tokenizer_close(tokenizer);
}

// What programs take along gives the same tokenizer.
TEST_F(GgufTokenizer, its_files_are_those_of_a_folder) {
  folder.write("m.gguf", pieces().bytes());
  std::string path = folder.file("m.gguf");
  heddle_file *files = nullptr;
  size_t count = 0;
  heddle_error error = {};
  ASSERT_EQ(heddle_tokenizer_read_files(path.c_str(), &files, &count, &error),
            HEDDLE_OK)
      << error.message;
  EXPECT_EQ(count, 3u);
  TemporaryFolder copies;
  for (size_t i = 0; i < count; ++i)
    copies.write(files[i].name,
                 {static_cast<const char *>(files[i].data), files[i].size});
  heddle_text_free(files);
  auto tokenizer = good(Tokenizer::fromFolder(copies.path()));
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(good(tokenizer->encode("ab aé")), (Ids{1, 5, 8, 9, 3, 4}));
}

TEST_F(GgufTokenizer, negative_files) {
  GgufBuilder none;
  none.set("tokenizer.ggml.model", "no_vocab");
  EXPECT_EQ(error(none), "key 'tokenizer.ggml.model': expected a tokenizer, "
                         "found none");
  GgufBuilder other;
  other.set("tokenizer.ggml.model", "rwkv");
  other.set("tokenizer.ggml.tokens", std::vector<std::string>{"a"});
  EXPECT_EQ(error(other), "key 'tokenizer.ggml.model': expected 'gpt2', "
                          "'llama', 'bert' or 't5', got 'rwkv'");
  EXPECT_EQ(error(byteLevel("new")).substr(0, 60),
            "key 'tokenizer.ggml.pre': expected one of chatglm-bpe, codes");
  GgufBuilder wrong;
  wrong.set("tokenizer.ggml.model", "gpt2");
  wrong.set("tokenizer.ggml.pre", "gpt-2");
  wrong.set("tokenizer.ggml.tokens", std::vector<std::string>{"a", "b"});
  EXPECT_EQ(error(wrong), "key 'tokenizer.ggml.merges': expected an array of "
                          "strings, got nothing");
  wrong.set("tokenizer.ggml.merges", std::vector<std::string>{"ab"});
  EXPECT_EQ(error(wrong), "key 'tokenizer.ggml.merges': expected two tokens "
                          "with a space between them, got an array");
  GgufBuilder scores;
  scores.set("tokenizer.ggml.model", "llama");
  scores.set("tokenizer.ggml.tokens", std::vector<std::string>{"a", "b"});
  scores.setNumbers<float>("tokenizer.ggml.scores", 6, {1});
  EXPECT_EQ(error(scores), "key 'tokenizer.ggml.scores': expected a number for "
                           "each of the 2 tokens, got an array");
  // Nobody can say how texts are cut, unless they are GPT-2's.
  GgufBuilder unnamed;
  unnamed.set("tokenizer.ggml.model", "gpt2");
  unnamed.set("tokenizer.ggml.tokens", std::vector<std::string>{"a", "b"});
  unnamed.set("tokenizer.ggml.merges", std::vector<std::string>{});
  EXPECT_TRUE(contains(error(unnamed), "key 'tokenizer.ggml.pre': expected one "
                                       "of "));
  unnamed.set("general.architecture", "gpt2");
  EXPECT_EQ(good(good(open(unnamed))->encode("ab")), (Ids{0, 1}));
  GgufBuilder key = byteLevel();
  key.setNumbers<int32_t>("tokenizer.ggml.suppress_tokens", 5, {1});
  EXPECT_EQ(error(key), "key 'tokenizer.ggml.suppress_tokens': expected only "
                        "keys that are known of such a tokenizer, got an "
                        "array");
  GgufBuilder infinite;
  infinite.set("tokenizer.ggml.model", "llama");
  infinite.set("tokenizer.ggml.tokens", std::vector<std::string>{"a"});
  infinite.setNumbers<float>("tokenizer.ggml.scores", 6, {NAN});
  EXPECT_EQ(error(infinite), "key 'tokenizer.ggml.scores': expected finite "
                             "numbers, got nan");
  GgufBuilder bytes;
  bytes.set("tokenizer.ggml.model", "llama");
  bytes.set("tokenizer.ggml.tokens", std::vector<std::string>{"a", "\xff"});
  EXPECT_EQ(error(bytes), "key 'tokenizer.ggml.tokens': expected tokens of "
                          "UTF-8, got another one at 1");
  folder.write("m.gguf", byteLevel().bytes().substr(0, 200));
  EXPECT_TRUE(contains(
      messageOf(Tokenizer::fromFolder(folder.file("m.gguf"))),
      "expected the whole header of a GGUF file, got 200 bytes, in which it "
      "does not end"));
}

// Vocabularies of known models, and the ids that Hugging Face's tokenizers give
// for texts: ../shared/realdata.
TEST(RealGgufTokenizer, gives_the_ids_of_known_models) {
  const char *realData = std::getenv("HEDDLE_REALDATA");
  if (!realData)
    GTEST_SKIP() << "HEDDLE_REALDATA is not set to the folder of real models";
  std::string vocabularies = std::string(realData) + "/gguf-vocab/ggml-vocab-";
  for (const char *name :
       {"bert-bge", "falcon", "gpt-2", "llama-spm", "phi-3", "starcoder"}) {
    std::string path = vocabularies + name + ".gguf";
    auto tokenizer = good(Tokenizer::fromFolder(path));
    ASSERT_TRUE(tokenizer) << name;
    std::string texts = readFile(path + ".inp");
    std::istringstream lines(readFile(path + ".out"));
    std::string line;
    int count = 0;
    for (size_t begin = 0; std::getline(lines, line) && begin < texts.size();
         ++count) {
      constexpr std::string_view mark = "\n__ggml_vocab_test__\n";
      size_t end = std::min(texts.find(mark, begin), texts.size());
      Ids expected;
      std::istringstream numbers(line);
      for (int32_t id; numbers >> id;)
        expected.push_back(id);
      std::string text = texts.substr(begin, end - begin);
      EXPECT_EQ(good(tokenizer->encode(text, /*addSpecial=*/false)), expected)
          << name << ": " << text;
      begin = end + mark.size();
    }
    EXPECT_GE(count, 40) << name;
  }
}
