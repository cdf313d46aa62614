// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What hostile tokenizers may cost: each asks for more time or memory than
// there is, and gets an error that names the rule. A limit that does not hold
// shows as a test that does not end.

#include "test/Text/TokenizerTestSupport.h"

#include "runtime/text/Budget.h"
#include "runtime/text/Failure.h"
#include "runtime/text/SplitPattern.h"

using namespace heddle::test;

/// A byte pair encoding of the letters a and b, with these further fields.
static std::string tokenizerWith(const std::string &fields,
                                 const std::string &addedTokens = "") {
  return R"({"added_tokens": [)" + addedTokens + "], " + fields +
         R"(, "model": {"type": "BPE", "vocab": {"a": 0, "b": 1},
                        "merges": []}})";
}

static std::string sequence(const char *field, const char *list,
                            const std::string &component, unsigned count) {
  std::string components = component;
  for (unsigned i = 1; i < count; ++i)
    components += ", " + component;
  return std::string("\"") + field + R"(": {"type": "Sequence", ")" + list +
         "\": [" + components + "]}";
}

static std::string splitBy(const std::string &expression) {
  return R"({"type": "Split", "pattern": {"Regex": ")" + expression +
         R"("}, "behavior": "Isolated", "invert": false})";
}

/// The message for a text.
static std::string encodeError(const std::string &json, std::string_view text) {
  auto tokenizer = good(parseTokenizer(json));
  return tokenizer ? messageOf(tokenizer->encode(text)) : "no tokenizer";
}

static testing::AssertionResult endsWith(const std::string &message,
                                         const std::string &end) {
  if (message.size() >= end.size() &&
      message.compare(message.size() - end.size(), end.size(), end) == 0)
    return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "\"" << message << "\" does not end with \"" << end << "\"";
}

//===-- time --------------------------------------------------------------===//

TEST(TextBounds, expression_that_backtracks) {
  std::string json = tokenizerWith(
      sequence("pre_tokenizer", "pretokenizers", splitBy("(a+)+$"), 1));
  std::string text = std::string(40, 'a') + "b";
  EXPECT_TRUE(endsWith(encodeError(json, text),
                       "tokenizer.json: pre_tokenizer.pretokenizers[0]: field "
                       "'pattern': takes too long on this text"));
  EXPECT_EQ(encodeError(json, "aaab"), "");
}

TEST(TextBounds, expressions_in_other_places) {
  std::string replace = R"({"type": "Replace", "content": "",
                            "pattern": {"Regex": "(a+)+$"}})";
  std::string text = std::string(40, 'a') + "b";
  EXPECT_TRUE(endsWith(
      encodeError(tokenizerWith("\"normalizer\": " + replace), text),
      "tokenizer.json: normalizer: field 'pattern': takes too long on this "
      "text"));
  auto tokenizer =
      good(parseTokenizer(tokenizerWith(R"("decoder": {"type": "Sequence",
                            "decoders": [{"type": "Fuse"}, )" +
                                        replace + "]}")));
  ASSERT_TRUE(tokenizer);
  Ids ids(40, 0);
  ids.push_back(1);
  EXPECT_TRUE(endsWith(messageOf(tokenizer->decode(ids)),
                       "decoder.decoders[1]: field 'pattern': takes too long "
                       "on this text"));
}

TEST(TextBounds, pieces_do_not_multiply_the_time) {
  // Each piece of 16 letters is within the limit of a text, all are not.
  std::string json = tokenizerWith(
      R"("pre_tokenizer": {"type": "Sequence", "pretokenizers": [)" +
      splitBy("a{16}b?") + ", " + splitBy("(a+)+$") + "]}");
  std::string piece = std::string(16, 'a') + "b", text;
  EXPECT_EQ(encodeError(json, piece), "");
  for (unsigned i = 0; i < 1000; ++i)
    text += piece;
  EXPECT_TRUE(endsWith(encodeError(json, text),
                       "pretokenizers[1]: field 'pattern': takes too long on "
                       "this text"));
}

TEST(TextBounds, loops_that_are_kept_whole) {
  // ICU by itself counts one step for a run through all of the text, which
  // starts again at each character.
  std::string text(1 << 15, 'a');
  for (const char *expression :
       {"(?>[ab]+)c", "[ab](?![ab]*)", "[ab](?=[ab]+c)", "(?:[ab]+)?+c",
        "(?:[ab]*){1,2}+c", "(?:b|[ab]+)++c", "(?>(?:[ab]+c|[ab]*))c",
        "(?>[ab]{1,})c", "(?>(?:[ab]+){1,2}+)c", "[ab]++c", "(?>[^c]*)c",
        "(?>.+)c", "(?<=[ab]{1,3000}c)[ab]"}) {
    SCOPED_TRACE(expression);
    EXPECT_TRUE(endsWith(
        encodeError(tokenizerWith("\"pre_tokenizer\": " + splitBy(expression)),
                    text),
        "takes too long on this text"));
  }
}

TEST(TextBounds, long_texts_to_find) {
  // Both would compare as many bytes as are left at each place.
  std::string text(1 << 15, 'a'), token(1'000'000, 'a');
  token += "b";
  EXPECT_TRUE(
      endsWith(encodeError(tokenizerWith("\"normalizer\": null",
                                         R"({"id": 2, "content": ")" + token +
                                             R"(", "single_word": false,
                  "lstrip": false, "rstrip": false, "normalized": false,
                  "special": false})"),
                           text),
               "tokenizer.json: added_tokens: takes too long on this text"));
  EXPECT_TRUE(endsWith(
      messageOf(parseTokenizer(tokenizerWith(
          R"("normalizer": {"type": "Replace", "content": "",
                            "pattern": {"String": ")" +
          token + "\"}}"))),
      "normalizer: field 'pattern': expected at most 8192 bytes, got 1000001"));
}

