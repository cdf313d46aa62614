// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Text/TokenizerTestSupport.h"

#include <sentencepiece_trainer.h>

using namespace heddle::test;

namespace {
/// A folder with a model that knows the words below and bytes; <unk>, <s> and
/// </s> have the ids 0, 1 and 2, as in Llama 2.
class SentencePieceTest : public testing::Test {
protected:
  static void SetUpTestSuite() {
    TemporaryFolder training;
    std::string text;
    for (unsigned i = 0; i < 50; ++i)
      text += "the cat sat on the mat\nthat fat cat ate the rat\n";
    training.write("text", text);
    sentencepiece::util::Status status =
        sentencepiece::SentencePieceTrainer::Train(
            "--input=" + training.file("text") +
            " --model_prefix=" + training.file("model") +
            " --model_type=bpe --vocab_size=290 --byte_fallback=true"
            " --hard_vocab_limit=false --normalization_rule_name=identity"
            " --remove_extra_whitespaces=false --minloglevel=3");
    ASSERT_TRUE(status.ok()) << status.ToString();
    model = readFile(training.file("model.model"));
    ASSERT_FALSE(model.empty());
  }

  void SetUp() override { folder.write("tokenizer.model", model); }

  std::unique_ptr<Tokenizer> load() {
    return good(Tokenizer::fromFolder(folder.path()));
  }
  /// The error with this tokenizer_config.json.
  std::string messageWith(std::string_view config) {
    folder.write("tokenizer_config.json", config);
    return messageOf(Tokenizer::fromFolder(folder.path()));
  }

  static inline std::string model;
  TemporaryFolder folder;
};
} // namespace

TEST_F(SentencePieceTest, round_trip) {
  auto tokenizer = load();
  ASSERT_TRUE(tokenizer);
  for (std::string text : {"the cat sat", " the  cat ", "", "Größe\n🦙 字"}) {
    Ids ids = good(tokenizer->encode(text));
    ASSERT_FALSE(ids.empty());
    EXPECT_EQ(ids.front(), 1);
    EXPECT_EQ(good(tokenizer->decode(ids)), text);
    EXPECT_EQ(join(stream(*tokenizer, ids)), text);
    Ids plain = good(tokenizer->encode(text, /*addSpecial=*/false));
    EXPECT_EQ(Ids(ids.begin() + 1, ids.end()), plain);
  }
  // "▁the" is the most frequent word and so one piece.
  EXPECT_EQ(good(tokenizer->encode("the", false)).size(), 1u);
  // Three bytes behind the space, in the order of the byte tokens from <0x00>
  // (id 3) on: E5 AD 97.
  Ids bytes = good(tokenizer->encode("字", false));
  ASSERT_EQ(bytes.size(), 4u);
  EXPECT_EQ(Ids(bytes.begin() + 1, bytes.end()),
            (Ids{3 + 0xE5, 3 + 0xAD, 3 + 0x97}));
}

TEST_F(SentencePieceTest, streams_whole_characters) {
  auto tokenizer = load();
  ASSERT_TRUE(tokenizer);
  Ids the = good(tokenizer->encode("the", false));
  ASSERT_EQ(the.size(), 1u);
  EXPECT_EQ(stream(*tokenizer, {the[0], the[0], 3 + 0xC3, 3 + 0xA9}),
            (Texts{"the", " the", "", "é", ""}));
  EXPECT_EQ(stream(*tokenizer, the, the), (Texts{" the", ""}));
  // 🦙 in bytes.
  EXPECT_EQ(stream(*tokenizer, {3 + 0xF0, 3 + 0x9F, 3 + 0xA6, 3 + 0x99}),
            (Texts{"", "", "", "🦙", ""}));
}

