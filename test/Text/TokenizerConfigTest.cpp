// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What tokenizer_config.json and special_tokens_map.json change of the ids that
// tokenizer.json gives.

#include "test/Text/TokenizerTestSupport.h"

using namespace heddle::test;

static const std::string byteLevel = R"({"type": "ByteLevel",
  "add_prefix_space": true, "trim_offsets": false, "use_regex": true})";
static const std::string startTemplate = R"({"type": "TemplateProcessing",
  "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}},
             {"Sequence": {"id": "A", "type_id": 0}}],
  "pair": [],
  "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}}})";

namespace {
class TokenizerConfig : public testing::Test {
protected:
  void writeTokenizer(const std::string &postProcessor) {
    folder.write("tokenizer.json", R"({"post_processor": )" + postProcessor +
                                       R"(, "added_tokens": [
      {"id": 0, "content": "<s>", "single_word": false, "lstrip": false,
       "rstrip": false, "normalized": false, "special": true},
      {"id": 4, "content": "<end>", "single_word": false, "lstrip": false,
       "rstrip": false, "normalized": false, "special": true}],
      "model": {"type": "BPE",
                "vocab": {"<s>": 0, "</s>": 1, "a": 2, "b": 3},
                "merges": []}})");
  }
  Result<Ids> encode(const std::string &config) {
    folder.write("tokenizer_config.json", config);
    Result<Ids> result;
    auto tokenizer = Tokenizer::fromFolder(folder.path());
    result.status = tokenizer.status;
    result.message = tokenizer.message;
    if (tokenizer.value)
      return tokenizer.value->encode("ab");
    return result;
  }
  /// The ids with these fields of a tokenizer_config.json for Llama.
  Ids llama(const std::string &fields) {
    return good(
        encode(R"({"tokenizer_class": "LlamaTokenizerFast")" + fields + "}"));
  }
  std::string message(const std::string &config) {
    std::string text = messageOf(encode(config));
    std::string path = folder.file("tokenizer_config.json");
    return startsWith(text, path) ? text.substr(path.size()) : text;
  }

  heddle::test::TemporaryFolder folder;
};
} // namespace

TEST_F(TokenizerConfig, classes_replace_the_post_processor) {
  // As DeepSeek LLM.
  writeTokenizer(byteLevel);
  EXPECT_EQ(llama(R"(, "add_bos_token": true, "add_eos_token": false)"),
            (Ids{0, 2, 3}));
  EXPECT_EQ(llama(""), (Ids{0, 2, 3}));
  writeTokenizer("null");
  EXPECT_EQ(llama(R"(, "add_bos_token": true)"), (Ids{0, 2, 3}));
  writeTokenizer(startTemplate);
  EXPECT_EQ(llama(""), (Ids{0, 2, 3}));
  EXPECT_EQ(llama(R"(, "add_bos_token": false)"), (Ids{2, 3}));
  EXPECT_EQ(llama(R"(, "add_bos_token": null)"), (Ids{2, 3}));
  EXPECT_EQ(llama(R"(, "add_eos_token": true)"), (Ids{0, 2, 3, 1}));
  EXPECT_EQ(llama(R"(, "add_bos_token": false, "add_eos_token": true,
                     "eos_token": "<end>")"),
            (Ids{2, 3, 4}));
  EXPECT_EQ(good(encode(R"({"tokenizer_class": "CodeLlamaTokenizer",
                            "add_bos_token": false})")),
            (Ids{2, 3}));
  EXPECT_EQ(good(encode(R"({"tokenizer_class": "GemmaTokenizer",
                            "bos_token": "<end>"})")),
            (Ids{4, 2, 3}));
  EXPECT_EQ(good(encode(R"({"tokenizer_class": "CohereTokenizerFast",
                            "bos_token": "<end>"})")),
            (Ids{4, 2, 3}));
}

TEST_F(TokenizerConfig, other_classes_follow_tokenizer_json) {
  writeTokenizer(byteLevel);
  EXPECT_EQ(good(encode(R"({"tokenizer_class": "PreTrainedTokenizerFast",
                            "add_bos_token": true, "bos_token": "<s>"})")),
            (Ids{2, 3}));
  writeTokenizer(startTemplate);
  EXPECT_EQ(good(encode(R"({"tokenizer_class": "PreTrainedTokenizerFast",
                            "add_bos_token": false})")),
            (Ids{0, 2, 3}));
  EXPECT_EQ(good(encode("{}")), (Ids{0, 2, 3}));
}

TEST_F(TokenizerConfig, special_tokens_are_text_or_objects) {
  writeTokenizer(byteLevel);
  EXPECT_EQ(llama(R"(, "bos_token": {"__type": "AddedToken",
              "content": "<end>", "lstrip": false, "normalized": true,
              "rstrip": false, "single_word": false})"),
            (Ids{4, 2, 3}));
  EXPECT_EQ(llama(R"(, "bos_token": {"content": "<end>"})"), (Ids{4, 2, 3}));
  // Of files that are older than added_tokens_decoder.
  folder.write("special_tokens_map.json", R"({
    "bos_token": {"content": "<end>", "lstrip": false}, "eos_token": "b"})");
  EXPECT_EQ(llama(R"(, "bos_token": "<s>", "add_eos_token": true)"),
            (Ids{4, 2, 3, 3}));
  EXPECT_EQ(llama(R"(, "bos_token": "<s>", "added_tokens_decoder": {})"),
            (Ids{0, 2, 3}));
}

TEST_F(TokenizerConfig, negative_tokens_that_are_none) {
  writeTokenizer(byteLevel);
  auto config = [](const std::string &fields) {
    return R"({"tokenizer_class": "LlamaTokenizer", )" + fields + "}";
  };
  EXPECT_EQ(message(config(R"("bos_token": "<t>")")),
            ": field 'bos_token': expected a token of tokenizer.json, got "
            "'<t>'");
  EXPECT_EQ(message(config(R"("bos_token": null)")),
            ": field 'bos_token': expected a token, as add_bos_token is true, "
            "got null");
  EXPECT_EQ(message(config(R"("bos_token": "")")),
            ": field 'bos_token': expected a token, as add_bos_token is true, "
            "got \"\"");
  EXPECT_EQ(message(config(R"("add_eos_token": 1)")),
            ": field 'add_eos_token': expected true or false, got 1");
  EXPECT_EQ(message(config(R"("add_eos_token": true, "eos_token": {})")),
            ": field 'eos_token': expected a token, as add_eos_token is true, "
            "got {}");
}
