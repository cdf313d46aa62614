// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Folders without a tokenizer.json: vocab.txt, or vocab.json and merges.txt.

#include "test/Text/TokenizerTestSupport.h"

using namespace heddle::test;

namespace {
class TokenizerFolder : public testing::Test {
protected:
  std::unique_ptr<Tokenizer> open() {
    return good(Tokenizer::fromFolder(folder.path()));
  }
  /// With this tokenizer_config.json.
  std::unique_ptr<Tokenizer> open(const std::string &config) {
    folder.write("tokenizer_config.json", config);
    return open();
  }
  Ids ids(const std::string &config, const std::string &text) {
    auto tokenizer = open(config);
    return tokenizer ? good(tokenizer->encode(text)) : Ids{-1};
  }
  std::string message(const std::string &config) {
    folder.write("tokenizer_config.json", config);
    std::string text = messageOf(Tokenizer::fromFolder(folder.path()));
    return text.substr(std::min(text.size(), folder.path().size() + 1));
  }

  TemporaryFolder folder;
};

class BertFolder : public TokenizerFolder {
protected:
  void SetUp() override {
    folder.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nhello\n"
                              "##s\ncafe\nHello\n字\ncaf\n##é\n<new>\n");
  }
};
} // namespace

TEST_F(BertFolder, options) {
  const std::string bert = R"("tokenizer_class": "BertTokenizer")";
  EXPECT_EQ(ids("{" + bert + "}", "Hellos CAFÉ"), (Ids{2, 5, 6, 7, 3}));
  EXPECT_EQ(ids("{" + bert + R"(, "do_lower_case": false})", "Hellos café"),
            (Ids{2, 8, 6, 10, 11, 3}));
  EXPECT_EQ(ids("{" + bert + R"(, "strip_accents": false})", "café"),
            (Ids{2, 10, 11, 3}));
  EXPECT_EQ(ids("{" + bert + "}", "字hello"), (Ids{2, 9, 5, 3}));
  EXPECT_EQ(ids("{" + bert + R"(, "tokenize_chinese_chars": false})", "字字"),
            (Ids{2, 1, 3}));
  auto tokenizer = open("{" + bert + R"(, "model_max_length": 512})");
  EXPECT_EQ(heddle_tokenizer_maximum_length(tokenizer->handle), 512);
  auto pair = good(tokenizer->encodePair("hello[MASK]", "cafe"));
  EXPECT_EQ(pair.ids, (Ids{2, 5, 4, 3, 7, 3}));
  EXPECT_EQ(pair.types, (Ids{0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(good(tokenizer->decode({2, 5, 6, 7, 3})), "hellos cafe");
}

TEST_F(BertFolder, classes) {
  folder.write("config.json", R"({"model_type": "distilbert"})");
  EXPECT_EQ(good(open()->encode("hello")), (Ids{2, 5, 3}));
  // Named by the class of the model's configuration.
  folder.write("config.json", R"({"model_type": "x",
                                  "tokenizer_class": "ElectraTokenizerFast"})");
  EXPECT_EQ(good(open()->encode("hello")), (Ids{2, 5, 3}));
  folder.write("vocab.txt", "<s>\n<pad>\n</s>\n[UNK]\nhello\n<mask>");
  auto mpnet = open(R"({"tokenizer_class": "MPNetTokenizer"})");
  EXPECT_EQ(good(mpnet->encode("hello x \t<mask>")), (Ids{0, 4, 3, 5, 2}));
  EXPECT_EQ(good(mpnet->encodePair("hello", "hello")).ids,
            (Ids{0, 4, 2, 2, 4, 2}));
  EXPECT_EQ(good(mpnet->encodePair("hello", "hello")).types,
            (Ids{0, 0, 0, 0, 0, 0}));
}

TEST_F(BertFolder, added_tokens) {
  // Known ones, others behind the vocabulary, and a name of its own.
  EXPECT_EQ(ids(R"({"tokenizer_class": "BertTokenizer",
                    "unk_token": {"content": "hello"},
                    "additional_special_tokens": ["<new>", "<newer>"]})",
                "x<newer><new>"),
            (Ids{2, 5, 13, 12, 3}));
  EXPECT_EQ(ids(R"({"tokenizer_class": "BertTokenizer",
                    "added_tokens_decoder": {
                      "13": {"content": "<b>", "special": false, "lstrip": true,
                             "rstrip": false, "normalized": true,
                             "single_word": false},
                      "12": {"content": "<new>", "special": true}}})",
                "x <B><new>"),
            (Ids{2, 1, 13, 12, 3}));
  folder.write("added_tokens.json", R"({"<c>": 14, "<b>": 13})");
  auto tokenizer = open(R"({"tokenizer_class": "BertTokenizer",
                            "additional_special_tokens": ["<c>"]})");
  EXPECT_EQ(good(tokenizer->encode("<C><c><B>")), (Ids{2, 1, 1, 1, 14, 13, 3}));
  // "<b>" is none of the special tokens.
  EXPECT_EQ(good(tokenizer->decode({13, 14, 5})), "<b> hello");
}

