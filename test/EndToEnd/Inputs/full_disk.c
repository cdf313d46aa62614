/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* To be preloaded: the disk is full for files whose path holds $FULL_FOR. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t write(int descriptor, const void *data, size_t size) {
  char link[64], path[4096];
  const char *full = getenv("FULL_FOR");
  snprintf(link, sizeof(link), "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof(path) - 1);
  path[length < 0 ? 0 : length] = '\0';
  if (full && strstr(path, full)) {
    errno = ENOSPC;
    return -1;
  }
  return syscall(SYS_write, descriptor, data, size);
}
