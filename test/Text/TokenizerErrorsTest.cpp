// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tokenizer files that cannot be used, and text that cannot be encoded: an
// error that says where and what, never a crash and never a guess.

#include "test/Text/TokenizerTestSupport.h"

using namespace heddle::test;

static const std::string smallest = R"({
  "added_tokens": [{"id": 3, "content": "X", "single_word": false,
    "lstrip": false, "rstrip": false, "normalized": false, "special": false}],
  "pre_tokenizer": null, "normalizer": null, "decoder": null,
  "post_processor": null,
  "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2},
            "merges": ["a b"]}})";

/// What the smallest tokenizer is refused with when the one place with the text
/// `from` has `to` instead.
static std::string messageWith(const std::string &from, const std::string &to) {
  std::string json = smallest;
  size_t place = json.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  EXPECT_EQ(json.find(from, place + 1), std::string::npos) << from;
  json.replace(place, from.size(), to);
  return messageOf(parseTokenizer(json));
}

static testing::AssertionResult says(const std::string &message,
                                     const std::string &part) {
  if (contains(message, part))
    return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "\"" << message << "\" does not contain \"" << part << "\"";
}

TEST(TokenizerErrors, the_smallest_tokenizer_has_none) {
  auto tokenizer = good(parseTokenizer(smallest));
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(good(tokenizer->encode("abX")), (Ids{2, 3}));
  EXPECT_EQ(good(tokenizer->decode({2, 3})), "ab X");
}

TEST(TokenizerErrors, no_tokenizer_file) {
  TemporaryFolder folder;
  EXPECT_EQ(messageOf(Tokenizer::fromFolder(folder.path())),
            folder.path() + ": expected 'tokenizer.json', 'tokenizer.model' or "
                            "a vocabulary such as 'vocab.txt', found none");
  EXPECT_EQ(messageOf(Tokenizer::fromFolder(folder.file("missing"))),
            folder.file("missing") + ": no such folder");
}

TEST(TokenizerErrors, messages_name_file_place_expected_and_found) {
  TemporaryFolder folder;
  folder.write("tokenizer.json", R"({"model": {"type": "BPE",
      "vocab": {"a": -1}, "merges": []}})");
  EXPECT_EQ(messageOf(Tokenizer::fromFolder(folder.path())),
            folder.file("tokenizer.json") +
                ": model.vocab: field 'a': expected a non-negative integer <= "
                "16777215, got -1");
}

TEST(TokenizerErrors, malformed_json) {
  for (const char *json :
       {"", "{", "[]", "\xFF", "{\"model\": 1}", "{}", "{\"a\": 1, \"a\": 2}"})
    EXPECT_NE(messageOf(parseTokenizer(json)), "") << json;
  EXPECT_NE(messageOf(parseTokenizer(std::string(100000, '['))), "");
}

TEST(TokenizerErrors, vocabulary) {
  EXPECT_TRUE(says(messageWith("\"ab\": 2", "\"ab\": 1"),
                   "'b': expected an id of its own, got 1, the id of 'ab'"));
  EXPECT_TRUE(says(messageWith("\"ab\": 2", "\"ab\": 2.5"), "got 2.5"));
  EXPECT_TRUE(
      says(messageWith("\"ab\": 2", "\"ab\": 4000000000"), "got 4000000000"));
  EXPECT_TRUE(
      says(messageWith("\"ab\": 2", "\"ab\": 2, \"a\": 5"), "'a' twice"));
  EXPECT_TRUE(says(messageWith("\"vocab\"", "\"words\""),
                   "'vocab': expected an object with a number for each"));
}

TEST(TokenizerErrors, merges) {
  EXPECT_TRUE(says(messageWith("\"a b\"", "\"a c\""),
                   "'merges[0]': expected tokens of the vocabulary, got 'c'"));
  // Both are tokens, but "ba" is not.
  EXPECT_TRUE(says(messageWith("\"a b\"", "[\"b\", \"a\"]"), "got 'ba'"));
  for (const char *malformed :
       {"\"a\"", "\"a b ab\"", "[\"a\"]", "[1, 2]", "1"})
    EXPECT_TRUE(says(messageWith("\"a b\"", malformed),
                     "expected \"left right\" or [\"left\", \"right\"]"));
  EXPECT_TRUE(says(messageWith("\"merges\": [\"a b\"]", "\"merges\": {}"),
                   "'merges': expected an array, got {}"));
}

