/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Calls each entry point of unaligned.mlir with all buffers 0 to 15 floats
 * after an aligned address, and compares what it writes with what it wrote at
 * 0. */
#include "unaligned.h"

#include <stdio.h>
#include <string.h>

enum { OFFSETS = 16, SIZE = 5, CAPACITY = 4096 };

static _Alignas(HEDDLE_ALIGNMENT) float memory[4][CAPACITY];
static _Alignas(HEDDLE_ALIGNMENT) char workspace[1 << 16];

/* Fills inputs with numbers from -0.5 to 0.5, outputs with what is not right.
 */
static void fill(float *values, size_t count, unsigned seed) {
  for (size_t i = 0; i < count; ++i)
    values[i] =
        seed ? (float)((i * 2654435761u + seed) >> 8 & 0xffff) / 65536 - 0.5f
             : -99.0f;
}

/* Returns the output's floats, or NULL after an error. */
static const float *run(const heddle_entry *entry,
                        const heddle_weights *weights, int offset,
                        size_t *bytes) {
  heddle_error error = {0};
  heddle_context context = {0};
  context.error = &error;
  int64_t sizes[HEDDLE_MAX_RANK] = {SIZE, SIZE, SIZE, SIZE, SIZE, SIZE};
  void *buffers[4];
  for (uint32_t i = 0; i < entry->argument_count; ++i) {
    int is_output = entry->arguments[i].kind == HEDDLE_ARGUMENT_OUTPUT;
    if (heddle_argument_size(entry, i, sizes, bytes, &error)) {
      fprintf(stderr, "%s\n", error.message);
      return NULL;
    }
    buffers[i] = memory[i] + offset;
    fill(buffers[i], *bytes / sizeof(float), is_output ? 0 : i + 1);
  }
  if (heddle_invoke(&unaligned_model, entry, &context, weights, buffers, sizes,
                    workspace, sizeof(workspace))) {
    fprintf(stderr, "%s\n", error.message);
    return NULL;
  }
  return buffers[entry->argument_count - 1];
}

static int check(const heddle_entry *entry, const heddle_weights *weights) {
  static float expected[CAPACITY];
  for (int offset = 0; offset < OFFSETS; ++offset) {
    size_t bytes = 0;
    const float *result = run(entry, weights, offset, &bytes);
    if (!result)
      return 1;
    if (offset == 0)
      memcpy(expected, result, bytes);
    if (memcmp(expected, result, bytes) != 0) {
      printf("%s: another result at offset %d\n", entry->name, offset);
      return 1;
    }
  }
  printf("%s: %d offsets\n", entry->name, OFFSETS);
  return 0;
}

int main(void) {
  heddle_error error = {0};
  heddle_weights *weights = NULL;
  int failures = 0;
  if (heddle_weights_open(&unaligned_model, "unaligned.weights", 0, NULL,
                          &weights, &error)) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  for (uint32_t i = 0; i < unaligned_model.entry_count; ++i)
    failures += check(unaligned_model.entries[i], weights);
  heddle_weights_close(weights);
  return failures != 0;
}
