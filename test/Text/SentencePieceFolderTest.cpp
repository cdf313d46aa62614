// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Folders with SentencePiece models whose pieces have other ids: those of T5,
// XLM-RoBERTa, mBART and Marian.

#include "test/Text/TokenizerTestSupport.h"

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

using namespace heddle::test;

namespace {
class SentencePieceFolder : public testing::Test {
protected:
  static std::string train(const std::string &options) {
    TemporaryFolder training;
    std::string text;
    for (unsigned i = 0; i < 50; ++i)
      text += "the cat sat on the mat\nthat fat cat ate the rat\n";
    training.write("text", text);
    sentencepiece::util::Status status =
        sentencepiece::SentencePieceTrainer::Train(
            "--input=" + training.file("text") +
            " --model_prefix=" + training.file("model") +
            " --hard_vocab_limit=false --minloglevel=3" + options);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return readFile(training.file("model.model"));
  }
  static void SetUpTestSuite() {
    model = train(" --model_type=unigram --vocab_size=30");
    // As T5's: no start token.
    t5 = train(" --model_type=unigram --vocab_size=30 --pad_id=0 --eos_id=1 "
               "--unk_id=2 --bos_id=-1");
  }

  /// The pieces' ids by the library itself.
  static Ids pieces(const std::string &model, const std::string &text) {
    sentencepiece::SentencePieceProcessor processor;
    EXPECT_TRUE(processor.LoadFromSerializedProto(model).ok());
    std::vector<int> ids;
    EXPECT_TRUE(processor.Encode(text, &ids).ok());
    return Ids(ids.begin(), ids.end());
  }
  static int32_t size(const std::string &model) {
    sentencepiece::SentencePieceProcessor processor;
    EXPECT_TRUE(processor.LoadFromSerializedProto(model).ok());
    return processor.GetPieceSize();
  }
  std::unique_ptr<Tokenizer> open(const std::string &config) {
    folder.write("tokenizer_config.json", config);
    return good(Tokenizer::fromFolder(folder.path()));
  }
  std::string message(const std::string &config) {
    folder.write("tokenizer_config.json", config);
    std::string text = messageOf(Tokenizer::fromFolder(folder.path()));
    return text.substr(std::min(text.size(), folder.path().size() + 1));
  }

  static inline std::string model, t5;
  TemporaryFolder folder;
};

Ids joined(Ids first, const Ids &second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}
} // namespace

// Full width letters, a ligature and a control character are normalized.
static const std::string text = "the ｃat\u0001 ﬁ  sat\n";

TEST_F(SentencePieceFolder, t5_has_sentinels_behind_its_pieces) {
  folder.write("spiece.model", t5);
  int32_t count = size(t5);
  auto tokenizer = open(R"({"tokenizer_class": "T5Tokenizer"})");
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(tokenizer->vocabularySize(), count + 100);
  EXPECT_EQ(good(tokenizer->encode(text)), joined(pieces(t5, text), {1}));
  EXPECT_EQ(good(tokenizer->encode("")), Ids{1});
  // They take the space around them.
  EXPECT_EQ(good(tokenizer->encode("the <extra_id_0> <extra_id_99> cat")),
            joined(joined(pieces(t5, "the"), {count + 99, count}),
                   joined(pieces(t5, "cat"), {1})));
  EXPECT_EQ(good(tokenizer->encode("cat</s>")),
            joined(pieces(t5, "cat"), {1, 1}));
  auto pair = good(tokenizer->encodePair("the", "cat"));
  EXPECT_EQ(pair.ids, joined(joined(pieces(t5, "the"), {1}),
                             joined(pieces(t5, "cat"), {1})));
  EXPECT_EQ(pair.types, Ids(pair.ids.size(), 0));
  EXPECT_EQ(good(tokenizer->decode(good(tokenizer->encode("the cat  sat")))),
            "the cat sat");
  EXPECT_EQ(join(stream(*tokenizer, good(tokenizer->encode("the cat sat")))),
            "the cat sat");
  EXPECT_TRUE(tokenizer->omits(count + 50));

  EXPECT_EQ(open(R"({"tokenizer_class": "MT5Tokenizer", "extra_ids": 0})")
                ->vocabularySize(),
            count);
  EXPECT_EQ(message(R"({"tokenizer_class": "T5Tokenizer", "legacy": false})"),
            "tokenizer_config.json: field 'legacy': expected true: others need "
            "a tokenizer.json, got false");
  EXPECT_EQ(message(R"({"tokenizer_class": "AlbertTokenizer"})").substr(0, 60),
            "tokenizer_config.json: field 'tokenizer_class': expected one");
}

