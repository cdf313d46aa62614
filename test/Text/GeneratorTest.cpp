// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Answers of a model made by hand, whose likeliest id is the sum of all ids so
// far: turns, ends, limits and searches.

#include "test/Text/GeneratorTesting.h"

using namespace generator_testing;
using namespace session_testing;

namespace {

using Generator = GeneratorFixture;

TEST_F(Generator, AnswersUpToTheLimit) {
  options.limit = 4;
  ASSERT_EQ(create(), HEDDLE_OK) << error.message;
  ASSERT_EQ(prompt({1, 2}), HEDDLE_OK) << error.message;
  EXPECT_EQ(answer(HEDDLE_FINISH_LIMIT), Ids({3, 6, 12, 24}));
  heddle_generator_stats stats = heddle_generator_get_stats(generator);
  EXPECT_EQ(stats.prefill_ids, 2);
  EXPECT_EQ(stats.decode_ids, 3) << "nobody asks what follows the last one";
}

TEST_F(Generator, GoesOnInTurns) {
  const int32_t ends[] = {12, 70};
  options.end_ids = ends;
  options.end_count = 2;
  ASSERT_EQ(create(), HEDDLE_OK) << error.message;
  ASSERT_EQ(prompt({1, 2}), HEDDLE_OK) << error.message;
  EXPECT_EQ(answer(HEDDLE_FINISH_END), Ids({3, 6}));
  // The end is no part of the sequence: 1 2 3 6, then 23.
  ASSERT_EQ(prompt({23}), HEDDLE_OK) << error.message;
  EXPECT_EQ(answer(HEDDLE_FINISH_END), Ids({35}));
}

TEST_F(Generator, FillsTheCapacity) {
  options.capacity = 5;
  options.prefill_length = 2;
  ASSERT_EQ(create(), HEDDLE_OK) << error.message;
  ASSERT_EQ(prompt({1, 1, 1}), HEDDLE_OK) << error.message;
  EXPECT_EQ(calls, 0);
  // 3 and 6 have positions; what follows them is known, and has none.
  EXPECT_EQ(answer(HEDDLE_FINISH_FULL), Ids({3, 6, 12}));
  expectInvalid(prompt({1}),
                "the prompt has 1 tokens, and 0 of 5 positions are free");
}

TEST_F(Generator, EndsAtTheMaximumLength) {
  options.maximum_length = 5;
  for (int64_t beams : {0, 2}) {
    options.beams = beams;
    ASSERT_EQ(create(), HEDDLE_OK) << error.message;
    expectInvalid(prompt({1, 1, 1, 1, 1}),
                  "the sequence has 5 tokens with the prompt, expected fewer "
                  "than maximum_length, 5");
    ASSERT_EQ(prompt({1, 2}), HEDDLE_OK) << error.message;
    EXPECT_EQ(answer(HEDDLE_FINISH_LIMIT), Ids({3, 6, 12})) << beams;
    heddle_generator_destroy(generator);
    generator = nullptr;
  }
}

TEST_F(Generator, DefaultsAreThoseOfTheModelsFolder) {
  heddle_generator_options found;
  ASSERT_EQ(heddle_generator_default_options(&model, nullptr, &found, &error),
            HEDDLE_OK);
  EXPECT_EQ(found.limit, 128);
  EXPECT_EQ(found.end_count, 0u);
  const int32_t ends[] = {12, 70};
  heddle_generation_defaults defaults = {};
  defaults.end_ids = ends;
  defaults.end_count = 2;
  defaults.top_p = defaults.repetition_penalty = 1;
  defaults.beams = 2;
  defaults.length_penalty = 0.5;
  defaults.early_stopping = 1;
  defaults.maximum_length = 20;
  model.generation = &defaults;
  ASSERT_EQ(heddle_generator_default_options(&model, nullptr, &found, &error),
            HEDDLE_OK);
  EXPECT_EQ(found.beams, 2);
  EXPECT_EQ(found.length_penalty, 0.5f);
  EXPECT_EQ(found.early_stopping, 1);
  EXPECT_EQ(found.maximum_length, 20);
  EXPECT_EQ(found.limit, 20) << "an answer cannot have more";
  EXPECT_EQ(found.end_ids, ends);
  EXPECT_EQ(found.end_count, 2u);
  defaults.limit = 7;
  ASSERT_EQ(heddle_generator_default_options(&model, nullptr, &found, &error),
            HEDDLE_OK);
  EXPECT_EQ(found.limit, 7);
  options = found;
  ASSERT_EQ(create(), HEDDLE_OK) << error.message;
  ASSERT_EQ(prompt({1, 2}), HEDDLE_OK) << error.message;
  EXPECT_EQ(answer(HEDDLE_FINISH_END), Ids({3, 6}));
}

TEST_F(Generator, SearchesLikeOneThatChooses) {
  options.beams = 3;
  options.limit = 3;
  const int32_t ends[] = {12};
  options.end_ids = ends;
  options.end_count = 1;
  ASSERT_EQ(create(), HEDDLE_OK) << error.message;
  ASSERT_EQ(prompt({1, 2}), HEDDLE_OK) << error.message;
  EXPECT_EQ(answer(HEDDLE_FINISH_END), Ids({3, 6}));
  EXPECT_EQ(heddle_generator_get_stats(generator).prefill_ids, 6);
  expectInvalid(prompt({1}),
                "a search goes on after one prompt, expected no other");
}

TEST_F(Generator, negative_options) {
  options.limit = 0;
  expectInvalid(create(), "limit is 0, expected at least 1");
  options = heddle_generator_options HEDDLE_GENERATOR_OPTIONS;
  options.capacity = 65;
  expectInvalid(create(),
                "capacity is 65, expected 1 to the model's 64 positions");
  options = heddle_generator_options HEDDLE_GENERATOR_OPTIONS;
  options.beams = 2;
  options.sampling.top_k = 5;
  expectInvalid(create(),
                "a search draws no ids, expected beams without top_k, "
                "top_p, min_p and a repetition penalty");
  options = heddle_generator_options HEDDLE_GENERATOR_OPTIONS;
  options.end_count = 1;
  expectInvalid(create(), "end_ids is null");
  const char *stops[] = {"x"};
  options = heddle_generator_options HEDDLE_GENERATOR_OPTIONS;
  options.stops = stops;
  options.stop_count = 1;
  expectInvalid(create(), "stop strings need a tokenizer");
  EXPECT_EQ(generator, nullptr);
}

TEST_F(Generator, negative_prompts) {
  ASSERT_EQ(create(), HEDDLE_OK) << error.message;
  heddle_piece piece = {};
  expectInvalid(heddle_generator_next(generator, &piece, &error),
                "there is no prompt yet");
  expectInvalid(prompt({}), "the prompt has no token");
  expectInvalid(prompt(Ids(65, 1)),
                "the prompt has 65 tokens, and 64 of 64 positions are free");
  // Nothing of such a prompt is kept.
  for (int32_t id : {100, -1}) {
    EXPECT_EQ(prompt({1, id}), HEDDLE_OUT_OF_RANGE);
    EXPECT_EQ(error.message, "id 2 of the prompt is " + std::to_string(id) +
                                 ", expected 0 to 99");
  }
  EXPECT_EQ(prompt({1}), HEDDLE_OK);
}

} // namespace
