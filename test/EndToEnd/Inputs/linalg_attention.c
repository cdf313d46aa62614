/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Calls the attention layer with the arrays FOLDER/NN_*.npy, in order of their
 * arguments, and compares with the array EXPECTED. */
#include "mha.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  exit(1);
}

/* The elements of a .npy file of version 1, which are `bytes` wide. */
static void *read_npy(const char *path, size_t bytes, size_t *count) {
  FILE *file = fopen(path, "rb");
  unsigned char start[10];
  if (!file || fread(start, 1, 10, file) != 10)
    fail(path);
  long begin = 10 + start[8] + 256 * start[9];
  fseek(file, 0, SEEK_END);
  *count = (ftell(file) - begin) / bytes;
  void *elements = malloc(*count * bytes);
  fseek(file, begin, SEEK_SET);
  if (fread(elements, bytes, *count, file) != *count)
    fail(path);
  fclose(file);
  return elements;
}

int main(int argc, char **argv) {
  if (argc != 12)
    fail("usage: linalg_attention ARGUMENT.npy... EXPECTED.npy");
  float *arguments[10];
  size_t count;
  for (int i = 0; i < 10; ++i)
    arguments[i] = read_npy(argv[1 + i], sizeof(float), &count);
  /* The expected array says in its header how wide its elements are. */
  char header[128] = {0};
  FILE *file = fopen(argv[11], "rb");
  if (!file || fread(header, 1, 127, file) < 64)
    fail(argv[11]);
  fclose(file);
  int isDouble = strstr(header + 10, "<f8") != NULL;
  void *expected =
      read_npy(argv[11], isDouble ? sizeof(double) : sizeof(float), &count);

  heddle_error error;
  heddle_context context = {.error = &error};
  size_t bytes;
  if (mha_multi_head_attention_workspace_size(&bytes, &error))
    fail(error.message);
  void *workspace = aligned_alloc(64, (bytes + 63) / 64 * 64);
  heddle_weights *weights = NULL;
  if (heddle_weights_open(&mha_model, "mha.weights", 0, NULL, &weights, &error))
    fail(error.message);
  float *result = malloc(count * sizeof(float));
  for (size_t i = 0; i < count; ++i)
    result[i] = NAN;
  if (mha_multi_head_attention(
          &context, weights, arguments[0], arguments[1], arguments[2],
          arguments[3], arguments[4], arguments[5], arguments[6], arguments[7],
          arguments[8], arguments[9], result, workspace, bytes))
    fail(error.message);
  size_t wrong = 0;
  for (size_t i = 0; i < count; ++i) {
    double wanted = isDouble ? ((double *)expected)[i] : ((float *)expected)[i];
    wrong += !(fabs(result[i] - wanted) <= 1e-4); /* NaN, too */
  }
  if (wrong)
    printf("%zu elements, %zu off by more than 1e-4\n", count, wrong);
  else
    printf("%zu elements, all within 1e-4\n", count);
  for (int i = 0; i < 10; ++i)
    free(arguments[i]);
  free(expected);
  free(result);
  free(workspace);
  heddle_weights_close(weights);
  return 0;
}