TEST(TokenizerErrors, model_options) {
  auto message = [](const std::string &option) {
    return messageWith("\"BPE\",", "\"BPE\", " + option + ",");
  };
  EXPECT_EQ(message("\"dropout\": 0.0"), "");
  EXPECT_EQ(message("\"unk_token\": null, \"fuse_unk\": null"), "");
  EXPECT_TRUE(
      says(message("\"dropout\": 0.1"), "'dropout': expected null or 0"));
  EXPECT_TRUE(says(message("\"end_of_word_suffix\": 1"), "got 1"));
  EXPECT_TRUE(says(message("\"continuing_subword_prefix\": \"##\""),
                   "'merges[0]': expected a second token that begins with "
                   "'##', got \"a b\""));
  EXPECT_TRUE(says(message("\"byte_fallback\": 1"), "got 1"));
  EXPECT_TRUE(says(message("\"new_option\": 1"), "'new_option'"));
  EXPECT_TRUE(says(messageWith("\"BPE\"", "\"WordLevel\""),
                   "'type': expected BPE, WordPiece or Unigram, got "
                   "\"WordLevel\""));
}

TEST(TokenizerErrors, unknown_components) {
  EXPECT_TRUE(
      says(messageWith("\"normalizer\": null",
                       R"("normalizer": {"type": "Sequence", "normalizers": [
                       {"type": "NFC"}, {"type": "NFX"}]})"),
           "normalizer.normalizers[1]: field 'type': expected one of NFC, NFD, "
           "NFKC, NFKD, Lowercase, Prepend, Replace, BertNormalizer, Strip, "
           "StripAccents, Precompiled, Nmt, ByteLevel, Sequence, got \"NFX\""));
  EXPECT_TRUE(says(
      messageWith("\"pre_tokenizer\": null",
                  R"("pre_tokenizer": {"type": "UnicodeScripts"})"),
      "pre_tokenizer: field 'type': expected one of Split, ByteLevel, Digits, "
      "Metaspace, Punctuation, CharDelimiterSplit, BertPreTokenizer, "
      "Whitespace, WhitespaceSplit, Sequence, got \"UnicodeScripts\""));
  EXPECT_TRUE(says(
      messageWith("\"decoder\": null", R"("decoder": {"type": "CTC"})"),
      "decoder: field 'type': expected one of ByteLevel, Metaspace, Replace, "
      "ByteFallback, Fuse, Strip, WordPiece, BPEDecoder, Sequence, got "
      "\"CTC\""));
  EXPECT_TRUE(
      says(messageWith("\"post_processor\": null",
                       R"("post_processor": {"type": "PairProcessing"})"),
           "post_processor: field 'type': expected one of TemplateProcessing, "
           "BertProcessing, RobertaProcessing, ByteLevel, Sequence, got "
           "\"PairProcessing\""));
  EXPECT_TRUE(
      says(messageWith("\"normalizer\": null", R"("normalizer": {"type": "NFC",
                  "form": 2})"),
           "normalizer: field 'form'"));
  EXPECT_TRUE(
      says(messageWith("\"normalizer\": null", "\"normalizer\": \"NFC\""),
           "normalizer: expected an object or null, got \"NFC\""));
}

TEST(TokenizerErrors, component_options) {
  auto preTokenizer = [](const std::string &fields) {
    return messageWith("\"pre_tokenizer\": null",
                       "\"pre_tokenizer\": {" + fields + "}");
  };
  EXPECT_TRUE(says(preTokenizer(R"("type": "Split", "invert": false,
                "pattern": {"String": "x"}, "behavior": "isolated")"),
                   "'behavior': expected Removed, Isolated"));
  EXPECT_TRUE(says(preTokenizer(R"("type": "Split", "invert": false,
                "pattern": {"String": ""}, "behavior": "Isolated")"),
                   "'pattern': expected {\"String\": text}"));
  EXPECT_TRUE(says(preTokenizer(R"("type": "Split", "invert": false,
                "pattern": {"Regex": "("}, "behavior": "Isolated")"),
                   "pre_tokenizer: field 'pattern': cannot use"));
  EXPECT_TRUE(says(preTokenizer(R"("type": "Metaspace",
                "replacement": "ab")"),
                   "'replacement': expected one character, got \"ab\""));
  EXPECT_TRUE(says(preTokenizer(R"("type": "Sequence", "pretokenizers": [
                {"type": "Digits", "individual_digits": true},
                {"type": "Metaspace", "replacement": "_",
                 "prepend_scheme": "first"}])"),
                   "'prepend_scheme': expected never or always behind"));
  EXPECT_TRUE(says(preTokenizer(R"("type": "Metaspace",
                "replacement": "_", "add_prefix_space": false)"),
                   "expected never, as add_prefix_space is false"));
}

