// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/heddle_text.h"
#include "test/TemporaryFolder.h"
#include "test/Text/EncoderTesting.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace encoder_testing;

namespace {

class EncoderTest : public testing::Test {
protected:
  heddle_model model = makeEncoder();
  File file;
  heddle_weights *weights = nullptr;
  heddle_tokenizer *tokenizer = nullptr;
  heddle_encoder *encoder = nullptr;
  heddle_error error = {};
  heddle::test::TemporaryFolder folder;

  // Tokens 0 to 3, and then words of a letter: [CLS] a b [SEP].
  void SetUp() override {
    encodings = 0;
    folder.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\nb\nc\n");
    folder.write("tokenizer_config.json",
                 R"({"tokenizer_class": "BertTokenizer"})");
    folder.write("config.json", R"({"id2label": {"0": "x", "1": "y"},
                                    "problem_type": "regression"})");
    ASSERT_EQ(heddle_weights_bind(&model, file.bytes, sizeof(file.bytes), 0,
                                  nullptr, &weights, &error),
              HEDDLE_OK);
    ASSERT_EQ(heddle_tokenizer_open(folder.path().c_str(), &tokenizer, &error),
              HEDDLE_OK)
        << error.message;
  }
  void TearDown() override {
    heddle_encoder_destroy(encoder);
    heddle_tokenizer_close(tokenizer);
    heddle_weights_close(weights);
  }

  heddle_status create(heddle_role role) {
    return heddle_encoder_create(&model, weights, nullptr, tokenizer, role,
                                 &encoder, &error);
  }

  static heddle_text_pair pair(const char *first,
                               const char *second = nullptr) {
    return {first, strlen(first), second, second ? strlen(second) : 0};
  }

  std::vector<float> run(const std::vector<heddle_text_pair> &texts) {
    std::vector<float> rows(texts.size() * kColumns);
    EXPECT_EQ(heddle_encoder_run(encoder, texts.data(), texts.size(),
                                 rows.data(), &error),
              HEDDLE_OK)
        << error.message;
    return rows;
  }
};

TEST_F(EncoderTest, givesARowOfEachText) {
  ASSERT_EQ(create(HEDDLE_ROLE_EMBEDDING), HEDDLE_OK) << error.message;
  EXPECT_EQ(heddle_encoder_columns(encoder), kColumns);
  EXPECT_EQ(
      run({pair("a b"), pair("c"), pair("")}),
      (std::vector<float>{4, 2 + 4 + 5 + 3, 0, 3, 2 + 6 + 3, 0, 2, 5, 0}));
}

TEST_F(EncoderTest, givesTypesOfPairs) {
  ASSERT_EQ(create(HEDDLE_ROLE_EMBEDDING), HEDDLE_OK);
  EXPECT_EQ(run({pair("a", "b"), pair("a")}),
            (std::vector<float>{5, 2 + 4 + 3 + 5 + 3, 2, 3, 9, 0}));
}

TEST_F(EncoderTest, cutsLongTexts) {
  ASSERT_EQ(create(HEDDLE_ROLE_EMBEDDING), HEDDLE_OK);
  EXPECT_EQ(run({pair("a a a a b b b b")}),
            (std::vector<float>{6, 2 + 4 * 4 + 3, 0}));
}

// Four texts fit into a call; they come in any order of lengths.
TEST_F(EncoderTest, readsManyTextsInSeveralCalls) {
  ASSERT_EQ(create(HEDDLE_ROLE_EMBEDDING), HEDDLE_OK);
  std::vector<heddle_text_pair> texts;
  std::vector<float> expected;
  for (int i = 0; i < 11; ++i) {
    int count = (i * 7) % 4;
    static const char *const ofLength[] = {"", "a", "a a", "a a a"};
    texts.push_back(pair(ofLength[count]));
    for (int column : {2 + count, 5 + 4 * count, 0})
      expected.push_back(float(column));
  }
  EXPECT_EQ(run(texts), expected);
  EXPECT_EQ(encodings, 3);
  EXPECT_EQ(run({}), std::vector<float>());
}

TEST_F(EncoderTest, negative_result) {
  EXPECT_EQ(create(HEDDLE_ROLE_LOGITS), HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message,
               "sentences: expected an entry point of token ids and lengths "
               "that has logits for each text or token, found none");
  EXPECT_EQ(create(HEDDLE_ROLE_IDS), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(encoder, nullptr);
}

TEST_F(EncoderTest, namesLabels) {
  ASSERT_EQ(heddle_tokenizer_label_count(tokenizer), 2u);
  EXPECT_STREQ(heddle_tokenizer_label(tokenizer, 1), "y");
  EXPECT_EQ(heddle_tokenizer_label(tokenizer, 2), nullptr);
  EXPECT_EQ(heddle_tokenizer_problem(tokenizer), HEDDLE_PROBLEM_REGRESSION);
}

// `id2label` is transformers' default there and means nothing.
TEST_F(EncoderTest, LabelsOfMaskedLanguageModelsAreIds) {
  folder.write("config.json", R"({"architectures": ["BertForMaskedLM"],
                                  "id2label": {"0": "LABEL_0"}})");
  heddle_tokenizer_close(tokenizer);
  ASSERT_EQ(heddle_tokenizer_open(folder.path().c_str(), &tokenizer, &error),
            HEDDLE_OK)
      << error.message;
  EXPECT_EQ(heddle_tokenizer_problem(tokenizer), HEDDLE_PROBLEM_IDS);
  EXPECT_EQ(heddle_tokenizer_label_count(tokenizer), 0u);
}

TEST_F(EncoderTest, GivesLogitsOfTokens) {
  model.entries = kNamers;
  ASSERT_EQ(create(HEDDLE_ROLE_LOGITS), HEDDLE_OK) << error.message;
  EXPECT_EQ(heddle_encoder_is_of_tokens(encoder), 1);
  EXPECT_EQ(heddle_encoder_columns(encoder), 2);
  heddle_text_pair text = pair("b c");
  int32_t *ids = nullptr;
  float *values = nullptr;
  size_t count = 0;
  ASSERT_EQ(
      heddle_encoder_run_tokens(encoder, &text, &ids, &values, &count, &error),
      HEDDLE_OK)
      << error.message;
  EXPECT_EQ(std::vector<int32_t>(ids, ids + count),
            (std::vector<int32_t>{2, 5, 6, 3}));
  EXPECT_EQ(std::vector<float>(values, values + 2 * count),
            (std::vector<float>{2, 0, 5, 1, 6, 2, 3, 3}));
  heddle_text_free(ids);
  heddle_text_free(values);
  float row[2];
  EXPECT_EQ(heddle_encoder_run(encoder, &text, 1, row, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "the model gives a row for each token, expected "
                              "heddle_encoder_run_tokens");
  heddle_encoder_destroy(std::exchange(encoder, nullptr));
  model = makeEncoder();
  ASSERT_EQ(create(HEDDLE_ROLE_EMBEDDING), HEDDLE_OK) << error.message;
  EXPECT_EQ(heddle_encoder_is_of_tokens(encoder), 0);
  EXPECT_EQ(
      heddle_encoder_run_tokens(encoder, &text, &ids, &values, &count, &error),
      HEDDLE_INVALID_ARGUMENT);
}

} // namespace
