// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/common/Tool.h"

#include "compiler/Support/ChildProcess.h"
#include "compiler/Support/PrintableStream.h"
#include "compiler/tools/common/Outputs.h"
#include "compiler/tools/common/ScratchFolder.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/WithColor.h"

#include <atomic>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <new>
#include <unistd.h>

using namespace llvm;

static const char *toolName = "heddle";

//===-- In signal handlers ------------------------------------------------===//

static void say(const char *text) { (void)!write(2, text, strlen(text)); }

// After children, which could make them again.
static void removeFiles() {
  heddle::endChild();
  heddle::removeScratchFolder();
  sys::RunInterruptHandlers();
}

static std::atomic_flag isEnding = ATOMIC_FLAG_INIT;

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

// Of two interrupts the second one, in whatever thread, waits for the first.
static void interrupt(int signal) {
  while (isEnding.test_and_set())
    pause();
  endBy(signal);
}

static void reportFault(int signal) {
  say(toolName);
  say(": this is a fault of Heddle " HEDDLE_VERSION ", ended by ");
  say(sigabbrev_np(signal) ? "SIG" : "a signal");
  say(sigabbrev_np(signal) ? sigabbrev_np(signal) : "");
  say("; please report it with the command line and the files that it read\n");
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

[[noreturn]] static void endAfter(const char *message) {
  say(message);
  say("\n");
  if (!heddle::isChild())
    removeFiles();
  _exit(1);
}

[[noreturn]] static void endWith(const char *message) {
  say(toolName);
  say(": error: ");
  endAfter(message);
}

static void failWithoutMemory(void *, const char *, bool) {
  endWith("out of memory");
}

static void failAsLlvm(void *, const char *reason, bool) { endWith(reason); }

// Halide's LLVM is another one, which this program has no headers of. It fails
// in this way where it cannot write a file.
static void catchHalidesFailures() {
  using Handler = void (*)(const char *reason);
  auto install = reinterpret_cast<void (*)(Handler)>(
      dlvsym(RTLD_DEFAULT, "LLVMInstallFatalErrorHandler", "LLVM_14"));
  if (install)
    install([](const char *reason) {
      say(toolName);
      say(": error: Halide: ");
      endAfter(reason);
    });
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
  install_bad_alloc_error_handler(failWithoutMemory);
  std::set_new_handler([] { failWithoutMemory(nullptr, nullptr, false); });
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
  if (!message.empty()) {
    PrintableStream stream(errs());
    WithColor::error(stream, toolName) << message << "\n";
  }
  return 1;
}
