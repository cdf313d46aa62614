// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is around two texts, and how they are cut.

#include "test/Text/TokenizerTestSupport.h"

using namespace heddle::test;

/// Letters and digits are their own ids, up to 16 of them; <s> is 16, </s> 17.
static std::string letters(const std::string &postProcessor) {
  std::string vocabulary;
  for (int i = 0; i < 16; ++i)
    vocabulary += "\"" + std::string(1, char('a' + i)) +
                  "\": " + std::to_string(i) + ", ";
  return R"({"post_processor": )" + postProcessor +
         R"(, "model": {"type": "BPE", "merges": [], "vocab": {)" + vocabulary +
         R"("<s>": 16, "</s>": 17}}})";
}

static const std::string roberta = R"({"type": "RobertaProcessing",
  "sep": ["</s>", 17], "cls": ["<s>", 16], "trim_offsets": true,
  "add_prefix_space": false})";

static const std::string bert = R"({"type": "BertProcessing",
  "sep": ["</s>", 17], "cls": ["<s>", 16]})";

static EncodedPair encode(const std::string &postProcessor,
                          const std::string &first,
                          std::optional<std::string> second,
                          int addSpecial = 1) {
  auto tokenizer = good(parseTokenizer(letters(postProcessor)));
  heddle_encode_options options = HEDDLE_ENCODE_OPTIONS;
  options.add_special = addSpecial;
  return good(tokenizer->encodePair(first, second, options));
}

TEST(Pairs, frames) {
  EncodedPair pair = encode(bert, "ab", "c");
  EXPECT_EQ(pair.ids, (Ids{16, 0, 1, 17, 2, 17}));
  EXPECT_EQ(pair.types, (Ids{0, 0, 0, 0, 1, 1}));
  pair = encode(bert, "ab", std::nullopt);
  EXPECT_EQ(pair.ids, (Ids{16, 0, 1, 17}));
  EXPECT_EQ(pair.types, (Ids{0, 0, 0, 0}));
  // An empty text is a text.
  EXPECT_EQ(encode(bert, "ab", "").ids, (Ids{16, 0, 1, 17, 17}));
  EXPECT_EQ(encode(bert, "", "").types, (Ids{0, 0, 1}));
  pair = encode(bert, "ab", "c", 0);
  EXPECT_EQ(pair.ids, (Ids{0, 1, 2}));
  EXPECT_EQ(pair.types, (Ids{0, 0, 1}));

  pair = encode(roberta, "ab", "c");
  EXPECT_EQ(pair.ids, (Ids{16, 0, 1, 17, 17, 2, 17}));
  EXPECT_EQ(pair.types, (Ids{0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(encode(roberta, "ab", "c", 0).types, (Ids{0, 0, 0}));

  // Nothing around texts.
  for (const char *none :
       {"null", R"({"type": "ByteLevel", "add_prefix_space": true,
                    "trim_offsets": false, "use_regex": true})"}) {
    pair = encode(none, "ab", "c");
    EXPECT_EQ(pair.ids, (Ids{0, 1, 2}));
    EXPECT_EQ(pair.types, (Ids{0, 0, 1}));
  }
}

static std::string templateOf(const std::string &pair) {
  return R"({"type": "TemplateProcessing",
    "single": [{"Sequence": {"id": "A", "type_id": 3}},
               {"SpecialToken": {"id": "</s>", "type_id": 4}}],
    "pair": [)" +
         pair + R"(],
    "special_tokens": {"</s>": {"id": "</s>", "ids": [17, 16],
                                "tokens": ["</s>", "<s>"]}}})";
}

TEST(Pairs, templates) {
  std::string reversed = templateOf(R"({"Sequence": {"id": "B", "type_id": 2}},
                    {"SpecialToken": {"id": "</s>", "type_id": 1}},
                    {"Sequence": {"id": "A", "type_id": 0}})");
  EncodedPair pair = encode(reversed, "ab", "c");
  EXPECT_EQ(pair.ids, (Ids{2, 17, 16, 0, 1}));
  EXPECT_EQ(pair.types, (Ids{2, 1, 1, 0, 0}));
  EXPECT_EQ(encode(reversed, "ab", std::nullopt).types, (Ids{3, 3, 4, 4}));
  EXPECT_EQ(encode(R"({"type": "Sequence", "processors": [)" + reversed +
                       R"(, {"type": "ByteLevel", "add_prefix_space": true,
                             "trim_offsets": false, "use_regex": true}]})",
                   "ab", "c")
                .ids,
            pair.ids);
}

