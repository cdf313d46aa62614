// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddle-run/Sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

using namespace llvm;
using namespace heddle;

// SamplingOptions are written {temperature, top-k, top-p, seed} here.
static Sampler sampler(SamplingOptions options) {
  return cantFail(Sampler::create(options));
}

/// How often each token comes in `draws` draws.
static std::vector<unsigned> draw(const SamplingOptions &options,
                                  ArrayRef<float> logits,
                                  unsigned draws = 100000) {
  Sampler sampler = ::sampler(options);
  std::vector<unsigned> counts(logits.size());
  for (unsigned i = 0; i < draws; ++i)
    ++counts[cantFail(sampler.next(logits))];
  return counts;
}

static std::vector<float> logarithms(ArrayRef<double> probabilities) {
  std::vector<float> logits;
  for (double probability : probabilities)
    logits.push_back(std::log(probability));
  return logits;
}

static constexpr float infinity = HUGE_VALF;

TEST(Sampler, greedy_takes_the_largest_and_of_equal_ones_the_first) {
  Sampler greedy = sampler({});
  EXPECT_EQ(cantFail(greedy.next({1, 3, 2})), 1);
  EXPECT_EQ(cantFail(greedy.next({1, 3, 3})), 1);
  EXPECT_EQ(cantFail(greedy.next({-infinity, -2, -infinity})), 1);
  EXPECT_EQ(cantFail(greedy.next({0, -0.0f})), 0);
}

TEST(Sampler, draws_by_probability) {
  // Standard deviations of the counts are below 160.
  std::vector<unsigned> counts =
      draw({1, 0, 1, 1}, logarithms({0.5, 0.2, 0.3}));
  EXPECT_NEAR(counts[0], 50000, 800);
  EXPECT_NEAR(counts[1], 20000, 800);
  EXPECT_NEAR(counts[2], 30000, 800);
}

TEST(Sampler, temperature_flattens) {
  // At temperature 2 probabilities are as the square roots 0.8 and 0.6 of
  // these.
  std::vector<unsigned> counts = draw({2, 0, 1, 2}, logarithms({0.64, 0.36}));
  EXPECT_NEAR(counts[0], 100000 * 0.8 / 1.4, 800);
  // Near zero it is greedy, without overflow.
  EXPECT_EQ(draw({1e-300}, {1, 3e38f, -3e38f}, 100)[1], 100u);
}

TEST(Sampler, top_k_keeps_k_and_of_equal_ones_the_first) {
  std::vector<unsigned> counts = draw({1, 2, 1, 3}, {1, 2, 1, 1});
  EXPECT_NEAR(counts[1], 100000 / (1 + std::exp(-1.0)), 800);
  EXPECT_EQ(counts[0] + counts[1], 100000u);
  // More than there are.
  EXPECT_GT(draw({1, 9, 1, 3}, {1, 1})[0], 0u);
}

TEST(Sampler, top_p_keeps_the_least_that_reaches_p) {
  std::vector<float> logits = logarithms({0.1, 0.5, 0.15, 0.25});
  auto kept = [&](double topP) {
    std::vector<int> ids;
    std::vector<unsigned> counts = draw({1, 0, topP, 4}, logits);
    for (size_t id = 0; id < counts.size(); ++id)
      if (counts[id])
        ids.push_back(id);
    return ids;
  };
  EXPECT_EQ(kept(0), (std::vector<int>{1}));
  EXPECT_EQ(kept(0.49), (std::vector<int>{1}));
  EXPECT_EQ(kept(0.51), (std::vector<int>{1, 3}));
  EXPECT_EQ(kept(0.76), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(kept(0.91), (std::vector<int>{0, 1, 2, 3}));
  // Of equal ones the first.
  EXPECT_EQ(draw({1, 0, 0.3}, {1, 1, 1}, 100)[0], 100u);
}

TEST(Sampler, temperature_comes_before_top_k_before_top_p) {
  std::vector<float> logits = logarithms({0.7, 0.2, 0.1});
  // At temperature 1 the first token alone reaches 0.65; at 2 probabilities are
  // 0.52, 0.28, 0.20 and it takes two.
  EXPECT_EQ(draw({1, 0, 0.65}, logits)[1], 0u);
  std::vector<unsigned> flat = draw({2, 0, 0.65}, logits);
  EXPECT_GT(flat[1], 0u);
  EXPECT_EQ(flat[2], 0u);
  // 0.75 takes two tokens of all, but of the first two the first has 0.78.
  EXPECT_GT(draw({1, 0, 0.75}, logits)[1], 0u);
  EXPECT_EQ(draw({1, 2, 0.75}, logits)[1], 0u);
}

TEST(Sampler, a_seed_fixes_the_tokens) {
  // The first number of std::mt19937_64 with its default seed 5489 is
  // 14514284786278117030, 0.787 of 2^64, and so the eighth of ten equal tokens;
  // the next ones are 4620546740167642908 (0.250), 13109570281517897720 (0.711)
  // and 17462938647148434322 (0.947).
  std::vector<float> equal(10, 1.0f);
  Sampler known = sampler({1, 0, 1, 5489});
  for (int32_t id : {7, 2, 7, 9})
    EXPECT_EQ(cantFail(known.next(equal)), id);

  // Top-k and top-p draw from the same numbers, over tokens from the largest
  // on.
  Sampler ordered = sampler({1, 0, 0.999, 5489});
  for (int32_t id : {7, 2, 7, 9})
    EXPECT_EQ(cantFail(ordered.next(equal)), id);

  SamplingOptions options{
      .temperature = 0.8, .topK = 5, .topP = 0.9, .seed = 7};
  std::vector<float> logits = logarithms({0.1, 0.2, 0.3, 0.1, 0.1, 0.2});
  EXPECT_EQ(draw(options, logits, 100), draw(options, logits, 100));
}

TEST(Sampler, excluded_tokens_never_come) {
  EXPECT_EQ(draw({5}, {1, -infinity, 1})[1], 0u);
}

static std::string messageOf(Expected<int32_t> token) {
  return token ? "" : toString(token.takeError());
}

TEST(Sampler, negative_logits) {
  for (double temperature : {0.0, 1.0}) {
    Sampler sampler = ::sampler({temperature});
    EXPECT_EQ(messageOf(sampler.next({1, NAN})),
              "logit of token 1: expected a number below infinity, got nan");
    EXPECT_EQ(messageOf(sampler.next({infinity, 0})),
              "logit of token 0: expected a number below infinity, got inf");
    EXPECT_EQ(messageOf(sampler.next({-infinity, -infinity})),
              "expected a logit above -infinity, got none");
    EXPECT_EQ(messageOf(sampler.next({})), "expected at least one logit");
  }
}

TEST(Sampler, negative_options) {
  auto messageOf = [](SamplingOptions options) {
    Expected<Sampler> sampler = Sampler::create(options);
    return sampler ? "" : toString(sampler.takeError());
  };
  EXPECT_EQ(messageOf({-1}),
            "expected a finite temperature >= 0, got -1.000000");
  EXPECT_NE(messageOf({NAN}), "");
  EXPECT_NE(messageOf({HUGE_VAL}), "");
  EXPECT_EQ(messageOf({0, -1}), "expected top-k >= 0, got -1");
  EXPECT_EQ(messageOf({0, 0, 1.5}), "expected top-p in [0, 1], got 1.500000");
  EXPECT_NE(messageOf({0, 0, -0.5}), "");
  EXPECT_NE(messageOf({0, 0, NAN}), "");
}
