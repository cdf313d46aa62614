// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tokenizers as those of T5 and XLM-RoBERTa, and their replacements.

#include "test/Text/TokenizerTestSupport.h"

#include "runtime/text/CharsMap.h"
#include "runtime/text/Failure.h"

using namespace heddle::test;

static std::string unigram(const std::string &vocabulary,
                           const std::string &rest = ", \"unk_id\": 0",
                           const std::string &outside = "") {
  return "{" + outside + R"("model": {"type": "Unigram", "vocab": [)" +
         vocabulary + "]" + rest + "}}";
}

static Ids ids(const std::string &json, const std::string &text) {
  auto tokenizer = good(parseTokenizer(json));
  return tokenizer ? good(tokenizer->encode(text)) : Ids{-1};
}

TEST(Unigram, takes_the_likeliest_tokens) {
  std::string json = unigram(R"(["<unk>", 0], ["a", -1], ["b", -1], ["ab", -3],
                                ["aba", -2.5], ["ba", -1.5])");
  EXPECT_EQ(ids(json, "ab"), (Ids{1, 2}));
  // -2.5: "aba" as well as "a" "ba"; the longest last token wins.
  EXPECT_EQ(ids(json, "aba"), Ids{4});
  EXPECT_EQ(ids(json, "baba"), (Ids{5, 5}));
  EXPECT_EQ(ids(json, ""), Ids{});
}

TEST(Unigram, unknown_characters_fuse) {
  std::string json =
      unigram(R"(["<unk>", 0], ["a", -1], ["xé", -100], ["é", -2])");
  EXPECT_EQ(ids(json, "axyza"), (Ids{1, 0, 1}));
  EXPECT_EQ(ids(json, "漢字😀a"), (Ids{0, 1}));
  // Two unknown characters cost 2 * (-100 - 10), a known one that is unlikely
  // less.
  EXPECT_EQ(ids(json, "xé"), Ids{2});
  // What is written like the unknown token is fused, too.
  EXPECT_EQ(ids(json, "x<unk>xa"), (Ids{0, 1}));
}

TEST(Unigram, unknown_characters_that_are_a_token) {
  // "xy" costs 30, its characters 2 * (20 + 10) - never less than a token: but
  // with "x" at 0 and y unknown, both are looked up apart.
  std::string json = unigram(R"(["<unk>", 0], ["x", 0], ["xy", -20])");
  EXPECT_EQ(ids(json, "xy"), Ids{2});
  EXPECT_EQ(ids(json, "xxy"), (Ids{1, 2}));
}

TEST(Unigram, scores_are_rounded_as_there) {
  // The score of "ab" is the sum of those of "a" and "b". Its digits are more
  // than 2^53, so that serde_json rounds them before it divides, to less.
  std::string json = unigram(R"(["<unk>", -99], ["a", -5.121771106309558],
                                ["b", -5.2], ["ab", -10.321771106309559])");
  EXPECT_EQ(ids(json, "ab"), (Ids{1, 2}));
}

TEST(Unigram, byte_fallback) {
  std::string vocabulary = R"(["<unk>", 0], ["a", -1], ["<0xC3>", -9],
                              ["<0xA9>", -9])";
  std::string json =
      unigram(vocabulary, ", \"unk_id\": 0, \"byte_fallback\": true");
  EXPECT_EQ(ids(json, "aéa"), (Ids{1, 2, 3, 1}));
  // Characters fuse before bytes are looked for, and one is missing.
  EXPECT_EQ(ids(json, "éxa"), (Ids{0, 1}));
  EXPECT_EQ(ids(unigram(vocabulary), "aéa"), (Ids{1, 0, 1}));
}

TEST(Unigram, tokens_that_are_there_twice) {
  std::string json = unigram(R"(["<unk>", 0], ["a", -1], ["a", -1])");
  EXPECT_EQ(ids(json, "a"), Ids{2});
  EXPECT_EQ(good(good(parseTokenizer(json))->decode({1, 2})), "a a");
}

