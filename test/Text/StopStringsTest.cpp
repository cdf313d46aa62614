// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/StopStrings.h"

#include <gtest/gtest.h>
#include <random>

namespace heddle::text {
namespace {

TEST(StopStrings, HoldsBackWhatMayBecomeOne) {
  StopStrings stops({"</s>", "\n\n"});
  EXPECT_EQ(stops.push("a<"), "a");
  EXPECT_EQ(stops.push("/s"), "");
  EXPECT_EQ(stops.push(" b\n"), "</s b");
  EXPECT_FALSE(stops.isStopped());
  EXPECT_EQ(stops.push("\nrest"), "");
  EXPECT_TRUE(stops.isStopped());
  EXPECT_EQ(stops.finish(), "");
}

TEST(StopStrings, GivesTheRestAtTheEnd) {
  StopStrings stops({"abc"});
  EXPECT_EQ(stops.push("xab"), "x");
  EXPECT_EQ(stops.finish(), "ab");
}

// However a text is cut into pieces, what is shown is what stands in front of
// the first stop string.
TEST(StopStrings, DependsOnNoCut) {
  std::mt19937 random(7);
  auto draw = [&](size_t longest) {
    std::string text(random() % longest + 1, 'a');
    for (char &c : text)
      c = "ab"[random() % 2];
    return text;
  };
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> stops = {draw(4) + "c", draw(5) + "b"};
    std::string text = draw(30), shown;
    size_t end = std::min(text.find(stops[0]), text.find(stops[1]));
    StopStrings tested(stops);
    for (size_t at = 0; at < text.size() && !tested.isStopped();) {
      size_t length = random() % 4 + 1;
      shown += tested.push(text.substr(at, length));
      at += length;
    }
    EXPECT_EQ(tested.isStopped(), end != std::string::npos);
    shown += tested.finish();
    EXPECT_EQ(shown, text.substr(0, end));
  }
}

} // namespace
} // namespace heddle::text
