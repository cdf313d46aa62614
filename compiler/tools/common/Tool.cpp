// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/common/Tool.h"

#include "compiler/Support/ChildProcess.h"
#include "compiler/Support/Memory.h"
#include "compiler/Support/PrintableStream.h"
#include "compiler/tools/common/Outputs.h"
#include "compiler/tools/common/ScratchFolder.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/WithColor.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <initializer_list>
#include <new>
#include <sys/uio.h>
#include <unistd.h>

using namespace llvm;

static const char *toolName = "heddle";

//===-- In signal handlers ------------------------------------------------===//

// In one piece, as other threads may write, too.
static void sayLine(std::initializer_list<const char *> texts) {
  iovec parts[8];
  int count = 0;
  for (const char *text : texts)
    parts[count++] = {const_cast<char *>(text), strlen(text)};
  parts[count++] = {const_cast<char *>("\n"), 1};
  (void)!writev(STDERR_FILENO, parts, count);
}

// After children, which could make them again.
static void removeFiles() {
  heddle::endChild();
  heddle::removeScratchFolder();
  sys::RunInterruptHandlers();
  heddle::removeNewFolder();
}

static std::atomic<pid_t> endingThread = 0;
static_assert(std::atomic<pid_t>::is_always_lock_free);

// Of two threads that end the process the second one waits for the first. A
// failure on the way out ends it at once.
static void beginEnd() {
  pid_t self = gettid(), other = 0;
  if (endingThread.compare_exchange_strong(other, self))
    return;
  if (other == self)
    _exit(1);
  while (true)
    pause();
}

// Raises the signal again, which now ends the process.
static void endBy(int signal) {
  removeFiles();
  std::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  raise(signal);
}

static void interrupt(int signal) {
  beginEnd();
  endBy(signal);
}

[[noreturn]] static void endAfter(const char *beginning, const char *message) {
  beginEnd();
  sayLine({toolName, beginning, message});
  if (!heddle::isChild())
    removeFiles();
  _exit(1);
}

// A null pointer of a library, or a stack that cannot grow, is a fault, too.
static void endIfShortOfMemory() {
  if (heddle::isShortOfMemory())
    endAfter(": error: ", heddle::kOutOfMemory);
}

static void reportFault(int signal) {
  endIfShortOfMemory();
  beginEnd();
  const char *name = sigabbrev_np(signal);
  sayLine({toolName,
           ": this is a fault of Heddle " HEDDLE_VERSION ", ended by ",
           name ? "SIG" : "a signal", name ? name : "",
           "; please report it with the command line and the files that it "
           "read"});
  endBy(signal);
}

static void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  // What ends the stack needs another one; LLVM has made it.
  action.sa_flags = SA_ONSTACK | (handler == reportFault ? SA_RESETHAND : 0);
  sigfillset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

static bool isIgnored(int signal) {
  struct sigaction action = {};
  sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

//===-- Without a signal --------------------------------------------------===//

static void failWithoutMemory(void *, const char *, bool) {
  endAfter(": error: ", heddle::kOutOfMemory);
}

// It may have failed to start a thread, or to map a file.
static void failAsLlvm(void *, const char *reason, bool) {
  endIfShortOfMemory();
  endAfter(": error: ", reason);
}

static void failAsHalidesLlvm(const char *reason) {
  endIfShortOfMemory();
  endAfter(": error: Halide: ", reason);
}

// An exception that nobody catches: a thread that does not start, or one that
// there is no memory for.
static std::terminate_handler nextTerminate;
static void failOnException() {
  endIfShortOfMemory();
  nextTerminate();
}

// Halide's LLVM is another one, which this program has no headers of. It fails
// in this way where it cannot write a file.
static void catchHalidesFailures() {
  auto find = [](const char *name) {
    return dlvsym(RTLD_DEFAULT, name, "LLVM_14");
  };
  if (void *install = find("LLVMInstallFatalErrorHandler"))
    reinterpret_cast<void (*)(void (*)(const char *))>(install)(
        failAsHalidesLlvm);
  // install_bad_alloc_error_handler(fatal_error_handler_t, void *)
  if (void *install =
          find("_ZN4llvm31install_bad_alloc_error_handlerEPFvPvPKcbES0_"))
    reinterpret_cast<void (*)(fatal_error_handler_t, void *)>(install)(
        failWithoutMemory, nullptr);
}

// Sanitizers bring an allocator that ends the process itself.
extern "C" __attribute__((weak)) void
mi_register_error(void (*handler)(int code, void *), void *);

// Who asks for much may have a message of its own. Where little is left, C
// libraries may or may not look at the null pointer that they get, and glibc
// has words of its own.
static void noteFailedAllocations() {
  if (mi_register_error)
    mi_register_error(
        [](int code, void *) {
          if (code != ENOMEM)
            return;
          endIfShortOfMemory();
          heddle::noteFailedAllocation();
        },
        nullptr);
}

//===-- The interface -----------------------------------------------------===//

static constexpr int interrupts[] = {SIGINT,  SIGTERM, SIGHUP,
                                     SIGQUIT, SIGXCPU, SIGPIPE};

void heddle::startTool(const char *name) {
  toolName = name;
  constexpr int faults[] = {SIGSEGV, SIGBUS,  SIGILL, SIGFPE,
                            SIGTRAP, SIGABRT, SIGSYS};
  SmallVector<int> kept; // as nohup asks for
  for (int signal : interrupts)
    if (isIgnored(signal))
      kept.push_back(signal);
  // LLVM sets its handlers when it is first asked for one.
  sys::AddSignalHandler([](void *) {}, nullptr);
  for (int signal : interrupts)
    handle(signal, is_contained(kept, signal) ? SIG_IGN : interrupt);
  for (int signal : faults)
    handle(signal, reportFault);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGCHLD, SIG_DFL); // else nobody learns how children ended
  install_fatal_error_handler(failAsLlvm);
  catchHalidesFailures();
  noteFailedAllocations();
  install_bad_alloc_error_handler(failWithoutMemory);
  std::set_new_handler([] { failWithoutMemory(nullptr, nullptr, false); });
  nextTerminate = std::set_terminate(failOnException);
  cl::SetVersionPrinter([](raw_ostream &stream) {
    stream << "Heddle version " HEDDLE_VERSION "\n"
              "  with LLVM version " LLVM_VERSION_STRING "\n";
  });
}

void heddle::ignoreInterrupts() {
  for (int signal : interrupts)
    std::signal(signal, SIG_IGN);
}

int heddle::finishTool(Error error) {
  error = joinErrors(std::move(error), flushStandardOutput());
  if (!error)
    return 0;
  std::string message = toString(std::move(error));
  // Libraries have words of their own for it, and others add to it.
  if (StringRef(message).ends_with(kOutOfMemory) ||
      (hasFailedAllocation() && !StringRef(message).contains(kOutOfMemory)))
    message = kOutOfMemory;
  if (!message.empty()) {
    PrintableStream stream(errs());
    WithColor::error(stream, toolName) << message << "\n";
  }
  return 1;
}
