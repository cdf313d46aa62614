// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// heddle_choose_id: what it keeps and how often each id comes, compared with
// the formulas of heddle.h in double precision.

#include "runtime/heddle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr float infinity = HUGE_VALF;

/// One call, of which tests change what they are about.
struct Choice {
  heddle_sampling sampling = HEDDLE_GREEDY;
  std::vector<float> logits;
  std::vector<int32_t> ids;
  heddle_random random = {};
  heddle_error error = {};
  int32_t id = -1;

  heddle_status choose() {
    std::vector<heddle_candidate> scratch(logits.size());
    return heddle_choose_id(&sampling, logits.data(), logits.size(), ids.data(),
                            ids.size(), &random, scratch.data(), &id, &error);
  }
  int32_t next() {
    EXPECT_EQ(choose(), HEDDLE_OK) << error.message;
    return id;
  }
  /// How often each id comes in `draws` draws.
  std::vector<int> count(int draws) {
    std::vector<int> counts(logits.size());
    while (draws-- > 0)
      ++counts[next()];
    return counts;
  }
  /// Which ids come.
  std::vector<int32_t> support() {
    std::vector<int32_t> found;
    std::vector<int> counts = count(2000);
    for (size_t id = 0; id < counts.size(); ++id)
      if (counts[id])
        found.push_back(id);
    return found;
  }
};

/// Draws from the whole vocabulary.
Choice drawing(std::vector<float> logits) {
  Choice choice;
  choice.sampling.temperature = 1;
  choice.logits = std::move(logits);
  return choice;
}

std::vector<float> logarithms(const std::vector<double> &probabilities) {
  std::vector<float> logits;
  for (double probability : probabilities)
    logits.push_back(std::log(probability));
  return logits;
}

using Ids = std::vector<int32_t>;

// ---- The reference: probabilities of all ids

std::map<int32_t, double> softmax(const std::vector<double> &x,
                                  const Ids &kept) {
  std::map<int32_t, double> p;
  double sum = 0;
  for (int32_t id : kept)
    sum += std::exp(x[id]);
  for (int32_t id : kept)
    p[id] = std::exp(x[id]) / sum;
  return p;
}

std::vector<double> probabilities(const Choice &choice) {
  const heddle_sampling &options = choice.sampling;
  std::vector<double> x(choice.logits.begin(), choice.logits.end());
  size_t window =
      options.repetition_window ? options.repetition_window : choice.ids.size();
  std::vector<bool> isPenalised(x.size());
  for (size_t i = 0; i < choice.ids.size(); ++i)
    if (i + window >= choice.ids.size())
      isPenalised[choice.ids[i]] = true;
  for (size_t id = 0; id < x.size(); ++id) {
    if (isPenalised[id])
      x[id] = x[id] > 0 ? x[id] / options.repetition_penalty
                        : x[id] * options.repetition_penalty;
    x[id] /= options.temperature;
  }
  Ids kept(x.size());
  std::iota(kept.begin(), kept.end(), 0);
  std::stable_sort(kept.begin(), kept.end(),
                   [&](int32_t a, int32_t b) { return x[a] > x[b]; });
  // With what is equal to the last one.
  auto keep = [&](size_t count) {
    while (count < kept.size() && x[kept[count]] == x[kept[count - 1]])
      ++count;
    kept.resize(count);
  };
  if (options.top_k && size_t(options.top_k) < kept.size())
    keep(options.top_k);

  std::map<int32_t, double> p = softmax(x, kept);
  double sum = 0;
  size_t count = 0;
  while (count < kept.size() && (count == 0 || sum < options.top_p))
    sum += p[kept[count++]];
  keep(count);

  p = softmax(x, kept);
  double threshold = options.min_p * p[kept.front()];
  kept.erase(std::remove_if(kept.begin(), kept.end(),
                            [&](int32_t id) { return p[id] < threshold; }),
             kept.end());

  std::vector<double> all(x.size());
  for (auto [id, probability] : softmax(x, kept))
    all[id] = probability;
  return all;
}

