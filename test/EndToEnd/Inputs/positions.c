/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Calls positions.mlir at the last positions of its table of angles and past
 * them, with the table in front of a page that nothing may access. */
#define _GNU_SOURCE
#include "positions.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { LENGTH = 8, CHANNELS = 16, CAPACITY = 256, PAGE = 4096 };

static heddle_error error;
static heddle_context context = {.error = &error};
static heddle_weights *weights;
static float x[LENGTH * CHANNELS], result[LENGTH * CHANNELS], last[CHANNELS];
static _Alignas(64) unsigned char cache[CAPACITY * CHANNELS * 8];
static _Alignas(64) unsigned char workspace[1 << 16];

static void report(const char *what, int status) {
  printf("%s: %s: %s\n", what, heddle_status_name(status), error.message);
}

static void call_alone(int32_t at) {
  char what[64];
  int status = positions_alone(&context, weights, x, &at, result, 1, LENGTH,
                               workspace, sizeof(workspace));
  snprintf(what, sizeof(what), "alone at %d", at);
  report(what, status);
}

static void call_cached(int32_t start, int32_t count, int32_t length,
                        int64_t capacity) {
  char what[64];
  int status = positions_cached(&context, weights, x, &start, &count, &length,
                                cache, result, last, 1, LENGTH, capacity,
                                workspace, sizeof(workspace));
  snprintf(what, sizeof(what), "%d ids, last %d, from %d of %d", length, count,
           start, (int)capacity);
  report(what, status);
}

/* The weights file, whose last byte is that before an inaccessible page. */
static void bind_weights(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END))
    exit(1);
  size_t size = (size_t)ftell(file), pages = size / PAGE + 1;
  char *memory = mmap(NULL, (pages + 1) * PAGE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(memory + pages * PAGE, PAGE, PROT_NONE);
  memory += pages * PAGE - size;
  rewind(file);
  if (fread(memory, 1, size, file) != size)
    exit(1);
  fclose(file);
  report("weights", heddle_weights_bind(&positions_model, memory, size, 0, NULL,
                                        &weights, &error));
}

int main(int argc, char **argv) {
  setbuf(stdout, NULL);
  bind_weights(argv[argc - 1]);
  call_alone(0);
  call_alone(256 - LENGTH);
  call_alone(256 - LENGTH + 1);
  call_alone(-1);
  call_alone(1 << 30);
  /* What follows the last of 256 positions is padding. */
  call_cached(256 - LENGTH, LENGTH, LENGTH, 256);
  call_cached(255, 1, 1, 256);
  call_cached(256, 1, 1, 256);
  /* What is appended counts, and no other length. */
  call_cached(28, LENGTH, 4, 32);
  call_cached(28, 1, LENGTH, 32);
  /* No table has the positions of such a cache. */
  call_cached(0, 1, 1, 257);
  heddle_weights_close(weights);
  return 0;
}
