// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The values that heddle_invoke refuses: each message names argument, place,
// value and range.

#include "test/Runtime/CallTesting.h"

using namespace call_testing;

namespace {

class Values : public Call {};

TEST_F(Values, NegativeLength) {
  ids[0] = -1; // also wrong, but lengths come first
  starts[0] = -1;
  lengths[1] = 5;
  expectOutOfRange("argument 'lengths'[1] is 5, expected 1 to 4 (length)");
  lengths[1] = 0;
  expectOutOfRange("argument 'lengths'[1] is 0, expected 1 to 4 (length)");
  lengths[0] = INT32_MIN;
  expectOutOfRange(
      "argument 'lengths'[0] is -2147483648, expected 1 to 4 (length)");
}

TEST_F(Values, NegativeIds) {
  ids[6] = 100;
  expectOutOfRange("argument 'ids'[1][2] is 100, expected 0 to 99");
  ids[1] = -3;
  expectOutOfRange("argument 'ids'[0][1] is -3, expected 0 to 99");
}

TEST_F(Values, NegativeIdsWithoutLengthsHaveNoPadding) {
  expectOutOfRange("argument 'ids'[0][2] is -1, expected 0 to 99", &kFull);
}

TEST_F(Values, NegativeIdOfRankZero) {
  ids[0] = 99;
  ASSERT_EQ(invoke(&kOne), HEDDLE_OK) << error.message;
  runs = 0;
  ids[0] = 100;
  expectOutOfRange("argument 'id' is 100, expected 0 to 99", &kOne);
}

TEST_F(Values, NegativeStarts) {
  starts[1] = 30;
  expectOutOfRange(
      "argument 'starts'[1] is 30, expected 0 to 29 (capacity 32 - length 3)");
  starts[1] = INT32_MAX; // start + length does not fit into 32 bits
  expectOutOfRange("argument 'starts'[1] is 2147483647, expected 0 to 29 "
                   "(capacity 32 - length 3)");
  starts[0] = -1;
  expectOutOfRange(
      "argument 'starts'[0] is -1, expected 0 to 30 (capacity 32 - length 2)");
  starts[0] = 0;
  sizes[kCapacity] = 1; // smaller than the sequence itself
  expectOutOfRange("length 2 exceeds capacity 1 (argument 'starts'[0])");
}

TEST_F(Values, NegativePositions) {
  starts[1] = 29;
  ASSERT_EQ(invoke(&kDecode), HEDDLE_OK) << error.message;
  runs = 0;
  starts[1] = 30;
  expectOutOfRange(
      "argument 'starts'[1] is 30, expected 0 to 29 (33 - length 4)", &kDecode);
  starts[1] = INT32_MIN;
  expectOutOfRange("argument 'starts'[1] is -2147483648, expected 0 to 29 "
                   "(33 - length 4)",
                   &kDecode);
  starts[0] = 0;
  sizes[kLength] = 34;
  expectOutOfRange("length 34 exceeds 33 (argument 'starts'[0])", &kDecode);
}

TEST_F(Values, NegativeStartsWithOneOfTwoLengths) {
  int32_t counts[2] = {1, 1};
  Memory other;
  buffers[0] = counts;
  buffers[4] = other.bytes;
  starts[1] = 29;
  ASSERT_EQ(invoke(&kTwoLengths), HEDDLE_OK) << error.message;
  runs = 0;
  lengths[1] = 4;
  expectOutOfRange(
      "argument 'starts'[1] is 29, expected 0 to 28 (capacity 32 - length 4)",
      &kTwoLengths);
}

TEST_F(Values, StartsPastAnotherCache) {
  int32_t counts[2] = {1, 1};
  Memory other;
  buffers[0] = counts;
  buffers[4] = other.bytes;
  starts[1] = 20; // that cache has 4 positions
  EXPECT_EQ(invoke(&kTwoLengths), HEDDLE_OK) << error.message;
}

TEST_F(Values, NegativeWideIntegers) {
  constexpr int64_t padding = INT64_MIN;
  int64_t wideIds[8] = {0, 99, padding, padding, 5, 6, 7, padding};
  int64_t wideStarts[2] = {0, 29}, wideLengths[2] = {2, 3}, counts[2] = {2, 3};
  buffers[0] = wideIds;
  buffers[1] = wideStarts;
  buffers[2] = wideLengths;
  buffers[3] = counts;
  ASSERT_EQ(invoke(&kWide), HEDDLE_OK) << error.message;
  runs = 0;
  wideIds[6] = (int64_t(1) << 32) + 1; // whose lower half is an id
  expectOutOfRange("argument 'ids'[1][2] is 4294967297, expected 0 to 99",
                   &kWide);
  wideIds[6] = INT64_MIN;
  expectOutOfRange(
      "argument 'ids'[1][2] is -9223372036854775808, expected 0 to 99", &kWide);
  wideIds[6] = 7;
  wideStarts[1] = 30;
  expectOutOfRange(
      "argument 'starts'[1] is 30, expected 0 to 29 (capacity 32 - length 3)",
      &kWide);
  wideStarts[1] = INT64_MAX; // start + length does not fit into 64 bits
  expectOutOfRange("argument 'starts'[1] is 9223372036854775807, expected 0 to "
                   "29 (capacity 32 - length 3)",
                   &kWide);
  counts[1] = INT64_MAX;
  expectOutOfRange("length 9223372036854775807 exceeds capacity 32 (argument "
                   "'starts'[1])",
                   &kWide);
  counts[1] = INT64_MIN; // capacity - length does not fit into 64 bits
  EXPECT_EQ(invoke(&kWide), HEDDLE_OK) << error.message;
  runs = 0;
  wideLengths[0] = (int64_t(1) << 32) + 2;
  expectOutOfRange(
      "argument 'lengths'[0] is 4294967298, expected 1 to 4 (length)", &kWide);
}

TEST_F(Values, NegativeStartsWithoutLengths) {
  buffers[0] = starts;
  expectRefused(HEDDLE_INTERNAL_ERROR,
                "argument 'starts' lacks lengths of its shape", &kMisshapen);
}

} // namespace
