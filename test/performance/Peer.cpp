// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/performance/Peer.h"

#include <cstdio>
#include <cstdlib>

double Peer::run(int threads, const PeerCase &peerCase) const {
  std::string line =
      command + " " + std::to_string(threads) + " " + peerCase.name + " " +
      (peerCase.model.empty() ? "-" : folder + "/" + peerCase.model);
  for (int64_t number : peerCase.numbers)
    line += " " + std::to_string(number);
  // The command is the caller's own. NOLINTNEXTLINE(bugprone-command-processor)
  FILE *output = popen(line.c_str(), "r");
  if (!output)
    return 0;
  char text[64];
  double seconds =
      std::fgets(text, sizeof(text), output) ? std::strtod(text, nullptr) : 0;
  pclose(output);
  return seconds;
}
