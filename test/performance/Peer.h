// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Other engines, each a program of its own:
//
//   COMMAND THREADS CASE FOLDER/MODEL|- NUMBER...
//
// prints the seconds that CASE takes, at its best, or nothing if it cannot.

#ifndef HEDDLE_TEST_PERFORMANCE_PEER_H
#define HEDDLE_TEST_PERFORMANCE_PEER_H

#include <cstdint>
#include <string>
#include <vector>

struct PeerCase {
  std::string name;
  std::vector<int64_t> numbers;
  std::string model; ///< empty for a kernel
};

struct Peer {
  std::string name, command, folder;

  /// The seconds that it printed, or 0.
  double run(int threads, const PeerCase &peerCase) const;
};

#endif // HEDDLE_TEST_PERFORMANCE_PEER_H
