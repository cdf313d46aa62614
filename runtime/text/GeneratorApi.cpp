// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The part of the C API that generates.

#include "runtime/text/ApiSupport.h"
#include "runtime/text/Files.h"
#include "runtime/text/Generator.h"
#include "runtime/text/Recording.h"

using namespace heddle::text;

/// Bytes of a file: 18 hours of one channel at 16 kHz.
static constexpr size_t kLargestRecording = size_t(2) << 30;

struct heddle_generator {
  Generator implementation;
};

heddle_status heddle_generator_default_options(
    const heddle_model *model, const heddle_tokenizer *tokenizer,
    heddle_generator_options *options, heddle_error *error) {
  return guarded({{"model", model}, {"options", options}}, error, [&] {
    *options = defaultOptions(*model);
    if (!tokenizer || tokenizer->endIds.empty())
      return;
    options->end_ids = tokenizer->endIds.data();
    options->end_count = tokenizer->endIds.size();
  });
}

heddle_status heddle_generator_create(const heddle_model *model,
                                      const heddle_weights *weights,
                                      const heddle_context *context,
                                      const heddle_tokenizer *tokenizer,
                                      const heddle_generator_options *options,
                                      heddle_generator **generator,
                                      heddle_error *error) {
  return guarded({{"model", model},
                  {"weights", weights},
                  {"options", options},
                  {"generator", generator}},
                 error, [&] {
                   *generator = nullptr;
                   *generator = new heddle_generator{Generator(
                       *model, weights, context,
                       tokenizer ? tokenizer->implementation.get() : nullptr,
                       *options)};
                 });
}

void heddle_generator_destroy(heddle_generator *generator) { delete generator; }

heddle_status heddle_generator_prompt(heddle_generator *generator,
                                      const int32_t *ids, size_t count,
                                      heddle_error *error) {
  return guarded({{"generator", generator}, required("ids", ids, count)}, error,
                 [&] { generator->implementation.prompt(ids, count); });
}

heddle_status heddle_generator_listen(heddle_generator *generator,
                                      const heddle_tokenizer *tokenizer,
                                      const float *samples, size_t count,
                                      const heddle_speech_options *options,
                                      heddle_error *error) {
  return guarded({{"generator", generator},
                  {"tokenizer", tokenizer},
                  required("samples", samples, count),
                  {"options", options}},
                 error, [&] {
                   generator->implementation.listen(
                       samples, count, tokenizer->speech, *options);
                 });
}

heddle_status heddle_recording_read(const char *path, int32_t rate,
                                    float **samples, size_t *count,
                                    heddle_error *error) {
  return guarded(
      {{"path", path}, {"samples", samples}, {"count", count}}, error, [&] {
        *samples = nullptr;
        *count = 0;
        if (rate < 1)
          throw Failure("rate is " + std::to_string(rate) +
                        ", expected at least 1");
        std::vector<float> read = readRecording(
            readFile(path, kLargestRecording, "samples"), path, uint32_t(rate));
        *samples = copyOut(read.data(), read.size());
        *count = read.size();
      });
}

heddle_status heddle_generator_next(heddle_generator *generator,
                                    heddle_piece *piece, heddle_error *error) {
  return guarded({{"generator", generator}, {"piece", piece}}, error,
                 [&] { *piece = generator->implementation.next(); });
}

heddle_generator_stats
heddle_generator_get_stats(const heddle_generator *generator) {
  return generator ? generator->implementation.stats()
                   : heddle_generator_stats{};
}