/// Fails where the counts of many draws are not those of `p`.
///
/// Pearson's statistic of k classes has the distribution chi-square with n = k
/// - 1 degrees of freedom, where P(X >= n + 2 sqrt(n t) + 2 t) <= exp(-t)
/// (Laurent and Massart 2000, lemma 1). With t = 14 that is 8e-7, so 200 such
/// checks fail by chance with a probability below 2e-4, and seeds are fixed.
void expectDrawnBy(const std::vector<double> &p,
                   const std::vector<int> &counts) {
  int draws = std::accumulate(counts.begin(), counts.end(), 0);
  double statistic = 0, freedom = -1;
  for (size_t id = 0; id < p.size(); ++id) {
    if (p[id] == 0) {
      EXPECT_EQ(counts[id], 0) << id;
      continue;
    }
    statistic += std::pow(counts[id] - draws * p[id], 2) / (draws * p[id]);
    ++freedom;
  }
  const double t = 14;
  EXPECT_LE(statistic, freedom + 2 * std::sqrt(freedom * t) + 2 * t);
}

TEST(Sampler, DrawsAsTheFormulasSay) {
  std::mt19937 random(1);
  auto real = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  auto isOn = [&] { return random() % 2 == 0; };
  for (int repeat = 0; repeat < 200; ++repeat) {
    Choice choice;
    choice.random.seed = repeat;
    size_t vocabulary = 1 + random() % 12;
    // Few different ones, so that some are equal.
    for (size_t id = 0; id < vocabulary; ++id)
      choice.logits.push_back(int(random() % 12) * 0.25f - 1.5f);
    // And some that are excluded.
    for (size_t id = 1; id < vocabulary; ++id)
      if (repeat % 3 == 0 && isOn())
        choice.logits[id] = -infinity;
    for (size_t i = random() % 6; i > 0; --i)
      choice.ids.push_back(random() % vocabulary);
    heddle_sampling &options = choice.sampling;
    options.temperature = real(0.5, 2);
    options.top_k = isOn() ? random() % (vocabulary + 3) : 0;
    options.top_p = isOn() ? real(0.05, 1) : 1;
    options.min_p = isOn() ? real(0, 1) : 0;
    options.repetition_penalty = isOn() ? real(0.5, 2) : 1;
    options.repetition_window = random() % 4;
    SCOPED_TRACE(repeat);
    expectDrawnBy(probabilities(choice), choice.count(5000));
  }
}

// ---- Greedy

TEST(Sampler, GreedyTakesTheLargestAndOfEqualOnesTheFirst) {
  Choice greedy;
  for (const auto &[logits, expected] :
       std::vector<std::pair<std::vector<float>, int>>{
           {{1, 3, 2}, 1},
           {{1, 3, 3}, 1},
           {{-infinity, -2, -infinity}, 1},
           {{0, -0.0f}, 0},
           {{-7}, 0}}) {
    greedy.logits = logits;
    EXPECT_EQ(greedy.next(), expected);
  }
  EXPECT_EQ(greedy.random.drawn, 0u);
}

TEST(Sampler, GreedyNeedsNoChance) {
  heddle_sampling sampling = HEDDLE_GREEDY;
  const float logits[] = {1, 2};
  heddle_candidate scratch[2];
  int32_t id = -1;
  EXPECT_EQ(heddle_choose_id(&sampling, logits, 2, nullptr, 0, nullptr, scratch,
                             &id, nullptr),
            HEDDLE_OK);
  EXPECT_EQ(id, 1);
}

// ---- Steps

TEST(Sampler, PenaltyMakesBothSignsLessLikely) {
  Choice greedy;
  greedy.sampling.repetition_penalty = 2;
  greedy.logits = {3, 2, 1};
  greedy.ids = {0};
  EXPECT_EQ(greedy.next(), 1);
  // Once for each id, however often it comes: 3 / 2 is above 1.
  greedy.ids = {0, 0, 0, 1};
  EXPECT_EQ(greedy.next(), 0);
  greedy.logits = {-2, -3, -5};
  greedy.ids = {0};
  EXPECT_EQ(greedy.next(), 1);
}

