// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Text/TokenizerTestSupport.h"

#include "runtime/text/Json.h"

using namespace heddle::test;

//===-- byte-level, as GPT-2, SmolLM2 and Llama 3 -------------------------===//

// Ġ is how the byte alphabet writes a space, Ċ a newline, Ã© the bytes of é.
static std::string byteLevel(const std::string &options = "",
                             const std::string &rest = "") {
  return R"({"version": "1.0", "truncation": null, "padding": null,
    "normalizer": null,
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false,
                      "trim_offsets": true, "use_regex": true},
    "decoder": {"type": "ByteLevel", "add_prefix_space": true,
                "trim_offsets": true, "use_regex": true},
    "model": {"type": "BPE", "dropout": null, "unk_token": null,
      "continuing_subword_prefix": "", "end_of_word_suffix": "",
      "fuse_unk": false, )" +
         options + R"(
      "vocab": {"a": 0, "b": 1, "c": 2, "Ġ": 3, "ab": 4, "Ġa": 5, "Ġab": 6,
                "bc": 7, "Ã": 8, "©": 9, "!": 10, "Ċ": 11, "cab": 12},
      "merges": ["a b", "Ġ a", ["Ġ", "ab"], "b c"]})" +
         rest + "}";
}

TEST(ByteLevelTokenizer, merges_the_lowest_rank_first) {
  auto tokenizer = good(parseTokenizer(byteLevel()));
  // Pieces "abc" and " ab". In a b c both "a b" (rank 0) and "b c" (rank 3) can
  // merge; after the first no "b" is left. In Ġ a b "a b" comes before "Ġ a"
  // (rank 1), and then "Ġ ab" (rank 2).
  EXPECT_EQ(good(tokenizer->encode("abc ab")), (Ids{4, 2, 6}));
  // "bc" alone merges. "cab" is a token that no merge makes.
  EXPECT_EQ(good(tokenizer->encode("bc")), Ids{7});
  EXPECT_EQ(good(tokenizer->encode("cab")), (Ids{2, 4}));
  EXPECT_EQ(good(tokenizer->encode("")), Ids{});
  EXPECT_EQ(tokenizer->vocabularySize(), 13);
}

TEST(ByteLevelTokenizer, merges_equal_ranks_from_the_left) {
  auto tokenizer = good(parseTokenizer(R"({"decoder": null, "model": {
    "vocab": {"a": 0, "aa": 1, "aaaa": 2}, "merges": ["a a", "aa aa"]}})"));
  EXPECT_EQ(good(tokenizer->encode("aaa")), (Ids{1, 0}));
  EXPECT_EQ(good(tokenizer->encode("aaaaaaa")), (Ids{2, 1, 0}));
}

TEST(ByteLevelTokenizer, ignore_merges_takes_whole_tokens) {
  auto tokenizer = good(parseTokenizer(byteLevel(R"("ignore_merges": true,)")));
  EXPECT_EQ(good(tokenizer->encode("cab")), Ids{12});
  // " cab" is not a token.
  EXPECT_EQ(good(tokenizer->encode(" cab")), (Ids{3, 2, 4}));
}

TEST(ByteLevelTokenizer, splits_white_space_as_gpt2) {
  auto tokenizer = good(parseTokenizer(byteLevel()));
  // Pieces "a", "\n " (all but the last space, which belongs to the next
  // word) and " a".
  EXPECT_EQ(good(tokenizer->encode("a\n  a")), (Ids{0, 11, 3, 5}));
  EXPECT_EQ(good(tokenizer->encode("a  ")), (Ids{0, 3, 3}));
}

TEST(ByteLevelTokenizer, bytes_make_characters) {
  auto tokenizer = good(parseTokenizer(byteLevel()));
  EXPECT_EQ(good(tokenizer->encode("é!")), (Ids{8, 9, 10}));
  EXPECT_EQ(good(tokenizer->decode({8, 9, 10})), "é!");
  // Half a character.
  EXPECT_EQ(good(tokenizer->decode({8})), "\uFFFD");
  EXPECT_EQ(good(tokenizer->decode({9, 10})), "\uFFFD!");
  // Without an unknown token, characters that are not in the vocabulary vanish.
  EXPECT_EQ(good(tokenizer->encode("axb")), (Ids{4}));
  // Ids without a token vanish as well.
  EXPECT_EQ(good(tokenizer->decode({0, 500, 1})), "ab");
}

