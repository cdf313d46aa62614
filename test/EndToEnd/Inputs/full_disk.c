/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* To be preloaded: the disk is full for files whose path holds $FULL_FOR. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int is_full(int descriptor) {
  char link[64], path[4096];
  const char *full = getenv("FULL_FOR");
  snprintf(link, sizeof(link), "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof(path) - 1);
  path[length < 0 ? 0 : length] = '\0';
  errno = ENOSPC;
  return full && strstr(path, full);
}

ssize_t write(int descriptor, const void *data, size_t size) {
  return is_full(descriptor) ? -1 : syscall(SYS_write, descriptor, data, size);
}

/* As C++'s file streams do. */
ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  return is_full(descriptor) ? -1
                             : syscall(SYS_writev, descriptor, parts, count);
}