TEST_F(SentencePieceTest, omits_special_tokens) {
  auto tokenizer = load();
  ASSERT_TRUE(tokenizer);
  Ids ids = good(tokenizer->encode("the cat", false));
  Ids mixed = {1, 0};
  mixed.insert(mixed.end(), ids.begin(), ids.end());
  mixed.push_back(2);
  mixed.push_back(tokenizer->vocabularySize());
  EXPECT_EQ(good(tokenizer->decode(mixed)), "the cat");
  for (int32_t id : {0, 1, 2, 1000000})
    EXPECT_TRUE(tokenizer->omits(id)) << id;
  EXPECT_FALSE(tokenizer->omits(3));
  EXPECT_EQ(messageOf(tokenizer->decode({-1})),
            "expected token ids >= 0, got -1");
  EXPECT_NE(messageOf(tokenizer->encode("\xFF")), "");
}

TEST_F(SentencePieceTest, config_chooses_start_and_end) {
  folder.write("tokenizer_config.json", R"({"add_bos_token": false,
      "add_eos_token": true, "eos_token": {"content": "</s>"},
      "tokenizer_class": "LlamaTokenizer", "model_max_length": 1e30,
      "added_tokens_decoder": {"1": {"content": "<s>", "special": true}}})");
  folder.write("added_tokens.json", R"({"</s>": 2})");
  auto tokenizer = load();
  ASSERT_TRUE(tokenizer);
  Ids ids = good(tokenizer->encode("the"));
  ASSERT_EQ(ids.size(), 2u);
  EXPECT_EQ(ids.back(), 2);
}

TEST_F(SentencePieceTest, special_tokens_map_counts_in_old_folders) {
  folder.write("special_tokens_map.json",
               R"({"bos_token": {"content": "</s>"}})");
  folder.write("tokenizer_config.json", R"({"bos_token": "<s>"})");
  EXPECT_EQ(good(load()->encode("the"))[0], 2);
  folder.write("tokenizer_config.json",
               R"({"bos_token": "<s>", "added_tokens_decoder": {}})");
  EXPECT_EQ(good(load()->encode("the"))[0], 1);
}

TEST_F(SentencePieceTest, config_makes_pieces_special) {
  Ids the = good(load()->encode("the", false));
  ASSERT_EQ(the.size(), 1u);
  folder.write("tokenizer_config.json",
               R"({"bos_token": "▁the", "added_tokens_decoder":
                  {"100": {"content": "<0x61>", "special": true}}})");
  auto tokenizer = load();
  ASSERT_TRUE(tokenizer);
  Ids ids = good(tokenizer->encode("the"));
  EXPECT_EQ(ids, (Ids{the[0], the[0]}));
  ids.push_back(100);
  ids.push_back(101);
  EXPECT_EQ(good(tokenizer->decode(ids)), "b");
}

TEST_F(SentencePieceTest, negative_config) {
  std::string config = folder.file("tokenizer_config.json");
  EXPECT_EQ(messageWith(R"({"tokenizer_class": "T5Tokenizer"})"),
            config + ": field 'tokenizer_class': expected LlamaTokenizer or "
                     "GemmaTokenizer, got \"T5Tokenizer\"");
  EXPECT_EQ(messageWith(R"({"bos_token": "<begin>"})"),
            config + ": field 'bos_token': expected a token of "
                     "tokenizer.model, got \"<begin>\"");
  EXPECT_EQ(messageWith(R"({"added_tokens_decoder":
                            {"32000": {"content": "<pad>"}}})"),
            config + ": expected only tokens of tokenizer.model, got '<pad>' "
                     "with the id 32000");
  EXPECT_NE(messageWith("{"), "");
  EXPECT_EQ(messageWith("{}"), "");
  folder.write("added_tokens.json", R"({"<pad>": 32000})");
  EXPECT_NE(messageOf(Tokenizer::fromFolder(folder.path())), "");
}

TEST_F(SentencePieceTest, negative_damaged_model) {
  for (const std::string &content :
       {std::string(), std::string("no model"),
        model.substr(0, model.size() - model.size() / 2)}) {
    folder.write("tokenizer.model", content);
    std::string message = messageOf(Tokenizer::fromFolder(folder.path()));
    EXPECT_TRUE(startsWith(message, folder.file("tokenizer.model"))) << message;
  }
}

TEST_F(SentencePieceTest, json_is_preferred) {
  folder.write(
      "tokenizer.json",
      R"({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}})");
  auto tokenizer = load();
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(tokenizer->vocabularySize(), 1);
}
