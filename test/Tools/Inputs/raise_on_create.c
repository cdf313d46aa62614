// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preloaded, it ends a program by a signal at the instant at which it has made
// a new file whose name holds $RAISE_ON.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static int opened(const char *function, const char *path, int flags, int mode) {
  int (*original)(const char *, int, ...) = dlsym(RTLD_NEXT, function);
  int descriptor = original(path, flags, mode);
  const char *part = getenv("RAISE_ON");
  if (descriptor >= 0 && (flags & O_EXCL) && part && strstr(path, part))
    raise(SIGTERM);
  return descriptor;
}

#define WRAPPER(name)                                                          \
  int name(const char *path, int flags, ...) {                                 \
    va_list list;                                                              \
    va_start(list, flags);                                                     \
    int mode = flags & O_CREAT ? va_arg(list, int) : 0;                        \
    va_end(list);                                                              \
    return opened(#name, path, flags, mode);                                   \
  }

WRAPPER(open)
WRAPPER(open64)