TEST(Unigram, without_unknown_token) {
  auto tokenizer = good(parseTokenizer(unigram(R"(["a", -1])", "")));
  EXPECT_EQ(good(tokenizer->encode("aa")), (Ids{0, 0}));
  EXPECT_EQ(messageOf(tokenizer->encode("ab")),
            "cannot encode 'b': it is not in the vocabulary, and there is no "
            "unknown token");
}

TEST(Unigram, negative_fields) {
  auto message = [](const std::string &json) {
    std::string text = messageOf(parseTokenizer(json));
    return text.substr(text.find(": ") + 2);
  };
  EXPECT_EQ(message(unigram(R"(["a", -1], ["b"])")),
            "model: field 'vocab[1]': expected [token, score], got [\"b\"]");
  EXPECT_EQ(message(unigram(R"(["a", -1])", ", \"unk_id\": 1")),
            "model: field 'unk_id': expected a non-negative integer <= 0, got "
            "1");
  EXPECT_EQ(message(unigram("")), "model: field 'vocab': expected the token "
                                  "with the id 'unk_id', got []");
}

TEST(Unigram, as_t5) {
  auto tokenizer = good(parseTokenizer(
      unigram(R"(["<pad>", 0], ["</s>", 0], ["<unk>", 0], ["▁", -2],
                 ["▁a", -1], ["b", -2], ["▁b", -4])",
              ", \"unk_id\": 2",
              R"("added_tokens": [{"id": 1, "content": "</s>",
      "single_word": false, "lstrip": false, "rstrip": false,
      "normalized": false, "special": true}],
    "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
      {"type": "WhitespaceSplit"},
      {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"}]},
    "post_processor": {"type": "TemplateProcessing",
      "single": [{"Sequence": {"id": "A", "type_id": 0}},
                 {"SpecialToken": {"id": "</s>", "type_id": 0}}],
      "pair": [{"Sequence": {"id": "A", "type_id": 0}},
               {"SpecialToken": {"id": "</s>", "type_id": 0}},
               {"Sequence": {"id": "B", "type_id": 0}},
               {"SpecialToken": {"id": "</s>", "type_id": 0}}],
      "special_tokens": {"</s>": {"id": "</s>", "ids": [1],
                                  "tokens": ["</s>"]}}},
    "decoder": {"type": "Metaspace", "replacement": "▁",
                "prepend_scheme": "always"},
    )")));
  // "▁b" and "▁" "b" are as likely.
  EXPECT_EQ(good(tokenizer->encode("  a ab b\n")), (Ids{4, 4, 5, 6, 1}));
  EXPECT_EQ(good(tokenizer->encode("a</s>b")), (Ids{4, 1, 6, 1}));
  EXPECT_EQ(good(tokenizer->encode("")), Ids{1});
  auto pair = good(tokenizer->encodePair("a", "b"));
  EXPECT_EQ(pair.ids, (Ids{4, 1, 6, 1}));
  EXPECT_EQ(pair.types, (Ids{0, 0, 0, 0}));
  EXPECT_EQ(good(tokenizer->decode({4, 4, 5, 6, 1})), "a ab b");
}

//===-- replacements ------------------------------------------------------===//

namespace {
/// A double array of one level: a byte, or a byte and another.
class MapBuilder {
public:
  MapBuilder() : units(1024) { units[0] = 256 << 10; }

  /// `byte` alone becomes `text`.
  MapBuilder &one(uint8_t byte, const std::string &text) {
    uint32_t place = 256 ^ byte;
    // The value is at the byte's place with the offset 512, on its own.
    units[place] |= 1u << 8 | byte | (512u ^ 0) << 10;
    units[place ^ 512] = add(text);
    return *this;
  }
  std::string bytes() const {
    std::string result;
    auto put = [&](uint32_t value) {
      for (int i = 0; i < 4; ++i)
        result += char(value >> 8 * i);
    };
    put(uint32_t(4 * units.size()));
    for (uint32_t unit : units)
      put(unit);
    return result + texts;
  }

private:
  uint32_t add(const std::string &text) {
    uint32_t value = uint32_t(texts.size()) | 1u << 31;
    texts += text + std::string(1, '\0');
    return value;
  }

  std::vector<uint32_t> units;
  std::string texts;
};
} // namespace

