// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rules of answers, in choices and in beam search, compared with what each says
// in words.

#include "test/Runtime/BeamSearchTesting.h"

#include <random>
#include <set>

using namespace beam_search_testing;

namespace {

constexpr int32_t kVocabulary = 6;

/// Rules, and the lists that they point to.
struct Rules {
  Ids suppressed, suppressedFirst, ends;
  int32_t forcedFirst = -1, forcedLast = -1;
  bool renormalizes = false;
  int64_t minimumLength = 0, minimumNew = 0, uniqueRun = 0;
  int64_t promptCount = 0, maximumLength = 0;
  mutable heddle_rules given = {};

  heddle_answer get() const {
    given = {suppressed.data(),
             suppressedFirst.data(),
             forcedFirst < 0 ? nullptr : &forcedFirst,
             forcedLast < 0 ? nullptr : &forcedLast,
             uint32_t(suppressed.size()),
             uint32_t(suppressedFirst.size()),
             renormalizes,
             0,
             minimumLength,
             minimumNew,
             uniqueRun};
    return {&given, ends.data(), int64_t(ends.size()), promptCount,
            maximumLength};
  }

  static bool has(const Ids &list, int32_t id) {
    return std::find(list.begin(), list.end(), id) != list.end();
  }
  /// The id that has to follow, or -1.
  int32_t forced(const Ids &ids) const {
    if (forcedLast >= 0 && maximumLength &&
        int64_t(ids.size()) + 1 == maximumLength)
      return forcedLast;
    return promptCount == 1 && ids.size() == 1 ? forcedFirst : -1;
  }
  bool forbids(const Ids &ids, int32_t id) const {
    int64_t fresh = int64_t(ids.size()) - promptCount;
    bool isFirst = fresh == (forcedFirst >= 0 && promptCount == 1 ? 1 : 0);
    bool isShort = int64_t(ids.size()) < minimumLength || fresh < minimumNew;
    return has(suppressed, id) || (isFirst && has(suppressedFirst, id)) ||
           (isShort && has(ends, id)) || repeats(ids, id);
  }
  /// Would the sequence have its last run of ids twice?
  bool repeats(Ids ids, int32_t id) const {
    ids.push_back(id);
    if (uniqueRun == 0 || int64_t(ids.size()) < uniqueRun)
      return false;
    std::set<Ids> before;
    for (size_t first = 0; first + uniqueRun < ids.size(); ++first)
      before.insert(Ids(ids.begin() + first, ids.begin() + first + uniqueRun));
    return before.count(Ids(ids.end() - uniqueRun, ids.end()));
  }
};

/// Each rule is there in about half of all.
Rules draw(std::mt19937 &random) {
  auto below = [&](int32_t limit) { return int32_t(random() % limit); };
  auto some = [&] {
    Ids ids;
    for (int32_t count = below(2) ? below(3) : 0; count > 0; --count)
      ids.push_back(below(kVocabulary + 2)); // some are none of the model's
    return ids;
  };
  Rules rules;
  rules.suppressed = some();
  rules.suppressedFirst = some();
  rules.ends = {below(kVocabulary)};
  rules.forcedFirst = below(2) ? below(kVocabulary) : -1;
  rules.forcedLast = below(2) ? rules.ends[0] : -1;
  rules.promptCount = below(2) ? 1 : below(4);
  rules.renormalizes = below(2);
  rules.maximumLength = rules.promptCount + 1 + below(4);
  rules.minimumLength = below(2) ? below(5) : 0;
  rules.minimumNew = below(2) ? below(3) : 0;
  rules.uniqueRun = below(2) ? below(4) : 0;
  return rules;
}

Ids drawIds(std::mt19937 &random, int64_t count) {
  Ids ids;
  while (count-- > 0)
    ids.push_back(int32_t(random() % 3)); // few, so that runs come twice
  return ids;
}

TEST(Rules, ChoicesFollowThem) {
  std::mt19937 random(7);
  int forbidden = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    SCOPED_TRACE(trial);
    Rules rules = draw(random);
    Ids ids = drawIds(random, rules.promptCount + int64_t(random() % 4));
    std::vector<float> logits = makeModel(trial, kVocabulary)(ids);
    heddle_answer answer = rules.get();
    heddle_sampling sampling = HEDDLE_GREEDY;
    sampling.answer = &answer;
    // Greedy, or a draw of which the rules leave one to choose.
    heddle_random numbers = {uint64_t(trial), 0};
    if (trial % 2)
      sampling.top_k = 1, sampling.temperature = 0.5;
    int32_t expected = rules.forced(ids);
    for (int32_t id = 0; expected < 0 && id < kVocabulary; ++id)
      if (!rules.forbids(ids, id))
        expected = id;
    if (rules.forced(ids) < 0)
      for (int32_t id = 0; id < kVocabulary; ++id)
        if (!rules.forbids(ids, id) && logits[id] > logits[expected])
          expected = id;
    std::vector<heddle_candidate> scratch(kVocabulary);
    heddle_error error = {};
    int32_t id = -1;
    heddle_status status = heddle_choose_id(
        &sampling, logits.data(), kVocabulary, ids.data(), int64_t(ids.size()),
        &numbers, scratch.data(), &id, &error);
    if (expected < 0) {
      ++forbidden;
      EXPECT_EQ(status, HEDDLE_OUT_OF_RANGE);
      EXPECT_STREQ(error.message, "the rules of the answer forbid all ids");
      EXPECT_EQ(numbers.drawn, 0u);
      continue;
    }
    ASSERT_EQ(status, HEDDLE_OK) << error.message;
    EXPECT_EQ(id, expected);
    EXPECT_EQ(numbers.drawn, uint64_t(trial % 2));
  }
  EXPECT_LT(forbidden, 400);
}

