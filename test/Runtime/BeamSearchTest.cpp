// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Beam search, compared with all continuations of small models, and with a
// search that keeps whole sequences and never stops early.

#include "test/Runtime/BeamSearchTesting.h"

using namespace beam_search_testing;

namespace {

std::vector<double> logSoftmax(const std::vector<float> &logits) {
  double sum = 0;
  for (float logit : logits)
    sum += std::exp(double(logit));
  std::vector<double> result;
  for (float logit : logits)
    result.push_back(double(logit) - std::log(sum));
  return result;
}

double scoreOf(double sum, size_t length, double penalty) {
  return sum / std::pow(double(length), penalty);
}

/// Each continuation that ends, and each of the maximum length.
void addAll(const Model &model, const Options &options, const Ids &ids,
            double sum, std::vector<Hypothesis> &all) {
  std::vector<double> p = logSoftmax(model(ids));
  for (int32_t id = 0; id < options.vocabulary; ++id) {
    Ids longer = ids;
    longer.push_back(id);
    if (options.isEnd(id) || int64_t(longer.size()) == options.maximumLength)
      all.push_back({longer, sum + p[id],
                     scoreOf(sum + p[id], longer.size(), options.penalty)});
    else
      addAll(model, options, longer, sum + p[id], all);
  }
}

bool isBetter(const Hypothesis &a, const Hypothesis &b) {
  return a.score > b.score;
}

/// The search of heddle.h, with whole sequences, and to the maximum length:
/// what a rule for stopping earlier must not change.
std::vector<Hypothesis> searchFully(const Model &model,
                                    const Options &options) {
  std::vector<Hypothesis> beams = {{{}, 0, 0}}, found;
  for (int64_t length = 1; length <= options.maximumLength; ++length) {
    std::vector<Hypothesis> extensions;
    for (const Hypothesis &beam : beams) {
      std::vector<double> p = logSoftmax(model(beam.ids));
      for (int32_t id = 0; id < options.vocabulary; ++id) {
        Ids ids = beam.ids;
        ids.push_back(id);
        double sum = beam.sum + p[id];
        extensions.push_back({ids, sum, scoreOf(sum, length, options.penalty)});
      }
    }
    std::stable_sort(extensions.begin(), extensions.end(),
                     [](auto &a, auto &b) { return a.sum > b.sum; });
    beams.clear();
    for (size_t i = 0; i < extensions.size(); ++i) {
      bool ends = options.isEnd(extensions[i].ids.back());
      if (ends && int64_t(i) < options.width)
        found.push_back(extensions[i]);
      if (!ends && int64_t(beams.size()) < options.width)
        beams.push_back(extensions[i]);
    }
  }
  found.insert(found.end(), beams.begin(), beams.end());
  std::stable_sort(found.begin(), found.end(), isBetter);
  if (int64_t(found.size()) > options.width)
    found.resize(options.width);
  return found;
}

// ---- Against the references

TEST(BeamSearch, WideSearchFindsTheBestOfAllContinuations) {
  for (float penalty : {-1.0f, 0.0f, 0.5f, 1.0f, 2.0f})
    for (uint64_t seed = 0; seed < 20; ++seed) {
      SCOPED_TRACE(seed);
      Options options{100, 3, 4, {1}, penalty};
      Model model = makeModel(seed, 3);
      std::vector<Hypothesis> all;
      addAll(model, options, {}, 0, all);
      std::stable_sort(all.begin(), all.end(), isBetter);
      // 1 + 2 + 4 + 8 that end, and 16 that do not.
      ASSERT_EQ(all.size(), 31u);
      expectSame(Generation(options).finish(model), all);
    }
}

TEST(BeamSearch, NarrowSearchIsThatOfTheReference) {
  int64_t saved = 0;
  for (float penalty : {-1.5f, 0.0f, 0.7f, 1.0f})
    for (int64_t width : {1, 2, 3, 5})
      for (const Ids &ends : {Ids{}, Ids{0}, Ids{4, 2}, Ids{1, 1, 3}})
        for (uint64_t seed = 0; seed < 30; ++seed) {
          SCOPED_TRACE(seed);
          Options options{width, 5, 8, ends, penalty};
          Model model = makeModel(seed, 5, 4);
          Generation run(options);
          expectSame(run.finish(model), searchFully(model, options));
          saved += options.maximumLength - run.steps;
        }
  EXPECT_GT(saved, 0); // some searches did stop before the maximum length
}

TEST(BeamSearch, OneBeamWithoutPenaltyIsGreedy) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Options options{1, 6, 10, {5}};
    Model model = makeModel(seed, 6);
    Ids greedy;
    while (greedy.size() < 10 && (greedy.empty() || greedy.back() != 5)) {
      std::vector<float> logits = model(greedy);
      greedy.push_back(std::max_element(logits.begin(), logits.end()) -
                       logits.begin());
    }
    // A beam may still beat a hypothesis, so that the first one is looked at.
    options.isEarly = true;
    EXPECT_EQ(Generation(options).finish(model).at(0).ids, greedy);
  }
}

