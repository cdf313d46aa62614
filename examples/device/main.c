/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Written dates to ISO dates on a GPU, where weights, cache and workspace stay:
 *
 *   heddlec --target=opencl ../dates/model -o dates.o    (or
 * --target=cuda:sm_90) cc main.c dates.o -lheddle_runtime -pthread -o dates
 *   ./dates dates.weights "3rd of March, 2021"           prints 2021-03-03
 *
 * Only ids go to the device, and only logits come back. What is called is as on
 * the CPU (../dates/main.c); where it runs is in the context.
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

static heddle_status allocate(session *s) {
  size_t cache_size = 0, prefill_size = 0, decode_size = 0;
  if (dates_cache_size(1, DATES_POSITIONS, &cache_size, &s->error) ||
      dates_prefill_workspace_size(1, DATES_POSITIONS, DATES_POSITIONS,
                                   &prefill_size, &s->error) ||
      dates_decode_workspace_size(1, DATES_POSITIONS, &decode_size, &s->error))
    return s->error.status;
  s->workspace_size = prefill_size > decode_size ? prefill_size : decode_size;
  if (heddle_device_allocate(s->device, cache_size, &s->cache, &s->error) ||
      heddle_device_allocate(s->device, s->workspace_size, &s->workspace,
                             &s->error))
    return s->error.status;
  return HEDDLE_OK;
}

static heddle_status ask(session *s, const char *date) {
  int32_t ids[DATES_POSITIONS] = {ID_BEGIN};
  int32_t start = 0, length = 1;
  float logits[DATES_VOCABULARY];
  while (*date && length < DATES_POSITIONS - 1)
    ids[length++] = id_of(*date++);
  ids[length++] = id_of('\n');
  heddle_status status = dates_prefill(
      &s->context, s->weights, ids, &start, &length, s->cache, logits, 1,
      length, DATES_POSITIONS, s->workspace, s->workspace_size);
  start = length;
  length = 1;
  while (status == HEDDLE_OK) {
    int32_t id = likeliest(logits, DATES_VOCABULARY);
    if (id == ID_END || start == DATES_POSITIONS)
      break;
    putchar(character_of(id));
    /* `cache` holds the question and the answer so far, and stays there. */
    status = dates_decode(&s->context, s->weights, &id, &start, &length,
                          s->cache, logits, 1, DATES_POSITIONS, s->workspace,
                          s->workspace_size);
    ++start;
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
  heddle_device_release(s.device, s.workspace);
  heddle_device_release(s.device, s.cache);
  heddle_weights_close(s.weights);
  heddle_stream_destroy(s.stream);
  heddle_device_close(s.device);
  return status == HEDDLE_OK ? 0 : 1;
}
