/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Calls that a compiled model must refuse: bad_calls WEIGHTS
 *
 * Each prints its status and message. Between them outputs and caches must stay
 * as they were, and afterwards a right call must still work.
 */
#include "dates.h"

#include "session.h"

enum { BATCH = 2, LENGTH = 4, CAPACITY = 32 };

/* A right call, of which each case changes something. */
typedef struct call {
  heddle_context *context;
  const heddle_weights *weights;
  int32_t ids[BATCH * LENGTH], starts[BATCH], lengths[BATCH];
  int64_t batch, length, capacity;
  char *cache, *workspace;
  size_t workspace_size;
  int32_t *ids_or_null;
  float *logits;
} call;

static heddle_error error;
static heddle_context context = {.error = &error};
static call right;
static size_t cache_size;
static float logits[BATCH * DATES_VOCABULARY];

static heddle_status prefill(const call *c) {
  memset(&error, 0xff, sizeof(error));
  return dates_prefill(c->context, c->weights, c->ids_or_null, c->starts,
                       c->lengths, c->cache, c->logits, c->batch, c->length,
                       c->capacity, c->workspace, c->workspace_size);
}

static void check_untouched(const void *memory, size_t size, const char *what) {
  for (size_t i = 0; i < size; ++i)
    if (((const unsigned char *)memory)[i] != 0xff)
      die("%s was written", what);
}

static void refused(const char *what, const call *c) {
  heddle_status status = prefill(c);
  printf("%s: %s: %s\n", what, heddle_status_name(status), error.message);
  if ((int32_t)status != error.status)
    die("the error's status is %d", error.status);
  check_untouched(right.cache, cache_size, "the cache");
  check_untouched(logits, sizeof(logits), "the output");
}

/* Runs prefill with `change` made to a copy of the right call. */
#define REFUSED(change)                                                        \
  do {                                                                         \
    call c = right;                                                            \
    c.ids_or_null = c.ids;                                                     \
    change;                                                                    \
    refused(#change, &c);                                                      \
  } while (0)

static void check_prefill(void) {
  REFUSED(c.weights = NULL);
  REFUSED(c.ids_or_null = NULL);
  REFUSED(c.cache = NULL);
  REFUSED(c.logits = NULL);
  REFUSED(c.workspace = NULL);
  REFUSED(c.cache += 4);
  REFUSED(c.workspace += 4);
  REFUSED(c.workspace_size -= 1);
  REFUSED(c.batch = -1);
  REFUSED(c.batch = 1025);
  REFUSED(c.length = 0);
  REFUSED(c.length = 65);
  REFUSED(c.capacity = -1);
  REFUSED(c.capacity = 65);
  REFUSED(c.ids[1] = 72);
  REFUSED(c.ids[LENGTH] = -1);
  REFUSED(c.lengths[1] = 0);
  REFUSED(c.lengths[1] = 5);
  REFUSED(c.starts[0] = -1);
  REFUSED(c.starts[1] = 29);
}

/* A thread pool that cannot run anything: no kernel after the first may run. */
static int failed_loops;
static int fail_to_run(void *data, heddle_task task, void *user_context,
                       int32_t first, int32_t count, uint8_t *closure) {
  (void)data, (void)task, (void)user_context;
  (void)first, (void)count, (void)closure;
  ++failed_loops;
  return 7;
}

static void check_pool(void) {
  heddle_context failing = {.error = &error, .parallel_for = fail_to_run};
  REFUSED(c.context = &failing);
  if (failed_loops != 1)
    die("%d loops were begun", failed_loops);
}

static void check_decode(void) {
  int32_t id = 3, start = CAPACITY, length = 1;
  heddle_status status =
      dates_decode(&context, right.weights, &id, &start, &length, right.cache,
                   logits, 1, CAPACITY, right.workspace, right.workspace_size);
  printf("full cache: %s: %s\n", heddle_status_name(status), error.message);
  start = 0;
  length = 2;
  status =
      dates_decode(&context, right.weights, &id, &start, &length, right.cache,
                   logits, 1, CAPACITY, right.workspace, right.workspace_size);
  printf("two ids: %s: %s\n", heddle_status_name(status), error.message);
  check_untouched(right.cache, cache_size, "the cache");
  check_untouched(logits, sizeof(logits), "the output");
}

static void check_weights(int count, char **paths) {
  for (int i = 0; i < count; ++i) {
    heddle_weights *weights = NULL;
    heddle_status status = heddle_weights_open(
        &dates_model, paths[i], HEDDLE_WEIGHTS_VERIFY, NULL, &weights, &error);
    printf("%s: %s\n", heddle_status_name(status), error.message);
    if (status == HEDDLE_OK || weights)
      die("bad weights were opened");
  }
}

int main(int argc, char **argv) {
  if (argc < 2)
    die("usage: bad_calls WEIGHTS BAD_WEIGHTS...");
  check_weights(argc - 2, argv + 2);
  heddle_weights *weights = open_weights(&dates_model, argv[1]);
  right = (call){.context = &context,
                 .weights = weights,
                 .ids = {1, 20, 30, 3, 1, 40, 50, 3},
                 .lengths = {LENGTH, LENGTH},
                 .batch = BATCH,
                 .length = LENGTH,
                 .capacity = CAPACITY,
                 .logits = logits};
  if (dates_cache_size(BATCH, CAPACITY, &cache_size, &error) ||
      dates_prefill_workspace_size(BATCH, LENGTH, CAPACITY,
                                   &right.workspace_size, &error))
    die("%s", error.message);
  right.cache = allocate_guarded(cache_size);
  right.workspace = allocate_guarded(right.workspace_size);
  memset(logits, 0xff, sizeof(logits));

  check_prefill();
  check_decode();
  check_pool();

  right.ids_or_null = right.ids;
  right.starts[1] = CAPACITY - LENGTH;
  if (prefill(&right) != HEDDLE_OK)
    die("the right call: %s", error.message);
  if (isnan(logits[0]))
    die("the right call wrote nothing");
  free(right.workspace);
  free(right.cache);
  heddle_weights_close(weights);
  return 0;
}
