// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sessions of encoder-decoders: sources that are read once, and what sequences
// that change places leave of them.

#include "test/Runtime/SourceTesting.h"

using namespace source_testing;

namespace {

class SessionSource : public DecoderTest {
protected:
  heddle_session *session = nullptr;

  void SetUp() override {
    DecoderTest::SetUp();
    model.entries = kSourceEntries;
    model.entry_count = 3;
    encodings = encodingThatFails = 0;
  }
  void TearDown() override {
    heddle_session_destroy(session);
    DecoderTest::TearDown();
  }
  void create(int64_t batch, int64_t length = 4) {
    ASSERT_EQ(heddle_session_create(&model, weights, nullptr, batch, length, 32,
                                    nullptr, &session, &error),
              HEDDLE_OK)
        << error.message;
  }
  heddle_status encode(const std::vector<int32_t> &ids, int64_t length,
                       const std::vector<int32_t> &lengths = {}) {
    return heddle_session_encode(session, ids.data(),
                                 lengths.empty() ? nullptr : lengths.data(),
                                 length, &error);
  }
  void append(const std::vector<int32_t> &ids, int64_t length) {
    ASSERT_EQ(heddle_session_append(session, ids.data(), length, &error),
              HEDDLE_OK)
        << error.message;
  }
  /// What the logits of each sequence say.
  std::vector<int64_t> sums() {
    const float *logits = nullptr;
    EXPECT_EQ(heddle_session_logits(session, &logits, &error), HEDDLE_OK)
        << error.message;
    std::vector<int64_t> result;
    for (int64_t b = 0; b < 2; ++b)
      result.push_back(std::max_element(logits + b * kVocabulary,
                                        logits + (b + 1) * kVocabulary) -
                       (logits + b * kVocabulary));
    return result;
  }
};

using Sums = std::vector<int64_t>;

TEST_F(SessionSource, AnswersWhatItReadOnce) {
  create(2);
  // Padding, behind a length, is no part of a source.
  ASSERT_EQ(encode({1, 2, 3, 4, 5, -7}, 3, {3, 2}), HEDDLE_OK) << error.message;
  append({1, 2}, 1);
  EXPECT_EQ(sums(), (Sums{1 + 6 + 30, 2 + 9 + 20}));
  append({1, 1, 1, 1}, 2);
  EXPECT_EQ(sums(), (Sums{3 + 6 + 30, 4 + 9 + 20}));
  EXPECT_EQ(encodings, 1);
  // Another answer to the same.
  heddle_session_restart(session);
  append({5, 6}, 1);
  EXPECT_EQ(sums(), (Sums{5 + 6 + 30, 6 + 9 + 20}));
}

// As the beams of a search have it.
TEST_F(SessionSource, ReadsOneSourceOfAll) {
  create(2);
  ASSERT_EQ(encode({1, 2, 3, 1, 2, 3}, 3), HEDDLE_OK) << error.message;
  EXPECT_EQ(encodedSources, 1);
  append({1, 2}, 1);
  EXPECT_EQ(sums(), (Sums{1 + 6 + 30, 2 + 6 + 30}));
  ASSERT_EQ(encode({1, 2, 3, 1, 2, 3}, 3, {3, 2}), HEDDLE_OK) << error.message;
  EXPECT_EQ(encodedSources, 2);
  append({1, 2}, 1);
  EXPECT_EQ(sums(), (Sums{1 + 6 + 30, 2 + 3 + 20}));
}

TEST_F(SessionSource, GrowsWithItsSources) {
  create(2);
  for (int64_t length : {1, 36, 4, 40}) {
    std::vector<int32_t> ids(2 * length);
    ids[0] = 1;
    ids[length] = 2;
    ASSERT_EQ(encode(ids, length), HEDDLE_OK) << error.message;
    EXPECT_EQ(heddle_session_filled(session), 0);
    append({3, 3}, 1);
    EXPECT_EQ(sums(), (Sums{(4 + 10 * length) % 100, (5 + 10 * length) % 100}));
  }
}

TEST_F(SessionSource, SequencesChangePlacesWithTheirSources) {
  create(2);
  ASSERT_EQ(encode({1, 2, 3, 4}, 2, {2, 1}), HEDDLE_OK) << error.message;
  append({1, 2}, 1);
  EXPECT_EQ(sums(), (Sums{1 + 3 + 20, 2 + 3 + 10}));
  const int32_t swapped[] = {1, 0};
  ASSERT_EQ(heddle_session_reorder(session, swapped, &error), HEDDLE_OK)
      << error.message;
  append({0, 0}, 1);
  EXPECT_EQ(sums(), (Sums{2 + 3 + 10, 1 + 3 + 20}));
  const int32_t same[] = {1, 1};
  ASSERT_EQ(heddle_session_reorder(session, same, &error), HEDDLE_OK);
  append({0, 0}, 1);
  EXPECT_EQ(sums(), (Sums{1 + 3 + 20, 1 + 3 + 20}));
}

TEST_F(SessionSource, negative_appendedBefore) {
  create(1);
  const int32_t id = 1;
  EXPECT_EQ(heddle_session_append(session, &id, 1, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "the sequences have no sources, expected "
                              "heddle_session_encode before");
}

TEST_F(SessionSource, negative_failuresLeaveNoSources) {
  create(1);
  ASSERT_EQ(encode({1}, 1), HEDDLE_OK);
  encodingThatFails = 2;
  EXPECT_NE(encode({1}, 1), HEDDLE_OK);
  const int32_t id = 1;
  EXPECT_EQ(heddle_session_append(session, &id, 1, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(encode({1, 2}, 2, {3}), HEDDLE_OUT_OF_RANGE);
  EXPECT_STREQ(error.message, "stories.encode: argument 'lengths'[0] is 3, "
                              "expected 1 to 2 (length)");
  ASSERT_EQ(encode({1}, 1), HEDDLE_OK);
  EXPECT_EQ(encode({1}, 0), HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "length is 0, expected 1 to 2147483647");
  EXPECT_NE(heddle_session_append(session, &id, 1, &error), HEDDLE_OK);
  EXPECT_NE(encode(std::vector<int32_t>(41), 41), HEDDLE_OK);
  EXPECT_STREQ(error.message, "encode: size 'length' is 41, expected 1 to 40");
  ASSERT_EQ(encode({1, 2}, 2), HEDDLE_OK) << error.message;
  append({1}, 1);
}

TEST_F(SessionSource, negative_otherSources) {
  create(1);
  const float tensor[] = {1, 2};
  EXPECT_EQ(heddle_session_encode_tensor(session, tensor, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message,
               "model 'stories' reads sources that are ids, expected "
               "heddle_session_encode");
  heddle_session_destroy(std::exchange(session, nullptr));
  model = makeDecoder();
  create(1);
  EXPECT_EQ(encode({1}, 1), HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "model 'stories' reads no sources: it has no "
                              "cross cache");
}

TEST_F(SessionSource, ReadsTensors) {
  model.entries = kSpeechEntries;
  model.entry_count = 4;
  create(2);
  const float features[] = {7, 1, 9, 1};
  ASSERT_EQ(heddle_session_encode_tensor(session, features, &error), HEDDLE_OK)
      << error.message;
  append({1, 2, 3, 4}, 2);
  EXPECT_EQ(sums(), (Sums{3 + 7, 7 + 9}));
  append({1, 1}, 1);
  EXPECT_EQ(sums(), (Sums{4 + 7, 8 + 9}));
  const int32_t swapped[] = {1, 0};
  ASSERT_EQ(heddle_session_reorder(session, swapped, &error), HEDDLE_OK)
      << error.message;
  append({0, 0}, 1);
  EXPECT_EQ(sums(), (Sums{8 + 9, 4 + 7}));
  EXPECT_EQ(encode({1, 2}, 1), HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "model 'stories' reads sources that are no ids, "
                              "expected heddle_session_encode_tensor");
}

/// Entry points of which tests change one.
class FindSources : public SessionSource {
protected:
  heddle_entry prefill = kPrefillEntry, decode = kDecodeEntry,
               encodeEntry = kEncodeEntry;
  std::vector<heddle_argument> encodeArguments{std::begin(kEncodeOf),
                                               std::end(kEncodeOf)};
  std::vector<heddle_argument> decodeArguments{std::begin(kDecodeOf),
                                               std::end(kDecodeOf)};
  heddle_decoder decoder = {};

  heddle_status find(uint32_t count = 3) {
    encodeEntry.arguments = encodeArguments.data();
    encodeEntry.argument_count = uint32_t(encodeArguments.size());
    decode.arguments = decodeArguments.data();
    decode.argument_count = uint32_t(decodeArguments.size());
    const heddle_entry *const entries[] = {&prefill, &decode, &encodeEntry};
    model.entries = entries;
    model.entry_count = count;
    return heddle_find_decoder(&model, &decoder, &error);
  }
  void expectRefused(const char *message, uint32_t count = 3) {
    EXPECT_EQ(find(count), HEDDLE_INVALID_ARGUMENT);
    EXPECT_STREQ(error.message, message);
  }
};

TEST_F(FindSources, FindsAll) {
  ASSERT_EQ(find(), HEDDLE_OK) << error.message;
  EXPECT_EQ(decoder.prefill.cross, 4u);
  EXPECT_EQ(decoder.prefill.cross_lengths, 5u);
  EXPECT_EQ(decoder.prefill.source, 3u);
  EXPECT_EQ(decoder.decode.source, 0u);
  EXPECT_EQ(decoder.encode.entry, &encodeEntry);
  EXPECT_EQ(decoder.encode.input, 0u);
  EXPECT_EQ(decoder.encode.lengths, 1u);
  EXPECT_EQ(decoder.encode.cross, 2u);
  EXPECT_EQ(decoder.encode.source, 2u);
}

TEST_F(FindSources, negative_encode) {
  expectRefused("model 'stories' reads a cross cache, and has no entry point "
                "'encode' that fills it",
                2);
  encodeArguments.erase(encodeArguments.begin() + 2);
  encodeEntry.symbol_count = 2;
  expectRefused("stories.encode: expected a cross cache, found no such "
                "argument");
  encodeArguments.assign(std::begin(kEncodeOf), std::end(kEncodeOf));
  encodeEntry.symbol_count = 3;
  encodeArguments.erase(encodeArguments.begin() + 1);
  expectRefused("stories.encode: expected lengths, found no such argument");
  encodeArguments.assign(std::begin(kEncodeOf), std::end(kEncodeOf));
  encodeArguments[0] = makeArgument("pixels", HEDDLE_ARGUMENT_INPUT,
                                    HEDDLE_TYPE_F32, {"batch", "3"});
  encodeEntry.symbol_count = 2;
  expectRefused(
      "stories.encode: argument 'lengths' is i32 [batch], expected no "
      "lengths without ids");
  encodeEntry.symbol_count = 3;
  encodeArguments[0] = kEncodeOf[0];
  encodeArguments.push_back(i32("more", {"batch"}));
  expectRefused("stories.encode: argument 'more' is i32 [batch], expected no "
                "more arguments");
}

TEST_F(FindSources, negative_caches) {
  encodeArguments[2].layout = 3;
  expectRefused("stories.encode: argument 'cross' has another layout than in "
                "prefill, expected the same heads of the same types");
  encodeArguments[2].layout = 0;
  encodeArguments[2].extent[1] = "40";
  encodeEntry.symbol_count = 2;
  expectRefused("stories.encode: argument 'cross' has 40 positions, expected "
                "source as in prefill");
  encodeArguments.assign(std::begin(kEncodeOf), std::end(kEncodeOf));
  encodeEntry.symbol_count = 3;
  decodeArguments.erase(decodeArguments.begin() + 5);
  expectRefused("stories.decode: expected a cross cache and its lengths where "
                "prefill has them");
}

} // namespace
