/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Looks up a key in a dictionary of three. */
#include "dictionary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  /* Softmax makes 0.6 and 0.4 of their logarithms; the third key is not valid,
   * whatever it fits. */
  const float query[1] = {1}, values[3] = {10, 5, 2};
  const float keys[3] = {logf(0.6f), logf(0.4f), 9};
  const uint8_t valid[3] = {1, 1, 0};
  heddle_error error;
  heddle_context context = {.error = &error};
  heddle_weights *weights = NULL;
  float attention[3], answer[1];
  size_t size = 0;
  heddle_status status = heddle_weights_open(
      &dictionary_model, argc > 1 ? argv[1] : "dictionary.weights", 0, NULL,
      &weights, &error);
  if (!status)
    status = dictionary_look_up_workspace_size(&size, &error);
  void *workspace = aligned_alloc(HEDDLE_ALIGNMENT, size);
  if (!status)
    status = dictionary_look_up(&context, weights, query, keys, valid, values,
                                attention, answer, workspace, size);
  if (!status) {
    for (int key = 0; key < 3; ++key)
      printf("%.1f of %g\n", (double)attention[key], (double)values[key]);
    printf("makes %g\n", (double)answer[0]);
  } else {
    fprintf(stderr, "%s\n", error.message);
  }
  free(workspace);
  heddle_weights_close(weights);
  return status != HEDDLE_OK;
}
