// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sessions of a model that a device runs, and chooses ids by.

#include "runtime/Logits.h"
#include "test/Runtime/DeviceTesting.h"
#include "test/Runtime/SessionTesting.h"

using namespace session_testing;
using namespace device_testing;

namespace {

template <const heddle_entry &entry> int runThere(const heddle_frame *frame) {
  return launchTask(frame, entry,
                    [](const heddle_frame *on) { entry.run(on); });
}

class DeviceSession : public testing::Test {
protected:
  FakeDevice device;
  heddle_entry prefill = onDevice(kPrefillStep, runThere<kPrefillStep>);
  heddle_entry decode = onDevice(kDecodeStep, runThere<kDecodeStep>);
  heddle_entry sampleStep = onDevice(kSampleStep, runThere<kSampleStep>);
  heddle_entry likelyStep = onDevice(kLikelyStep, runThere<kLikelyStep>);
  const heddle_entry *entries[4] = {&prefill, &decode, &sampleStep,
                                    &likelyStep};
  heddle_model model = makeDecoder();
  File file;
  heddle_weights *weights = nullptr, *uploaded = nullptr;
  heddle_stream *stream = nullptr;
  heddle_session *session = nullptr;
  heddle_error error = {};
  heddle_context context = {};

  void SetUp() override {
    calls = failAt = samplings = 0;
    model.device_kind = HEDDLE_DEVICE_OPENCL;
    model.device = "opencl";
    model.entry_count = 4;
    model.entries = entries;
    ASSERT_EQ(heddle_weights_bind(&model, file.bytes, sizeof(file.bytes), 0,
                                  nullptr, &weights, &error),
              HEDDLE_OK);
    ASSERT_EQ(
        heddle_stream_create(&device.base, nullptr, nullptr, &stream, &error),
        HEDDLE_OK);
    ASSERT_EQ(
        heddle_weights_upload(weights, stream, nullptr, &uploaded, &error),
        HEDDLE_OK);
    context.stream = stream;
    context.device_arguments = ~UINT64_C(0); // not the session's
  }
  void TearDown() override {
    heddle_session_destroy(session);
    heddle_weights_close(uploaded);
    heddle_weights_close(weights);
    heddle_stream_destroy(stream);
  }
  heddle_status create(int64_t batch = 2) {
    return heddle_session_create(&model, uploaded, &context, batch, 4, 32,
                                 nullptr, &session, &error);
  }
  int likeliest(int sequence) {
    const float *logits = nullptr;
    EXPECT_EQ(heddle_session_logits(session, &logits, &error), HEDDLE_OK)
        << error.message;
    logits += sequence * kVocabulary;
    return int(std::max_element(logits, logits + kVocabulary) - logits);
  }
};

TEST_F(DeviceSession, AppendsAndReorders) {
  ASSERT_EQ(create(), HEDDLE_OK) << error.message;
  const int32_t ids[] = {1, 2, 3, 4, 5, 10, 20, 30, 40, 50};
  ASSERT_EQ(heddle_session_append(session, ids, 5, &error), HEDDLE_OK)
      << error.message;
  EXPECT_EQ(likeliest(0), 15);
  EXPECT_EQ(likeliest(1), 150 % 100);
  const int32_t parents[] = {1, 0}, more[] = {1, 2};
  ASSERT_EQ(heddle_session_reorder(session, parents, &error), HEDDLE_OK)
      << error.message;
  ASSERT_EQ(heddle_session_append(session, more, 1, &error), HEDDLE_OK);
  EXPECT_EQ(likeliest(0), 51);
  EXPECT_EQ(likeliest(1), 17);
}

// ---- Sampling

class DeviceSampling : public DeviceSession {
protected:
  heddle_sampling sampling = HEDDLE_GREEDY;
  heddle_random random[2] = {{5, 0}, {6, 0}};
  int32_t ids[2] = {-7, -7};

