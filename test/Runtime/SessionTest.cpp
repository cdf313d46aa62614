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
    const float *row = heddle_session_logits(session) + b * kVocabulary;
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

TEST_F(Session, negative_fullOrEmpty) {
  ASSERT_EQ(create(1, 4, 4), HEDDLE_OK) << error.message;
  EXPECT_EQ(append({1, 2, 3, 4, 5}, 5), HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "length is 5, and 4 of 4 positions are free");
  EXPECT_EQ(append({}, 0), HEDDLE_INVALID_ARGUMENT);
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
  EXPECT_EQ(session, nullptr);
  EXPECT_EQ(heddle_session_create(&model, weights, nullptr, 1, 1, 1, nullptr,
                                  nullptr, &error),
            HEDDLE_INVALID_ARGUMENT);
  model.entry_count = 1;
  EXPECT_EQ(create(1, 1, 1), HEDDLE_INVALID_ARGUMENT);
}

} // namespace
