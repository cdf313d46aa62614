/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* One token after some in a cache of 64 positions, which attends to a cache of
 * another size, too. */
#include "two_caches.h"

#include <stdio.h>
#include <stdlib.h>

enum { CAPACITY = 64 };

static void step(const heddle_weights *weights, int32_t memory, int32_t start) {
  heddle_error error = {0};
  heddle_context context = {.error = &error};
  static float x[64], y[64];
  int32_t length = 1;
  size_t self_size, cross_size, size;
  if (two_caches_self_cache_cache_size(1, CAPACITY, &self_size, &error) ||
      two_caches_cross_cache_cache_size(1, memory, &cross_size, &error) ||
      two_caches_step_workspace_size(1, 1, CAPACITY, memory, &size, &error)) {
    puts(error.message);
    return;
  }
  void *self = aligned_alloc(HEDDLE_ALIGNMENT, self_size);
  void *cross = aligned_alloc(HEDDLE_ALIGNMENT, cross_size);
  void *workspace = aligned_alloc(
      HEDDLE_ALIGNMENT, size + HEDDLE_ALIGNMENT - size % HEDDLE_ALIGNMENT);
  heddle_status status =
      two_caches_step(&context, weights, x, &start, &length, &memory, self,
                      cross, y, 1, 1, CAPACITY, memory, workspace, size);
  printf("memory %d, start %d: %s%s%s\n", memory, start,
         heddle_status_name(status), status ? ": " : "", error.message);
  free(self);
  free(cross);
  free(workspace);
}

int main(void) {
  heddle_error error = {0};
  heddle_weights *weights = NULL;
  if (heddle_weights_open(&two_caches_model, "two_caches.weights", 0, NULL,
                          &weights, &error)) {
    puts(error.message);
    return 1;
  }
  step(weights, 10, 20);
  step(weights, 100, 63);
  step(weights, 10, 64);
  heddle_weights_close(weights);
  return 0;
}
