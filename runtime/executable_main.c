/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The program around a model that `heddlec --emit=exe` makes:
 *
 *   PROGRAM WEIGHTS ID... [-n TOKENS]
 *
 * reads the ids and prints the ids of their greedy continuation. It knows its
 * model by -DMODEL=<prefix>_model alone: what a call needs is looked up by name
 * in the description that every object carries.
 */
#include "heddle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const heddle_model MODEL;

enum { DEFAULT_TOKENS = 32, MAX_ARGUMENTS = 8, MAX_SYMBOLS = 8 };

typedef struct run {
  heddle_error error;
  heddle_context context;
  heddle_weights *weights;
  heddle_threads *threads;
  int32_t *ids;
  int32_t prompt, total; /* ids given; and with the continuation */
  void *cache, *workspace;
  float *logits;
  size_t cache_size, workspace_size, logits_size;
} run;

static int read_arguments(run *r, int argc, char **argv) {
  long tokens = DEFAULT_TOKENS;
  r->ids = calloc((size_t)argc + 1, sizeof(*r->ids));
  for (int i = 2; i < argc && r->ids; ++i) {
    int is_option = strcmp(argv[i], "-n") == 0;
    const char *text = argv[i += is_option];
    char *end = NULL;
    long value = text ? strtol(text, &end, 10) : -1;
    if (value < 0 || value > INT32_MAX / 2 || end == text || *end)
      return 0;
    if (is_option)
      tokens = value;
    else
      r->ids[r->prompt++] = (int32_t)value;
  }
  r->total = r->prompt + (int32_t)tokens;
  return r->prompt > 0;
}

/* One sequence: every other size of the entry point, such as batch, is 1. */
static void fill_sizes(const run *r, const heddle_entry *entry, int64_t length,
                       int64_t sizes[MAX_SYMBOLS]) {
  for (uint32_t s = 0; s < entry->symbol_count; ++s) {
    const char *name = entry->symbols[s].name;
    sizes[s] = strcmp(name, "length") == 0     ? length
               : strcmp(name, "capacity") == 0 ? r->total
                                               : 1;
  }
}

/* Raises the sizes of memory to what a call with `length` ids needs. */
static heddle_status measure(run *r, const heddle_entry *entry,
                             int64_t length) {
  int64_t sizes[MAX_SYMBOLS];
  size_t bytes = 0;
  if (!entry || entry->symbol_count > MAX_SYMBOLS ||
      entry->argument_count > MAX_ARGUMENTS) {
    r->error = (heddle_error){HEDDLE_INVALID_ARGUMENT,
                              "the model does not continue ids"};
    return HEDDLE_INVALID_ARGUMENT;
  }
  fill_sizes(r, entry, length, sizes);
  heddle_status status = heddle_workspace_size(entry, sizes, &bytes, &r->error);
  if (bytes > r->workspace_size)
    r->workspace_size = bytes;
  for (uint32_t a = 0; a < entry->argument_count && !status; ++a) {
    status = heddle_argument_size(entry, a, sizes, &bytes, &r->error);
    if (entry->arguments[a].kind == HEDDLE_ARGUMENT_CACHE)
      r->cache_size = bytes;
    else if (entry->arguments[a].kind == HEDDLE_ARGUMENT_OUTPUT)
      r->logits_size = bytes;
  }
  return status;
}

/* Appends `ids` to the `start` positions that the cache holds. */
static heddle_status call(run *r, const heddle_entry *entry, int32_t *ids,
                          int32_t start, int32_t length) {
  void *buffers[MAX_ARGUMENTS] = {NULL};
  int64_t sizes[MAX_SYMBOLS];
  fill_sizes(r, entry, length, sizes);
  for (uint32_t a = 0; a < entry->argument_count; ++a) {
    const char *name = entry->arguments[a].name;
    buffers[a] = strcmp(name, "ids") == 0       ? (void *)ids
                 : strcmp(name, "starts") == 0  ? (void *)&start
                 : strcmp(name, "lengths") == 0 ? (void *)&length
                 : strcmp(name, "logits") == 0  ? (void *)r->logits
                                                : r->cache;
  }
  return heddle_invoke(&MODEL, entry, &r->context, r->weights, buffers, sizes,
                       r->workspace, r->workspace_size);
}

static heddle_status prepare(run *r, const char *weights_path,
                             const heddle_entry *prefill,
                             const heddle_entry *decode) {
  if (heddle_weights_open(&MODEL, weights_path, 0, NULL, &r->weights,
                          &r->error) ||
      heddle_threads_create(0, NULL, &r->threads, &r->error) ||
      measure(r, decode, 1) || measure(r, prefill, r->prompt))
    return r->error.status;
  r->context = (heddle_context){.parallel_for = heddle_threads_parallel_for,
                                .parallel_for_data = r->threads,
                                .error = &r->error};
  r->cache = aligned_alloc(HEDDLE_ALIGNMENT, r->cache_size);
  r->workspace = aligned_alloc(HEDDLE_ALIGNMENT, r->workspace_size);
  r->logits = malloc(r->logits_size);
  return r->cache && r->workspace && r->logits ? HEDDLE_OK
                                               : HEDDLE_OUT_OF_MEMORY;
}

int main(int argc, char **argv) {
  const heddle_entry *prefill = heddle_find_entry(&MODEL, "prefill");
  const heddle_entry *decode = heddle_find_entry(&MODEL, "decode");
  run r = {0};
  if (!read_arguments(&r, argc, argv)) {
    fprintf(stderr, "usage: %s WEIGHTS ID... [-n TOKENS]\n", argv[0]);
    return 2;
  }
  heddle_status status = prepare(&r, argv[1], prefill, decode);
  for (int32_t n = r.prompt, best = 0; n < r.total && !status; ++n) {
    status = n == r.prompt ? call(&r, prefill, r.ids, 0, n)
                           : call(&r, decode, &best, n - 1, 1);
    best = 0;
    for (int32_t i = 1; i < (int32_t)(r.logits_size / sizeof(float)); ++i)
      if (r.logits[i] > r.logits[best])
        best = i;
    if (!status)
      printf("%d%c", best, n + 1 == r.total ? '\n' : ' ');
  }
  if (status)
    fprintf(stderr, "%s: %s: %s\n", argv[0], heddle_status_name(status),
            r.error.message);
  heddle_threads_destroy(r.threads);
  heddle_weights_close(r.weights);
  return status ? 1 : 0; /* the rest of the memory ends with the program */
}
