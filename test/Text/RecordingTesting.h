// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// WAV files.

#ifndef HEDDLE_TEST_TEXT_RECORDINGTESTING_H
#define HEDDLE_TEST_TEXT_RECORDINGTESTING_H

#include <cstdint>
#include <string>
#include <vector>

namespace recording_testing {

inline std::string number(uint32_t value, size_t bytes) {
  std::string text;
  for (size_t i = 0; i < bytes; ++i)
    text += char(value >> (8 * i));
  return text;
}

inline std::string chunk(const std::string &name, const std::string &content) {
  return name + number(uint32_t(content.size()), 4) + content +
         (content.size() % 2 ? std::string(1, '\0') : "");
}

inline std::string format(uint32_t channels, uint32_t rate, uint32_t bits = 16,
                          uint32_t kind = 1) {
  return number(kind, 2) + number(channels, 2) + number(rate, 4) +
         number(rate * channels * bits / 8, 4) +
         number(channels * bits / 8, 2) + number(bits, 2);
}

inline std::string riff(const std::string &chunks) {
  return "RIFF" + number(uint32_t(chunks.size() + 4), 4) + "WAVE" + chunks;
}

inline std::string bytesOf(const std::vector<int16_t> &samples) {
  std::string bytes;
  for (int16_t sample : samples)
    bytes += number(uint16_t(sample), 2);
  return bytes;
}

inline std::string makeWav(const std::vector<int16_t> &samples,
                           uint32_t channels = 1, uint32_t rate = 16000) {
  return riff(chunk("fmt ", format(channels, rate)) +
              chunk("data", bytesOf(samples)));
}

} // namespace recording_testing

#endif // HEDDLE_TEST_TEXT_RECORDINGTESTING_H
