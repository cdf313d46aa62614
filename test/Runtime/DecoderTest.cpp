// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// heddle_find_decoder: arguments and sizes are found whatever their names and
// order are, and each that is not as it has to be is named.

#include "test/Runtime/CallTesting.h"

using namespace call_testing;

namespace {

enum Argument { kIds, kStarts, kLengths, kCache, kLogits };

std::vector<heddle_argument> arguments(const char *length) {
  return {makeIds("words", {"batch", length}), makeStarts("used", 2),
          makeLengths("fresh", length), makeCache("memory", "capacity"),
          makeArgument("scores", HEDDLE_ARGUMENT_OUTPUT, HEDDLE_TYPE_F32,
                       {"batch", "100"}, HEDDLE_ROLE_LOGITS)};
}

/// A model of two entry points, of which tests replace arguments.
class Decoder : public testing::Test {
protected:
  std::vector<heddle_argument> prefill = arguments("length");
  // Its only sizes are batch and capacity.
  std::vector<heddle_argument> decode = arguments("1");
  heddle_symbol decodeSymbols[2] = {kSymbols[kBatch], kSymbols[kCapacity]};
  const char *names[2] = {"prefill", "decode"};
  uint32_t symbolCounts[2] = {3, 2};
  heddle_error error = {};
  heddle_decoder decoder = {};