// ---- Order and stopping, by hand

/// The same logits whatever came before.
Model always(const std::vector<float> &logits) {
  return [=](const Ids &) { return logits; };
}

constexpr float infinity = HUGE_VALF;

TEST(BeamSearch, EqualSumsGoByBeamThenById) {
  Options options{3, 4, 2, {}};
  Generation run(options);
  Model equal = always({7, 7, 7, 7});
  run.step(equal);
  EXPECT_EQ(run.parents, (Ids{0, 0, 0}));
  EXPECT_EQ(run.ids, (Ids{0, 1, 2}));
  run.step(equal);
  std::vector<Hypothesis> found = results(run.search.get(), options);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].ids, (Ids{0, 0}));
  EXPECT_EQ(found[1].ids, (Ids{0, 1}));
  EXPECT_EQ(found[2].ids, (Ids{0, 2}));
  EXPECT_NEAR(found[0].sum, 2 * std::log(0.25), 1e-15);
}

TEST(BeamSearch, OfEqualScoresTheEarlierHypothesisIsKept) {
  // Halves that end and halves that go on; with penalty 1 all scores are equal.
  Options options{1, 2, 5, {1}, 1};
  Generation run(options);
  std::vector<Hypothesis> found = run.finish(always({0, 0}));
  EXPECT_EQ(found.at(0).ids, (Ids{0, 0, 0, 0, 0})); // the end is second of 1
  options.ends = {0};
  found = Generation(options).finish(always({0, 0}));
  EXPECT_EQ(found.at(0).ids, (Ids{0}));
}

TEST(BeamSearch, RowsWithoutABeamKeepTheirOwn) {
  Options options{4, 3, 3, {}};
  Generation run(options);
  run.step(always({1, 2, -infinity}));
  EXPECT_EQ(run.parents, (Ids{0, 0, 2, 3}));
  EXPECT_EQ(run.ids, (Ids{1, 0, 0, 0}));
  run.step(always({1, 2, -infinity}));
  EXPECT_EQ(run.parents, (Ids{0, 0, 1, 1}));
  EXPECT_EQ(run.ids, (Ids{1, 0, 1, 0}));
  run.step(always({-infinity, 0, -infinity}));
  EXPECT_EQ(results(run.search.get(), options).size(), 4u);
}

TEST(BeamSearch, VocabularyOfOne) {
  Options options{3, 1, 4, {}};
  std::vector<Hypothesis> found = Generation(options).finish(always({-5}));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].ids, (Ids{0, 0, 0, 0}));
  EXPECT_EQ(found[0].sum, 0);
  options.ends = {0};
  found = Generation(options).finish(always({-5}));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].ids, (Ids{0}));
}

TEST(BeamSearch, FinishesWithoutABeam) {
  Options options{2, 3, 9, {1, 2}};
  Generation run(options);
  EXPECT_EQ(run.finish(always({-infinity, 2, 1})).size(), 2u);
  EXPECT_EQ(run.steps, 1);
}

TEST(BeamSearch, EarlyStoppingTakesTheFirst) {
  // The end has probability 0.6, so each step ends the best beam. With penalty
  // 1 later hypotheses may still be better, but they are not.
  Options options{2, 3, 9, {0}, 1};
  Model model = always({std::log(0.6f), std::log(0.3f), std::log(0.1f)});
  Generation patient(options);
  expectSame(patient.finish(model), searchFully(model, options));
  EXPECT_GT(patient.steps, 2);
  options.isEarly = true;
  Generation early(options);
  std::vector<Hypothesis> found = early.finish(model);
  EXPECT_EQ(early.steps, 2);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].ids, (Ids{0}));
  EXPECT_EQ(found[1].ids, (Ids{1, 0}));
}

TEST(BeamSearch, StopsWhereNoBeamCanBeBetter) {
  // Without a penalty sums only fall: the hypotheses 0.6 and 0.3 * 0.6 are
  // better than any beam after the second step.
  Options options{2, 3, 9, {0}, 0};
  Model model = always({std::log(0.6f), std::log(0.3f), std::log(0.1f)});
  Generation run(options);
  std::vector<Hypothesis> found = run.finish(model);
  EXPECT_EQ(run.steps, 2);
  EXPECT_NEAR(std::exp(found.at(1).score), 0.18, 1e-7); // logits are f32
}

TEST(BeamSearch, LargeLogitsKeepTheirDifferences) {
  Options options{1, 2, 1, {}};
  std::vector<Hypothesis> found =
      Generation(options).finish(always({3e38f, 3e38f}));
  EXPECT_NEAR(found.at(0).sum, std::log(0.5), 1e-15);
  found = Generation(options).finish(always({-3e38f, 3e38f}));
  EXPECT_EQ(found.at(0).ids, (Ids{1}));
  EXPECT_EQ(found.at(0).sum, 0);
}

} // namespace