TEST_F(SentencePieceFolder, xlm_roberta_has_the_ids_of_fairseq) {
  folder.write("sentencepiece.bpe.model", model);
  int32_t count = size(model);
  auto shifted = [&](const std::string &text) {
    Ids ids = pieces(model, text);
    for (int32_t &id : ids)
      id = id == 0 ? 3 : id + 1;
    return ids;
  };
  auto tokenizer = open(R"({"tokenizer_class": "XLMRobertaTokenizer"})");
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(tokenizer->vocabularySize(), count + 2);
  EXPECT_EQ(good(tokenizer->encode(text)),
            joined(joined({0}, shifted(text)), {2}));
  // Unknown characters, and a mask that takes the space in front of it.
  EXPECT_EQ(good(tokenizer->encode("字")),
            joined(joined({0}, shifted("字")), {2}));
  EXPECT_EQ(good(tokenizer->encode("cat  <mask>")),
            joined(joined({0}, shifted("cat")), {count + 1, 2}));
  EXPECT_EQ(good(tokenizer->encode("<s><pad></s><unk>", false)),
            (Ids{0, 1, 2, 3}));
  EXPECT_EQ(good(tokenizer->encodePair("the", "cat")).ids,
            joined(joined(joined({0}, shifted("the")), {2, 2}),
                   joined(shifted("cat"), {2})));
  EXPECT_EQ(good(tokenizer->decode(good(tokenizer->encode("the cat")))),
            "the cat");
  folder.write("sentencepiece.bpe.model", t5);
  EXPECT_EQ(message(R"({"tokenizer_class": "XLMRobertaTokenizer"})"),
            "sentencepiece.bpe.model: expected the pieces <unk>, <s> and </s> "
            "first, got '<pad>'");
}

TEST_F(SentencePieceFolder, mbart_has_languages) {
  folder.write("sentencepiece.bpe.model", model);
  int32_t count = size(model);
  auto first = open(R"({"tokenizer_class": "MBartTokenizer"})");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->vocabularySize(), count + 1 + 25 + 1);
  // en_XX is the fourth, and <mask> the last.
  Ids ids = good(first->encode("cat ro_RO<mask>"));
  EXPECT_EQ(Ids(ids.end() - 4, ids.end()),
            (Ids{count + 1 + 19, count + 1 + 25, 2, count + 1 + 3}));
  auto later = open(R"({"tokenizer_class": "MBart50Tokenizer",
                        "src_lang": "sl_SI"})");
  ASSERT_TRUE(later);
  EXPECT_EQ(later->vocabularySize(), count + 1 + 52 + 1);
  ids = good(later->encode("cat"));
  EXPECT_EQ(ids.front(), count + 1 + 51);
  EXPECT_EQ(ids.back(), 2);
  EXPECT_EQ(message(R"({"tokenizer_class": "MBartTokenizer",
                        "src_lang": "sl_SI"})"),
            "tokenizer_config.json: expected the token 'sl_SI' in the "
            "vocabulary or among added tokens, found neither");
}

TEST_F(SentencePieceFolder, marian_looks_pieces_up) {
  // Which has whole words.
  folder.write("source.spm", train(" --model_type=bpe --vocab_size=60"));
  folder.write("vocab.json", R"({"</s>": 0, "<unk>": 1, "▁the": 2, "▁cat": 3,
    ">>fra<<": 4, "字": 5, "▁chat": 6, "▁": 7, "s": 8, "<pad>": 9})");
  auto tokenizer = open(R"({"tokenizer_class": "MarianTokenizer"})");
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(tokenizer->vocabularySize(), 10);
  EXPECT_EQ(good(tokenizer->encode("the cat the")), (Ids{2, 3, 2, 0}));
  EXPECT_EQ(good(tokenizer->encode(">>fra<< the cat")), (Ids{4, 2, 3, 0}));
  // Of another language there is no token.
  EXPECT_EQ(good(tokenizer->encode(">>xyz<< the")), (Ids{1, 2, 0}));
  // A character that the model lacks, but not the vocabulary.
  EXPECT_EQ(good(tokenizer->encode("the 字")), (Ids{2, 7, 5, 0}));
  EXPECT_EQ(good(tokenizer->encode("the</s>cat<pad>", false)),
            (Ids{2, 0, 3, 9}));
  EXPECT_EQ(good(tokenizer->encodePair("the", "cat")).ids, (Ids{2, 3, 0}));
  EXPECT_EQ(good(tokenizer->decode({9, 2, 6, 8, 0})), "the chats");
  EXPECT_EQ(message(R"({"tokenizer_class": "MarianTokenizer",
                        "separate_vocabs": true})"),
            "tokenizer_config.json: field 'separate_vocabs': expected false, "
            "got true");
  folder.write("source.spm", "no model");
  EXPECT_EQ(message(R"({"tokenizer_class": "MarianTokenizer"})").substr(0, 12),
            "source.spm: ");
}