TEST(Sampler, PenaltyLooksAtTheLastIds) {
  Choice greedy;
  greedy.sampling.repetition_penalty = 2;
  greedy.logits = {3, 2, 1};
  greedy.ids = {0, 1, 2};
  greedy.sampling.repetition_window = 2;
  EXPECT_EQ(greedy.next(), 0);
  greedy.sampling.repetition_window = 3;
  greedy.logits = {3, 2, 1.6f};
  greedy.ids = {0, 1, 1};
  EXPECT_EQ(greedy.next(), 2);
  greedy.sampling.repetition_window = 100;
  EXPECT_EQ(greedy.next(), 2);
}

TEST(Sampler, TemperatureNearZeroIsGreedy) {
  Choice choice = drawing({1, 3e38f, -3e38f, 2e38f});
  choice.sampling.temperature = 1e-38f;
  EXPECT_EQ(choice.support(), (Ids{1}));
  choice.sampling.temperature = 1e38f;
  EXPECT_EQ(choice.support(), (Ids{0, 1, 2, 3}));
}

TEST(Sampler, TopKKeepsKAndWhatIsEqual) {
  Choice choice = drawing({1, 2, 1, 0});
  choice.sampling.top_k = 2;
  EXPECT_EQ(choice.support(), (Ids{0, 1, 2}));
  choice.sampling.top_k = 1;
  EXPECT_EQ(choice.support(), (Ids{1}));
  for (int64_t all : {4, 5, 1000}) {
    choice.sampling.top_k = all;
    EXPECT_EQ(choice.support(), (Ids{0, 1, 2, 3}));
  }
}

TEST(Sampler, TopPIsReachedExactly) {
  // Of 2 + 2 exp(-800), which is 0, the first two are all, without rounding.
  Choice choice = drawing({800, 0, 800, 0});
  choice.sampling.top_p = 0.5;
  EXPECT_EQ(choice.support(), (Ids{0, 2}));
  choice.sampling.top_p = 1e-30f;
  EXPECT_EQ(choice.support(), (Ids{0, 2}));
  choice = drawing({0, 1});
  double share = 1 / (1 + std::exp(-1.0)); // of the second one
  choice.sampling.top_p =
      float(share) < share ? float(share) : std::nextafterf(float(share), 0);
  EXPECT_EQ(choice.support(), (Ids{1}));
  choice.sampling.top_p = std::nextafterf(choice.sampling.top_p, 1);
  EXPECT_EQ(choice.support(), (Ids{0, 1}));
}

TEST(Sampler, MinPIsReachedExactly) {
  Choice choice = drawing({-1, 3, 3, 1});
  choice.sampling.min_p = 1;
  EXPECT_EQ(choice.support(), (Ids{1, 2}));
}

// In each case the other order keeps something else.
TEST(Sampler, StepsAreInOrder) {
  // 0.75 takes two of all, but of the two largest the first alone has 0.78.
  Choice choice = drawing(logarithms({0.7, 0.2, 0.1}));
  choice.sampling.top_p = 0.75;
  EXPECT_EQ(choice.support(), (Ids{0, 1}));
  choice.sampling.top_k = 2;
  EXPECT_EQ(choice.support(), (Ids{0}));
  // Without the third, which is below 0.4 of the first, that would have 0.71.
  choice = drawing(logarithms({0.6, 0.25, 0.15}));
  choice.sampling.top_p = 0.65;
  choice.sampling.min_p = 0.4;
  EXPECT_EQ(choice.support(), (Ids{0, 1}));
  // At temperature 2 probabilities are 0.52, 0.28 and 0.20.
  choice = drawing(logarithms({0.7, 0.2, 0.1}));
  choice.sampling.top_p = 0.65;
  EXPECT_EQ(choice.support(), (Ids{0}));
  choice.sampling.temperature = 2;
  EXPECT_EQ(choice.support(), (Ids{0, 1}));
}

