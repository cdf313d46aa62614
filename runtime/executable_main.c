/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The program around a model that `heddlec --emit=exe` makes:
 *
 *   PROGRAM WEIGHTS ID... [-n TOKENS]
 *
 * reads the ids and prints the ids of their greedy continuation. Where the
 * model has its weights inside, there is no argument WEIGHTS. It knows its
 * model by -DMODEL=<prefix>_model alone: what a call needs is looked up in the
 * description that every object carries.
 */
#include "heddle.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const heddle_model MODEL;

enum { DEFAULT_TOKENS = 32 };

typedef struct run {
  heddle_error error;
  heddle_context context;
  heddle_decoder model;
  heddle_weights *weights;
  heddle_threads *threads;
  int32_t *ids;
  int32_t prompt, total; /* ids given; and with the continuation */
  void *call_ids;        /* as a call takes them */
  void *cache, *workspace;
  float *logits;
  size_t cache_size, workspace_size;
} run;

static int read_arguments(run *r, int argc, char **argv, int first) {
  long tokens = DEFAULT_TOKENS;
  r->ids = calloc((size_t)argc + 1, sizeof(*r->ids));
  for (int i = first; i < argc && r->ids; ++i) {
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

/* Raises the sizes of memory to what a call with `length` ids needs. */
static heddle_status measure(run *r, const heddle_step *step, int64_t length) {
  int64_t sizes[HEDDLE_STEP_SIZES];
  size_t bytes = 0;
  heddle_step_sizes(step, 1, length, r->total, sizes);
  heddle_status status =
      heddle_workspace_size(step->entry, sizes, &bytes, &r->error);
  if (bytes > r->workspace_size)
    r->workspace_size = bytes;
  return status ? status
                : heddle_argument_size(step->entry, step->cache, sizes,
                                       &r->cache_size, &r->error);
}

/* Copies `count` integers to `buffer`, as the type of an argument. */
static void *store(const heddle_step *step, uint32_t argument, void *buffer,
                   const int32_t *values, int32_t count) {
  bool is_wide = step->entry->arguments[argument].type == HEDDLE_TYPE_I64;
  for (int32_t i = 0; i < count; ++i) {
    int64_t wide = values[i];
    if (is_wide)
      memcpy((int64_t *)buffer + i, &wide, sizeof(wide));
    else
      memcpy((int32_t *)buffer + i, &values[i], sizeof(values[i]));
  }
  return buffer;
}

/* Appends `ids` to the `start` positions that the cache holds. */
static heddle_status call(run *r, const heddle_step *step, const int32_t *ids,
                          int32_t start, int32_t length) {
  int64_t call_start, call_length;
  void *buffers[HEDDLE_STEP_ARGUMENTS];
  int64_t sizes[HEDDLE_STEP_SIZES];
  heddle_step_sizes(step, 1, length, r->total, sizes);
  buffers[step->ids] = store(step, step->ids, r->call_ids, ids, length);
  buffers[step->starts] = store(step, step->starts, &call_start, &start, 1);
  buffers[step->lengths] = store(step, step->lengths, &call_length, &length, 1);
  buffers[step->cache] = r->cache;
  buffers[step->logits] = r->logits;
  return heddle_invoke(&MODEL, step->entry, &r->context, r->weights, buffers,
                       sizes, r->workspace, r->workspace_size);
}

static heddle_status prepare(run *r, const char *weights_path) {
  if (heddle_find_decoder(&MODEL, &r->model, &r->error) ||
      heddle_weights_open(&MODEL, weights_path, 0, NULL, &r->weights,
                          &r->error) ||
      heddle_threads_create(0, NULL, &r->threads, &r->error) ||
      measure(r, &r->model.decode, 1) ||
      measure(r, &r->model.prefill, r->prompt))
    return r->error.status;
  r->context = (heddle_context){.parallel_for = heddle_threads_parallel_for,
                                .parallel_for_data = r->threads,
                                .error = &r->error};
  r->cache = aligned_alloc(HEDDLE_ALIGNMENT, r->cache_size);
  r->workspace = aligned_alloc(HEDDLE_ALIGNMENT, r->workspace_size);
  r->logits = calloc((size_t)r->model.prefill.vocabulary, sizeof(*r->logits));
  r->call_ids = calloc((size_t)r->prompt, sizeof(int64_t));
  return r->cache && r->workspace && r->logits && r->call_ids
             ? HEDDLE_OK
             : HEDDLE_OUT_OF_MEMORY;
}

int main(int argc, char **argv) {
  run r = {0};
  bool is_embedded = MODEL.embedded_weights != NULL;
  if (!read_arguments(&r, argc, argv, is_embedded ? 1 : 2)) {
    fprintf(stderr, "usage: %s%s ID... [-n TOKENS]\n", argv[0],
            is_embedded ? "" : " WEIGHTS");
    free(r.ids);
    return 2;
  }
  heddle_status status = prepare(&r, is_embedded ? NULL : argv[1]);
  for (int32_t n = r.prompt, best = 0; n < r.total && !status; ++n) {
    status = n == r.prompt ? call(&r, &r.model.prefill, r.ids, 0, n)
                           : call(&r, &r.model.decode, &best, n - 1, 1);
    best = 0;
    for (int32_t i = 1; i < r.model.prefill.vocabulary; ++i)
      if (r.logits[i] > r.logits[best])
        best = i;
    if (!status)
      printf("%d%c", best, n + 1 == r.total ? '\n' : ' ');
  }
  if (status)
    fprintf(stderr, "%s: %s: %s\n", argv[0], heddle_status_name(status),
            r.error.message);
  /* What is printed may be kept back until here. */
  int is_printed = !ferror(stdout) && fflush(stdout) == 0;
  if (!status && !is_printed)
    fprintf(stderr, "%s: cannot write to standard output\n", argv[0]);
  heddle_threads_destroy(r.threads);
  heddle_weights_close(r.weights);
  free(r.ids);
  free(r.call_ids);
  free(r.cache);
  free(r.workspace);
  free(r.logits);
  return status || !is_printed ? 1 : 0;
}