TEST(ByteLevelTokenizer, streams_whole_characters) {
  auto tokenizer = good(parseTokenizer(byteLevel()));
  EXPECT_EQ(stream(*tokenizer, {0, 8, 9, 10}), (Texts{"a", "", "é", "!", ""}));
  EXPECT_EQ(stream(*tokenizer, {0, 8}), (Texts{"a", "", "\uFFFD"}));
  EXPECT_EQ(stream(*tokenizer, {8, 0}), (Texts{"", "\uFFFDa", ""}));
  // Nothing can complete the first of four half characters any more.
  EXPECT_EQ(stream(*tokenizer, {9, 9, 9, 9, 9}),
            (Texts{"", "", "", "\uFFFD", "\uFFFD", "\uFFFD\uFFFD\uFFFD"}));
}

//===-- added tokens ------------------------------------------------------===//

static std::string added(int id, const std::string &content,
                         std::string_view flags = "") {
  std::string token =
      "{\"id\": " + std::to_string(id) + ", \"content\": \"" + content + "\"";
  for (const char *flag :
       {"single_word", "lstrip", "rstrip", "normalized", "special"})
    token += std::string(", \"") + flag +
             (contains(flags, flag) ? "\": true" : "\": false");
  return token + "}";
}

TEST(AddedTokens, are_found_before_anything_else) {
  auto tokenizer = good(parseTokenizer(byteLevel(
      "", ", \"added_tokens\": [" + added(13, "<|end|>", "special") + ", " +
              added(14, "<|end|>!") + ", " + added(15, "abc", "single_word") +
              ", " + added(16, "[l]", "lstrip") + ", " +
              added(17, "[r]", "rstrip") + ", " + added(18, "bc!") + ", " +
              added(19, " b!") + "]")));
  EXPECT_EQ(tokenizer->vocabularySize(), 20);
  EXPECT_EQ(good(tokenizer->encode("a<|end|>b")), (Ids{0, 13, 1}));
  // The longest one.
  EXPECT_EQ(good(tokenizer->encode("a<|end|>!b")), (Ids{0, 14, 1}));
  // Not inside of a word.
  EXPECT_EQ(good(tokenizer->encode("abc!")), (Ids{15, 10}));
  EXPECT_EQ(good(tokenizer->encode("cabc")), (Ids{2, 4, 2}));
  EXPECT_EQ(good(tokenizer->encode("abcé")), (Ids{4, 2, 8, 9}));
  // The search goes on behind a token that was found, even if it was not used,
  // but not behind the white space that it took.
  EXPECT_EQ(good(tokenizer->encode("cabc!")), (Ids{2, 4, 2, 10}));
  EXPECT_EQ(good(tokenizer->encode("bc!")), Ids{18});
  EXPECT_EQ(good(tokenizer->encode("[r] b!")), (Ids{17, 19}));
  // With the white space on one side.
  EXPECT_EQ(good(tokenizer->encode("a \n[l] a")), (Ids{0, 16, 5}));
  EXPECT_EQ(good(tokenizer->encode("a [r] \na")), (Ids{0, 3, 17, 0}));
  // Special ones are left out of the text; others are not.
  EXPECT_EQ(good(tokenizer->decode({0, 13, 14, 1})), "a<|end|>!b");
  EXPECT_TRUE(tokenizer->omits(13));
  EXPECT_FALSE(tokenizer->omits(14));
  EXPECT_EQ(stream(*tokenizer, {8, 13, 9}), (Texts{"", "", "é", ""}));
}

TEST(AddedTokens, can_be_found_in_normalized_text) {
  std::string json =
      byteLevel("", ", \"added_tokens\": [" + added(13, "ABC", "normalized") +
                        ", " + added(14, "BCA") + "]");
  std::string none = "\"normalizer\": null";
  json.replace(json.find(none), none.size(),
               R"("normalizer": {"type": "Lowercase"})");
  auto tokenizer = good(parseTokenizer(json));
  // "BCA" is looked for first, in the text as it is.
  EXPECT_EQ(good(tokenizer->encode("aBCA")), (Ids{0, 14}));
  EXPECT_EQ(good(tokenizer->encode("AbC!")), (Ids{13, 10}));
  EXPECT_EQ(good(tokenizer->encode("bca")), (Ids{7, 0}));
  // Their own text comes back, not its normalized form.
  EXPECT_EQ(good(tokenizer->decode({0, 13, 14})), "aABCBCA");
}

