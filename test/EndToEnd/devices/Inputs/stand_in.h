/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* What stand-ins for drivers have in common. They say on standard error what
 * they are asked for, and at the end what they have given out and not got back.
 *
 * $FAIL names a request that fails, $FAIL_AT its number among all. With $LOST
 * all requests fail from there on.
 */
#ifndef HEDDLE_TEST_STAND_IN_H
#define HEDDLE_TEST_STAND_IN_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int number_in(const char *name, int without) {
  const char *text = getenv(name);
  return text ? atoi(text) : without;
}

/* What the program has: memory, streams, programs, contexts and graphs. */
static int allocations, streams, modules, retained, graphs, executables;
static int requests;
static bool is_lost;

__attribute__((destructor)) static void say_what_is_left(void) {
  fprintf(stderr,
          "left: %d allocations, %d streams, %d modules, %d contexts, %d "
          "graphs\n",
          allocations, streams, modules, retained, graphs + executables);
}

/* Whether the request succeeds. */
static bool succeeds(const char *name, const char *format, ...) {
  const char *failing = getenv("FAIL");
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "%s", name);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  bool fails = (failing && strcmp(failing, name) == 0) ||
               ++requests == number_in("FAIL_AT", 0);
  is_lost |= fails && getenv("LOST");
  return !fails && !is_lost;
}

#endif /* HEDDLE_TEST_STAND_IN_H */