  void SetUp() override {
    DeviceSession::SetUp();
    sampledMinP = -1;
    wrongId = 0;
  }
  void append(std::vector<int32_t> all) {
    ASSERT_EQ(heddle_session_append(session, all.data(),
                                    int64_t(all.size()) / 2, &error),
              HEDDLE_OK)
        << error.message;
  }
  void begin() {
    ASSERT_EQ(create(), HEDDLE_OK) << error.message;
    append({1, 2, 10, 20});
  }
  heddle_status sample() {
    return heddle_session_sample(session, &sampling, random, ids, &error);
  }
};

// Ids are chosen where the logits are: only they are downloaded, in one copy.
TEST_F(DeviceSampling, Greedy) {
  begin();
  device.log.clear();
  ASSERT_EQ(heddle_session_sample(session, &sampling, nullptr, ids, &error),
            HEDDLE_OK)
      << error.message;
  EXPECT_EQ(ids[0], 3);
  EXPECT_EQ(ids[1], 30);
  // Temperature, min_p and uniform go there as one, the ids come back.
  EXPECT_EQ(device.log, std::vector<std::string>({"upload 520",
                                                  "launch 3 of 4x32, 64 bytes",
                                                  "download 8", "wait"}));
  // What top_k and top_p keep does not matter.
  sampling.top_k = 2;
  sampling.top_p = 0.5;
  ASSERT_EQ(sample(), HEDDLE_OK) << error.message;
  EXPECT_EQ(ids[1], 30);
  EXPECT_EQ(samplings, 2);
}

TEST_F(DeviceSampling, Drawn) {
  begin();
  sampling.temperature = 0.5;
  sampling.min_p = 0.25;
  heddle_random others[2] = {random[0], random[1]};
  for (int64_t all : {0, 100, 1000}) { // of 100 ids
    sampling.top_k = all;
    ASSERT_EQ(sample(), HEDDLE_OK) << error.message;
    EXPECT_EQ(sampledMinP, 0.25f);
    for (int b = 0; b < 2; ++b) {
      EXPECT_EQ(ids[b], int32_t(heddle_draw_number(&others[b]) * kVocabulary));
      EXPECT_EQ(random[b].drawn, others[b].drawn);
    }
  }
}

TEST_F(DeviceSampling, Likely) {
  begin();
  sampling.temperature = 0.5;
  sampling.min_p = 0.25;
  sampling.top_k = 3;
  sampling.top_p = 0.5;
  ASSERT_EQ(sample(), HEDDLE_OK) << error.message;
  EXPECT_EQ(sampledMinP, 0.25f);
  EXPECT_EQ(ids[0], 35);
  EXPECT_EQ(ids[1], 35);
  EXPECT_EQ(random[1].drawn, 1u);
  sampling.top_k = 0;
  ASSERT_EQ(sample(), HEDDLE_OK) << error.message;
  EXPECT_EQ(ids[1], 5);
  sampling.top_k = INT64_MAX;
  ASSERT_EQ(sample(), HEDDLE_OK) << error.message;
  EXPECT_EQ(ids[1], 75) << "the largest i32 is told by 7";
  sampling.top_k = 2;
  sampling.top_p = 1;
  ASSERT_EQ(sample(), HEDDLE_OK) << error.message;
  EXPECT_EQ(ids[1], 30);
  EXPECT_EQ(samplings, 4);
}

// As many as the model takes: the sanitizers see what is written.
TEST_F(DeviceSampling, ManySequences) {
  constexpr int64_t batch = 8;
  ASSERT_EQ(create(batch), HEDDLE_OK) << error.message;
  std::vector<int32_t> first(batch), next(batch);
  for (int32_t b = 0; b < batch; ++b)
    first[b] = 10 * b;
  ASSERT_EQ(heddle_session_append(session, first.data(), 1, &error), HEDDLE_OK)
      << error.message;
  std::vector<heddle_random> randoms(batch);
  for (float temperature : {0.0f, 1.0f}) {
    sampling.temperature = temperature;
    sampling.top_k = temperature > 0 ? 4 : 0;
    ASSERT_EQ(heddle_session_sample(session, &sampling, randoms.data(),
                                    next.data(), &error),
              HEDDLE_OK)
        << error.message;
    for (int32_t b = 0; b < batch; ++b)
      EXPECT_EQ(next[b], temperature > 0 ? 50 : first[b]);
  }
}

// What the model does not choose, all logits are downloaded for, once.
TEST_F(DeviceSampling, Penalised) {
  begin();
  sampling.repetition_penalty = 1.5;
  device.log.clear();
  for (int again = 0; again < 2; ++again) {
    ASSERT_EQ(sample(), HEDDLE_OK) << error.message;
    EXPECT_EQ(ids[0], 3);
    EXPECT_EQ(ids[1], 30);
  }
  EXPECT_EQ(device.log, std::vector<std::string>({"download 800", "wait"}));
  EXPECT_EQ(samplings, 0);
}

// Functions of these names that are other ones are the model's own.
TEST_F(DeviceSampling, LooksAtArguments) {
  std::vector<heddle_argument> arguments;
  heddle_symbol symbol = {};
  auto isCalled = [&](auto change) {
    arguments.assign(std::begin(kSampleArguments), std::end(kSampleArguments));
    symbol = kSessionSymbols[0];
    sampleStep.arguments = arguments.data();
    sampleStep.symbols = &symbol;
    sampleStep.symbol_count = 1;
    sampleStep.argument_count = 5;
    change();
    samplings = 0;
    begin();
    EXPECT_EQ(sample(), HEDDLE_OK) << error.message;
    EXPECT_EQ(ids[0], 3);
    heddle_session_destroy(std::exchange(session, nullptr));
    return samplings == 1;
  };
  EXPECT_TRUE(isCalled([] {}));
  EXPECT_FALSE(isCalled([&] { sampleStep.argument_count = 4; }));
  EXPECT_FALSE(isCalled([&] { sampleStep.symbol_count = 0; }));
  EXPECT_FALSE(isCalled([&] { symbol.maximum = 1; }));
  EXPECT_FALSE(isCalled([&] { symbol.minimum = 3; }));
  EXPECT_FALSE(isCalled([&] { arguments[0].extent[0] = "2"; }));
  EXPECT_FALSE(isCalled([&] { arguments[0].extent[1] = "101"; }));
  EXPECT_FALSE(isCalled([&] { arguments[0].type = HEDDLE_TYPE_F16; }));
  EXPECT_FALSE(isCalled([&] { arguments[1].extent[0] = "1000"; }));
  EXPECT_FALSE(isCalled([&] { arguments[2].name = "top_p"; }));
  EXPECT_FALSE(isCalled([&] { arguments[3].rank = 2; }));
  EXPECT_FALSE(isCalled([&] { arguments[4].kind = HEDDLE_ARGUMENT_INPUT; }));
  EXPECT_FALSE(isCalled([&] { arguments[4].type = HEDDLE_TYPE_I64; }));
  EXPECT_FALSE(isCalled([&] { arguments[4].extent[0] = "1000"; }));
}

TEST_F(DeviceSampling, NegativeNoNumbers) {
  begin();
  append({5, 94, 40, 43}); // of the second one the sum is 113
  sampling.temperature = 1;
  EXPECT_EQ(sample(), HEDDLE_OUT_OF_RANGE);
  EXPECT_STREQ(error.message, "logits[1][5] is nan, expected a number below "
                              "infinity");
  EXPECT_EQ(random[0].drawn, 0u);
  EXPECT_EQ(random[1].drawn, 0u);
  append({1, 1});
  EXPECT_EQ(sample(), HEDDLE_OK) << error.message;
}

TEST_F(DeviceSampling, NegativeIds) {
  begin();
  for (int32_t wrong : {-1, 100}) {
    wrongId = wrong;
    EXPECT_EQ(sample(), HEDDLE_OUT_OF_RANGE);
    EXPECT_EQ(error.message, "the model has chosen " + std::to_string(wrong) +
                                 " by logits[0], expected 0 to 99");
  }
}

// Each request of a call may fail; then it draws nothing.
TEST_F(DeviceSampling, NegativeRequests) {
  begin();
  sampling.temperature = 1;
  for (int64_t k : {0, 3}) {
    sampling.top_k = k;
    random[0].drawn = 0;
    for (int failing = 1;; ++failing) {
      device.countdown = failing;
      device.failed.clear();
      heddle_status status = sample();
      EXPECT_EQ(random[0].drawn, status == HEDDLE_OK ? 1u : 0u);
      if (status == HEDDLE_OK)
        break;
      EXPECT_EQ(error.message, "fake: " + device.failed + " failed");
    }
  }
}

// ---- What is refused

TEST_F(DeviceSession, NegativeRequests) {
  for (int failing = 1;; ++failing) {
    device.countdown = failing;
    device.failed.clear();
    if (create() == HEDDLE_OK)
      break;
    EXPECT_EQ(error.message, "fake: " + device.failed + " failed");
    EXPECT_EQ(session, nullptr);
  }
  EXPECT_EQ(device.failed, "");
}

TEST_F(DeviceSession, NegativeContexts) {
  context.stream = nullptr;
  EXPECT_EQ(create(), HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message,
               "stories.prefill: context.stream is null; the model was "
               "compiled for OpenCL and needs a heddle_stream");
  std::swap(weights, uploaded);
  context.stream = stream;
  EXPECT_EQ(create(), HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "stories.prefill: weights are not on the device "
                              "(heddle_weights_upload puts them there)");
}

} // namespace