static std::string replaced(const std::string &map, const std::string &text) {
  heddle::text::Budget budget(text.size());
  std::string where = "test";
  heddle::text::GrowingText grown(budget, where);
  try {
    return heddle::text::CharsMap(map, where).run(text, grown);
  } catch (const heddle::text::Failure &failure) {
    return failure.what();
  }
}

TEST(CharsMap, replaces_the_shortest_begin_of_a_grapheme) {
  std::string map =
      MapBuilder().one('A', "aa").one('\r', " ").one('x', "").bytes();
  EXPECT_EQ(replaced(map, "bAxA"), "baaaa");
  // A grapheme as a whole becomes what its begin becomes, up to 5 bytes.
  EXPECT_EQ(replaced(map, "A\u0301b"), "aab");
  EXPECT_EQ(replaced(map, "A\u0301\u0301b"), "aab");
  EXPECT_EQ(replaced(map, "A\u0301\u20DDb"), "aa\u0301\u20DDb");
  EXPECT_EQ(replaced(map, "\r\n\r"), "  ");
  EXPECT_EQ(replaced(map, "A\u0301\u0301\u0301b"), "aa\u0301\u0301\u0301b");
  EXPECT_EQ(replaced(map, ""), "");
  // A mark of Unicode 16 belongs to the grapheme, which is long by that, but
  // not to a line end.
  EXPECT_EQ(replaced(map, "A\u0301\U000113D0"), "aa\u0301\U000113D0");
  EXPECT_EQ(replaced(map, "\r\U000113D0"), " \U000113D0");
  EXPECT_EQ(replaced(map, "字😀\u0301"), "字😀\u0301");
  EXPECT_EQ(replaced(map, std::string("A\0A", 3)), std::string("aa\0aa", 5));
}

TEST(CharsMap, negative_damage) {
  std::string damaged = "test: expected the replacements of a SentencePiece "
                        "model, got damaged ones";
  std::string map = MapBuilder().one('A', "aa").bytes();
  EXPECT_EQ(replaced("", "A"), damaged);
  EXPECT_EQ(replaced(std::string(4, '\0'), "A"), damaged);
  EXPECT_EQ(replaced(map.substr(0, 2000), "A"), damaged);
  EXPECT_EQ(replaced(map + "\xFF", "A"), damaged);
  // A trie that leads outside of itself, and a text that is not there.
  std::string outside = map;
  outside[4 + 4 * (256 ^ 'A') + 3] = '\x7F';
  EXPECT_EQ(replaced(outside, "A"), damaged);
  std::string behind = map;
  behind[4 + 4 * (256 ^ 'A' ^ 512) + 1] = '\x7F';
  EXPECT_EQ(replaced(behind, "A"), damaged);
  // All places of a map, with each of a few bytes there.
  for (size_t place = 0; place < map.size(); ++place)
    for (char byte : {'\0', '\1', 'A', '\x80', '\xFF'}) {
      std::string other = map;
      other[place] = byte;
      replaced(other, "Ab\u0301A");
    }
}

TEST(CharsMap, in_a_tokenizer) {
  auto tokenizer = [](const std::string &base64) {
    return parseTokenizer(unigram(
        R"(["<unk>", 0], ["a", -1])", ", \"unk_id\": 0",
        R"("normalizer": {"type": "Precompiled", "precompiled_charsmap": ")" +
            base64 + "\"}, "));
  };
  EXPECT_TRUE(contains(messageOf(tokenizer("AAA")),
                       "normalizer: field 'precompiled_charsmap': expected "
                       "text in base 64, got \"AAA\""));
  EXPECT_TRUE(contains(messageOf(tokenizer("A=AA")), "in base 64"));
  EXPECT_TRUE(contains(messageOf(tokenizer("AAAA")),
                       "precompiled_charsmap': expected the replacements"));
  // One unit, where the first byte of a text leads outside.
  auto one = good(tokenizer("BAAAAAAAAAA="));
  ASSERT_TRUE(one);
  EXPECT_EQ(good(one->encode("")), Ids{});
  EXPECT_TRUE(contains(messageOf(one->encode("ab")), "got damaged ones"));
}
