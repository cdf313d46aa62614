// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Answers of encoder-decoders made by hand, whose likeliest id is the sum of
// all ids so far and of the source: prompts, recordings and languages.

#include "test/Runtime/SourceTesting.h"
#include "test/Text/GeneratorTesting.h"

using namespace generator_testing;
using namespace source_testing;

namespace {

class SourceGenerator : public GeneratorFixture {
protected:
  heddle_tokenizer *tokenizer = nullptr;
  const Ids starts = {3};

  void SetUp() override {
    GeneratorFixture::SetUp();
    model.entries = kSourceEntries;
    model.entry_count = 3;
    encodings = encodingThatFails = 0;
    options.limit = 3;
    options.start_ids = starts.data();
    options.start_count = starts.size();
  }
  void TearDown() override {
    heddle_tokenizer_close(tokenizer);
    GeneratorFixture::TearDown();
  }
  void speak(const std::string &generation = "{}") {
    model.entries = kSpeechEntries;
    model.entry_count = 4;
    const std::string described =
        R"({"model": {"vocab": {"a": 0, "b": 1}, "merges": []}})";
    const heddle_file files[] = {
        {"tokenizer.json", described.data(), described.size()},
        {"generation_config.json", generation.data(), generation.size()}};
    heddle_tokenizer_close(std::exchange(tokenizer, nullptr));
    ASSERT_EQ(heddle_tokenizer_open_files(files, 2, &tokenizer, &error),
              HEDDLE_OK)
        << error.message;
    ASSERT_EQ(create(), HEDDLE_OK) << error.message;
  }
  heddle_status listen(const std::vector<float> &samples,
                       heddle_speech_options speech = {}) {
    return heddle_generator_listen(generator, tokenizer, samples.data(),
                                   samples.size(), &speech, &error);
  }
};

// The sum of the source, ten times its length, and what answers begin with.
TEST_F(SourceGenerator, AnswersEachPromptAlone) {
  ASSERT_EQ(create(), HEDDLE_OK) << error.message;
  ASSERT_EQ(prompt({1, 2}), HEDDLE_OK) << error.message;
  EXPECT_EQ(answer(HEDDLE_FINISH_LIMIT), (Ids{26, 52, (26 + 52 + 26) % 100}));
  ASSERT_EQ(prompt({5}), HEDDLE_OK) << error.message;
  EXPECT_EQ(answer(HEDDLE_FINISH_LIMIT), (Ids{18, 36, 72}));
  EXPECT_EQ(encodings, 2);
  heddle_generator_stats stats = heddle_generator_get_stats(generator);
  EXPECT_EQ(stats.prefill_ids, 2 + 1 + 1 + 1) << "sources and starts";
}

TEST_F(SourceGenerator, SearchesForAnswers) {
  options.beams = 2;
  ASSERT_EQ(create(), HEDDLE_OK) << error.message;
  for (int time = 0; time < 2; ++time) {
    ASSERT_EQ(prompt({5}), HEDDLE_OK) << error.message;
    EXPECT_EQ(answer(HEDDLE_FINISH_LIMIT), (Ids{18, 36, 72}));
  }
}

TEST_F(SourceGenerator, FollowsRules) {
  const Ids suppressed = {18}, first = {0};
  const int32_t ends[] = {36};
  const int32_t forced = 7;
  options.rules.suppressed_ids = suppressed.data();
  options.rules.suppressed_count = 1;
  options.end_ids = ends;
  options.end_count = 1;
  for (int64_t beams : {0, 1}) {
    options.beams = beams;
    ASSERT_EQ(create(), HEDDLE_OK) << error.message;
    ASSERT_EQ(prompt({5}), HEDDLE_OK) << error.message;
    // All others are alike: the lowest is taken.
    EXPECT_EQ(answer(HEDDLE_FINISH_LIMIT), (Ids{0, 0, 0})) << beams;
  }
  options.rules = HEDDLE_NO_RULES;
  heddle_answer own = {};
  own.rules = &options.rules;
  options.sampling.answer = &own;
  expectInvalid(create(), "sampling.answer is given, expected the rules of "
                          "options");
  options.sampling.answer = nullptr;
  options.rules.forced_first = &forced;
  options.rules.forced_last = ends;
  for (int64_t beams : {0, 1}) {
    options.beams = beams;
    ASSERT_EQ(create(), HEDDLE_OK) << error.message;
    ASSERT_EQ(prompt({5}), HEDDLE_OK) << error.message;
    EXPECT_EQ(answer(HEDDLE_FINISH_END), (Ids{7, 25})) << beams;
  }
}

TEST_F(SourceGenerator, negative_prompts) {
  options.start_count = 0;
  expectInvalid(create(), "start_ids is empty, expected what answers begin "
                          "with");
  options.start_count = 1;
  for (int32_t outside : {-1, 100}) {
    options.start_ids = &outside;
    expectInvalid(create(), "start_ids[0] is " + std::to_string(outside) +
                                ", expected 0 to 99");
  }
  options.start_ids = starts.data();
  ASSERT_EQ(create(), HEDDLE_OK) << error.message;
  expectInvalid(prompt({}), "the prompt has no token");
  expectInvalid(prompt(Ids(41)),
                "the prompt has 41 tokens, and 40 of 40 positions are free");
  EXPECT_EQ(prompt({1, 100}), HEDDLE_OUT_OF_RANGE);
  EXPECT_STREQ(error.message, "id 2 of the prompt is 100, expected 0 to 99");
  const float samples[] = {1};
  const heddle_speech_options speech = {};
  const std::string described =
      R"({"model": {"vocab": {"a": 0}, "merges": []}})";
  const heddle_file file = {"tokenizer.json", described.data(),
                            described.size()};
  ASSERT_EQ(heddle_tokenizer_open_files(&file, 1, &tokenizer, &error),
            HEDDLE_OK);
  expectInvalid(heddle_generator_listen(generator, tokenizer, samples, 1,
                                        &speech, &error),
                "the model answers texts, and no recordings");
}

// Windows of 4 samples: 1 + 2 + 3 + 4, and 5 with silence behind it.
TEST_F(SourceGenerator, ListensToOneWindowAfterTheOther) {
  options.limit = 1;
  speak();
  ASSERT_EQ(listen({1, 2, 3, 4, 5}), HEDDLE_OK) << error.message;
  EXPECT_EQ(answer(HEDDLE_FINISH_LIMIT), (Ids{3 + 10, 3 + 5}));
  ASSERT_EQ(listen({6}), HEDDLE_OK) << error.message;
  EXPECT_EQ(answer(HEDDLE_FINISH_LIMIT), Ids{3 + 6});
  options.beams = 2;
  speak();
  ASSERT_EQ(listen({1, 2, 3, 4, 5}), HEDDLE_OK) << error.message;
  EXPECT_EQ(answer(HEDDLE_FINISH_LIMIT), (Ids{3 + 10, 3 + 5}));
}

TEST_F(SourceGenerator, IsToldALanguageAndATask) {
  options.limit = 1;
  speak(R"({"is_multilingual": true, "no_timestamps_token_id": 4,
            "lang_to_id": {"<|de|>": 20, "<|en|>": 21},
            "task_to_id": {"transcribe": 30, "translate": 31}})");
  ASSERT_EQ(listen({1}, {"de", "translate"}), HEDDLE_OK) << error.message;
  EXPECT_EQ(answer(HEDDLE_FINISH_LIMIT), Ids{3 + 20 + 31 + 4 + 1});
  // 3 and 18 are 21, which is English.
  ASSERT_EQ(listen({18}), HEDDLE_OK) << error.message;
  EXPECT_EQ(answer(HEDDLE_FINISH_LIMIT), Ids{3 + 21 + 30 + 4 + 18});
  ASSERT_EQ(listen({17}), HEDDLE_OK) << error.message;
  EXPECT_EQ(answer(HEDDLE_FINISH_LIMIT), Ids{3 + 20 + 30 + 4 + 17});
  ASSERT_EQ(listen({1}, {"German", "translate"}), HEDDLE_OK) << error.message;
  EXPECT_EQ(answer(HEDDLE_FINISH_LIMIT), Ids{3 + 20 + 31 + 4 + 1});
  expectInvalid(listen({1}, {"fr", nullptr}),
                "language is 'fr', expected one of de, en");
  expectInvalid(listen({1}, {nullptr, "sing"}),
                "task is 'sing', expected one of transcribe, translate");
  // The folder's own.
  speak(R"({"lang_to_id": {"<|de|>": 20, "<|en|>": 21}, "language": "<|en|>",
            "task_to_id": {"transcribe": 30, "translate": 31},
            "task": "translate"})");
  ASSERT_EQ(listen({1}), HEDDLE_OK) << error.message;
  EXPECT_EQ(answer(HEDDLE_FINISH_LIMIT), Ids{3 + 21 + 31 + 1});
}

