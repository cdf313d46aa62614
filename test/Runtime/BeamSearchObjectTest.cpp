// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A beam search as an object: it is used again, takes memory once and refuses
// what is wrong without a change.

#include "test/Runtime/BeamSearchTesting.h"

using namespace beam_search_testing;

namespace {

// ---- The object

TEST(BeamSearchObject, StepsOfAFinishedSearchChangeNothing) {
  Options options{3, 4, 2, {1}};
  Generation run(options);
  Model model = makeModel(3, 4);
  std::vector<Hypothesis> found = run.finish(model);
  const std::vector<float> unread(12, NAN);
  EXPECT_EQ(heddle_beam_search_step(run.search.get(), unread.data(),
                                    run.parents.data(), run.ids.data(),
                                    nullptr),
            HEDDLE_OK);
  EXPECT_EQ(run.parents, (Ids{0, 1, 2}));
  EXPECT_EQ(run.ids, (Ids{0, 0, 0}));
  expectSame(results(run.search.get(), options), found);
}

TEST(BeamSearchObject, RestartsWithTheSameOptions) {
  Options options{3, 4, 5, {1}};
  Generation run(options);
  std::vector<Hypothesis> first = run.finish(makeModel(1, 4));
  heddle_beam_search_restart(run.search.get());
  EXPECT_EQ(heddle_beam_search_count(run.search.get()), 0);
  run.steps = 0;
  run.finish(makeModel(2, 4));
  heddle_beam_search_restart(run.search.get());
  run.steps = 0;
  expectSame(run.finish(makeModel(1, 4)), first);
}

TEST(BeamSearchObject, AllocatesOnce) {
  struct Counts {
    int allocated = 0, released = 0;
  } counts;
  heddle_allocator allocator = {
      [](void *data, size_t size, size_t alignment) -> void * {
        ++static_cast<Counts *>(data)->allocated;
        return aligned_alloc(alignment,
                             (size + alignment - 1) / alignment * alignment);
      },
      [](void *data, void *pointer) {
        ++static_cast<Counts *>(data)->released;
        free(pointer);
      },
      &counts};
  heddle_beam_options options = Options{2, 2, 3, {}, 1}.get();
  heddle_beam_search *search = nullptr;
  ASSERT_EQ(heddle_beam_search_create(&options, &allocator, &search, nullptr),
            HEDDLE_OK);
  const float logits[4] = {1, 2, 3, 4};
  int32_t parents[2], ids[2];
  while (!heddle_beam_search_is_finished(search))
    ASSERT_EQ(heddle_beam_search_step(search, logits, parents, ids, nullptr),
              HEDDLE_OK);
  EXPECT_EQ(counts.allocated, 1);
  EXPECT_EQ(counts.released, 0);
  heddle_beam_search_destroy(search);
  EXPECT_EQ(counts.released, 1);
  heddle_beam_search_destroy(nullptr);
}

// ---- What is refused

TEST(BeamSearchObject, NegativeLogits) {
  Options options{2, 3, 4, {1}};
  Model model = makeModel(5, 3);
  Generation run(options), other(options);
  // In the first step row 1 has no beam and is not read.
  std::vector<float> logits = run.logits(model);
  std::fill(logits.begin() + 3, logits.end(), NAN);
  heddle_error error = {};
  auto step = [&] {
    return heddle_beam_search_step(run.search.get(), logits.data(),
                                   run.parents.data(), run.ids.data(), &error);
  };
  ASSERT_EQ(step(), HEDDLE_OK) << error.message;
  other.step(model);
  EXPECT_EQ(run.ids, other.ids);
  auto expectRefused = [&](const std::string &message) {
    EXPECT_EQ(step(), HEDDLE_OUT_OF_RANGE);
    EXPECT_EQ(error.status, HEDDLE_OUT_OF_RANGE);
    EXPECT_EQ(error.message, message);
  };
  logits = other.logits(model);
  logits[5] = NAN;
  expectRefused("logits[1][2] is nan, expected a number below infinity");
  logits[5] = HUGE_VALF;
  expectRefused("logits[1][2] is inf, expected a number below infinity");
  std::fill(logits.begin(), logits.begin() + 3, -HUGE_VALF);
  expectRefused("all of logits[0] are -inf, expected a larger one");
  // The search goes on as if nothing had been asked.
  logits = other.logits(model);
  ASSERT_EQ(step(), HEDDLE_OK) << error.message;
  other.step(model);
  EXPECT_EQ(run.parents, other.parents);
  EXPECT_EQ(run.ids, other.ids);
}

void expectNotCreated(const heddle_beam_options &options, heddle_status status,
                      const std::string &message) {
  heddle_error error = {};
  heddle_beam_search *search = nullptr;
  EXPECT_EQ(heddle_beam_search_create(&options, nullptr, &search, &error),
            status);
  EXPECT_EQ(error.status, status);
  EXPECT_EQ(error.message, message);
  EXPECT_EQ(search, nullptr);
}

TEST(BeamSearchObject, NegativeOptions) {
  const int32_t ends[] = {1, 3};
  const heddle_beam_options good = {2, 3, 4,       ends,    1,
                                    1, 0, nullptr, nullptr, 0};
  auto expect = [&](auto field, auto value, const std::string &message) {
    heddle_beam_options options = good;
    options.*field = value;
    expectNotCreated(options, HEDDLE_INVALID_ARGUMENT, message);
  };
  using O = heddle_beam_options;
  expect(&O::width, 0, "width is 0, expected 1 to 4096");
  expect(&O::width, 4097, "width is 4097, expected 1 to 4096");
  expect(&O::vocabulary, 0, "vocabulary is 0, expected 1 to 2147483647");
  expect(&O::vocabulary, int64_t(1) << 31,
         "vocabulary is 2147483648, expected 1 to 2147483647");
  expect(&O::maximum_length, 0,
         "maximum_length is 0, expected 1 to 2147483647");
  expect(&O::end_count, -1, "end_count is -1, expected 0 to 4096");
  expect(&O::end_ids, nullptr, "end_ids is null");
  expect(&O::length_penalty, 17, "length_penalty is 17, expected -16 to 16");
  expect(&O::length_penalty, NAN, "length_penalty is nan, expected -16 to 16");
  expect(&O::early_stopping, 2, "early_stopping is 2, expected 0 to 1");
  heddle_beam_options options = good;
  options.end_count = 2;
  expectNotCreated(options, HEDDLE_OUT_OF_RANGE,
                   "end_ids[1] is 3, expected 0 to 2");
}

TEST(BeamSearchObject, NegativeMemory) {
  heddle_allocator none = {
      [](void *, size_t, size_t) -> void * { return nullptr; },
      [](void *, void *) {}, nullptr};
  heddle_beam_options options = Options{3, 3, 4, {}, 1}.get();
  heddle_beam_search *search = nullptr;
  heddle_error error = {};
  EXPECT_EQ(heddle_beam_search_create(&options, &none, &search, &error),
            HEDDLE_OUT_OF_MEMORY);
  EXPECT_EQ(search, nullptr);
  std::string message = error.message;
  EXPECT_EQ(message.find("cannot allocate "), 0u) << message;
  EXPECT_NE(message.find(" bytes for a search of 3 beams"), std::string::npos);
  none.release = nullptr;
  EXPECT_EQ(heddle_beam_search_create(&options, &none, &search, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "allocator lacks its function 'release'");
}

TEST(BeamSearchObject, NegativeNullPointers) {
  heddle_beam_options options = Options().get();
  heddle_error error = {};
  auto expect = [&](heddle_status status, const char *missing) {
    EXPECT_EQ(status, HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(error.message, std::string(missing) + " is null");
  };
  heddle_beam_search *made = nullptr;
  expect(heddle_beam_search_create(nullptr, nullptr, &made, &error), "options");
  expect(heddle_beam_search_create(&options, nullptr, nullptr, &error),
         "search");
  Search owner = create(Options());
  heddle_beam_search *search = owner.get();
  const float logits[2] = {};
  int32_t ids[1];
  expect(heddle_beam_search_step(nullptr, logits, ids, ids, &error), "search");
  expect(heddle_beam_search_step(search, nullptr, ids, ids, &error), "logits");
  expect(heddle_beam_search_step(search, logits, nullptr, ids, &error),
         "parents");
  expect(heddle_beam_search_step(search, logits, ids, nullptr, &error), "ids");
  heddle_hypothesis hypothesis;
  expect(heddle_beam_search_get(nullptr, 0, &hypothesis, ids, &error),
         "search");
  expect(heddle_beam_search_get(search, 0, nullptr, ids, &error), "hypothesis");
  expect(heddle_beam_search_get(search, 0, &hypothesis, nullptr, &error),
         "ids");
}

TEST(BeamSearchObject, NegativeIndex) {
  Options options{2, 3, 1, {}};
  Generation run(options);
  heddle_hypothesis hypothesis;
  int32_t ids[1];
  heddle_error error = {};
  auto expect = [&](int64_t index, const std::string &message) {
    EXPECT_EQ(heddle_beam_search_get(run.search.get(), index, &hypothesis, ids,
                                     &error),
              HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(error.message, message);
  };
  expect(0, "the search has no hypothesis yet");
  run.finish(makeModel(1, 3));
  expect(2, "index is 2, expected 0 to 1");
  expect(-1, "index is -1, expected 0 to 1");
}

} // namespace
