// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program of each tool. Its code is a library, as LLVM and Halide are
// large: where they would be loaded before the program begins, nobody could say
// that there is no memory for them.

#include "compiler/Support/Memory.h"
#include "compiler/tools/common/ToolMain.h"

#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <initializer_list>
#include <new>
#include <unistd.h>

#ifdef HEDDLE_HAS_MIMALLOC
#include <mimalloc.h>
#endif

static void say(const char *text) { (void)!write(2, text, strlen(text)); }

[[noreturn]] static void end(const char *message) {
  say(TOOL_NAME ": error: ");
  say(message);
  say("\n");
  _exit(1);
}

static void endIfShortOfMemory() {
  if (heddle::isShortOfMemory())
    end(heddle::kOutOfMemory);
}

// The loader's message is not of memory where a library cannot be mapped. What
// was mapped is gone again, so there may be room for each library, but not for
// all of them: LLVM, Halide and Halide's LLVM take 400 MB.
[[noreturn]] static void endWithoutTool(const char *why) {
  bool isMissing = strstr(why, "cannot open shared object file");
  if (!isMissing && !heddle::canMap(size_t(1) << 30))
    end(heddle::kOutOfMemory);
  end(why);
}

// While libraries are loaded; the tool has handlers of its own.
static void fail(int signal) {
  endIfShortOfMemory();
  std::signal(signal, SIG_DFL);
  raise(signal);
}

// A third to two thirds of the time that weights took to be packed on a virtual
// machine were faults of small pages, and a quarter of a compilation's.
static void askForLargePages() {
#ifdef HEDDLE_HAS_MIMALLOC
  mi_option_set_enabled_default(mi_option_large_os_pages, true);
#endif
}

int main(int argc, char **argv) {
  askForLargePages();
  for (int signal : {SIGSEGV, SIGBUS, SIGABRT})
    std::signal(signal, fail);
  std::set_new_handler([] { end(heddle::kOutOfMemory); });
  static std::terminate_handler next = std::set_terminate([] {
    endIfShortOfMemory();
    next();
  });
  void *library = dlopen(TOOL_NAME ".so", RTLD_LAZY | RTLD_LOCAL);
  void *tool = library ? dlsym(library, HEDDLE_TOOL_MAIN) : nullptr;
  if (!tool)
    endWithoutTool(dlerror());
  return reinterpret_cast<int (*)(int, char **)>(tool)(argc, argv);
}