TEST(AddedTokens, can_be_alike_when_normalized) {
  auto encode = [](const std::string &tokens, const std::string &text) {
    std::string json = byteLevel("", ", \"added_tokens\": [" + tokens + "]");
    std::string none = "\"normalizer\": null";
    json.replace(json.find(none), none.size(),
                 R"("normalizer": {"type": "Lowercase"})");
    return good(good(parseTokenizer(json))->encode(text));
  };
  std::string first = added(13, "ABC", "normalized");
  std::string second = added(14, "aBC", "normalized");
  std::string special = added(15, "AbC", "normalized special");
  // The first one, but special ones come before others.
  EXPECT_EQ(encode(first + ", " + second, "aBC"), Ids{13});
  EXPECT_EQ(encode(first + ", " + second + ", " + special, "aBC"), Ids{15});
}

TEST(AddedTokens, are_not_the_start_of_a_text) {
  auto tokenizer =
      good(parseTokenizer(R"({"added_tokens": [)" + added(0, "<s>") + R"(],
    "pre_tokenizer": {"type": "Metaspace", "replacement": "▁",
                      "prepend_scheme": "first", "split": false},
    "model": {"type": "BPE", "vocab": {"<s>": 0, "▁": 1, "a": 2, "▁a": 3},
              "merges": ["▁ a"]}})"));
  EXPECT_EQ(good(tokenizer->encode("a a<s>a a")), (Ids{3, 3, 0, 2, 3}));
  EXPECT_EQ(good(tokenizer->encode("<s>a")), (Ids{0, 2}));
}

TEST(AddedTokens, nor_is_text_whose_start_was_taken_out) {
  auto tokenizer = good(parseTokenizer(R"({"normalizer": {"type": "Replace",
      "pattern": {"String": "b"}, "content": ""},
    "pre_tokenizer": {"type": "Metaspace", "replacement": "▁",
                      "prepend_scheme": "first", "split": false},
    "model": {"type": "BPE", "vocab": {"b": 0, "▁": 1, "a": 2},
              "merges": []}})"));
  EXPECT_EQ(good(tokenizer->encode("aba")), (Ids{1, 2, 2}));
  EXPECT_EQ(good(tokenizer->encode("baba")), (Ids{2, 2}));
}

TEST(AddedTokens, share_white_space) {
  auto tokenizer = good(parseTokenizer(
      byteLevel("", ", \"added_tokens\": [" + added(13, "[r]", "rstrip") +
                        ", " + added(14, "[l]", "lstrip") + ", " +
                        added(15, "!!", "lstrip rstrip") + ", " +
                        added(16, "c ", "lstrip rstrip single_word") + "]")));
  EXPECT_EQ(good(tokenizer->encode("[r] \n[l]")), (Ids{13, 14}));
  EXPECT_EQ(good(tokenizer->encode("a !! !! a")), (Ids{0, 15, 15, 0}));
  EXPECT_EQ(good(tokenizer->encode("ac c !")), (Ids{0, 2, 16, 10}));
  // One token of white space takes it all, and leaves nothing for the next.
  auto spaces = good(parseTokenizer(byteLevel(
      "", ", \"added_tokens\": [" + added(13, " ", "lstrip rstrip") + "]")));
  EXPECT_EQ(good(spaces->encode("a   \nb ")), (Ids{0, 13, 1, 13}));
}

//===-- byte fallback, as Llama 2 -----------------------------------------===//

