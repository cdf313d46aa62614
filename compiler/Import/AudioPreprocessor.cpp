// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/AudioPreprocessor.h"

#include "compiler/Import/JsonFields.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace heddle;

/// Fields that change no spectrogram.
static constexpr StringLiteral harmless[] = {
    // Results beside the spectrogram, and what uses it.
    "processor_class",
    "return_attention_mask",
    // Lengths of recordings, which follow from the model's positions.
    "chunk_length",
    "n_samples",
    "nb_max_frames",
    // Filters, which follow from the other fields.
    "mel_filters",
};

Error heddle::checkAudioPreprocessor(StringRef folder,
                                     const AudioDescription &audio) {
  SmallString<128> path(folder);
  sys::path::append(path, "preprocessor_config.json");
  sys::fs::file_status status;
  if (sys::fs::status(path, status, /*follow=*/false))
    return Error::success();
  Expected<json::Object> object = readJsonFile(path);
  if (!object)
    return object.takeError();
  JsonFields fields(*object, path.str().str());
  for (StringRef name : harmless)
    fields.ask(name);
  const std::pair<StringRef, int64_t> numbers[] = {
      {"feature_size", audio.bins}, {"hop_length", audio.hop},
      {"n_fft", audio.window},      {"sampling_rate", audio.rate},
      {"padding_value", 0},         {"dither", 0}};
  for (auto [name, expected] : numbers) {
    fields.ask(name);
    std::optional<double> found =
        fields.has(name) ? object->get(name)->getAsNumber() : expected;
    if (found != double(expected))
      fields.fail(name, Twine(expected));
  }
  constexpr StringLiteral kind = "WhisperFeatureExtractor";
  if (fields.text("feature_extractor_type", kind) != kind)
    fields.fail("feature_extractor_type", "\"" + kind + "\"");
  if (fields.has("padding_side") && fields.text("padding_side") != "right")
    fields.fail("padding_side", "\"right\" (nothing else is supported)");
  if (fields.has("do_normalize") && fields.boolean("do_normalize"))
    fields.fail("do_normalize", "false (nothing else is supported)");
  fields.rejectUnasked();
  return fields.takeError();
}
