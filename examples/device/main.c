/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Written dates to ISO dates on a GPU, where weights, cache, workspace and
 * logits stay:
 *
 *   heddlec --target=opencl ../dates/model -o dates.o    (or cuda:sm_90)
 *   cc main.c dates.o -lheddle_runtime -pthread -o dates
 *   ./dates dates.weights "3rd of March, 2021"           prints 2021-03-03
 *
 * Only ids go to the device, and only ids come back. What is called is as on
 * the CPU (../dates/main.c), but for dates_sample, which chooses ids where the
 * logits are; where it runs is in the context.
 */
#include "../dates/characters.h"
#include "dates.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct session {
  heddle_error error;
  heddle_context context;
  heddle_device *device;
  heddle_stream *stream; /* work for the device, in order */
  heddle_weights *weights;
  void *cache, *workspace; /* memory of the device */
  float *logits;           /* of one sequence, there, too */
  size_t workspace_size;
} session;

/* The first device of the kind that the model was compiled for. */
static heddle_status open_device(session *s, const char *weights_path) {
  const heddle_device_options options = {
      .kind = (heddle_device_kind)dates_model.device_kind};
  heddle_weights *file = NULL;
  if (heddle_device_open(&options, NULL, &s->device, &s->error) ||
      heddle_stream_create(s->device, NULL, NULL, &s->stream, &s->error) ||
      heddle_weights_open(&dates_model, weights_path, 0, NULL, &file,
                          &s->error))
    return s->error.status;
  fprintf(stderr, "on %s\n", heddle_device_name(s->device));
  /* The driver compiles the kernels here; the file is not needed any more. */
  heddle_status status =
      heddle_weights_upload(file, s->stream, NULL, &s->weights, &s->error);
  heddle_weights_close(file);
  s->context.stream = s->stream;
  s->context.error = &s->error;
  return status;
}

static size_t larger(size_t x, size_t y) { return x > y ? x : y; }

static heddle_status allocate(session *s) {
  size_t cache_size = 0, prefill = 0, decode = 0, sample = 0;
  if (dates_cache_size(1, DATES_POSITIONS, &cache_size, &s->error) ||
      dates_prefill_workspace_size(1, DATES_POSITIONS, DATES_POSITIONS,
                                   &prefill, &s->error) ||
      dates_decode_workspace_size(1, DATES_POSITIONS, &decode, &s->error) ||
      dates_sample_workspace_size(1, &sample, &s->error))
    return s->error.status;
  s->workspace_size = larger(larger(prefill, decode), sample);
  void *logits = NULL;
  if (heddle_device_allocate(s->device, cache_size, &s->cache, &s->error) ||
      heddle_device_allocate(s->device, s->workspace_size, &s->workspace,
                             &s->error) ||
      heddle_device_allocate(s->device, DATES_VOCABULARY * sizeof(float),
                             &logits, &s->error))
    return s->error.status;
  s->logits = logits;
  return HEDDLE_OK;
}

/* Appends ids to what the cache holds. The fifth argument, the logits, stays on
 * the device, so that the call returns while the device works. */
static heddle_status append(session *s, const int32_t *ids, int32_t start,
                            int32_t length) {
  heddle_context context = s->context;
  context.device_arguments = 1 << 4;
  return length == 1
             ? dates_decode(&context, s->weights, ids, &start, &length,
                            s->cache, s->logits, 1, DATES_POSITIONS,
                            s->workspace, s->workspace_size)
             : dates_prefill(&context, s->weights, ids, &start, &length,
                             s->cache, s->logits, 1, length, DATES_POSITIONS,
                             s->workspace, s->workspace_size);
}

/* The likeliest id, which the host waits for: the first argument is there. */
static heddle_status choose(session *s, int32_t *id) {
  const float temperature = 0, min_p = 0, uniform = 0;
  heddle_context context = s->context;
  context.device_arguments = 1 << 0;
  return dates_sample(&context, s->weights, s->logits, &temperature, &min_p,
                      &uniform, id, 1, s->workspace, s->workspace_size);
}

static heddle_status ask(session *s, const char *date) {
  int32_t ids[DATES_POSITIONS] = {ID_BEGIN};
  int32_t id, filled = 1;
  while (*date && filled < DATES_POSITIONS - 1)
    ids[filled++] = id_of(*date++);
  ids[filled++] = id_of('\n');
  heddle_status status = append(s, ids, 0, filled);
  if (status == HEDDLE_OK)
    status = choose(s, &id);
  while (status == HEDDLE_OK && id != ID_END && filled < DATES_POSITIONS) {
    putchar(character_of(id));
    /* `cache` holds the question and the answer so far, and stays there. */
    status = append(s, &id, filled++, 1);
    if (status == HEDDLE_OK)
      status = choose(s, &id);
  }
  putchar('\n');
  return status;
}

int main(int argc, char **argv) {
  session s = {0};
  if (argc < 3) {
    fprintf(stderr, "usage: %s WEIGHTS DATE...\n", argv[0]);
    return 2;
  }
  heddle_status status = open_device(&s, argv[1]);
  if (status == HEDDLE_OK)
    status = allocate(&s);
  for (int i = 2; i < argc && status == HEDDLE_OK; ++i)
    status = ask(&s, argv[i]);
  if (status != HEDDLE_OK)
    fprintf(stderr, "%s: %s: %s\n", argv[0], heddle_status_name(status),
            s.error.message);
  if (s.stream) /* before memory goes that the device may still use */
    heddle_stream_wait(s.stream, NULL);
  heddle_device_release(s.device, s.logits);
  heddle_device_release(s.device, s.workspace);
  heddle_device_release(s.device, s.cache);
  heddle_weights_close(s.weights);
  heddle_stream_destroy(s.stream);
  heddle_device_close(s.device);
  return status == HEDDLE_OK ? 0 : 1;
}
