// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tokenizers as BERT's.

#include "test/Text/TokenizerTestSupport.h"

using namespace heddle::test;

static std::string special(int id, const std::string &content) {
  return R"({"id": )" + std::to_string(id) + R"(, "content": ")" + content +
         R"(", "single_word": false, "lstrip": false, "rstrip": false,
             "normalized": false, "special": true})";
}

/// A BERT with a small vocabulary; `normalizer` are fields of its normalizer.
static std::string bert(const std::string &normalizer =
                            R"("clean_text": true,
    "handle_chinese_chars": true, "strip_accents": null, "lowercase": true)",
                        const std::string &longestWord = "8") {
  return R"({"added_tokens": [)" + special(0, "[PAD]") + ", " +
         special(1, "[UNK]") + ", " + special(2, "[CLS]") + ", " +
         special(3, "[SEP]") + R"(],
    "normalizer": {"type": "BertNormalizer", )" +
         normalizer + R"(},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3],
                       "cls": ["[CLS]", 2]},
    "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
    "model": {"type": "WordPiece", "unk_token": "[UNK]",
      "continuing_subword_prefix": "##", "max_input_chars_per_word": )" +
         longestWord + R"(,
      "vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "un": 4,
        "una": 5, "##a": 6, "##ff": 7, "##able": 8, "hello": 9, ",": 10,
        "world": 11, "!": 12, "字": 13, "漢": 14, "cafe": 15, "a": 16, "é": 17,
        "Hello": 18, "##e": 19, "##é": 20, "i": 21, "'": 22, "m": 23,
        "caf": 24}}})";
}

static Ids ids(const std::string &json, const std::string &text) {
  auto tokenizer = good(parseTokenizer(json));
  return tokenizer ? good(tokenizer->encode(text, /*addSpecial=*/false))
                   : Ids{-1};
}

TEST(WordPiece, takes_the_longest_tokens) {
  EXPECT_EQ(ids(bert(), "hello"), Ids{9});
  // "una" leaves "ffable", of which "##ff" and "##able" remain.
  EXPECT_EQ(ids(bert(), "unaffable"), Ids{1});
  EXPECT_EQ(ids(bert(), "unffable"), (Ids{4, 7, 8}));
  EXPECT_EQ(ids(bert(), "unaff"), (Ids{5, 7}));
  // Tokens that only continue words begin none, and the other way round.
  EXPECT_EQ(ids(bert(), "able"), Ids{1});
  EXPECT_EQ(ids(bert(), "hellohello"), Ids{1});
  // What is written like such a token is one.
  EXPECT_EQ(ids(bert(), "##able"), (Ids{1, 1, 1}));
}

TEST(WordPiece, words_that_are_not_covered_are_unknown) {
  EXPECT_EQ(ids(bert(), "hellox hello"), (Ids{1, 9}));
  EXPECT_EQ(ids(bert(), "😀 hello😀!"), (Ids{1, 1, 12}));
  EXPECT_EQ(ids(bert(), ""), Ids{});
  EXPECT_EQ(ids(bert(), " \t\n"), Ids{});
}

TEST(WordPiece, long_words_are_unknown) {
  // 8 characters, of more bytes.
  std::string eight = "caf"
                      "\u00E9"
                      "aaaa";
  EXPECT_EQ(ids(bert(), eight), (Ids{15, 6, 6, 6, 6}));
  EXPECT_EQ(ids(bert(), eight + "a"), Ids{1});
  EXPECT_EQ(ids(bert(), std::string(1'000'000, 'a')), Ids{1});
}

TEST(WordPiece, special_tokens_in_text) {
  EXPECT_EQ(ids(bert(), "hello[SEP]world"), (Ids{9, 3, 11}));
  EXPECT_EQ(ids(bert(), "[UNK] [PAD]"), (Ids{1, 0}));
  // In another case it is text.
  EXPECT_EQ(ids(bert(), "[sep]"), (Ids{1, 1, 1}));
}

TEST(BertNormalizer, cleans_text) {
  using namespace std::string_literals;
  EXPECT_EQ(ids(bert(), "hel\u0000lo\u200D,\uFFFD\u00A0world\u0007"s),
            (Ids{9, 10, 11}));
  EXPECT_EQ(ids(bert(), "hello\r\nworld\u3000!"), (Ids{9, 11, 12}));
  // Unicode 8 has no such character: it is no control character.
  EXPECT_EQ(ids(bert(), "hello\u08E2"), Ids{1});
  std::string asIs = R"("clean_text": false, "handle_chinese_chars": true,
                        "strip_accents": null, "lowercase": true)";
  EXPECT_EQ(ids(bert(asIs), "hel\u200Dlo"), Ids{1});
}

