/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Sorts six letters, of A, B and C, with the model of model.mlir:
 *
 *   ./sort WEIGHTS CBABBC ...
 */
#include "sort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LETTERS = 6, KINDS = 3, LONGEST = 2 * LETTERS - 1 };

/* Appends the likeliest letter again and again: the sorted ones follow. */
static heddle_status sort(const heddle_context *context,
                          const heddle_weights *weights, const char *letters,
                          char *sorted, void *workspace, size_t size) {
  int32_t ids[LETTERS + LETTERS];
  float probabilities[LONGEST * KINDS];
  for (int i = 0; i < LETTERS; ++i)
    ids[i] = letters[i] - 'A';
  for (int length = LETTERS; length < 2 * LETTERS; ++length) {
    heddle_status status = sort_sort(context, weights, ids, probabilities, 1,
                                     length, workspace, size);
    if (status)
      return status;
    const float *last = &probabilities[(length - 1) * KINDS];
    int32_t best = 0;
    for (int32_t id = 1; id < KINDS; ++id)
      if (last[id] > last[best])
        best = id;
    ids[length] = best;
    sorted[length - LETTERS] = (char)('A' + best);
  }
  sorted[LETTERS] = '\0';
  return HEDDLE_OK;
}

int main(int argc, char **argv) {
  heddle_error error;
  heddle_context context = {.error = &error};
  heddle_weights *weights = NULL;
  char sorted[LETTERS + 1];
  size_t size = 0;
  if (argc < 2) {
    fprintf(stderr, "usage: %s WEIGHTS LETTERS...\n", argv[0]);
    return 2;
  }
  heddle_status status =
      heddle_weights_open(&sort_model, argv[1], 0, NULL, &weights, &error);
  if (!status)
    status = sort_sort_workspace_size(1, LONGEST, &size, &error);
  void *workspace = aligned_alloc(HEDDLE_ALIGNMENT, size);
  for (int i = 2; i < argc && !status; ++i) {
    if (strlen(argv[i]) != LETTERS || strspn(argv[i], "ABC") != LETTERS) {
      fprintf(stderr, "expected six letters of A, B and C, got '%s'\n",
              argv[i]);
      status = HEDDLE_INVALID_ARGUMENT;
      break;
    }
    status = sort(&context, weights, argv[i], sorted, workspace, size);
    if (!status)
      puts(sorted);
    else
      fprintf(stderr, "%s\n", error.message);
  }
  free(workspace);
  heddle_weights_close(weights);
  return status != HEDDLE_OK;
}
