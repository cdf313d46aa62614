/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* What the test programs share: a decoder model's calls through the generic
 * API, on memory that is all ones (NaN) before and guarded behind. Every
 * failure ends the program with a message.
 */
#ifndef SESSION_H
#define SESSION_H

#include "heddle.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD_SIZE = 256, MAX_BATCH = 4 };

__attribute__((noreturn, format(printf, 1, 2))) static inline void
die(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  exit(1);
}

static inline void check_call(heddle_status status, const heddle_error *error) {
  if (status != HEDDLE_OK)
    die("%s: %s", heddle_status_name(status), error->message);
}

/* Memory of `size` bytes that are all 0xff, with GUARD_SIZE more of 0x5a. */
static inline void *allocate_guarded(size_t size) {
  size_t all = (size + GUARD_SIZE + HEDDLE_ALIGNMENT - 1) / HEDDLE_ALIGNMENT *
               HEDDLE_ALIGNMENT;
  unsigned char *memory = aligned_alloc(HEDDLE_ALIGNMENT, all);
  if (!memory)
    die("out of memory");
  memset(memory, 0xff, size);
  memset(memory + size, 0x5a, all - size);
  return memory;
}

static inline void check_guard(const void *memory, size_t size,
                               const char *what) {
  for (size_t i = size; i < size + GUARD_SIZE; ++i)
    if (((const unsigned char *)memory)[i] != 0x5a)
      die("%s: byte %zu behind its end was written", what, i - size);
}

typedef struct session {
  const heddle_model *model;
  const heddle_weights *weights;
  heddle_context context;
  heddle_error error;
  int64_t batch, capacity;
  size_t cache_size, logits_size;
  void *cache;
  float *logits; /* [batch, vocabulary], of the last call */
} session;

static inline int32_t session_vocabulary(const session *s) {
  return (int32_t)(s->logits_size / sizeof(float) / (size_t)s->batch);
}

/* `threads` may be null. The session must not move. */
static inline void session_open(session *s, const heddle_model *model,
                                const heddle_weights *weights,
                                heddle_threads *threads, int64_t batch,
                                int64_t capacity) {
  const heddle_entry *decode = heddle_find_entry(model, "decode");
  const int64_t sizes[] = {batch, capacity};
  *s = (session){
      .model = model, .weights = weights, .batch = batch, .capacity = capacity};
  if (threads)
    s->context.parallel_for = heddle_threads_parallel_for;
  s->context.parallel_for_data = threads;
  s->context.error = &s->error;
  if (!decode || decode->argument_count != 5 ||
      heddle_argument_size(decode, 3, sizes, &s->cache_size, &s->error) ||
      heddle_argument_size(decode, 4, sizes, &s->logits_size, &s->error))
    die("no decoder: %s", s->error.message);
  s->cache = allocate_guarded(s->cache_size);
  s->logits = allocate_guarded(s->logits_size);
}

static inline void session_close(session *s) {
  free(s->cache);
  free(s->logits);
}

/* Appends lengths[b] of the `length` ids of each sequence to what the cache
 * holds of it, starts[b] positions. The workspace is new, and as small as
 * allowed. */
static inline void session_call(session *s, const char *name,
                                const int32_t *ids, const int32_t *starts,
                                const int32_t *lengths, int64_t length) {
  const heddle_entry *entry = heddle_find_entry(s->model, name);
  int64_t sizes[3] = {s->batch, s->capacity};
  size_t workspace_size = 0;
  if (strcmp(name, "prefill") == 0) {
    sizes[1] = length;
    sizes[2] = s->capacity;
  }
  if (heddle_workspace_size(entry, sizes, &workspace_size, &s->error))
    die("%s: %s", name, s->error.message);
  void *workspace = allocate_guarded(workspace_size);
  memset(s->logits, 0xff, s->logits_size);
  void *buffers[] = {(void *)ids, (void *)starts, (void *)lengths, s->cache,
                     s->logits};
  if (heddle_invoke(s->model, entry, &s->context, s->weights, buffers, sizes,
                    workspace, workspace_size))
    die("%s: %s", name, s->error.message);
  check_guard(workspace, workspace_size, "workspace");
  check_guard(s->cache, s->cache_size, "cache");
  check_guard(s->logits, s->logits_size, "logits");
  free(workspace);
}

static inline void session_prefill(session *s, const int32_t *ids,
                                   const int32_t *starts,
                                   const int32_t *lengths, int64_t length) {
  session_call(s, "prefill", ids, starts, lengths, length);
}

static inline void session_decode(session *s, const int32_t *ids,
                                  const int32_t *starts) {
  int32_t ones[MAX_BATCH];
  for (int b = 0; b < MAX_BATCH; ++b)
    ones[b] = 1;
  session_call(s, "decode", ids, starts, ones, 1);
}

/* The id with the largest logit of sequence `b`; NaN fails. */
static inline int32_t session_likeliest(const session *s, int64_t b) {
  int32_t vocabulary = session_vocabulary(s), best = 0;
  const float *logits = s->logits + b * vocabulary;
  for (int32_t i = 0; i < vocabulary; ++i) {
    if (isnan(logits[i]))
      die("logits[%d][%d] is not a number", (int)b, i);
    if (logits[i] > logits[best])
      best = i;
  }
  return best;
}

static inline heddle_weights *open_weights(const heddle_model *model,
                                           const char *path) {
  heddle_error error;
  heddle_weights *weights = NULL;
  if (heddle_weights_open(model, path, HEDDLE_WEIGHTS_VERIFY, NULL, &weights,
                          &error))
    die("%s", error.message);
  return weights;
}

#endif /* SESSION_H */
