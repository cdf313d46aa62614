// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Support/ChildProcess.h"

#include "compiler/Support/Files.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

// The child's process group, which has its number; 0 for none.
static std::atomic<pid_t> running = 0;
static_assert(std::atomic<pid_t>::is_always_lock_free);

static bool inChild = false;
bool heddle::isChild() { return inChild; }

static Error failOn(const Twine &what) {
  std::error_code code(errno, std::generic_category());
  return heddle::systemError(code, what + ": " + code.message());
}

namespace {
/// Two ends of a pipe; each is closed at most once.
struct Pipe {
  int ends[2] = {-1, -1};

  ~Pipe() {
    close(0);
    close(1);
  }
  Error open() {
    return pipe2(ends, O_CLOEXEC) ? failOn("cannot make a pipe")
                                  : Error::success();
  }
  void close(int end) {
    if (ends[end] >= 0)
      ::close(ends[end]);
    ends[end] = -1;
  }
};
} // namespace

static ssize_t readSome(int file, char *buffer, size_t size) {
  ssize_t count;
  do
    count = read(file, buffer, size);
  while (count < 0 && errno == EINTR);
  return count;
}

// Runs `work` in a new process, which never returns from it. The child waits
// until its number is known here, so that no signal misses it, and ends with
// this process.
static Expected<pid_t> startChild(function_ref<void()> work) {
  Pipe start;
  if (Error error = start.open())
    return error;
  // What a child of ours leaves behind becomes a child of ours.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_t parent = getpid(), child = fork();
  if (child < 0)
    return failOn("cannot start a process");
  if (child == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    start.close(1);
    char byte;
    if (readSome(start.ends[0], &byte, 1) != 1 || getppid() != parent)
      _exit(1);
    start.close(0);
    work();
    _exit(127);
  }
  setpgid(child, child); // whoever is first
  running = child;
  (void)!write(start.ends[1], "", 1);
  return child;
}

static Expected<int> waitFor(pid_t child) {
  int status = 0;
  pid_t ended;
  do
    ended = waitpid(child, &status, 0);
  while (ended < 0 && errno == EINTR);
  running = 0;
  if (ended < 0)
    return failOn("cannot wait for a process");
  return status;
}

Error heddle::runProgram(StringRef program, ArrayRef<std::string> arguments,
                         const std::string &temporary,
                         const std::string &output) {
  std::string path = program.str(), folder = "TMPDIR=" + temporary;
  SmallVector<char *> line;
  for (const std::string &argument : arguments)
    line.push_back(const_cast<char *>(argument.c_str()));
  line.push_back(nullptr);
  SmallVector<char *> environment;
  for (char **variable = environ; *variable; ++variable)
    if (!StringRef(*variable).starts_with("TMPDIR="))
      environment.push_back(*variable);
  environment.push_back(folder.data());
  environment.push_back(nullptr);
  auto child = startChild([&] {
    int file = output.empty() ? 1 : open(output.c_str(), O_WRONLY | O_TRUNC);
    if (file >= 0 && dup2(file, 1) == 1)
      execve(path.c_str(), line.data(), environment.data());
  });
  if (!child)
    return child.takeError();
  auto ended = waitFor(*child);
  if (!ended)
    return ended.takeError();
  int status = *ended;
  if (WIFSIGNALED(status))
    return createStringError("%s was ended by signal %d (%s)",
                             arguments.front().c_str(), WTERMSIG(status),
                             strsignal(WTERMSIG(status)));
  if (WEXITSTATUS(status) == 0)
    return Error::success();
  return createStringError("%s failed with status %d",
                           arguments.front().c_str(), WEXITSTATUS(status));
}

// In the child: its result, or its error, after a letter that says which.
static void send(int file, char kind, StringRef text) {
  std::string message = kind + text.str();
  for (StringRef rest = message; !rest.empty();) {
    ssize_t count = write(file, rest.data(), rest.size());
    if (count < 0 && errno != EINTR)
      return;
    rest = rest.drop_front(std::max<ssize_t>(count, 0));
  }
}

Expected<std::string>
heddle::runInChild(function_ref<Expected<std::string>()> work,
                   function_ref<std::string(int)> describeEnd) {
  Pipe answer;
  if (Error error = answer.open())
    return error;
  auto child = startChild([&] {
    // A crash is the parent's to report, and files are its to remove.
    for (int signal :
         {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGABRT, SIGTERM,
          SIGINT, SIGHUP, SIGQUIT, SIGXCPU, SIGPIPE})
      std::signal(signal, SIG_DFL);
    inChild = true;
    auto result = work();
    if (result)
      send(answer.ends[1], 'R', *result);
    else
      send(answer.ends[1], 'E', toString(result.takeError()));
    _exit(0);
  });
  if (!child)
    return child.takeError();
  answer.close(1);
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = readSome(answer.ends[0], buffer, sizeof(buffer))) > 0;)
    text.append(buffer, n);
  auto ended = waitFor(*child);
  if (!ended)
    return ended.takeError();
  int status = *ended;
  if (WIFSIGNALED(status))
    return createStringError(describeEnd(WTERMSIG(status)));
  if (text.empty() || text.front() != 'R')
    return createStringError(text.substr(std::min<size_t>(text.size(), 1)));
  return text.substr(1);
}

void heddle::endChild() {
  pid_t group = running;
  if (!group)
    return;
  // A compiler driver removes its own files when it is asked to end, and has a
  // second for it.
  constexpr int kTries = 200;
  kill(-group, SIGTERM);
  for (int i = 0; i < kTries; ++i) {
    pid_t ended = waitpid(-group, nullptr, WNOHANG);
    if (ended < 0 && errno != EINTR)
      return;
    const timespec pause = {0, 5'000'000};
    if (ended == 0)
      nanosleep(&pause, nullptr);
  }
  kill(-group, SIGKILL);
  while (waitpid(-group, nullptr, 0) > 0 || errno == EINTR)
    ;
}
