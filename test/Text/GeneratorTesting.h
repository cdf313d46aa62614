// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A generator of a model made by hand, and the ids of its answers.

#ifndef HEDDLE_TEST_TEXT_GENERATORTESTING_H
#define HEDDLE_TEST_TEXT_GENERATORTESTING_H

#include "runtime/text/heddle_text.h"
#include "test/Runtime/SessionTesting.h"

#include <utility>

namespace generator_testing {

using Ids = std::vector<int32_t>;

class GeneratorFixture : public session_testing::DecoderTest {
protected:
  heddle_generator *generator = nullptr;
  heddle_generator_options options = HEDDLE_GENERATOR_OPTIONS;

  void TearDown() override {
    destroy();
    DecoderTest::TearDown();
  }
  void destroy() {
    heddle_generator_destroy(std::exchange(generator, nullptr));
  }
  heddle_status create() {
    destroy();
    return heddle_generator_create(&model, weights, nullptr, nullptr, &options,
                                   &generator, &error);
  }
  heddle_status prompt(const Ids &ids) {
    return heddle_generator_prompt(generator, ids.data(), ids.size(), &error);
  }
  /// The ids of an answer, which ends as expected.
  Ids answer(heddle_finish expected) {
    Ids ids;
    heddle_piece piece = {};
    while (piece.finish == HEDDLE_FINISH_NONE) {
      if (heddle_generator_next(generator, &piece, &error) != HEDDLE_OK) {
        ADD_FAILURE() << error.message;
        return ids;
      }
      if (piece.id >= 0)
        ids.push_back(piece.id);
    }
    EXPECT_EQ(piece.finish, expected);
    // It says so again.
    EXPECT_EQ(heddle_generator_next(generator, &piece, &error), HEDDLE_OK);
    EXPECT_EQ(piece.finish, expected);
    EXPECT_EQ(piece.id, -1);
    return ids;
  }
  void expectInvalid(heddle_status status, const std::string &message) {
    EXPECT_EQ(status, HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(error.message, message);
  }
};

} // namespace generator_testing

#endif // HEDDLE_TEST_TEXT_GENERATORTESTING_H
