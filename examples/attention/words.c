/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Prints what attention does with six words: scores, weights and mixtures. */
#include "words.h"

#include <stdio.h>
#include <stdlib.h>

static const float words[6][3] = {{.43f, .15f, .89f}, {.55f, .87f, .66f},
                                  {.57f, .85f, .64f}, {.22f, .58f, .33f},
                                  {.77f, .25f, .10f}, {.05f, .80f, .55f}};

static void print(const char *title, const float *rows, int columns) {
  printf("%s\n", title);
  for (int row = 0; row < 6; ++row)
    for (int column = 0; column < columns; ++column)
      printf("%8.4f%s", (double)rows[row * columns + column],
             column + 1 < columns ? "" : "\n");
}

int main(int argc, char **argv) {
  heddle_error error;
  heddle_context context = {.error = &error};
  heddle_weights *weights = NULL;
  float scores[36], attention[36], mixed[18];
  size_t size = 0, other = 0;
  heddle_status status =
      heddle_weights_open(&words_model, argc > 1 ? argv[1] : "words.weights", 0,
                          NULL, &weights, &error);
  if (!status)
    status = words_attend_workspace_size(&size, &error);
  if (!status)
    status = words_attend_before_workspace_size(&other, &error);
  size = size > other ? size : other;
  void *workspace = aligned_alloc(HEDDLE_ALIGNMENT, size);
  if (!status)
    status = words_attend(&context, weights, &words[0][0], scores, attention,
                          mixed, workspace, size);
  if (!status) {
    print("How alike each word is to each, as products:", scores, 6);
    print("How much of each it takes:", attention, 6);
    print("What that makes of it:", mixed, 3);
    status = words_attend_before(&context, weights, &words[0][0], scores,
                                 attention, workspace, size);
  }
  if (!status) {
    print("With no word after its own:", scores, 6);
    print("How much of each it takes then:", attention, 6);
  } else {
    fprintf(stderr, "%s\n", error.message);
  }
  free(workspace);
  heddle_weights_close(weights);
  return status != HEDDLE_OK;
}
