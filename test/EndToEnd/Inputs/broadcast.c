/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Calls of broadcast.mlir with sizes that cannot be broadcast together: they
 * fail before anything is written. */
#include "broadcast.h"

#include <stdio.h>

static heddle_error error;
static const heddle_context context = {.error = &error};
static _Alignas(HEDDLE_ALIGNMENT) char workspace[1 << 16];

static void add(const heddle_weights *weights, int64_t a, int64_t b) {
  const float x[3] = {1, 2, 3}, y[3] = {10, 20, 30};
  float z[3] = {-1, -1, -1};
  heddle_status status = broadcast_add(&context, weights, x, y, z, 1, a, b,
                                       workspace, sizeof(workspace));
  printf("%d and %d: %s: %s: %g %g %g\n", (int)a, (int)b,
         heddle_status_name(status), error.message, z[0], z[1], z[2]);
}

int main(void) {
  heddle_weights *weights = NULL;
  if (heddle_weights_open(&broadcast_model, "broadcast.weights", 0, NULL,
                          &weights, &error))
    return puts(error.message);
  add(weights, 3, 3);
  add(weights, 3, 1);
  add(weights, 1, 3);
  add(weights, 2, 3);
  add(weights, 3, 2);
  add(weights, 0, 2);
  size_t bytes = 7;
  heddle_status status = broadcast_add_workspace_size(1, 2, 3, &bytes, &error);
  printf("workspace: %s: %zu\n", heddle_status_name(status), bytes);
  heddle_weights_close(weights);
  return 0;
}
