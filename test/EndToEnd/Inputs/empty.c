/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Calls with sizes of 0, where what has no elements may be null. */
#include "empty.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static heddle_error error;
static heddle_context context = {.error = &error};

static void *aligned(size_t size) {
  return aligned_alloc(HEDDLE_ALIGNMENT,
                       (size / HEDDLE_ALIGNMENT + 1) * HEDDLE_ALIGNMENT);
}

static void report(const char *what, heddle_status status) {
  printf("%s: %s%s%s\n", what, heddle_status_name(status), status ? ": " : "",
         status ? error.message : "");
}

/* Of 1 to 16 * length, after `past` positions of -1. */
static void grow(const heddle_weights *weights, const char *what, int64_t batch,
                 int64_t past, int64_t length, const float *old) {
  float new[64], all[96], seen[64], table[15] = {0};
  for (int i = 0; i < 64; ++i) {
    new[i] = (float)(i + 1);
    all[i] = seen[i] = -2;
  }
  size_t size = 0;
  if (empty_grow_workspace_size(batch, past, length, 0, &size, &error)) {
    puts(error.message);
    return;
  }
  void *workspace = aligned(size);
  bool any = batch > 0;
  heddle_status status =
      empty_grow(&context, weights, old, any && length ? new : NULL, NULL,
                 table, any ? all : NULL, any && length ? seen : NULL, NULL,
                 batch, past, length, 0, workspace, size);
  report(what, status);
  if (!status && any)
    printf("  all %g %g, seen %g\n", all[0], all[past * 8], seen[0]);
  free(workspace);
}

static void store(const heddle_weights *weights, int64_t batch,
                  int64_t capacity) {
  size_t cache_size = 1, size = 0;
  if (empty_cache_size(batch, capacity, &cache_size, &error) ||
      empty_store_workspace_size(batch, 1, capacity, &size, &error)) {
    puts(error.message);
    return;
  }
  printf("a cache of %zu bytes\n", cache_size);
  void *workspace = aligned(size);
  report("store", empty_store(&context, weights, NULL, NULL, NULL, NULL, batch,
                              1, capacity, workspace, size));
  report("reorder", heddle_reorder_cache(
                        heddle_find_entry(&empty_model, "store"), 3,
                        (int64_t[]){batch, 1, capacity}, NULL, NULL, &error));
  free(workspace);
}

int main(void) {
  heddle_weights *weights = NULL;
  if (heddle_weights_open(&empty_model, "empty.weights", 0, NULL, &weights,
                          &error)) {
    puts(error.message);
    return 1;
  }
  float old[16];
  for (int i = 0; i < 16; ++i)
    old[i] = -1;
  grow(weights, "some", 1, 1, 2, old);
  grow(weights, "no past", 1, 0, 2, NULL);
  grow(weights, "nothing new", 1, 1, 0, old);
  grow(weights, "nothing", 1, 0, 0, NULL);
  grow(weights, "no sequences", 0, 1, 2, NULL);
  grow(weights, "a past that is missing", 1, 1, 2, NULL);
  store(weights, 0, 64);
  heddle_weights_close(weights);
  return 0;
}
