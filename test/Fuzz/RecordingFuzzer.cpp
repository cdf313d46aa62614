// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A WAV file.

#include "runtime/text/Failure.h"
#include "runtime/text/Recording.h"

#include <cstdlib>

using namespace heddle::text;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char *>(data), size);
  try {
    std::vector<float> samples = readRecording(bytes, "fuzz.wav", 16000);
    if (samples.size() > size / 2)
      abort();
    for (float sample : samples)
      if (!(sample >= -1 && sample < 1))
        abort();
  } catch (const Failure &) {
  }
  return 0;
}