TEST(TextBounds, ordinary_patterns_are_far_from_the_limit) {
  // The worst that was found for them: single characters, as they match late.
  std::string text;
  for (unsigned i = 0; i < 100'000; ++i)
    text += "' 1\n";
  for (const char *expression :
       {"'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+"
        "|\\s+(?!\\S)|\\s+",
        "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}"
        "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"}) {
    heddle::text::Budget budget(text.size());
    heddle::text::SplitPattern::fromRegex(expression, "test")
        .split(text, budget);
    // A tenth of what there is for each byte.
    EXPECT_TRUE(budget.trySpend(180 * int64_t(text.size())));
  }
}

TEST(TextBounds, components) {
  auto json = [](unsigned count) {
    return tokenizerWith(
        sequence("normalizer", "normalizers", "{\"type\": \"NFC\"}", count));
  };
  EXPECT_EQ(encodeError(json(64), "ab"), "");
  EXPECT_TRUE(endsWith(messageOf(parseTokenizer(json(65))),
                       "normalizer.normalizers[64]: expected at most 64 "
                       "components, got more"));
}

//===-- memory ------------------------------------------------------------===//

TEST(TextBounds, normalizers_that_double) {
  std::string json =
      tokenizerWith(sequence("normalizer", "normalizers",
                             R"({"type": "Replace", "pattern": {"String": "a"},
                   "content": "aa"})",
                             40));
  // 15 bytes become 15 * 2^17 in the 17th step.
  EXPECT_TRUE(endsWith(
      encodeError(json, std::string(15, 'a')),
      "tokenizer.json: normalizer.normalizers[16]: the text would have more "
      "than 1049536 bytes, the limit for a text of 15 bytes"));
  EXPECT_EQ(encodeError(json, "b"), "");
}

TEST(TextBounds, one_replacement_that_is_long) {
  // 16 GiB, if it were built.
  std::string json = tokenizerWith(
      R"("normalizer": {"type": "Replace", "pattern": {"Regex": "a"},
                        "content": ")" +
      std::string(1 << 20, 'b') + "\"}");
  EXPECT_TRUE(endsWith(encodeError(json, std::string(1 << 14, 'a')),
                       "normalizer: the text would have more than 2097152 "
                       "bytes, the limit for a text of 16384 bytes"));
}

TEST(TextBounds, decoders_that_double) {
  auto tokenizer = good(parseTokenizer(
      tokenizerWith(sequence("decoder", "decoders",
                             R"({"type": "Replace", "pattern": {"String": "a"},
                   "content": "aa"})",
                             40))));
  ASSERT_TRUE(tokenizer);
  EXPECT_TRUE(contains(messageOf(tokenizer->decode(Ids(15, 0))),
                       "decoder.decoders[16]: the text would have more than "));
  EXPECT_EQ(good(tokenizer->decode({1})), "b");
}

TEST(TextBounds, pre_tokenizers_that_double) {
  // é is two bytes, which become four, which become eight.
  std::string json =
      tokenizerWith(sequence("pre_tokenizer", "pretokenizers",
                             R"({"type": "ByteLevel", "add_prefix_space": false,
                   "trim_offsets": true, "use_regex": false})",
                             40));
  EXPECT_TRUE(contains(encodeError(json, "é"),
                       "pre_tokenizer.pretokenizers[19]: the text would have "
                       "more than 1048704 bytes"));
}

TEST(TextBounds, templates_that_repeat) {
  std::string parts = R"({"Sequence": {"id": "A"}})";
  for (unsigned i = 0; i < 120; ++i)
    parts += R"(, {"Sequence": {"id": "A"}})";
  std::string json = tokenizerWith(
      R"("post_processor": {"type": "TemplateProcessing", "special_tokens": {},
         "pair": [], "single": [)" +
      parts + "]}");
  EXPECT_EQ(encodeError(json, "a"), "");
  EXPECT_TRUE(contains(encodeError(json, std::string(100'000, 'a')),
                       "post_processor: the text would have more than 7448576 "
                       "ids"));
}

TEST(TextBounds, added_tokens_that_grow) {
  // Normalizing them all is as normalizing one text.
  std::string tokens;
  for (unsigned i = 0; i < 100; ++i)
    tokens += std::string(i ? ", " : "") + R"({"id": )" +
              std::to_string(2 + i) + R"(, "content": "c)" + std::to_string(i) +
              R"(", "normalized": true, "lstrip": false,
              "rstrip": false, "single_word": false, "special": false})";
  EXPECT_TRUE(contains(
      messageOf(parseTokenizer(tokenizerWith(
          R"("normalizer": {"type": "Replace", "pattern": {"String": "c"},
                            "content": ")" +
              std::string(100'000, 'b') + "\"}",
          tokens))),
      "added_tokens: the text would have more than "));
}

TEST(TextBounds, normal_forms_fit) {
  // The longest that there is: 3 bytes become 33.
  std::string text;
  for (unsigned i = 0; i < 100'000; ++i)
    text += "\uFDFA";
  EXPECT_EQ(
      encodeError(tokenizerWith("\"normalizer\": {\"type\": \"NFKD\"}"), text),
      "");
}
