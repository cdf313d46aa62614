/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Calls each entry point of MODEL, whose every size is known, with buffers of
 * exactly the bytes that it asks for: sanitizers see what lies beyond. */
#include MODEL_HEADER

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static heddle_error error;
static const heddle_context context = {.error = &error};

static int call(const heddle_entry *entry, const heddle_weights *weights) {
  int64_t sizes[8] = {0};
  void *buffers[8] = {0};
  size_t bytes = 0;
  if (entry->symbol_count > 8 || entry->argument_count > 8)
    return 1;
  for (uint32_t k = 0; k < entry->symbol_count; ++k)
    sizes[k] = entry->symbols[k].minimum;
  for (uint32_t k = 0; k < entry->argument_count; ++k) {
    if (heddle_argument_size(entry, k, sizes, &bytes, &error))
      return 1;
    buffers[k] = memset(malloc(bytes), 0, bytes);
  }
  if (heddle_workspace_size(entry, sizes, &bytes, &error))
    return 1;
  void *workspace = aligned_alloc(HEDDLE_ALIGNMENT, bytes);
  int status = heddle_invoke(&MODEL, entry, &context, weights, buffers, sizes,
                             workspace, bytes);
  free(workspace);
  for (uint32_t k = 0; k < entry->argument_count; ++k)
    free(buffers[k]);
  if (status == 0)
    printf("called %s\n", entry->name);
  return status;
}

int main(int count, char **arguments) {
  heddle_weights *weights = NULL;
  if (count != 2 ||
      heddle_weights_open(&MODEL, arguments[1], 0, NULL, &weights, &error))
    return puts(error.message);
  for (uint32_t k = 0; k < MODEL.entry_count; ++k)
    if (call(MODEL.entries[k], weights))
      return puts(error.message);
  heddle_weights_close(weights);
  return 0;
}
