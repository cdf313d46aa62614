// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Small models, and a beam search that is run to its end.

#ifndef HEDDLE_TEST_RUNTIME_BEAMSEARCHTESTING_H
#define HEDDLE_TEST_RUNTIME_BEAMSEARCHTESTING_H

#include "runtime/heddle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace beam_search_testing {

using Ids = std::vector<int32_t>;

/// The logits of what follows a continuation.
using Model = std::function<std::vector<float>(const Ids &)>;

/// Logits in [-range, range] that depend on all ids, and on their order.
inline Model makeModel(uint64_t seed, int64_t vocabulary, double range = 2) {
  return [=](const Ids &ids) {
    uint64_t state = seed + 1;
    for (int32_t id : ids)
      state = (state ^ uint64_t(id + 1)) * 0x9e3779b97f4a7c15u;
    std::vector<float> logits;
    for (int64_t id = 0; id < vocabulary; ++id) {
      uint64_t bits = (state + id + 1) * 0xbf58476d1ce4e5b9u;
      bits = (bits ^ bits >> 31) * 0x94d049bb133111ebu;
      logits.push_back(range * (double(bits >> 11) * 0x1p-52 - 1));
    }
    return logits;
  };
}

struct Options {
  int64_t width = 1;
  int64_t vocabulary = 2;
  int64_t maximumLength = 1;
  Ids ends;
  float penalty = 0;
  bool isEarly = false;
  const heddle_rules *rules = nullptr;
  Ids prompt = {}; ///< which only rules go by

  heddle_beam_options get() const {
    return {width,
            vocabulary,
            maximumLength,
            ends.data(),
            int64_t(ends.size()),
            penalty,
            isEarly,
            rules,
            prompt.data(),
            int64_t(prompt.size())};
  }
  bool isEnd(int32_t id) const {
    return std::find(ends.begin(), ends.end(), id) != ends.end();
  }
};

struct Hypothesis {
  Ids ids;
  double sum;
  double score;
};

struct Destroy {
  void operator()(heddle_beam_search *search) const {
    heddle_beam_search_destroy(search);
  }
};
using Search = std::unique_ptr<heddle_beam_search, Destroy>;

inline Search create(const Options &options) {
  heddle_beam_options given = options.get();
  heddle_beam_search *search = nullptr;
  heddle_error error = {};
  EXPECT_EQ(heddle_beam_search_create(&given, nullptr, &search, &error),
            HEDDLE_OK)
      << error.message;
  return Search(search);
}

inline std::vector<Hypothesis> results(const heddle_beam_search *search,
                                       const Options &options) {
  std::vector<Hypothesis> found;
  for (int64_t i = 0; i < heddle_beam_search_count(search); ++i) {
    Ids ids(options.maximumLength, -1);
    heddle_hypothesis hypothesis = {};
    EXPECT_EQ(
        heddle_beam_search_get(search, i, &hypothesis, ids.data(), nullptr),
        HEDDLE_OK);
    for (size_t k = hypothesis.length; k < ids.size(); ++k)
      EXPECT_EQ(ids[k], -1); // past the end nothing is written
    ids.resize(hypothesis.length);
    EXPECT_EQ(bool(hypothesis.has_end), options.isEnd(ids.back()));
    found.push_back({ids, hypothesis.log_probability, hypothesis.score});
  }
  return found;
}

/// Runs a search to its end. As a model does with its cache, each row keeps the
/// ids that were appended to it, and logits follow from what the row holds.
struct Generation {
  Options options;
  Search search;
  std::vector<int32_t> rows; // [width, maximumLength]
  Ids parents, ids;
  int64_t steps = 0;

  explicit Generation(const Options &options)
      : options(options), search(create(options)),
        rows(options.width * options.maximumLength), parents(options.width),
        ids(options.width) {}

  std::vector<float> logits(const Model &model) const {
    std::vector<float> all;
    for (int64_t b = 0; b < options.width; ++b) {
      auto row = rows.begin() + b * options.maximumLength;
      std::vector<float> logits = model(Ids(row, row + steps));
      all.insert(all.end(), logits.begin(), logits.end());
    }
    return all;
  }
  void step(const Model &model) {
    heddle_error error = {};
    ASSERT_EQ(heddle_beam_search_step(search.get(), logits(model).data(),
                                      parents.data(), ids.data(), &error),
              HEDDLE_OK)
        << error.message;
    ASSERT_EQ(heddle_reorder_rows(rows.data(), options.width,
                                  options.maximumLength * sizeof(int32_t),
                                  parents.data(), &error),
              HEDDLE_OK)
        << error.message;
    for (int64_t b = 0; b < options.width; ++b)
      rows[b * options.maximumLength + steps] = ids[b];
    ++steps;
  }
  std::vector<Hypothesis> finish(const Model &model) {
    while (!heddle_beam_search_is_finished(search.get()) &&
           steps < options.maximumLength)
      step(model);
    EXPECT_TRUE(heddle_beam_search_is_finished(search.get()));
    return results(search.get(), options);
  }
};

/// Sums are of at most 10 terms of magnitude 10, each rounded a few times to
/// 2^-53 of it: 1e-13 is more than that, and below differences of models whose
/// logits are random.
inline void expectSame(const std::vector<Hypothesis> &found,
                       const std::vector<Hypothesis> &expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(found[i].ids, expected[i].ids);
    EXPECT_NEAR(found[i].sum, expected[i].sum, 1e-13);
    EXPECT_NEAR(found[i].score, expected[i].score,
                1e-13 * std::max(1.0, std::fabs(expected[i].score)));
  }
}

} // namespace beam_search_testing

#endif // HEDDLE_TEST_RUNTIME_BEAMSEARCHTESTING_H