TEST_F(BertFolder, files_from_windows_and_repeated_lines) {
  folder.write("vocab.txt", "[UNK]\r\n[CLS]\r\n[SEP]\r\na\r\n\r\na\r\n"
                            "[PAD]\r\n[MASK]\r\n");
  EXPECT_EQ(ids(R"({"tokenizer_class": "BertTokenizer"})", "a b"),
            (Ids{1, 5, 0, 2}));
}

TEST_F(BertFolder, negative_classes) {
  const std::string known =
      "expected one of BertTokenizer, DistilBertTokenizer, ElectraTokenizer, "
      "MobileBertTokenizer, MPNetTokenizer, GPT2Tokenizer, RobertaTokenizer, "
      "BartTokenizer, CLIPTokenizer, WhisperTokenizer, T5Tokenizer, "
      "MT5Tokenizer, XLMRobertaTokenizer, MBartTokenizer, MBart50Tokenizer, "
      "MarianTokenizer, as there is no tokenizer.json, got ";
  EXPECT_EQ(message("{}"), "tokenizer_config.json: field 'tokenizer_class': " +
                               known + "nothing");
  EXPECT_EQ(message(R"({"tokenizer_class": "BertweetTokenizer"})"),
            "tokenizer_config.json: field 'tokenizer_class': " + known +
                "\"BertweetTokenizer\"");
  EXPECT_EQ(message(R"({"tokenizer_class": "RobertaTokenizer"})"),
            "vocab.json: cannot read: No such file or directory");
  EXPECT_EQ(message(R"({"tokenizer_class": "BertTokenizer",
                        "do_basic_tokenize": false})"),
            "tokenizer_config.json: field 'do_basic_tokenize': expected true, "
            "got false");
  EXPECT_EQ(message(R"({"tokenizer_class": "BertTokenizer",
                        "cls_token": null})"),
            "tokenizer_config.json: field 'cls_token': expected a token, got "
            "null");
  EXPECT_EQ(message(R"({"tokenizer_class": "BertTokenizer",
                        "cls_token": 1})"),
            "tokenizer_config.json: field 'cls_token': expected a token, or "
            "objects with 'content', got 1");
  EXPECT_EQ(message(R"({"tokenizer_class": "BertTokenizer",
                        "added_tokens_decoder": {"x": {"content": "y"}}})"),
            "tokenizer_config.json: field 'added_tokens_decoder': expected "
            "objects with 'content' by id, got {\"x\":{\"content\":\"y\"}}");
  EXPECT_EQ(message(R"({"tokenizer_class": "BertTokenizer",
                        "added_tokens_decoder": {"20": {"content": "y"}}})"),
            "vocab.txt: added_tokens[0]: field 'id': expected 13 for 'y', got "
            "20");
}

//===-- vocab.json and merges.txt -----------------------------------------===//

namespace {
class BytePairFolder : public TokenizerFolder {
protected:
  void SetUp() override {
    folder.write("vocab.json", R"({"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3,
      "a": 4, "b": 5, "Ġ": 6, "ab": 7, "Ġa": 8, "<mask>": 9, "ab</w>": 10,
      "a</w>": 11, "b</w>": 12, "<|endoftext|>": 13, "<|startoftext|>": 14,
      "Ã": 15, "©": 16, "©</w>": 17})");
    folder.write("merges.txt", "#version: 0.2\nĠ a\na b\na b</w>\n\n");
  }
};
} // namespace