TEST(Sampler, ExcludedIdsNeverCome) {
  Choice choice = drawing({-infinity, 1, -infinity, 1, -infinity});
  EXPECT_EQ(choice.support(), (Ids{1, 3}));
  choice.sampling.top_k = 4;
  choice.sampling.top_p = 0.999;
  EXPECT_EQ(choice.support(), (Ids{1, 3}));
  choice.sampling.top_p = 1;
  for (int64_t k : {1, 2, 3, 4}) {
    choice.sampling.top_k = k;
    EXPECT_EQ(choice.support(), (Ids{1, 3})) << k;
  }
  choice.sampling.top_k = 4;
  choice.sampling.top_p = 0.999;
  // A penalty makes no number of them.
  choice.sampling.repetition_penalty = 1e-38f;
  choice.ids = {0, 2, 4};
  EXPECT_EQ(choice.support(), (Ids{1, 3}));
}

TEST(Sampler, OneIdIsChosenAlways) {
  Choice choice = drawing({-3e38f});
  choice.sampling.top_k = 5;
  choice.sampling.top_p = 0.1;
  choice.sampling.min_p = 1;
  EXPECT_EQ(choice.next(), 0);
}

// ---- Chance

TEST(Sampler, NumbersAreThoseOfSplitMix64) {
  // The first five of seed 1234567, as of the author's program
  // prng.di.unimi.it/splitmix64.c: 6457827717110365317, 3203168211198807973,
  // 9817491932198370423, 4593380528125082431, 16408922859458223821. Of 2^64
  // these are 0.350, 0.174, 0.532, 0.249 and 0.890.
  Choice choice = drawing(std::vector<float>(1000, 7.0f));
  choice.random.seed = 1234567;
  for (int32_t id : {350, 173, 532, 249, 889})
    EXPECT_EQ(choice.next(), id);
  EXPECT_EQ(choice.random.drawn, 5u);
  choice.random.drawn = 2;
  EXPECT_EQ(choice.next(), 532);
}

// In the order of ids, whatever keeps them: without id 0, the least likely one,
// those numbers are 349.7, 173.5, 531.7, 248.8 and 888.6 of 999.
TEST(Sampler, NumbersChooseInTheOrderOfIds) {
  Choice choice = drawing({});
  for (int32_t id = 0; id < 1000; ++id) // about the same
    choice.logits.push_back(1e-12f * (id * 7919 % 1000));
  auto expect = [&](const Ids &expected) {
    choice.random = {1234567, 0};
    for (int32_t id : expected)
      EXPECT_EQ(choice.next(), id);
  };
  choice.sampling.top_p = 0.9999999f;
  expect({350, 173, 532, 249, 889});
  choice.sampling.top_k = 999;
  expect({350, 174, 532, 249, 889});
  choice.sampling.top_p = 1;
  expect({350, 174, 532, 249, 889});
}

TEST(Sampler, EachChoiceDrawsOneNumber) {
  Choice choice = drawing({1, 2, 3});
  choice.next();
  choice.sampling.top_k = 1;
  choice.next();
  choice.sampling.top_p = 0.1;
  choice.next();
  EXPECT_EQ(choice.random.drawn, 3u);
  choice.logits[0] = NAN;
  EXPECT_NE(choice.choose(), HEDDLE_OK);
  EXPECT_EQ(choice.random.drawn, 3u);
}

// ---- What is refused

void expectRefused(Choice choice, heddle_status status,
                   const std::string &message) {
  EXPECT_EQ(choice.choose(), status);
  EXPECT_EQ(choice.error.status, status);
  EXPECT_EQ(choice.error.message, message);
  EXPECT_EQ(choice.id, -1);
  EXPECT_EQ(choice.random.drawn, 0u);
}

TEST(Sampler, NegativeLogits) {
  for (float temperature : {0.0f, 1.0f}) {
    Choice choice = drawing({1, NAN});
    choice.sampling.temperature = temperature;
    expectRefused(choice, HEDDLE_OUT_OF_RANGE,
                  "logits[1] is nan, expected a number below infinity");
    choice.logits = {infinity, 0};
    expectRefused(choice, HEDDLE_OUT_OF_RANGE,
                  "logits[0] is inf, expected a number below infinity");
    choice.logits = {-infinity, -infinity};
    expectRefused(choice, HEDDLE_OUT_OF_RANGE,
                  "all of logits are -inf, expected a larger one");
  }
}