TEST_F(SourceGenerator, IsToldWhatTheFolderForces) {
  options.limit = 1;
  const std::string known = R"("lang_to_id": {"<|de|>": 20, "<|en|>": 21},
                               "task_to_id": {"transcribe": 30},)";
  speak("{" + known + R"("forced_decoder_ids": [[1, 20], [2, 31]]})");
  ASSERT_EQ(listen({1}), HEDDLE_OK) << error.message;
  EXPECT_EQ(answer(HEDDLE_FINISH_LIMIT), Ids{3 + 20 + 31 + 1});
  ASSERT_EQ(listen({1}, {"en", nullptr}), HEDDLE_OK) << error.message;
  EXPECT_EQ(answer(HEDDLE_FINISH_LIMIT), Ids{3 + 21 + 30 + 1});
  // A language that is heard: 3 + 18 is English.
  speak("{" + known + R"("forced_decoder_ids": [[1, null], [2, 31]]})");
  ASSERT_EQ(listen({18}), HEDDLE_OK) << error.message;
  EXPECT_EQ(answer(HEDDLE_FINISH_LIMIT), Ids{3 + 21 + 31 + 18});
}

// The program's context need not outlive the call that takes it.
TEST_F(SourceGenerator, KeepsItsContext) {
  speak();
  destroy();
  {
    heddle_context context = {};
    ASSERT_EQ(heddle_generator_create(&model, weights, &context, nullptr,
                                      &options, &generator, &error),
              HEDDLE_OK);
    memset(&context, 0xff, sizeof(context));
  }
  EXPECT_EQ(listen({1}), HEDDLE_OK) << error.message;
}

TEST_F(SourceGenerator, negative_recordings) {
  speak();
  expectInvalid(listen({}), "the recording has no sample");
  expectInvalid(listen({0, NAN}), "samples[1] is nan, expected -1 to 1");
  expectInvalid(listen({1e18f}),
                "samples[0] is 999999984306749440.000000, expected -1 to 1");
  expectInvalid(listen({1}, {"en", nullptr}),
                "language is given, and the model has but one");
  expectInvalid(prompt({1}), "the model answers recordings, and no texts");
  speak(R"({"is_multilingual": true})");
  expectInvalid(listen({1}), "task 'transcribe' has no id: "
                             "generation_config.json of the tokenizer's folder "
                             "has no 'task_to_id'");
  speak(R"({"lang_to_id": {"de": 20}, "task_to_id": {"transcribe": 500}})");
  expectInvalid(listen({1}, {"de", nullptr}),
                "generation_config.json of the tokenizer's folder has answers "
                "begin with id 500, expected 0 to 99");
  model.entries = kSpeechEntries + 1;
  model.entry_count = 3;
  expectInvalid(create(), "model 'stories' has no entry point 'features' that "
                          "takes samples as f32 [batch, count] and gives what "
                          "its encoder reads");
}

} // namespace