TEST(Pairs, negative_templates) {
  auto tokenizer = good(parseTokenizer(letters(templateOf(""))));
  EXPECT_EQ(good(tokenizer->encode("a")), (Ids{0, 17, 16}));
  EXPECT_TRUE(contains(messageOf(tokenizer->encodePair("a", "b")),
                       "post_processor: field 'pair': expected sequences A "
                       "and B, as a pair of texts is encoded"));
  auto message = [](const std::string &postProcessor) {
    return messageOf(parseTokenizer(letters(postProcessor)));
  };
  EXPECT_TRUE(
      contains(message(templateOf(R"({"Sequence": {"id": "C"}})")),
               "post_processor: field 'pair[0]': expected sequence A or B or a "
               "token of 'special_tokens', got {\"Sequence\":{\"id\":\"C\"}}"));
  EXPECT_TRUE(contains(message(R"({"type": "Sequence", "processors": [)" +
                               bert + ", " + roberta + "]}"),
                       "post_processor.processors[1]: expected one component "
                       "that adds special tokens, got another: "
                       "RobertaProcessing"));
}

//===-- truncation --------------------------------------------------------===//

/// The ids of "abcdef"[:first] and "ghijkl"[:second] without those around them.
static Result<EncodedPair> cut(size_t first, std::optional<size_t> second,
                               int64_t length, heddle_truncation how) {
  auto tokenizer = good(parseTokenizer(letters("null")));
  heddle_encode_options options = HEDDLE_ENCODE_OPTIONS;
  options.maximum_length = length;
  options.truncation = how;
  std::optional<std::string> other;
  if (second)
    other = std::string("ghijklmnop").substr(0, *second);
  return tokenizer->encodePair(std::string("abcdef").substr(0, first), other,
                               options);
}

/// How many ids are left of each.
static Ids left(size_t first, size_t second, int64_t length,
                heddle_truncation how = HEDDLE_TRUNCATE_LONGEST_FIRST) {
  EncodedPair pair = good(cut(first, second, length, how));
  int32_t ofSecond = 0;
  for (int32_t type : pair.types)
    ofSecond += type;
  return {int32_t(pair.types.size()) - ofSecond, ofSecond};
}

TEST(Truncation, longest_first) {
  EXPECT_EQ(left(3, 4, 0), (Ids{3, 4}));
  EXPECT_EQ(left(3, 4, 8), (Ids{3, 4}));
  EXPECT_EQ(left(3, 4, 7), (Ids{3, 4}));
  EXPECT_EQ(left(3, 4, 6), (Ids{3, 3}));
  // Of an odd number the longer text has more, and of equal ones the second.
  EXPECT_EQ(left(3, 4, 5), (Ids{2, 3}));
  EXPECT_EQ(left(4, 3, 5), (Ids{3, 2}));
  EXPECT_EQ(left(4, 4, 5), (Ids{2, 3}));
  EXPECT_EQ(left(3, 4, 1), (Ids{0, 1}));
  EXPECT_EQ(left(1, 10, 6), (Ids{1, 5}));
  EXPECT_EQ(left(6, 1, 3), (Ids{2, 1}));
  EXPECT_EQ(left(6, 0, 3), (Ids{3, 0}));
  EXPECT_EQ(good(cut(6, std::nullopt, 2, HEDDLE_TRUNCATE_LONGEST_FIRST)).ids,
            (Ids{0, 1}));
}

TEST(Truncation, one_text_only) {
  EXPECT_EQ(left(6, 4, 7, HEDDLE_TRUNCATE_ONLY_FIRST), (Ids{3, 4}));
  EXPECT_EQ(left(6, 4, 5, HEDDLE_TRUNCATE_ONLY_FIRST), (Ids{1, 4}));
  EXPECT_EQ(left(6, 4, 9, HEDDLE_TRUNCATE_ONLY_SECOND), (Ids{6, 3}));
  EXPECT_EQ(left(6, 4, 10, HEDDLE_TRUNCATE_ONLY_SECOND), (Ids{6, 4}));
  auto message = [](size_t first, std::optional<size_t> second, int64_t length,
                    heddle_truncation how) {
    return messageOf(cut(first, second, length, how));
  };
  EXPECT_EQ(message(6, 4, 4, HEDDLE_TRUNCATE_ONLY_FIRST),
            "cannot truncate the first text alone: it has 6 ids, and 6 are too "
            "many");
  EXPECT_EQ(message(6, 4, 3, HEDDLE_TRUNCATE_ONLY_SECOND),
            "cannot truncate the second text alone: it has 4 ids, and 7 are "
            "too many");
  EXPECT_EQ(message(6, std::nullopt, 3, HEDDLE_TRUNCATE_ONLY_SECOND),
            "cannot truncate the second text alone: there is none");
  EXPECT_EQ(message(2, std::nullopt, 3, HEDDLE_TRUNCATE_ONLY_SECOND), "");
}

