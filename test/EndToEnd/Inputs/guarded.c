/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Calls the entry points of guarded.mlir on buffers between inaccessible
 * pages. */
#define _GNU_SOURCE
#include "guarded.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { CHANNELS = 33, PAGE = 4096 };

/* `bytes` zeros that begin at a page's start or end at its end, between pages
   that nothing may access. */
static void *guarded(size_t bytes, int at_end) {
  size_t pages = (bytes + PAGE - 1) / PAGE;
  char *memory = mmap(NULL, (pages + 2) * PAGE, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(memory + PAGE, pages * PAGE, PROT_READ | PROT_WRITE);
  return memory + PAGE + (at_end ? pages * PAGE - bytes : 0);
}

static int fail(const heddle_error *error) {
  fprintf(stderr, "%s\n", error->message);
  return 1;
}

int main(void) {
  heddle_error error = {0};
  heddle_weights *weights = NULL;
  if (heddle_weights_open(&guarded_model, "guarded.weights", 0, NULL, &weights,
                          &error))
    return fail(&error);
  heddle_context context = {0};
  context.error = &error;
  /* Of 32 rows, buffers end and begin as aligned as the runtime wants. */
  const int64_t rows = 32;
  const size_t bytes = rows * CHANNELS * sizeof(float);
  for (int at_end = 0; at_end < 2; ++at_end) {
    float *x = guarded(bytes, at_end), *y = guarded(bytes, at_end);
    float *result = guarded(bytes, at_end);
    float *pair_weights = guarded(rows * rows * sizeof(float), at_end);
    size_t many = 0, few = 0, pairs = 0;
    if (guarded_many_workspace_size(rows, &many, &error) ||
        guarded_few_workspace_size(rows, &few, &error) ||
        guarded_pairs_workspace_size(rows, &pairs, &error))
      return fail(&error);
    if (guarded_many(&context, weights, x, y, result, rows,
                     guarded(many, at_end), many) ||
        guarded_few(&context, weights, x, y, result, rows, guarded(few, at_end),
                    few) ||
        guarded_pairs(&context, weights, x, y, pair_weights, rows,
                      guarded(pairs, at_end), pairs))
      return fail(&error);
  }
  heddle_weights_close(weights);
  return 0;
}
