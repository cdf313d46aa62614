/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Fills caches of several capacities with values that are their positions, in
 * memory that was NaN, and prints the mean that a query of 0 sees: of all keys,
 * as the last query of a causal mask and without a mask. */
#include "capacity.h"

#include <stdio.h>
#include <string.h>

enum { CHANNELS = 16, MOST = 64 };

static _Alignas(
    HEDDLE_ALIGNMENT) char cache[2 * MOST * CHANNELS * sizeof(float)];
static _Alignas(HEDDLE_ALIGNMENT) char workspace[1 << 16];
static float keys[MOST * CHANNELS], values[MOST * CHANNELS], query[CHANNELS];

int main(void) {
  heddle_error error = {0};
  heddle_weights *weights = NULL;
  heddle_context context = {0};
  context.error = &error;
  int failed = heddle_weights_open(&capacity_model, "capacity.weights", 0, NULL,
                                   &weights, &error);
  for (int i = 0; i < MOST * CHANNELS; ++i)
    values[i] = (float)(i / CHANNELS);
  const int32_t counts[] = {1, 31, 32, 40, 64};
  for (int i = 0; i < 5 && !failed; ++i) {
    int32_t start = 0, count = counts[i];
    float last[CHANNELS], all[CHANNELS];
    memset(cache, 0xff, sizeof(cache));
    failed = capacity_fill(&context, weights, keys, values, &start, &count,
                           cache, 1, count, workspace, sizeof(workspace)) ||
             capacity_to_last(&context, weights, query, cache, last, 1, 1,
                              count, workspace, sizeof(workspace)) ||
             capacity_to_all(&context, weights, query, cache, all, 1, 1, count,
                             workspace, sizeof(workspace));
    printf("%d keys: to the last %g, to all %g\n", count, last[0], all[0]);
  }
  if (failed)
    fprintf(stderr, "%s\n", error.message);
  heddle_weights_close(weights);
  return failed;
}