TEST(Truncation, special_tokens_stay) {
  auto tokenizer = good(parseTokenizer(letters(bert)));
  heddle_encode_options options = HEDDLE_ENCODE_OPTIONS;
  auto ids = [&](std::optional<std::string> second, int64_t length) {
    options.maximum_length = length;
    return good(tokenizer->encodePair("abcd", second, options)).ids;
  };
  EXPECT_EQ(ids(std::nullopt, 6), (Ids{16, 0, 1, 2, 3, 17}));
  EXPECT_EQ(ids(std::nullopt, 5), (Ids{16, 0, 1, 2, 17}));
  EXPECT_EQ(ids(std::nullopt, 3), (Ids{16, 0, 17}));
  EXPECT_EQ(ids(std::nullopt, 2), (Ids{16, 17}));
  EXPECT_EQ(ids("ef", 8), (Ids{16, 0, 1, 2, 17, 4, 5, 17}));
  EXPECT_EQ(ids("ef", 4), (Ids{16, 0, 17, 17}));
  EXPECT_EQ(ids("ef", 3), (Ids{16, 17, 17}));
  options.maximum_length = 2;
  EXPECT_EQ(messageOf(tokenizer->encodePair("abcd", "ef", options)),
            "expected a maximum length of at least 3, as many special ids are "
            "added, got 2");
  options.add_special = 0;
  EXPECT_EQ(good(tokenizer->encodePair("abcd", "ef", options)).ids,
            (Ids{0, 4}));
  options.maximum_length = -1;
  EXPECT_EQ(messageOf(tokenizer->encodePair("abcd", "ef", options)),
            "options.maximum_length: expected a number >= 0, got -1");
  options.maximum_length = 0;
  options.truncation = heddle_truncation(3);
  EXPECT_EQ(messageOf(tokenizer->encodePair("abcd", "ef", options)),
            "options.truncation: expected a heddle_truncation, got 3");
}

TEST(Truncation, files_say_length_and_side) {
  TemporaryFolder folder;
  std::string json = letters("null");
  folder.write("tokenizer.json", json);
  auto open = [&] { return good(Tokenizer::fromFolder(folder.path())); };
  auto length = [&] { return heddle_tokenizer_maximum_length(open()->handle); };
  EXPECT_EQ(length(), 0);
  json.insert(1, R"("truncation": {"direction": "Left", "max_length": 3,
                    "strategy": "LongestFirst", "stride": 0}, )");
  folder.write("tokenizer.json", json);
  EXPECT_EQ(length(), 3);
  // It is not applied, nor is its side.
  EXPECT_EQ(good(open()->encode("abcde")).size(), 5u);
  heddle_encode_options options = HEDDLE_ENCODE_OPTIONS;
  options.maximum_length = 2;
  EXPECT_EQ(good(open()->encodePair("abcde", std::nullopt, options)).ids,
            (Ids{0, 1}));
  folder.write("tokenizer_config.json", R"({"model_max_length": 512,
                                            "truncation_side": "left"})");
  EXPECT_EQ(length(), 512);
  EXPECT_EQ(good(open()->encodePair("abcde", std::nullopt, options)).ids,
            (Ids{3, 4}));
  // Of models without a limit.
  folder.write("tokenizer_config.json",
               R"({"model_max_length": 1000000000000000019884624838656})");
  EXPECT_EQ(length(), 3);
  folder.write("tokenizer_config.json", R"({"truncation_side": "both"})");
  EXPECT_TRUE(contains(messageOf(Tokenizer::fromFolder(folder.path())),
                       "tokenizer_config.json: field 'truncation_side': "
                       "expected left or right, got \"both\""));
}
