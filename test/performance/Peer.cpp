// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/performance/Peer.h"
#include "test/performance/Artifact.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

PeerProcess::PeerProcess(const Peer &peer, int threads,
                         const PeerCase &peerCase)
    : requests(nullptr, std::fclose), answers(nullptr, std::fclose) {
  std::string line =
      peer.command + " " + std::to_string(threads) + " " + peerCase.name + " " +
      (peerCase.model.empty() ? "-" : peer.folder + "/" + peerCase.model);
  for (int64_t number : peerCase.numbers)
    line += " " + std::to_string(number);
  // Other peers must not keep the ends of this one's.
  int input[2], output[2];
  if (pipe2(input, O_CLOEXEC) || pipe2(output, O_CLOEXEC))
    fail("no pipe for a peer");
  std::signal(SIGPIPE, SIG_IGN); // of peers that have ended
  process = fork();
  if (process < 0)
    fail("no process for a peer");
  if (process == 0) {
    dup2(input[0], STDIN_FILENO);
    dup2(output[1], STDOUT_FILENO);
    execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    _exit(1);
  }
  close(input[0]);
  close(output[1]);
  requests.reset(fdopen(input[1], "w"));
  answers.reset(fdopen(output[0], "r"));
}

PeerProcess::~PeerProcess() {
  requests.reset();
  answers.reset();
  waitpid(process, nullptr, 0);
}

double PeerProcess::measure() {
  char text[64];
  std::fputs("\n", requests.get());
  std::fflush(requests.get());
  return std::fgets(text, sizeof(text), answers.get())
             ? std::strtod(text, nullptr)
             : 0;
}