TEST(BertNormalizer, ideographs_are_words) {
  EXPECT_EQ(ids(bert(), "hello字漢world"), (Ids{9, 13, 14, 11}));
  // Kana are none.
  EXPECT_EQ(ids(bert(), "かな"), Ids{1});
  std::string asIs = R"("clean_text": true, "handle_chinese_chars": false,
                        "strip_accents": null, "lowercase": true)";
  EXPECT_EQ(ids(bert(asIs), "字漢"), Ids{1});
}

TEST(BertNormalizer, accents_go_with_case_unless_told) {
  auto with = [](const std::string &accents, const std::string &lowercase) {
    return bert(R"("clean_text": true, "handle_chinese_chars": true,
                   "strip_accents": )" +
                accents + ", \"lowercase\": " + lowercase);
  };
  EXPECT_EQ(ids(with("null", "true"), "CAF\u00C9"), Ids{15});
  EXPECT_EQ(ids(with("null", "true"), "cafe\u0301"), Ids{15});
  EXPECT_EQ(ids(with("false", "true"), "CAF\u00C9"), (Ids{24, 20}));
  EXPECT_EQ(ids(with("false", "true"), "Hello"), Ids{9});
  EXPECT_EQ(ids(with("null", "false"), "Hello caf\u00E9"), (Ids{18, 24, 20}));
  EXPECT_EQ(ids(with("true", "false"), "Hello caf\u00E9"), (Ids{18, 15}));
  // Turkish I with a dot: the dot is an accent.
  EXPECT_EQ(ids(with("null", "true"), "\u0130"), Ids{21});
}

TEST(WordPiece, frames_and_types) {
  auto tokenizer = good(parseTokenizer(bert()));
  EXPECT_EQ(good(tokenizer->encode("hello")), (Ids{2, 9, 3}));
  EXPECT_EQ(good(tokenizer->encode("")), (Ids{2, 3}));
  auto pair = good(tokenizer->encodePair("hello", "world!"));
  EXPECT_EQ(pair.ids, (Ids{2, 9, 3, 11, 12, 3}));
  EXPECT_EQ(pair.types, (Ids{0, 0, 0, 1, 1, 1}));
}

TEST(WordPiece, decodes_words) {
  auto tokenizer = good(parseTokenizer(bert()));
  EXPECT_EQ(good(tokenizer->decode({2, 9, 10, 11, 12, 3})), "hello, world!");
  EXPECT_EQ(good(tokenizer->decode({4, 7, 8, 9})), "unffable hello");
  // A first token keeps its prefix.
  EXPECT_EQ(good(tokenizer->decode({6, 6})), "##aa");
  // Clean-up looks at one token at a time, so that " ' " stays.
  EXPECT_EQ(good(tokenizer->decode({21, 22, 23})), "i ' m");
  EXPECT_EQ(join(stream(*tokenizer, {2, 4, 7, 8, 10, 9, 3})),
            "unffable, hello");
}

TEST(WordPiece, negative_fields) {
  auto message = [](const std::string &from, const std::string &to) {
    std::string json = bert();
    json.replace(json.find(from), from.size(), to);
    std::string text = messageOf(parseTokenizer(json));
    return text.substr(text.find(": ") + 2);
  };
  EXPECT_EQ(message("\"unk_token\": \"[UNK]\",", ""),
            "model: field 'unk_token': expected a string, got nothing");
  EXPECT_EQ(message("\"max_input_chars_per_word\": 8",
                    "\"max_input_chars_per_word\": -1"),
            "model: field 'max_input_chars_per_word': expected a non-negative "
            "integer <= 2147483647, got -1");
  EXPECT_EQ(message("\"lowercase\": true", "\"lowercase\": 1"),
            "normalizer: field 'lowercase': expected true or false, got 1");
  EXPECT_EQ(message("[\"[SEP]\", 3]", "[\"[SEP]\", 25]"),
            "post_processor: field 'sep': expected [token, id] with an id <= "
            "24, got [\"[SEP]\",25]");
  EXPECT_EQ(message("\"clean_text\": true", "\"clean\": true"),
            "normalizer: field 'clean' is not known to this importer; it may "
            "change the result");
}

TEST(WordPiece, negative_unknown_token_that_is_none) {
  std::string json = bert();
  std::string field = "\"unk_token\": \"[UNK]\"";
  json.replace(json.find(field), field.size(), "\"unk_token\": \"?\"");
  auto tokenizer = good(parseTokenizer(json));
  EXPECT_EQ(messageOf(tokenizer->encode("xyz")),
            "cannot encode 'xyz': tokens do not cover it, and the unknown "
            "token '?' is not in the vocabulary");
  EXPECT_EQ(good(tokenizer->encode("hello", false)), Ids{9});
}
