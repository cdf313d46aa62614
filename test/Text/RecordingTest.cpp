// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// WAV files: those that are read, and what is wrong with others.

#include "runtime/text/Recording.h"

#include "runtime/text/Failure.h"
#include "test/Text/RecordingTesting.h"

#include <gtest/gtest.h>

using namespace recording_testing;
using heddle::text::Failure;

namespace {

using Samples = std::vector<float>;

Samples read(const std::string &bytes) {
  return heddle::text::readRecording(bytes, "a.wav", 16000);
}

std::string failure(const std::string &bytes) {
  try {
    read(bytes);
  } catch (const Failure &failure) {
    return failure.what();
  }
  return "";
}

TEST(Recording, ReadsSamples) {
  EXPECT_EQ(read(makeWav({0, 16384, -32768, 32767})),
            (Samples{0, 0.5, -1, 32767.0f / 32768}));
  EXPECT_EQ(read(makeWav({})), Samples());
}

TEST(Recording, IsTheMeanOfItsChannels) {
  EXPECT_EQ(read(makeWav({16384, 0, -32768, -32768}, 2)), (Samples{0.25, -1}));
  // Half a sample is none.
  EXPECT_EQ(read(makeWav({16384, 0, 1}, 2)), Samples{0.25});
}

TEST(Recording, SkipsOtherChunks) {
  std::string other = chunk("LIST", "odd");
  EXPECT_EQ(read(riff(other + chunk("fmt ", format(1, 16000)) + other +
                      chunk("data", bytesOf({16384})) + other)),
            Samples{0.5});
  // The longer form of a format, whose kind is in a name.
  std::string extended = format(1, 16000, 16, 0xfffe) + number(22, 2) +
                         number(16, 2) + number(4, 4) + number(1, 2) +
                         std::string(14, 'x');
  EXPECT_EQ(
      read(riff(chunk("fmt ", extended) + chunk("data", bytesOf({16384})))),
      Samples{0.5});
}

TEST(Recording, ReadsWhatStreamsWrite) {
  EXPECT_EQ(read(riff(chunk("fmt ", format(1, 16000)) + "data" +
                      number(UINT32_MAX, 4) + bytesOf({16384, -16384}))),
            (Samples{0.5, -0.5}));
  // What follows no samples is none.
  EXPECT_EQ(read(riff(chunk("fmt ", format(1, 16000)) + chunk("data", "") +
                      chunk("LIST", "other"))),
            Samples());
}

TEST(Recording, negative_formats) {
  EXPECT_EQ(failure(makeWav({1}, 1, 44100)),
            "a.wav: expected 16000 samples a second, found 44100");
  EXPECT_EQ(failure(makeWav({1}, 0)),
            "a.wav: expected at least 1 channel, found 0");
  EXPECT_EQ(failure(riff(chunk("fmt ", format(1, 16000, 24)))),
            "a.wav: expected samples of 16-bit integers (PCM), found 24-bit "
            "integers");
  EXPECT_EQ(failure(riff(chunk("fmt ", format(1, 16000, 32, 3)))),
            "a.wav: expected samples of 16-bit integers (PCM), found format 3");
}

TEST(Recording, negative_damaged) {
  EXPECT_EQ(failure("ID3"), "a.wav: expected a WAV file, found something else");
  EXPECT_EQ(failure(""), "a.wav: expected a WAV file, found something else");
  EXPECT_EQ(failure(riff("")), "a.wav: expected chunks 'fmt ' and 'data', "
                               "found no 'fmt ' before 'data'");
  EXPECT_EQ(failure(riff(chunk("data", "abcd"))),
            "a.wav: expected chunks 'fmt ' and 'data', found no 'fmt ' before "
            "'data'");
  EXPECT_EQ(failure(riff(chunk("fmt ", format(1, 16000)))),
            "a.wav: expected chunks 'fmt ' and 'data', found no 'data'");
  EXPECT_EQ(failure(riff(chunk("fmt ", "short"))),
            "a.wav: expected a chunk 'fmt ' of at least 16 bytes, found 5");
  std::string whole = makeWav({1, 2, 3});
  EXPECT_EQ(failure(whole.substr(0, whole.size() - 2)),
            "a.wav: expected 6 bytes of samples, found 4");
  // Cut anywhere, it is read or refused.
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(failure(whole.substr(0, size)), "") << size;
}

} // namespace
