// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Each function of the C API with each of its pointers null in turn, in a call
// that is right otherwise: an error that names the argument, or what the header
// allows. Functions without a row here fail the test.

#include "test/Runtime/DeviceTesting.h"
#include "test/Runtime/SourceTesting.h"
#include "test/TemporaryFolder.h"
#include "test/Text/EncoderTesting.h"
#include "test/Text/HeaderFunctions.h"
#include "test/Text/RecordingTesting.h"

#include "runtime/text/heddle_text.h"

#include <set>
#include <tuple>
#include <type_traits>

using namespace source_testing;
using device_testing::FakeDevice;
using device_testing::FakeMemory;
using Names = std::set<std::string>;

namespace {

/// A parameter whose type another argument has to tell.
template <typename T> struct Exactly {
  using Type = T;
};

class NullPointers : public DecoderTest {
protected:
  header_functions::Functions declared;
  Names tested;

  void SetUp() override {
    DecoderTest::SetUp();
    for (const char *header : {"heddle_abi.h", "heddle.h",
                               "heddle_generation.h", "text/heddle_text.h"})
      declared.merge(
          header_functions::read(std::string(TEST_HEADERS "/") + header));
    // Of each header, and of the last line of one.
    for (const char *name :
         {"heddle_weights_open", "heddle_status_name", "heddle_reorder_cache",
          "heddle_tokenizer_apply_chat"})
      ASSERT_EQ(declared.count(name), 1u) << name;
  }

  /// Calls `function` with all of `arguments`, which has to be right, and with
  /// each pointer null. `mayBeNull` names those that the header allows to be;
  /// without a status to return, all have to be. `undo` frees what a call has
  /// made.
  template <typename Result, typename... Parameters>
  void check(
      const char *name, Result (*function)(Parameters...),
      const Names &mayBeNull, typename Exactly<Parameters>::Type... arguments,
      const std::function<void()> &undo = [] {}) {
    auto found = declared.find(name);
    ASSERT_NE(found, declared.end()) << name;
    ASSERT_EQ(found->second.size(), sizeof...(Parameters)) << name;
    tested.insert(name);
    const std::tuple<Parameters...> all(arguments...);
    callWithNull(*found, function, mayBeNull, all, SIZE_MAX, undo);
    callWithEachNull(*found, function, mayBeNull, all, undo,
                     std::index_sequence_for<Parameters...>());
  }

private:
  template <typename Function, typename Tuple, size_t... index>
  void callWithEachNull(const header_functions::Functions::value_type &of,
                        Function function, const Names &mayBeNull,
                        const Tuple &all, const std::function<void()> &undo,
                        std::index_sequence<index...>) {
    (
        [&] {
          if constexpr (std::is_pointer_v<std::tuple_element_t<index, Tuple>>) {
            Tuple changed = all;
            std::get<index>(changed) = nullptr;
            callWithNull(of, function, mayBeNull, changed, index, undo);
          }
        }(),
        ...);
  }