static std::string byteFallback(const std::string &options) {
  return R"({"added_tokens": [)" + added(0, "<unk>", "special") + ", " +
         added(1, "<s>", "special") + R"(],
    "normalizer": {"type": "Sequence", "normalizers": [
      {"type": "Prepend", "prepend": "▁"},
      {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]},
    "pre_tokenizer": null,
    "post_processor": {"type": "TemplateProcessing",
      "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}},
                 {"Sequence": {"id": "A", "type_id": 0}}],
      "pair": [],
      "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}},
    "decoder": {"type": "Sequence", "decoders": [
      {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
      {"type": "ByteFallback"}, {"type": "Fuse"},
      {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
    "model": {"type": "BPE", "unk_token": "<unk>", )" +
         options + R"(
      "vocab": {"<unk>": 0, "<s>": 1, "<0xC3>": 2, "<0xA9>": 3, "▁": 4, "a": 5,
                "b": 6, "▁a": 7, "ab": 8, "<0x78>": 9},
      "merges": ["▁ a", "a b"]}})";
}

TEST(ByteFallbackTokenizer, bytes_stand_for_unknown_characters) {
  auto tokenizer = good(parseTokenizer(
      byteFallback(R"("byte_fallback": true, "fuse_unk": true,)")));
  // ▁ab: "▁ a" (rank 0) comes before "a b". é is not in the vocabulary.
  EXPECT_EQ(good(tokenizer->encode("ab é")), (Ids{1, 7, 6, 4, 2, 3}));
  EXPECT_EQ(good(tokenizer->encode("ab", /*addSpecial=*/false)), (Ids{7, 6}));
  // Without a token for its bytes, ö is unknown; two of them are one.
  EXPECT_EQ(good(tokenizer->encode("aööb")), (Ids{1, 7, 0, 6}));
  // The unknown token waits for a known character, and bytes do not.
  EXPECT_EQ(good(tokenizer->encode("aöxb")), (Ids{1, 7, 9, 0, 6}));
  EXPECT_EQ(good(tokenizer->encode("")), Ids{1});
  EXPECT_EQ(good(tokenizer->encode("a<s>a")), (Ids{1, 7, 1, 7}));

  EXPECT_EQ(good(tokenizer->decode({1, 7, 6, 4, 2, 3})), "ab é");
  // Only the first space goes.
  EXPECT_EQ(good(tokenizer->decode({4, 4, 7})), "  a");
  // A run that is not UTF-8 is replaced byte by byte, with what is valid in it.
  EXPECT_EQ(good(tokenizer->decode({2, 9, 5, 9})), "\uFFFD\uFFFDax");
}

TEST(ByteFallbackTokenizer, streams_spaces_and_characters) {
  auto tokenizer =
      good(parseTokenizer(byteFallback("\"byte_fallback\": true,")));
  EXPECT_EQ(stream(*tokenizer, {1, 7, 7, 4, 2, 3}),
            (Texts{"", "a", " a", " ", "", "é", ""}));
  EXPECT_EQ(stream(*tokenizer, {4, 4, 7}), (Texts{"", " ", " a", ""}));
  // After a prompt the first token keeps its space.
  EXPECT_EQ(stream(*tokenizer, {7}, {1, 7}), (Texts{" a", ""}));
  // What was shown of a byte run stays, although decode() would replace it.
  EXPECT_EQ(stream(*tokenizer, {9, 2, 5}), (Texts{"x", "", "\uFFFDa", ""}));
}

TEST(ByteFallbackTokenizer, unknown_tokens_stay_apart_unless_fused) {
  auto apart = good(parseTokenizer(byteFallback("")));
  EXPECT_EQ(good(apart->encode("aéöb")), (Ids{1, 7, 0, 0, 6}));
  auto fused = good(parseTokenizer(byteFallback("\"fuse_unk\": true,")));
  EXPECT_EQ(good(fused->encode("aéöb")), (Ids{1, 7, 0, 6}));
}

//===-- long texts --------------------------------------------------------===//

TEST(BytePairEncoding, takes_no_quadratic_time) {
  auto tokenizer =
      good(parseTokenizer(byteFallback("\"byte_fallback\": true,")));
  // One piece: there is no pre-tokenizer. A quadratic algorithm would look at
  // 10^12 pairs, which the test's time limit does not allow.
  std::string text(1 << 21, 'a');
  for (size_t i = 1; i < text.size(); i += 2)
    text[i] = 'b';
  Ids ids = good(tokenizer->encode(text));
  // <s> ▁a b, and ab for each further pair.
  ASSERT_EQ(ids.size(), text.size() / 2 + 2);
  EXPECT_EQ(ids[3], 8);
}

//===-- a real model ------------------------------------------------------===//

TEST(RealTokenizer, stories260K_gives_the_published_ids_and_text) {
  const char *realData = std::getenv("HEDDLE_REALDATA");
  if (!realData)
    GTEST_SKIP() << "HEDDLE_REALDATA is not set to the folder of real models";
  std::string folder = std::string(realData) + "/stories260K";
  if (!std::filesystem::exists(folder))
    GTEST_SKIP() << folder << " does not exist";
  auto tokenizer = good(Tokenizer::fromFolder(folder));
  ASSERT_TRUE(tokenizer);
  auto expected = nlohmann::json::parse(readFile(folder + "/expected.json"));
  Ids ids = expected["greedy_ids"];
  std::string text = expected["text"];
  EXPECT_EQ(tokenizer->vocabularySize(), 512);
  EXPECT_EQ(good(tokenizer->decode(ids)), text);
  EXPECT_EQ(join(stream(*tokenizer, ids)), text);
  // A model need not choose the ids that encoding gives, but this one did.
  EXPECT_EQ(good(tokenizer->encode(text)), ids);

  // Characters that no story has: bytes, or the start of a text.
  for (std::string other : {"", " ", "  a", "a\n\tb", "Größe 🦙 字", "<s>x"}) {
    std::string decoded =
        good(tokenizer->decode(good(tokenizer->encode(other))));
    EXPECT_EQ(decoded, other == "<s>x" ? "x" : other);
  }
}
