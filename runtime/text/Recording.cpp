// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// WAV files are RIFF's chunks, each a name of four letters, its number of bytes
// and these bytes, one more where they are odd (Multimedia Programming
// Interface and Data Specifications 1.0, Microsoft 1991). A library that reads
// them reads a dozen formats besides, which every program would have to be
// linked with.

#include "runtime/text/Recording.h"

#include "runtime/text/Failure.h"

#include <optional>

using namespace heddle::text;

namespace {

/// Little-endian numbers, one after the other.
class Reader {
public:
  explicit Reader(std::string_view bytes) : bytes(bytes) {}

  size_t left() const { return bytes.size(); }
  bool has(size_t count) const { return left() >= count; }
  std::string_view take(size_t count) {
    std::string_view taken = bytes.substr(0, count);
    bytes.remove_prefix(taken.size());
    return taken;
  }
  uint32_t number(size_t count) {
    uint32_t value = 0;
    std::string_view taken = take(count);
    for (size_t i = 0; i < taken.size(); ++i)
      value |= uint32_t(uint8_t(taken[i])) << (8 * i);
    return value;
  }

private:
  std::string_view bytes;
};

/// The contents of the chunk "fmt ".
struct Format {
  uint32_t kind, channels, rate, bits;
};

} // namespace

static constexpr uint32_t kIntegers = 1, kExtensible = 0xfffe;

static Format readFormat(std::string_view chunk, const std::string &file) {
  if (chunk.size() < 16)
    throw Failure(file +
                  ": expected a chunk 'fmt ' of at least 16 bytes, "
                  "found " +
                  std::to_string(chunk.size()));
  Reader reader(chunk);
  Format format = {};
  format.kind = reader.number(2);
  format.channels = reader.number(2);
  format.rate = reader.number(4);
  reader.number(4); // bytes of a second
  reader.number(2); // and of a sample of all channels
  format.bits = reader.number(2);
  // The kind of the extensible one begins a longer name.
  if (format.kind == kExtensible && chunk.size() >= 26) {
    reader.take(8);
    format.kind = reader.number(2);
  }
  return format;
}

static void checkFormat(const Format &format, const std::string &file,
                        uint32_t rate) {
  if (format.kind != kIntegers || format.bits != 16)
    throw Failure(file + ": expected samples of 16-bit integers (PCM), found " +
                  (format.kind == kIntegers
                       ? std::to_string(format.bits) + "-bit integers"
                       : "format " + std::to_string(format.kind)));
  if (format.rate != rate)
    throw Failure(file + ": expected " + std::to_string(rate) +
                  " samples a second, found " + std::to_string(format.rate));
  if (format.channels == 0)
    throw Failure(file + ": expected at least 1 channel, found 0");
}

static std::vector<float> readSamples(std::string_view chunk,
                                      uint32_t channels) {
  std::vector<float> samples;
  samples.reserve(chunk.size() / (2 * channels));
  for (Reader reader(chunk); reader.has(size_t(2) * channels);) {
    int64_t sum = 0;
    for (uint32_t channel = 0; channel < channels; ++channel)
      sum += int16_t(uint16_t(reader.number(2)));
    samples.push_back(float(double(sum) / (32768.0 * channels)));
  }
  return samples;
}

std::vector<float> heddle::text::readRecording(std::string_view bytes,
                                               const std::string &file,
                                               uint32_t rate) {
  Reader reader(bytes);
  std::string_view riff = reader.take(4);
  reader.take(4); // bytes of the file, which streams do not know
  if (riff != "RIFF" || reader.take(4) != "WAVE")
    throw Failure(file + ": expected a WAV file, found something else");
  std::optional<Format> format;
  while (reader.has(8)) {
    std::string_view name = reader.take(4);
    uint32_t size = reader.number(4);
    if (name == "data" && format) {
      // Streams do not know their size.
      bool isOpen = size == UINT32_MAX;
      if (!isOpen && !reader.has(size))
        throw Failure(file + ": expected " + std::to_string(size) +
                      " bytes of samples, found " +
                      std::to_string(reader.left()));
      return readSamples(reader.take(isOpen ? bytes.size() : size),
                         format->channels);
    }
    std::string_view chunk = reader.take(size);
    reader.take(size % 2);
    if (name == "fmt ") {
      format = readFormat(chunk, file);
      checkFormat(*format, file, rate);
    }
  }
  throw Failure(file + ": expected chunks 'fmt ' and 'data', found no " +
                (format ? "'data'" : "'fmt ' before 'data'"));
}
