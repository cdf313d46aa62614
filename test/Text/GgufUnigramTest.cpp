// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tokenizers of GGUF files of T5's and XLM-RoBERTa's kind, and of encoders with
// others.

#include "test/Text/GgufTokenizerTesting.h"

#include <sentencepiece_processor.h>

using namespace heddle::test;

using GgufUnigram = GgufTokenizerTest;
using namespace heddle::test::kinds;

static GgufBuilder pieces(const char *architecture = "t5") {
  GgufBuilder b;
  b.set("general.architecture", architecture);
  b.set("tokenizer.ggml.model", "t5");
  b.set("tokenizer.ggml.pre", "default");
  b.set("tokenizer.ggml.tokens",
        std::vector<std::string>{"<pad>", "</s>", "<unk>", "▁", "a", "b", "▁ab",
                                 "xy", "<extra_id_0>", "[PAD9]"});
  b.setNumbers<int32_t>("tokenizer.ggml.token_type", 5,
                        {Control, Control, Unknown, Normal, Normal, Normal,
                         Normal, Normal, UserDefined, Unused});
  b.setNumbers<float>("tokenizer.ggml.scores", 6,
                      {0, 0, 0, -3, -4, -5, -6, -25, -1000, -10000});
  b.set("tokenizer.ggml.padding_token_id", 0u);
  b.set("tokenizer.ggml.eos_token_id", 1u);
  b.set("tokenizer.ggml.unknown_token_id", 2u);
  return b;
}

TEST_F(GgufUnigram, takes_the_likeliest_pieces) {
  auto tokenizer = good(open(pieces()));
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(tokenizer->vocabularySize(), 10);
  EXPECT_EQ(good(tokenizer->encode("ab  ba ")), (Ids{6, 3, 5, 4, 1}));
  EXPECT_EQ(good(tokenizer->decode({6, 3, 5, 4})), "ab ba");
  EXPECT_EQ(good(tokenizer->encode("<extra_id_0>a</s>", false)),
            (Ids{8, 3, 4, 1}));
  // No text is a piece that is not used; its scores, and those of tokens that
  // are no text, do not count as the lowest: "xy" costs 25, and two unknown
  // characters 2 * (25 + 10).
  EXPECT_EQ(good(tokenizer->encode("xy", false)), (Ids{3, 7}));
  EXPECT_EQ(good(tokenizer->encode("[PAD9]", false)), (Ids{3, 2}));
}

TEST_F(GgufUnigram, flags) {
  GgufBuilder b = pieces();
  b.set("tokenizer.ggml.add_eos_token", false);
  b.set("tokenizer.ggml.add_space_prefix", false);
  EXPECT_EQ(good(good(open(b))->encode(" b  a ")), (Ids{5, 3, 4}));
  b.set("tokenizer.ggml.remove_extra_whitespaces", false);
  EXPECT_EQ(good(good(open(b))->encode("b  a")), (Ids{5, 3, 3, 4}));
  b.set("tokenizer.ggml.add_bos_token", true);
  EXPECT_EQ(error(b), "key 'tokenizer.ggml.bos_token_id': expected the id of a "
                      "token, as add_bos_token is true, got nothing");
}

TEST_F(GgufUnigram, bytes_stand_for_what_has_no_piece) {
  GgufBuilder b;
  b.set("tokenizer.ggml.model", "t5");
  b.set("tokenizer.ggml.tokens",
        std::vector<std::string>{"<unk>", "</s>", "▁", "<0xC3>", "<0xA9>"});
  b.setNumbers<int32_t>("tokenizer.ggml.token_type", 5,
                        {Unknown, Control, Normal, Byte, Byte});
  b.setNumbers<float>("tokenizer.ggml.scores", 6, {0, 0, -1, -2, -2});
  b.set("tokenizer.ggml.unknown_token_id", 0u);
  b.set("tokenizer.ggml.eos_token_id", 1u);
  EXPECT_EQ(good(good(open(b))->encode("é")), (Ids{2, 3, 4, 1}));
}

TEST_F(GgufUnigram, negative_maps) {
  GgufBuilder text = pieces();
  text.set("tokenizer.ggml.precompiled_charsmap", "AAAA");
  EXPECT_EQ(error(text), "key 'tokenizer.ggml.precompiled_charsmap': expected "
                         "an array of bytes, got 'AAAA'");
  GgufBuilder wide = pieces();
  wide.setNumbers<int32_t>("tokenizer.ggml.precompiled_charsmap", 5, {256});
  EXPECT_EQ(error(wide), "key 'tokenizer.ggml.precompiled_charsmap': expected "
                         "an array of bytes, got an array");
  GgufBuilder damaged = pieces();
  damaged.setNumbers<uint8_t>("tokenizer.ggml.precompiled_charsmap", 0,
                              {0, 0, 0, 0});
  EXPECT_TRUE(contains(messageOf(open(damaged)), "got damaged ones"));
}