TEST(Sampler, NegativeIds) {
  Choice choice = drawing({1, 2});
  choice.sampling.repetition_penalty = 2;
  choice.ids = {0, 2};
  expectRefused(choice, HEDDLE_OUT_OF_RANGE, "ids[1] is 2, expected 0 to 1");
  choice.ids = {-1};
  expectRefused(choice, HEDDLE_OUT_OF_RANGE, "ids[0] is -1, expected 0 to 1");
  // Outside of the window none is read, and none without a penalty.
  choice.ids = {7, 1};
  choice.sampling.repetition_window = 1;
  choice.next();
  choice.sampling.repetition_window = 0;
  choice.sampling.repetition_penalty = 1;
  choice.next();
}

TEST(Sampler, NegativeOptions) {
  auto expect = [](auto field, auto value, const std::string &message) {
    Choice choice = drawing({1, 2});
    choice.sampling.*field = value;
    expectRefused(choice, HEDDLE_INVALID_ARGUMENT, message);
    heddle_error error = {};
    EXPECT_EQ(heddle_check_sampling(&choice.sampling, &error),
              HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(error.message, message);
  };
  using S = heddle_sampling;
  std::string finite = ", expected a finite number of at least 0";
  expect(&S::temperature, -1, "temperature is -1" + finite);
  expect(&S::temperature, NAN, "temperature is nan" + finite);
  expect(&S::temperature, infinity, "temperature is inf" + finite);
  std::string share = ", expected above 0 and up to 1";
  expect(&S::top_p, 0, "top_p is 0" + share);
  expect(&S::top_p, 1.5, "top_p is 1.5" + share);
  expect(&S::top_p, NAN, "top_p is nan" + share);
  expect(&S::min_p, -0.5, "min_p is -0.5, expected 0 to 1");
  expect(&S::min_p, 2, "min_p is 2, expected 0 to 1");
  expect(&S::min_p, NAN, "min_p is nan, expected 0 to 1");
  std::string positive = ", expected a finite number above 0";
  expect(&S::repetition_penalty, 0, "repetition_penalty is 0" + positive);
  expect(&S::repetition_penalty, NAN, "repetition_penalty is nan" + positive);
  expect(&S::repetition_penalty, infinity,
         "repetition_penalty is inf" + positive);
  expect(&S::top_k, -1, "top_k is -1, expected at least 0");
  expect(&S::repetition_window, -2,
         "repetition_window is -2, expected at least 0");
}

TEST(Sampler, NegativeArguments) {
  heddle_sampling sampling = HEDDLE_GREEDY;
  sampling.temperature = 1;
  const float logits[1] = {};
  const int32_t ids[1] = {};
  heddle_candidate scratch[1];
  heddle_random random = {};
  int32_t id;
  for (const std::string missing :
       {"sampling", "logits", "ids", "random", "scratch", "id"}) {
    auto unlessMissing = [&](const char *name, auto *pointer) {
      return missing == name ? nullptr : pointer;
    };
    heddle_error error = {};
    EXPECT_EQ(heddle_choose_id(unlessMissing("sampling", &sampling),
                               unlessMissing("logits", logits), 1,
                               unlessMissing("ids", ids), 1,
                               unlessMissing("random", &random),
                               unlessMissing("scratch", scratch),
                               unlessMissing("id", &id), &error),
              HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(error.message, missing + " is null");
  }
  heddle_error error = {};
  EXPECT_EQ(heddle_choose_id(&sampling, logits, 1, ids, -1, &random, scratch,
                             &id, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "id_count is -1, expected at least 0");
  for (int64_t vocabulary : {int64_t(0), int64_t(1) << 31}) {
    EXPECT_EQ(heddle_choose_id(&sampling, logits, vocabulary, ids, 0, &random,
                               scratch, &id, &error),
              HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(error.message, "vocabulary is " + std::to_string(vocabulary) +
                                 ", expected 1 to 2147483647");
  }
}

} // namespace
