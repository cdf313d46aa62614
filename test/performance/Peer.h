// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Other engines, each a program of its own:
//
//   COMMAND THREADS CASE FOLDER/MODEL|- NUMBER...
//
// For each line that it reads it measures CASE for some 0.2 s and prints a line
// with the seconds that it takes, at its best. It ends at the end of its input,
// or at once if it cannot.

#ifndef HEDDLE_TEST_PERFORMANCE_PEER_H
#define HEDDLE_TEST_PERFORMANCE_PEER_H

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

struct PeerCase {
  std::string name;
  std::vector<int64_t> numbers;
  std::string model; ///< empty for a kernel
};

struct Peer {
  std::string name, command, folder;
};

/// A peer at work on a case.
class PeerProcess {
public:
  PeerProcess(const Peer &peer, int threads, const PeerCase &peerCase);
  ~PeerProcess();
  PeerProcess(const PeerProcess &) = delete;
  PeerProcess &operator=(const PeerProcess &) = delete;

  /// The seconds of a round, or 0.
  double measure();

private:
  using Pipe = std::unique_ptr<std::FILE, int (*)(std::FILE *)>;
  int process;
  Pipe requests, answers;
};

#endif // HEDDLE_TEST_PERFORMANCE_PEER_H