TEST_F(BytePairFolder, roberta_and_bart) {
  for (std::string name : {"RobertaTokenizer", "BartTokenizerFast"}) {
    auto tokenizer = open(R"({"tokenizer_class": ")" + name + "\"}");
    EXPECT_EQ(good(tokenizer->encode("ab a")), (Ids{0, 7, 8, 2}));
    EXPECT_EQ(good(tokenizer->encode("a <mask>a")), (Ids{0, 4, 9, 4, 2}));
    auto pair = good(tokenizer->encodePair("a", "b"));
    EXPECT_EQ(pair.ids, (Ids{0, 4, 2, 2, 5, 2}));
    EXPECT_EQ(pair.types, (Ids{0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(good(tokenizer->decode({0, 7, 8, 15, 16, 2})), "ab aé");
  }
  EXPECT_EQ(ids(R"({"tokenizer_class": "RobertaTokenizer",
                    "add_prefix_space": true})",
                "a"),
            (Ids{0, 8, 2}));
}

TEST_F(BytePairFolder, gpt2) {
  folder.write("config.json", R"({"model_type": "gpt2"})");
  EXPECT_EQ(good(open()->encode("ab<|endoftext|>")), (Ids{7, 13}));
  EXPECT_EQ(ids(R"({"add_bos_token": true})", "ab"), (Ids{13, 7}));
}

TEST_F(BytePairFolder, clip) {
  auto tokenizer = open(R"({"tokenizer_class": "CLIPTokenizer"})");
  EXPECT_EQ(good(tokenizer->encode("AB \n aB")), (Ids{14, 10, 10, 13}));
  EXPECT_EQ(good(tokenizer->encode("aé")), (Ids{14, 4, 15, 17, 13}));
  EXPECT_EQ(good(tokenizer->encodePair("a", "b")).ids,
            (Ids{14, 11, 13, 13, 12, 13}));
  EXPECT_EQ(good(tokenizer->decode({14, 4, 15, 17, 10, 13})), "aé ab");
  EXPECT_EQ(join(stream(*tokenizer, {14, 4, 15, 17, 10, 13})), "aé ab");
  // Unknown characters are the end token.
  EXPECT_EQ(good(tokenizer->encode("!")), (Ids{14, 13, 13}));
}

TEST_F(BytePairFolder, whisper) {
  folder.write("added_tokens.json", R"({"<|startoftranscript|>": 18,
                                        "<|en|>": 19, "<|notimestamps|>": 20})");
  const std::string whisper = R"({"tokenizer_class": "WhisperTokenizer")";
  EXPECT_EQ(ids(whisper + "}", "ab<|en|>"), (Ids{18, 20, 7, 19, 13}));
  EXPECT_EQ(ids(whisper + R"(, "predict_timestamps": true})", "a"),
            (Ids{18, 4, 13}));
  EXPECT_EQ(message(whisper + R"(, "language": "en"})"),
            "tokenizer_config.json: field 'language': expected null, as "
            "callers choose it, got \"en\"");
  folder.write("added_tokens.json", "{}");
  EXPECT_EQ(message(whisper + "}"),
            "tokenizer_config.json: expected the token "
            "'<|startoftranscript|>' in the vocabulary or among added tokens, "
            "found neither");
}

TEST_F(BytePairFolder, negative_files) {
  const std::string config = R"({"tokenizer_class": "RobertaTokenizer"})";
  folder.write("merges.txt", "a b\n");
  EXPECT_EQ(message(config), "merges.txt: expected a first line that begins "
                             "with '#version', got 'a b'");
  folder.write("merges.txt", "#version: 0.2\na x\n");
  EXPECT_EQ(message(config), "vocab.json: field 'merges[0]': expected tokens "
                             "of the vocabulary, got 'x'");
  folder.write("vocab.json", R"({"a": "b"})");
  EXPECT_EQ(message(config), "vocab.json.vocab: field 'a': expected a "
                             "non-negative integer <= 16777215, got \"b\"");
}
