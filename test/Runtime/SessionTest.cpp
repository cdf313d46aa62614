// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sessions: what is appended, in calls of which length, and what a failure
// leaves.

#include "test/Runtime/SessionTesting.h"

#include <numeric>

using namespace session_testing;

namespace {

class Session : public DecoderTest {
protected:
  heddle_session *session = nullptr;

  void TearDown() override {
    heddle_session_destroy(session);
    DecoderTest::TearDown();
  }
  heddle_status create(int64_t batch, int64_t length, int64_t capacity) {
    return heddle_session_create(&model, weights, nullptr, batch, length,
                                 capacity, nullptr, &session, &error);
  }
  heddle_status append(const std::vector<int32_t> &ids, int64_t length) {
    return heddle_session_append(session, ids.data(), length, &error);
  }
  // The sum of the ids of sequence b, as its logits tell.
  int64_t sumOf(int64_t b) {
    const float *logits = nullptr;
    EXPECT_EQ(heddle_session_logits(session, &logits, &error), HEDDLE_OK)
        << error.message;
    const float *row = logits + b * kVocabulary;
    return std::max_element(row, row + kVocabulary) - row;
  }
};

TEST_F(Session, AppendsInCallsOfItsLength) {
  ASSERT_EQ(create(1, 4, 32), HEDDLE_OK) << error.message;
  EXPECT_EQ(heddle_session_vocabulary(session), kVocabulary);
  ASSERT_EQ(append({1, 2, 3, 4, 5, 6, 7, 8, 9}, 9), HEDDLE_OK) << error.message;
  EXPECT_EQ(calls, 3) << "4, 4 and 1";
  EXPECT_EQ(sumOf(0), 45);
  EXPECT_EQ(heddle_session_filled(session), 9);
  ASSERT_EQ(append({10}, 1), HEDDLE_OK) << error.message;
  EXPECT_EQ(sumOf(0), 55);
  heddle_session_restart(session);
  ASSERT_EQ(append({7, 1}, 2), HEDDLE_OK) << error.message;
  EXPECT_EQ(sumOf(0), 8);
}

TEST_F(Session, ItsMemoryIsNotTheCallers) {
  // Of calls that the program makes itself.
  const size_t small[5] = {1, 1, 1, 1, 1};
  heddle_context context = {};
  context.argument_bytes = small;
  ASSERT_EQ(heddle_session_create(&model, weights, &context, 1, 4, 32, nullptr,
                                  &session, &error),
            HEDDLE_OK)
      << error.message;
  EXPECT_EQ(append({1, 2}, 2), HEDDLE_OK) << error.message;
}

TEST_F(Session, SamplesAsTheModelsFolderAsks) {
  heddle_generation_defaults defaults = {};
  defaults.temperature = 0.5;
  defaults.top_p = 0.75;
  defaults.min_p = 0.25;
  defaults.repetition_penalty = 2;
  defaults.top_k = 7;
  model.generation = &defaults;
  heddle_sampling found;
  ASSERT_EQ(heddle_default_sampling(&model, &found, &error), HEDDLE_OK);
  EXPECT_EQ(found.temperature, 0.5f);
  EXPECT_EQ(found.top_p, 0.75f);
  EXPECT_EQ(found.min_p, 0.25f);
  EXPECT_EQ(found.repetition_penalty, 2);
  EXPECT_EQ(found.top_k, 7);
  EXPECT_EQ(found.repetition_window, 0);
  // A search draws nothing; and where nothing is said, nothing is drawn.
  defaults.beams = 2;
  for (const heddle_generation_defaults *said :
       {static_cast<const heddle_generation_defaults *>(&defaults),
        static_cast<const heddle_generation_defaults *>(nullptr)}) {
    model.generation = said;
    ASSERT_EQ(heddle_default_sampling(&model, &found, &error), HEDDLE_OK);
    EXPECT_EQ(found.temperature, 0);
    EXPECT_EQ(found.top_p, 1);
    EXPECT_EQ(found.top_k, 0);
    EXPECT_EQ(found.repetition_penalty, 1);
  }
}

TEST_F(Session, KeepsSequencesApart) {
  ASSERT_EQ(create(2, 2, 16), HEDDLE_OK) << error.message;
  ASSERT_EQ(append({1, 2, 3, 10, 20, 30}, 3), HEDDLE_OK) << error.message;
  EXPECT_EQ(sumOf(0), 6);
  EXPECT_EQ(sumOf(1), 60);
  ASSERT_EQ(append({1, 1}, 1), HEDDLE_OK) << error.message;
  EXPECT_EQ(sumOf(0), 7);
  EXPECT_EQ(sumOf(1), 61);
  const int32_t parents[] = {1, 1};
  ASSERT_EQ(heddle_session_reorder(session, parents, &error), HEDDLE_OK)
      << error.message;
  ASSERT_EQ(append({5, 6}, 1), HEDDLE_OK) << error.message;
  EXPECT_EQ(sumOf(0), 66);
  EXPECT_EQ(sumOf(1), 67);
}

TEST_F(Session, FailuresAppendNothing) {
  ASSERT_EQ(create(1, 2, 16), HEDDLE_OK) << error.message;
  ASSERT_EQ(append({1, 2, 3}, 3), HEDDLE_OK) << error.message;
  failAt = calls + 2;
  EXPECT_NE(append({4, 5, 6}, 3), HEDDLE_OK);
  EXPECT_EQ(heddle_session_filled(session), 3);
  EXPECT_NE(append({4, 100}, 2), HEDDLE_OK);
  EXPECT_STREQ(error.message, "stories.prefill: argument 'ids'[0][1] is 100, "
                              "expected 0 to 99");
  ASSERT_EQ(append({4, 5, 6}, 3), HEDDLE_OK) << error.message;
  EXPECT_EQ(sumOf(0), 21);
}

// Of objects that are freed in any order, such as those of a cycle in Python.
TEST_F(Session, OutlivesItsWeights) {
  ASSERT_EQ(create(1, 2, 16), HEDDLE_OK) << error.message;
  ASSERT_EQ(append({1, 2, 3}, 3), HEDDLE_OK) << error.message;
  heddle_weights_close(std::exchange(weights, nullptr));
  heddle_session_destroy(std::exchange(session, nullptr));
}

TEST_F(Session, negative_fullOrEmpty) {
  ASSERT_EQ(create(1, 4, 4), HEDDLE_OK) << error.message;
  EXPECT_EQ(append({1, 2, 3, 4, 5}, 5), HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "length is 5, and 4 of 4 positions are free");
  EXPECT_EQ(append({1}, 0), HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "length is 0, expected 1 or more");
  ASSERT_EQ(append({1, 2, 3, 4}, 4), HEDDLE_OK) << error.message;
  EXPECT_EQ(append({1}, 1), HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "length is 1, and 0 of 4 positions are free");
}

TEST_F(Session, negative_sizes) {
  EXPECT_EQ(create(1, 0, 4), HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "length is 0, expected 1 to the capacity, 4");
  EXPECT_EQ(create(1, 5, 4), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(create(1, 1, 65), HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message,
               "capacity is 65, and model 'stories' has 64 positions");
  EXPECT_EQ(create(9, 1, 4), HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "prefill: size 'batch' is 9, expected 1 to 8");
  EXPECT_EQ(create(0, 1, 4), HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "batch is 0, expected at least 1");
  EXPECT_EQ(session, nullptr);
  EXPECT_EQ(heddle_session_create(&model, weights, nullptr, 1, 1, 1, nullptr,
                                  nullptr, &error),
            HEDDLE_INVALID_ARGUMENT);
  model.entry_count = 1;
  EXPECT_EQ(create(1, 1, 1), HEDDLE_INVALID_ARGUMENT);
}

// ---- Sampling

class Sampling : public Session {
protected:
  heddle_sampling sampling = HEDDLE_GREEDY;
  heddle_random random[2] = {{5, 0}, {6, 0}};
  int32_t ids[2] = {-7, -7};

  heddle_status sample() {
    return heddle_session_sample(session, &sampling, random, ids, &error);
  }
};

TEST_F(Sampling, TakesTheLikeliest) {
  ASSERT_EQ(create(2, 2, 16), HEDDLE_OK) << error.message;
  ASSERT_EQ(append({1, 2, 10, 20}, 2), HEDDLE_OK) << error.message;
  ASSERT_EQ(heddle_session_sample(session, &sampling, nullptr, ids, &error),
            HEDDLE_OK)
      << error.message;
  EXPECT_EQ(ids[0], 3);
  EXPECT_EQ(ids[1], 30);
}

// By the ids of each sequence, which change places with the sequences: what is
// likeliest is one of them.
TEST_F(Sampling, PenalisesRepetitions) {
  ASSERT_EQ(create(2, 3, 16), HEDDLE_OK) << error.message;
  sampling.repetition_penalty = 2;
  sampling.temperature = 0.2f;
  ASSERT_EQ(append({30, 70, 30, 20, 80, 20}, 3), HEDDLE_OK) << error.message;
  const int32_t parents[] = {1, 0};
  ASSERT_EQ(heddle_session_reorder(session, parents, &error), HEDDLE_OK);
  ASSERT_EQ(append({0, 0}, 1), HEDDLE_OK) << error.message;
  EXPECT_EQ(sumOf(0), 20);
  EXPECT_EQ(sumOf(1), 30);
  const float *logits = nullptr;
  ASSERT_EQ(heddle_session_logits(session, &logits, &error), HEDDLE_OK);
  std::vector<heddle_candidate> scratch(kVocabulary);
  const int32_t histories[2][4] = {{20, 80, 20, 0}, {30, 70, 30, 0}};
  heddle_random others[2] = {random[0], random[1]};
  for (uint64_t draw = 1; draw <= 50; ++draw) {
    ASSERT_EQ(sample(), HEDDLE_OK) << error.message;
    for (int b = 0; b < 2; ++b) {
      int32_t expected = -1;
      ASSERT_EQ(heddle_choose_id(&sampling, logits + b * kVocabulary,
                                 kVocabulary, histories[b], 4, &others[b],
                                 scratch.data(), &expected, &error),
                HEDDLE_OK);
      EXPECT_EQ(ids[b], expected);
      EXPECT_EQ(random[b].drawn, draw);
    }
  }
}

// Whatever entry points the model has: they are for devices.
TEST_F(Sampling, AsksNoModelOfTheCpu) {
  model.entry_count = 4;
  ASSERT_EQ(create(2, 2, 16), HEDDLE_OK) << error.message;
  ASSERT_EQ(append({1, 2, 10, 20}, 2), HEDDLE_OK) << error.message;
  ASSERT_EQ(sample(), HEDDLE_OK) << error.message;
  sampling.temperature = 1;
  sampling.top_k = 1;
  ASSERT_EQ(sample(), HEDDLE_OK) << error.message;
  EXPECT_EQ(ids[0], 3);
  EXPECT_EQ(ids[1], 30);
  EXPECT_EQ(samplings, 0);
}

TEST_F(Sampling, negative_noNumbers) {
  ASSERT_EQ(create(2, 2, 16), HEDDLE_OK) << error.message;
  ASSERT_EQ(append({1, 7, 6, 7}, 2), HEDDLE_OK) << error.message;
  sampling.temperature = 1;
  EXPECT_EQ(sample(), HEDDLE_OUT_OF_RANGE);
  EXPECT_STREQ(error.message, "logits[1][5] is nan, expected a number below "
                              "infinity");
  EXPECT_EQ(random[0].drawn, 0u);
  EXPECT_EQ(random[1].drawn, 0u);
  // It may go on.
  ASSERT_EQ(append({1, 1}, 1), HEDDLE_OK) << error.message;
  EXPECT_EQ(sample(), HEDDLE_OK) << error.message;
}

// The sequences are as they were, but the logits would be those of others.
TEST_F(Sampling, negative_failedAppend) {
  ASSERT_EQ(create(1, 2, 16), HEDDLE_OK) << error.message;
  ASSERT_EQ(append({1, 2}, 2), HEDDLE_OK) << error.message;
  EXPECT_NE(append({4, 5, 6, 100}, 4), HEDDLE_OK);
  EXPECT_EQ(sample(), HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message,
               "the last ids were not appended, expected them to be");
  const float *logits = nullptr;
  EXPECT_EQ(heddle_session_logits(session, &logits, &error),
            HEDDLE_INVALID_ARGUMENT);
  ASSERT_EQ(append({4, 5}, 2), HEDDLE_OK) << error.message;
  EXPECT_EQ(sumOf(0), 12);
  heddle_session_restart(session);
  EXPECT_EQ(sample(), HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message,
               "the sequences are empty, expected ids to be appended");
}

TEST_F(Sampling, negative_arguments) {
  ASSERT_EQ(create(1, 2, 16), HEDDLE_OK) << error.message;
  const float *logits = nullptr;
  EXPECT_EQ(heddle_session_logits(session, &logits, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message,
               "the sequences are empty, expected ids to be appended");
  EXPECT_EQ(sample(), HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message,
               "the sequences are empty, expected ids to be appended");
  ASSERT_EQ(append({1, 2}, 2), HEDDLE_OK) << error.message;
  EXPECT_EQ(heddle_session_logits(session, nullptr, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "logits is null");
  EXPECT_EQ(heddle_session_sample(session, &sampling, random, nullptr, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "ids is null");
  EXPECT_EQ(heddle_session_sample(session, nullptr, random, ids, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "sampling is null");
  sampling.temperature = 1;
  EXPECT_EQ(heddle_session_sample(session, &sampling, nullptr, ids, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "random is null");
  sampling.top_p = 2;
  EXPECT_EQ(sample(), HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "top_p is 2, expected above 0 and up to 1");
}

} // namespace