  heddle_status find() {
    const heddle_entry entries[] = {
        {names[0], symbolCounts[0], (uint32_t)prefill.size(), 1, 0, kSymbols,
         prefill.data(), nullptr, run, nullptr},
        {names[1], symbolCounts[1], (uint32_t)decode.size(), 1, 0,
         decodeSymbols, decode.data(), nullptr, run, nullptr}};
    const heddle_entry *const pointers[] = {&entries[0], &entries[1]};
    heddle_model model = makeModel("stories");
    model.entry_count = 2;
    model.entries = pointers;
    return heddle_find_decoder(&model, &decoder, &error);
  }
  void expectRefused(const std::string &message) {
    EXPECT_EQ(find(), HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(error.message, message);
    EXPECT_EQ(decoder.prefill.entry, nullptr);
  }
};

TEST_F(Decoder, FindsWhatHasAnyNameAndOrder) {
  std::swap(prefill[kIds], prefill[kLogits]);
  ASSERT_EQ(find(), HEDDLE_OK) << error.message;
  EXPECT_EQ(decoder.prefill.ids, uint32_t(kLogits));
  EXPECT_EQ(decoder.prefill.starts, uint32_t(kStarts));
  EXPECT_EQ(decoder.prefill.lengths, uint32_t(kLengths));
  EXPECT_EQ(decoder.prefill.cache, uint32_t(kCache));
  EXPECT_EQ(decoder.prefill.logits, uint32_t(kIds));
  EXPECT_EQ(decoder.prefill.vocabulary, 100);
  EXPECT_EQ(decoder.decode.ids, uint32_t(kIds));

  int64_t sizes[HEDDLE_STEP_SIZES] = {};
  heddle_step_sizes(&decoder.prefill, 2, 5, 32, 0, sizes);
  EXPECT_EQ(sizes[kBatch], 2);
  EXPECT_EQ(sizes[kLength], 5);
  EXPECT_EQ(sizes[kCapacity], 32);
  heddle_step_sizes(&decoder.decode, 2, 5, 32, 0, sizes);
  EXPECT_EQ(sizes[0], 2);
  EXPECT_EQ(sizes[1], 32);
}

TEST_F(Decoder, FindsIntegersOf64Bits) {
  for (Argument argument : {kIds, kStarts, kLengths})
    prefill[argument] = wide(prefill[argument]);
  decode[kIds] = wide(decode[kIds]);
  EXPECT_EQ(find(), HEDDLE_OK) << error.message;
}

TEST_F(Decoder, NegativeEntries) {
  names[1] = "step";
  expectRefused("model 'stories' does not continue sequences: it has no entry "
                "point 'decode'");
  names[0] = "encode";
  expectRefused("model 'stories' does not continue sequences: it has no entry "
                "point 'prefill'");
}

TEST_F(Decoder, NegativeIds) {
  prefill[kIds] = makeIds("words", {"batch"});
  expectRefused("stories.prefill: argument 'words' is i32 [batch], expected "
                "token ids as i32 or i64 [batch, length]");
  prefill[kIds] = makeIds("words", {"batch", "batch"});
  expectRefused("stories.prefill: argument 'words' is i32 [batch, batch], "
                "expected token ids as i32 or i64 [batch, length]");
  prefill[kIds] = makeIds("words", {"batch", "4"});
  expectRefused("stories.prefill: argument 'words' is i32 [batch, 4], expected "
                "token ids as i32 or i64 [batch, length]");
  prefill[kIds] = makeIds("words", {});
  expectRefused("stories.prefill: argument 'words' is i32 [], expected token "
                "ids as i32 or i64 [batch, length]");
  prefill[kIds] = makeArgument("words", HEDDLE_ARGUMENT_INPUT, HEDDLE_TYPE_F32,
                               {"batch", "length"}, HEDDLE_ROLE_IDS);
  expectRefused("stories.prefill: argument 'words' is f32 [batch, length], "
                "expected token ids as i32 or i64 [batch, length]");
}

TEST_F(Decoder, NegativeIdsOfDecode) {
  decode[kIds].extent[1] = "2";
  expectRefused("stories.decode: argument 'words' is i32 [batch, 2], expected "
                "token ids as i32 or i64 [batch, 1]");
}

TEST_F(Decoder, NegativeStartsAndLengths) {
  prefill[kStarts].extent[0] = "length";
  expectRefused("stories.prefill: argument 'used' is i32 [length], expected "
                "positions in the cache as i32 or i64 [batch]");
  prefill[kStarts] = i32("used", {"batch"});
  expectRefused("stories.prefill: argument 'used' is i32 [batch], expected "
                "positions in the cache as i32 or i64 [batch]");
  prefill.erase(prefill.begin() + kStarts);
  expectRefused(
      "stories.prefill: expected positions in the cache as i32 or i64 "
      "[batch], found no such argument");
  prefill = arguments("length");
  prefill[kLengths].rank = 2;
  prefill[kLengths].extent[1] = "3";
  expectRefused("stories.prefill: argument 'fresh' is i32 [batch, 3], expected "
                "lengths as i32 or i64 [batch]");
}

TEST_F(Decoder, NegativeCache) {
  prefill[kCache].extent[1] = "batch";
  expectRefused("stories.prefill: argument 'memory' is a cache [batch, batch, "
                "96], expected a cache as [batch, capacity, bytes]");
  prefill[kCache].extent[1] = "capacity";
  decode[kCache].extent[2] = "128";
  expectRefused("stories.decode: argument 'memory' has 128 bytes a position, "
                "expected 96 as in prefill");
}

TEST_F(Decoder, NegativeCacheOfOtherHeads) {
  decode[kCache].layout = 1;
  expectRefused("stories.decode: argument 'memory' has another layout than in "
                "prefill, expected the same heads of the same types");
}

TEST_F(Decoder, NegativeLogits) {
  prefill[kLogits].type = HEDDLE_TYPE_BF16;
  expectRefused("stories.prefill: argument 'scores' is bf16 [batch, 100], "
                "expected logits as f32 [batch, vocabulary]");
  prefill[kLogits].type = HEDDLE_TYPE_F32;
  prefill[kLogits].extent[1] = "length";
  expectRefused("stories.prefill: argument 'scores' is f32 [batch, length], "
                "expected logits as f32 [batch, vocabulary]");
  prefill[kLogits].extent[1] = "100";
  prefill[kLogits].role = HEDDLE_ROLE_OTHER;
  expectRefused("stories.prefill: argument 'scores' is f32 [batch, 100], "
                "expected logits as f32 [batch, vocabulary] with heddle.role = "
                "#heddle.role<logits>");
  prefill[kLogits].role = HEDDLE_ROLE_LOGITS;
  decode[kLogits].extent[1] = "99";
  expectRefused("stories.decode: argument 'scores' has 99 columns, expected "
                "100 as in prefill");
}

TEST_F(Decoder, NegativeMore) {
  decode.push_back(
      makeArgument("scale", HEDDLE_ARGUMENT_INPUT, HEDDLE_TYPE_F32, {"5"}));
  expectRefused("stories.decode: argument 'scale' is f32 [5], expected no more "
                "arguments");
  decode.back() = decode[kCache];
  expectRefused("stories.decode: argument 'memory' is a cache [batch, capacity,"
                " 96], expected no more arguments");
  decode.pop_back();
  symbolCounts[1] = 3;
  expectRefused("stories.decode: has 3 sizes, expected 2");
}

TEST_F(Decoder, NegativeNull) {
  heddle_model model = makeModel("stories");
  EXPECT_EQ(heddle_find_decoder(nullptr, &decoder, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(heddle_find_decoder(&model, nullptr, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "decoder is null");
}

} // namespace