// RoBERTa has its separator twice between two texts, ModernBERT once, and a
// decoder's second text begins as the first.
TEST_F(GgufUnigram, pairs) {
  auto pairOf = [&](const char *architecture) {
    GgufBuilder b = pieces(architecture);
    b.set("tokenizer.ggml.bos_token_id", 0u);
    b.set("tokenizer.ggml.add_bos_token", true);
    b.set("tokenizer.ggml.seperator_token_id", 1u);
    if (architecture != std::string_view("t5"))
      b.set("tokenizer.ggml.add_sep_token", true);
    return good(good(open(b))->encodePair("ab", "a")).ids;
  };
  EXPECT_EQ(pairOf("bert"), (Ids{0, 6, 1, 1, 3, 4, 1}));
  EXPECT_EQ(pairOf("modern-bert"), (Ids{0, 6, 1, 3, 4, 1}));
  EXPECT_EQ(pairOf("t5"), (Ids{0, 6, 1, 0, 3, 4, 1}));
  // The end stands for a separator that no key names; and there may be none.
  GgufBuilder roberta = pieces("bert");
  EXPECT_EQ(good(good(open(roberta))->encodePair("ab", "a")).ids,
            (Ids{6, 1, 1, 3, 4, 1}));
  roberta.set("tokenizer.ggml.add_sep_token", false);
  EXPECT_EQ(good(good(open(roberta))->encodePair("ab", "a")).ids,
            (Ids{6, 1, 3, 4, 1}));
  GgufBuilder b = pieces();
  b.set("tokenizer.ggml.add_sep_token", true);
  b.set("tokenizer.ggml.add_eos_token", false);
  EXPECT_EQ(error(b),
            "key 'tokenizer.ggml.add_sep_token': expected false, got true");
}

/// The field of that number, of strings and messages, in a message of
/// protobuf's wire format.
static std::string_view fieldOf(std::string_view message, uint64_t number) {
  size_t place = 0;
  auto readNumber = [&] {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      auto byte = uint8_t(message.at(place++));
      value |= uint64_t(byte & 127) << shift;
      if (byte < 128)
        return value;
    }
  };
  while (place < message.size()) {
    uint64_t tag = readNumber();
    if (tag % 8 == 0) {
      readNumber();
      continue;
    }
    size_t size = tag % 8 == 2 ? readNumber() : tag % 8 == 5 ? 4 : 8;
    if (tag == number * 8 + 2)
      return message.substr(place, size);
    place += size;
  }
  return {};
}

// T5's own pieces as a file, and the library of SentencePiece with the
// folder's:
// ../shared/realdata.
TEST(RealGgufUnigram, gives_the_ids_of_T5) {
  const char *realData = std::getenv("HEDDLE_REALDATA");
  if (!realData)
    GTEST_SKIP() << "HEDDLE_REALDATA is not set to the folder of real models";
  std::string model =
      readFile(std::string(realData) + "/tiny-t5-random/spiece.model");
  sentencepiece::SentencePieceProcessor processor;
  ASSERT_TRUE(processor.LoadFromSerializedProto(model).ok());
  std::vector<std::string> tokens;
  std::vector<int32_t> kinds;
  std::vector<float> scores;
  for (int id = 0; id < processor.GetPieceSize(); ++id) {
    tokens.push_back(processor.IdToPiece(id));
    scores.push_back(processor.GetScore(id));
    kinds.push_back(processor.IsUnknown(id)   ? Unknown
                    : processor.IsControl(id) ? Control
                                              : Normal);
  }
  GgufBuilder b;
  b.set("tokenizer.ggml.model", "t5");
  b.set("tokenizer.ggml.tokens", tokens);
  b.setNumbers("tokenizer.ggml.token_type", 5, kinds);
  b.setNumbers("tokenizer.ggml.scores", 6, scores);
  b.set("tokenizer.ggml.eos_token_id", uint32_t(processor.eos_id()));
  b.set("tokenizer.ggml.unknown_token_id", uint32_t(processor.unk_id()));
  // ModelProto.normalizer_spec.precompiled_charsmap
  std::string_view map = fieldOf(fieldOf(model, 3), 2);
  ASSERT_FALSE(map.empty());
  b.setNumbers("tokenizer.ggml.precompiled_charsmap", 0,
               std::vector<uint8_t>(map.begin(), map.end()));
  TemporaryFolder folder;
  folder.write("m.gguf", b.bytes());
  auto tokenizer = good(Tokenizer::fromFolder(folder.file("m.gguf")));
  ASSERT_TRUE(tokenizer);
  std::string texts = readFile(std::string(realData) +
                               "/gguf-vocab/ggml-vocab-falcon.gguf.inp");
  constexpr std::string_view mark = "\n__ggml_vocab_test__\n";
  int count = 0;
  for (size_t begin = 0; begin < texts.size(); ++count) {
    size_t end = std::min(texts.find(mark, begin), texts.size());
    std::string text = texts.substr(begin, end - begin);
    // Two ways to cut six of them have one score.
    if (size_t dashes = text.find("------"); dashes != std::string::npos)
      text.erase(dashes, 1);
    std::vector<int> expected;
    ASSERT_TRUE(processor.Encode(text, &expected).ok());
    EXPECT_EQ(good(tokenizer->encode(text, /*addSpecial=*/false)),
              Ids(expected.begin(), expected.end()))
        << text;
    begin = end + mark.size();
  }
  EXPECT_GE(count, 40);
}