/// All continuations, of which a wide enough search finds the best.
void addAll(const Model &model, const Rules &rules, const Ids &prompt,
            const Ids &added, double sum, std::vector<Hypothesis> &all) {
  Ids ids = prompt;
  ids.insert(ids.end(), added.begin(), added.end());
  std::vector<float> logits = model(added);
  double total = 0;
  for (int32_t id = 0; id < kVocabulary; ++id)
    if (!rules.renormalizes || !rules.forbids(ids, id))
      total += std::exp(double(logits[id]));
  for (int32_t id = 0; id < kVocabulary; ++id) {
    int32_t forced = rules.forced(ids);
    if (forced >= 0 ? id != forced : rules.forbids(ids, id))
      continue;
    double next =
        sum + (forced >= 0 ? 0 : double(logits[id]) - std::log(total));
    Ids longer = added;
    longer.push_back(id);
    bool isOver = Rules::has(rules.ends, id) ||
                  int64_t(prompt.size() + longer.size()) == rules.maximumLength;
    if (isOver)
      all.push_back({longer, next, next});
    else
      addAll(model, rules, prompt, longer, next, all);
  }
}

TEST(Rules, SearchesFollowThem) {
  std::mt19937 random(11);
  int found = 0;
  for (int trial = 0; trial < 300; ++trial) {
    SCOPED_TRACE(trial);
    Rules rules = draw(random);
    rules.maximumLength = rules.promptCount + 1 + int64_t(random() % 3);
    Ids prompt = drawIds(random, rules.promptCount);
    heddle_answer answer = rules.get();
    Options options;
    options.width = kVocabulary * kVocabulary * kVocabulary;
    options.vocabulary = kVocabulary;
    options.maximumLength = rules.maximumLength - rules.promptCount;
    options.ends = rules.ends;
    options.rules = answer.rules;
    options.prompt = prompt;
    Model model = makeModel(trial, kVocabulary);
    std::vector<Hypothesis> expected;
    addAll(model, rules, prompt, {}, 0, expected);
    if (expected.empty())
      continue; // the rules forbid all
    ++found;
    std::stable_sort(expected.begin(), expected.end(),
                     [](const Hypothesis &a, const Hypothesis &b) {
                       return a.score > b.score;
                     });
    Generation generation(options);
    std::vector<Hypothesis> all = generation.finish(model);
    // Forced ids have equal sums now and then, whose order is the search's own.
    ASSERT_EQ(all.size(), expected.size());
    for (size_t i = 0; i < all.size(); ++i) {
      EXPECT_NEAR(all[i].sum, expected[i].sum, 1e-13);
      EXPECT_TRUE(std::any_of(
          expected.begin(), expected.end(),
          [&](const Hypothesis &other) { return other.ids == all[i].ids; }));
    }
  }
  EXPECT_GT(found, 200);
}

TEST(Rules, negative_rules) {
  Rules rules;
  heddle_answer answer = rules.get();
  heddle_sampling sampling = HEDDLE_GREEDY;
  sampling.answer = &answer;
  heddle_error error = {};
  auto expectRefused = [&](const char *message) {
    EXPECT_EQ(heddle_check_sampling(&sampling, &error),
              HEDDLE_INVALID_ARGUMENT);
    EXPECT_STREQ(error.message, message);
  };
  EXPECT_EQ(heddle_check_sampling(&sampling, &error), HEDDLE_OK);
  heddle_rules broken = *answer.rules;
  answer.rules = &broken;
  broken.suppressed_ids = nullptr;
  broken.suppressed_count = 2;
  expectRefused("suppressed_ids has 2 ids and is null, expected a list of "
                "them");
  broken = rules.given;
  broken.minimum_new = -1;
  expectRefused("minimum_new is -1, expected at least 0");
  broken = rules.given;
  answer.prompt_count = -2;
  expectRefused("prompt_count is -2, expected at least 0");
  answer.prompt_count = 0;
  answer.rules = nullptr;
  expectRefused("rules is null");
}

TEST(Rules, negative_forcedIdsOfOtherModels) {
  Rules rules;
  rules.forcedFirst = kVocabulary;
  heddle_answer answer = rules.get();
  heddle_sampling sampling = HEDDLE_GREEDY;
  sampling.answer = &answer;
  std::vector<float> logits(kVocabulary);
  std::vector<heddle_candidate> scratch(kVocabulary);
  heddle_error error = {};
  int32_t id = -1;
  const int32_t begun = 0;
  answer.prompt_count = 1;
  EXPECT_EQ(heddle_choose_id(&sampling, logits.data(), kVocabulary, &begun, 1,
                             nullptr, scratch.data(), &id, &error),
            HEDDLE_OUT_OF_RANGE);
  EXPECT_STREQ(error.message, "the forced id is 6, expected 0 to 5");
}

} // namespace
