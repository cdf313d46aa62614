// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/StopStrings.h"

#include <algorithm>

using namespace heddle::text;

std::string StopStrings::push(std::string_view text) {
  held += text;
  // Of several the one that begins first counts.
  size_t first = std::string::npos;
  for (const std::string &stop : stops)
    first = std::min(first, held.find(stop));
  if (first != std::string::npos) {
    stopped = true;
    held.resize(first);
    return finish();
  }
  // The longest end of the text that begins one.
  size_t kept = 0;
  for (const std::string &stop : stops)
    for (size_t length = std::min(stop.size() - 1, held.size()); length > kept;
         --length)
      if (held.compare(held.size() - length, length, stop, 0, length) == 0)
        kept = length;
  std::string ready = held.substr(0, held.size() - kept);
  held.erase(0, ready.size());
  return ready;
}