  template <typename Result, typename... Parameters>
  void callWithNull(const header_functions::Functions::value_type &of,
                    Result (*function)(Parameters...), const Names &mayBeNull,
                    const std::tuple<Parameters...> &arguments, size_t null,
                    const std::function<void()> &undo) {
    const std::string name = null == SIZE_MAX ? "nothing" : of.second[null];
    SCOPED_TRACE(of.first + " with " + name + " null");
    const bool isRight =
        null == SIZE_MAX || name == "error" || mayBeNull.count(name);
    error = {};
    if constexpr (!std::is_same_v<Result, heddle_status>) {
      EXPECT_TRUE(isRight) << "the function cannot say what is wrong";
      std::apply(function, arguments);
    } else {
      heddle_status status = std::apply(function, arguments);
      EXPECT_EQ(status, isRight ? HEDDLE_OK : HEDDLE_INVALID_ARGUMENT)
          << error.message;
      // A null context has no room for a message.
      if (!isRight && name != "context")
        EXPECT_TRUE(std::regex_search(error.message,
                                      std::regex("(^|\\W)" + name + "(\\W|$)")))
            << error.message;
      if (status == HEDDLE_OK)
        undo();
    }
  }
};

TEST_F(NullPointers, OfEachFunction) {
#define CHECK(function, ...) check(#function, function, __VA_ARGS__)
  heddle_error *e = &error;
  heddle::test::TemporaryFolder folder;
  const int64_t sizes[] = {2, 4, 32};
  size_t bytes = 0;

  // ---- Weights, threads, sizes and calls
  folder.write("m.weights", {reinterpret_cast<const char *>(file.bytes),
                             sizeof(file.bytes)});
  const std::string path = folder.file("m.weights");
  heddle_weights *opened = nullptr;
  auto closeOpened = [&] { heddle_weights_close(opened); };
  CHECK(heddle_weights_open, {"allocator"}, &model, path.c_str(), 0, nullptr,
        &opened, e, closeOpened);
  CHECK(heddle_weights_bind, {"allocator"}, &model, file.bytes,
        sizeof(file.bytes), 0, nullptr, &opened, e, closeOpened);
  CHECK(heddle_weights_data, {"weights", "size"}, weights, &bytes);
  bytes = 7;
  EXPECT_EQ(heddle_weights_data(nullptr, &bytes), nullptr);
  EXPECT_EQ(bytes, 0u);
  CHECK(heddle_weights_close, {"weights"}, nullptr);

  heddle_threads *threads = nullptr, *created = nullptr;
  ASSERT_EQ(heddle_threads_create(2, nullptr, &threads, e), HEDDLE_OK);
  CHECK(heddle_threads_create, {"allocator"}, 1, nullptr, &created, e,
        [&] { heddle_threads_destroy(created); });
  auto task = [](void *, int32_t, uint8_t *) { return 0; };
  CHECK(heddle_threads_parallel_for,
        {"data", "task", "user_context", "closure"}, threads, task, &bytes, 0,
        4, file.bytes);
  EXPECT_EQ(
      heddle_threads_parallel_for(threads, nullptr, nullptr, 0, 4, nullptr),
      HEDDLE_INVALID_ARGUMENT);
  CHECK(heddle_threads_count, {"threads"}, threads);
  CHECK(heddle_threads_destroy, {"threads"}, nullptr);
  heddle_threads_destroy(threads);

  CHECK(heddle_model_for, {"model"}, &model, HEDDLE_DEVICE_NONE);
  CHECK(heddle_find_entry, {"model", "name"}, &model, "prefill");
  CHECK(heddle_find_symbol, {"entry", "name"}, &kPrefill, "batch");
  CHECK(heddle_workspace_size, {}, &kPrefill, sizes, &bytes, e);
  CHECK(heddle_largest_workspace_size, {}, &kPrefill, sizes, &bytes, e);
  CHECK(heddle_device_workspace_size, {}, &kPrefill, sizes, 0, &bytes, e);
  CHECK(heddle_argument_size, {}, &kPrefill, 3, sizes, &bytes, e);
  alignas(HEDDLE_ALIGNMENT) static uint8_t cache[16384], workspace[16384];
  int32_t ids[8] = {1, 2, 3, 4, 5, 6, 7, 8}, starts[2] = {},
          lengths[2] = {4, 4};
  float logits[2 * kVocabulary] = {};
  void *const buffers[] = {ids, starts, lengths, cache, logits};
  heddle_context context = {};
  context.error = e;
  CHECK(heddle_invoke, {"context"}, &model, &kPrefillStep, &context, weights,
        buffers, sizes, workspace, sizeof(workspace));
  CHECK(heddle_type_name, {}, HEDDLE_TYPE_F32);
  CHECK(heddle_type_size, {}, HEDDLE_TYPE_F32);
  CHECK(heddle_status_name, {}, HEDDLE_OK);

  // ---- Devices
  FakeDevice device;
  // There need not be one; what is null is found before one is looked for.
  heddle_device_options options = {};
  heddle_device *openedDevice = nullptr;
  tested.insert("heddle_device_open");
  EXPECT_EQ(heddle_device_open(nullptr, nullptr, &openedDevice, e),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "options is null");
  EXPECT_EQ(heddle_device_open(&options, nullptr, nullptr, e),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "device is null");
  EXPECT_EQ(heddle_device_open(&options, nullptr, nullptr, nullptr),
            HEDDLE_INVALID_ARGUMENT);
  CHECK(heddle_device_close, {"device"}, nullptr);
  CHECK(heddle_device_name, {"device"}, &device.base);
  EXPECT_STREQ(heddle_device_name(nullptr), "");
  void *address = nullptr;
  CHECK(heddle_device_allocate, {}, &device.base, 64, &address, e,
        [&] { heddle_device_release(&device.base, address); });
  CHECK(heddle_device_release, {"device", "address"}, &device.base, nullptr);
  heddle_device_release(nullptr, &bytes);
  heddle_stream *stream = nullptr, *createdStream = nullptr;
  ASSERT_EQ(heddle_stream_create(&device.base, nullptr, nullptr, &stream, e),
            HEDDLE_OK);
  CHECK(heddle_stream_create, {"native", "allocator"}, &device.base, nullptr,
        nullptr, &createdStream, e,
        [&] { heddle_stream_destroy(createdStream); });
  CHECK(heddle_stream_destroy, {"stream"}, nullptr);
  CHECK(heddle_stream_wait, {}, stream, e);
  {
    FakeMemory there(device, sizeof(cache)), scratch(device, 64);
    uint8_t here[64] = {};
    CHECK(heddle_stream_upload, {}, stream, there.address, here, 64, e);
    CHECK(heddle_stream_download, {}, stream, here, there.address, 64, e);
    CHECK(heddle_stream_copy, {}, stream, there.address, scratch.address, 64,
          e);
    const int32_t parents[] = {1, 0};
    CHECK(heddle_stream_reorder_cache, {}, stream, &kPrefill, 3, sizes,
          there.address, parents, scratch.address, 64, e);
    heddle_stream_wait(stream, nullptr);
  }
  heddle_model forDevice = makeDecoder();
  forDevice.device_kind = HEDDLE_DEVICE_OPENCL;
  heddle_weights *bound = nullptr;
  ASSERT_EQ(heddle_weights_bind(&forDevice, file.bytes, sizeof(file.bytes), 0,
                                nullptr, &bound, e),
            HEDDLE_OK);
  CHECK(heddle_weights_upload, {"allocator"}, bound, stream, nullptr, &opened,
        e, closeOpened);
  heddle_weights_close(bound);
  heddle_stream_destroy(stream);

  // ---- Decoders, ids and sessions
  heddle_decoder decoder = {};
  CHECK(heddle_find_decoder, {}, &model, &decoder, e);
  int64_t stepSizes[HEDDLE_STEP_SIZES];
  CHECK(heddle_step_sizes, {"step", "sizes"}, &decoder.prefill, 1, 1, 32, 1,
        stepSizes);
  heddle_rules rules;
  CHECK(heddle_default_rules, {}, &model, &rules, e);
  heddle_sampling sampling = HEDDLE_GREEDY;
  CHECK(heddle_default_sampling, {}, &model, &sampling, e);
  sampling.temperature = 1;
  CHECK(heddle_check_sampling, {}, &sampling, e);
  heddle_random random = {};
  heddle_candidate candidates[kVocabulary];
  int32_t id = 0;
  CHECK(heddle_choose_id, {}, &sampling, logits, kVocabulary, ids, 8, &random,
        candidates, &id, e);
  heddle_session *session = nullptr, *createdSession = nullptr;
  CHECK(heddle_session_create, {"context", "allocator"}, &model, weights,
        &context, 1, 4, 32, nullptr, &createdSession, e,
        [&] { heddle_session_destroy(createdSession); });
  ASSERT_EQ(heddle_session_create(&model, weights, nullptr, 1, 4, 32, nullptr,
                                  &session, e),
            HEDDLE_OK);
  CHECK(heddle_session_append, {}, session, ids, 2, e);
  const int32_t itself[] = {0};
  CHECK(heddle_session_reorder, {}, session, itself, e);
  const float *found = nullptr;
  CHECK(heddle_session_logits, {}, session, &found, e);
  CHECK(heddle_session_sample, {}, session, &sampling, &random, &id, e);
  CHECK(heddle_session_filled, {"session"}, session);
  CHECK(heddle_session_vocabulary, {"session"}, session);
  EXPECT_EQ(heddle_session_filled(nullptr), 0);
  EXPECT_EQ(heddle_session_vocabulary(nullptr), 0);
  CHECK(heddle_session_restart, {"session"}, session);
  CHECK(heddle_session_destroy, {"session"}, nullptr);
  heddle_session_destroy(session);
  heddle_model answering = model, speaking = model;
  answering.entries = kSourceEntries;
  answering.entry_count = 3;
  speaking.entries = kSpeechEntries;
  speaking.entry_count = 4;
  ASSERT_EQ(heddle_session_create(&answering, weights, nullptr, 1, 4, 32,
                                  nullptr, &session, e),
            HEDDLE_OK);
  const int32_t ones[] = {1, 1};
  CHECK(heddle_session_encode, {"lengths"}, session, ids, ones, 2, e);
  heddle_session_destroy(session);
  ASSERT_EQ(heddle_session_create(&speaking, weights, nullptr, 1, 4, 32,
                                  nullptr, &session, e),
            HEDDLE_OK);
  CHECK(heddle_session_encode_tensor, {}, session, logits, e);
  heddle_session_destroy(session);
  CHECK(heddle_weights_device, {"weights"}, weights);

  // ---- Searches
  heddle_beam_options beams = {};
  beams.width = 2;
  beams.vocabulary = kVocabulary;
  beams.maximum_length = 8;
  heddle_beam_search *search = nullptr, *createdSearch = nullptr;
  CHECK(heddle_beam_search_create, {"allocator"}, &beams, nullptr,
        &createdSearch, e, [&] { heddle_beam_search_destroy(createdSearch); });
  ASSERT_EQ(heddle_beam_search_create(&beams, nullptr, &search, e), HEDDLE_OK);
  int32_t parents[2];
  CHECK(heddle_beam_search_step, {}, search, logits, parents, ids, e);
  CHECK(heddle_beam_search_is_finished, {"search"}, search);
  EXPECT_EQ(heddle_beam_search_is_finished(nullptr), 1);
  CHECK(heddle_beam_search_count, {"search"}, search);
  EXPECT_EQ(heddle_beam_search_count(nullptr), 0);
  CHECK(heddle_beam_search_restart, {"search"}, search);
  while (!heddle_beam_search_is_finished(search))
    ASSERT_EQ(heddle_beam_search_step(search, logits, parents, ids, e),
              HEDDLE_OK);
  heddle_hypothesis hypothesis;
  CHECK(heddle_beam_search_get, {}, search, 0, &hypothesis, ids, e);
  CHECK(heddle_beam_search_destroy, {"search"}, nullptr);
  heddle_beam_search_destroy(search);
  const int32_t swapped[] = {1, 0};
  CHECK(heddle_reorder_rows, {}, cache, 2, 16, swapped, e);
  CHECK(heddle_reorder_cache, {}, &kPrefill, 3, sizes, cache, swapped, e);

  // ---- Text
  const std::string described =
      R"({"model": {"vocab": {"a": 0, "b": 1}, "merges": []}})";
  const std::string chat = "{{ messages[0].content }}";
  folder.write("tokenizer.json", described);
  const heddle_file files[] = {
      {"tokenizer.json", described.data(), described.size()},
      {"chat_template.jinja", chat.data(), chat.size()}};
  heddle_tokenizer *tokenizer = nullptr, *openedTokenizer = nullptr;
  auto closeTokenizer = [&] { heddle_tokenizer_close(openedTokenizer); };
  CHECK(heddle_tokenizer_open, {}, folder.path().c_str(), &openedTokenizer, e,
        closeTokenizer);
  CHECK(heddle_tokenizer_open_files, {}, files, 2, &openedTokenizer, e,
        closeTokenizer);
  heddle_file *readFiles = nullptr;
  size_t readCount = 0;
  CHECK(heddle_tokenizer_read_files, {}, folder.path().c_str(), &readFiles,
        &readCount, e, [&] { heddle_text_free(readFiles); });
  ASSERT_EQ(heddle_tokenizer_open_files(files, 2, &tokenizer, e), HEDDLE_OK);
  for (const heddle_file &wrong : {heddle_file{nullptr, chat.data(), 1},
                                   heddle_file{"tokenizer.json", nullptr, 1}})
    EXPECT_EQ(heddle_tokenizer_open_files(&wrong, 1, &openedTokenizer, e),
              HEDDLE_INVALID_ARGUMENT)
        << error.message;
  CHECK(heddle_tokenizer_file_names, {});
  CHECK(heddle_tokenizer_vocabulary, {"tokenizer"}, tokenizer);
  EXPECT_EQ(heddle_tokenizer_vocabulary(nullptr), 0);
  CHECK(heddle_tokenizer_end_ids, {"tokenizer", "count"}, tokenizer, &bytes);
  int32_t *encoded = nullptr;
  CHECK(heddle_tokenizer_encode, {}, tokenizer, "ab", 2, 0, &encoded, &bytes, e,
        [&] { heddle_text_free(encoded); });
  int32_t *types = nullptr;
  const heddle_encode_options encodeOptions = HEDDLE_ENCODE_OPTIONS;
  CHECK(heddle_tokenizer_encode_pair, {"type_ids"}, tokenizer, "ab", 2, "b", 1,
        &encodeOptions, &encoded, &types, &bytes, e, [&] {
          heddle_text_free(encoded);
          heddle_text_free(types);
          types = nullptr;
        });
  CHECK(heddle_tokenizer_encode_pair, {"type_ids", "second"}, tokenizer, "ab",
        2, nullptr, 0, &encodeOptions, &encoded, nullptr, &bytes, e,
        [&] { heddle_text_free(encoded); });
  CHECK(heddle_tokenizer_maximum_length, {"tokenizer"}, tokenizer);
  EXPECT_EQ(heddle_tokenizer_maximum_length(nullptr), 0);
  char *text = nullptr;
  auto freeText = [&] { heddle_text_free(text); };
  const int32_t one[] = {1};
  CHECK(heddle_tokenizer_decode, {}, tokenizer, one, 1, &text, &bytes, e,
        freeText);
  CHECK(heddle_tokenizer_has_chat, {"tokenizer"}, tokenizer);
  const heddle_message message = {"user", "a"};
  CHECK(heddle_tokenizer_apply_chat, {}, tokenizer, &message, 1, 0, &text,
        &bytes, e, freeText);
  CHECK(heddle_text_free, {"pointer"}, nullptr);
  heddle_text_stream *pieces = nullptr, *createdPieces = nullptr;
  ASSERT_EQ(heddle_text_stream_create(tokenizer, nullptr, 0, &pieces, e),
            HEDDLE_OK);
  CHECK(heddle_text_stream_create, {}, tokenizer, one, 1, &createdPieces, e,
        [&] { heddle_text_stream_destroy(createdPieces); });
  const char *piece = nullptr;
  CHECK(heddle_text_stream_push, {}, pieces, 1, &piece, &bytes, e);
  CHECK(heddle_text_stream_finish, {}, pieces, &piece, &bytes, e);
  CHECK(heddle_text_stream_destroy, {"stream"}, nullptr);
  heddle_text_stream_destroy(pieces);

  heddle_generator_options answers = HEDDLE_GENERATOR_OPTIONS;
  CHECK(heddle_generator_default_options, {"tokenizer"}, &model, tokenizer,
        &answers, e);
  heddle_generator *generator = nullptr, *createdGenerator = nullptr;
  CHECK(heddle_generator_create, {"context", "tokenizer"}, &model, weights,
        &context, tokenizer, &answers, &createdGenerator, e,
        [&] { heddle_generator_destroy(createdGenerator); });
  ASSERT_EQ(heddle_generator_create(&model, weights, nullptr, nullptr, &answers,
                                    &generator, e),
            HEDDLE_OK);
  CHECK(heddle_generator_prompt, {}, generator, one, 1, e);
  heddle_piece next;
  CHECK(heddle_generator_next, {}, generator, &next, e);
  CHECK(heddle_generator_get_stats, {"generator"}, generator);
  CHECK(heddle_generator_destroy, {"generator"}, nullptr);
  heddle_generator_destroy(generator);
  answers.start_ids = one;
  answers.start_count = 1;
  ASSERT_EQ(heddle_generator_create(&speaking, weights, nullptr, nullptr,
                                    &answers, &generator, e),
            HEDDLE_OK);
  const heddle_speech_options speech = {};
  CHECK(heddle_generator_listen, {}, generator, tokenizer, logits, 3, &speech,
        e);
  heddle_generator_destroy(generator);
  folder.write("a.wav", recording_testing::makeWav({1, 2}));
  const std::string wav = folder.file("a.wav");
  float *samples = nullptr;
  CHECK(heddle_recording_read, {}, wav.c_str(), 16000, &samples, &bytes, e,
        [&] { heddle_text_free(samples); });
  CHECK(heddle_tokenizer_label_count, {"tokenizer"}, tokenizer);
  CHECK(heddle_tokenizer_label, {"tokenizer"}, tokenizer, 0);
  CHECK(heddle_tokenizer_problem, {"tokenizer"}, tokenizer);
  double shares[2];
  CHECK(heddle_tokenizer_probabilities, {}, tokenizer, logits, 2, shares, e);
  heddle_model encoders = encoder_testing::makeEncoder();
  heddle_weights *itsWeights = nullptr;
  ASSERT_EQ(heddle_weights_bind(&encoders, file.bytes, sizeof(file.bytes), 0,
                                nullptr, &itsWeights, e),
            HEDDLE_OK);
  heddle_encoder *encoder = nullptr, *createdEncoder = nullptr;
  CHECK(heddle_encoder_create, {"context"}, &encoders, itsWeights, &context,
        tokenizer, HEDDLE_ROLE_EMBEDDING, &createdEncoder, e,
        [&] { heddle_encoder_destroy(createdEncoder); });
  ASSERT_EQ(heddle_encoder_create(&encoders, itsWeights, nullptr, tokenizer,
                                  HEDDLE_ROLE_EMBEDDING, &encoder, e),
            HEDDLE_OK);
  CHECK(heddle_encoder_columns, {"encoder"}, encoder);
  const heddle_text_pair pair = {"ab", 2, nullptr, 0};
  float row[3];
  CHECK(heddle_encoder_run, {}, encoder, &pair, 1, row, e);
  CHECK(heddle_encoder_is_of_tokens, {"encoder"}, encoder);
  CHECK(heddle_encoder_destroy, {"encoder"}, nullptr);
  heddle_encoder_destroy(encoder);
  heddle_model naming = encoders;
  naming.entries = encoder_testing::kNamers;
  ASSERT_EQ(heddle_encoder_create(&naming, itsWeights, nullptr, tokenizer,
                                  HEDDLE_ROLE_LOGITS, &encoder, e),
            HEDDLE_OK)
      << error.message;
  float *ofTokens = nullptr;
  CHECK(heddle_encoder_run_tokens, {}, encoder, &pair, &encoded, &ofTokens,
        &bytes, e, [&] {
          heddle_text_free(encoded);
          heddle_text_free(ofTokens);
        });
  heddle_encoder_destroy(encoder);
  heddle_weights_close(itsWeights);
  CHECK(heddle_tokenizer_close, {"tokenizer"}, nullptr);
  heddle_tokenizer_close(tokenizer);
#undef CHECK
  for (const auto &[name, parameters] : declared)
    EXPECT_TRUE(tested.count(name)) << name << " has no row here";
}

} // namespace