TEST(TokenizerErrors, added_tokens) {
  EXPECT_TRUE(says(messageWith("\"id\": 3", "\"id\": 4"),
                   "added_tokens[0]: field 'id': expected 3 for 'X', got 4"));
  EXPECT_TRUE(says(messageWith("\"X\"", "\"b\""), "expected 1 for 'b', got 3"));
  EXPECT_TRUE(says(messageWith("\"X\"", "\"\""), "'content': expected some"));
  EXPECT_TRUE(says(messageWith("\"lstrip\": false, ", ""), "'lstrip'"));
}

TEST(TokenizerErrors, templates) {
  auto message = [](const std::string &piece, const std::string &ids) {
    return messageWith("\"post_processor\": null",
                       R"("post_processor": {"type": "TemplateProcessing",
                         "single": [)" +
                           piece + R"(], "pair": [], "special_tokens":
                         {"a": {"id": "a", "ids": )" +
                           ids + R"(, "tokens": ["a"]}}})");
  };
  EXPECT_EQ(message(R"({"SpecialToken": {"id": "a"}})", "[0, 3]"), "");
  EXPECT_TRUE(says(message(R"({"SpecialToken": {"id": "b"}})", "[0]"),
                   "'single[0]': expected sequence A or a token of "
                   "'special_tokens'"));
  EXPECT_TRUE(says(message(R"({"Sequence": {"id": "B"}})", "[0]"),
                   "'single[0]': expected sequence A"));
  EXPECT_TRUE(
      says(message(R"({"SpecialToken": {"id": "a"}})", "[4]"), "'ids[0]'"));
}

TEST(TokenizerErrors, other_fields) {
  for (std::string name : {"truncation", "padding"}) {
    std::string field = "\"" + name + "\": ";
    EXPECT_EQ(messageWith("\"decoder\": null", field + "{\"max_length\": 1}"),
              "");
    EXPECT_EQ(messageWith("\"decoder\": null", field + "null"), "");
    EXPECT_TRUE(says(messageWith("\"decoder\": null", field + "true"),
                     "'" + name + "': expected an object or null, got true"));
  }
  EXPECT_TRUE(says(messageWith("\"decoder\": null", "\"version\": \"2.0\""),
                   "'version': expected 1.0, got \"2.0\""));
}

TEST(TokenizerErrors, text_and_ids) {
  auto tokenizer = good(parseTokenizer(smallest));
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(messageOf(tokenizer->encode("ab\xC3")),
            "expected UTF-8 text, got another byte at offset 2");
  EXPECT_NE(messageOf(tokenizer->encode("\xED\xA0\x80")), "");
  EXPECT_EQ(messageOf(tokenizer->decode({0, -1})),
            "expected token ids >= 0, got -1");
  TokenStream stream(*tokenizer);
  EXPECT_EQ(messageOf(stream.push(-1)), "expected token ids >= 0, got -1");
  EXPECT_EQ(good(stream.push(0)), "a");

  std::string json = smallest;
  json.insert(json.find("\"vocab\""), "\"unk_token\": \"?\", ");
  auto unknown = good(parseTokenizer(json));
  ASSERT_TRUE(unknown);
  EXPECT_EQ(messageOf(unknown->encode("abc")),
            "cannot encode 'c': neither it nor the unknown token '?' is in the "
            "vocabulary");
}

TEST(TokenizerErrors, no_damage_crashes) {
  // Every prefix, and every single byte replaced by each of a few.
  TemporaryFolder folder;
  auto use = [&](const std::string &json) {
    folder.write("tokenizer.json", json);
    auto tokenizer = Tokenizer::fromFolder(folder.path());
    if (tokenizer.value)
      messageOf(tokenizer.value->encode("ab Xé"));
  };
  for (size_t i = 0; i < smallest.size(); ++i) {
    use(smallest.substr(0, i));
    for (char byte : {'\0', '"', ']', '0', '\xFF'}) {
      std::string json = smallest;
      json[i] = byte;
      use(json);
    }
  }
}
