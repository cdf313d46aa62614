/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The program around a model that `heddlec --emit=exe` makes:
 *
 *   PROGRAM WEIGHTS ID... [-n TOKENS]
 *
 * reads the ids and prints the ids of their greedy continuation. Where the
 * model has its weights inside, there is no argument WEIGHTS. It knows its
 * model by -DMODEL=<prefix>_model alone.
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
  heddle_weights *weights;
  heddle_threads *threads;
  heddle_device *device; /* these three where one runs the model */
  heddle_stream *stream;
  heddle_weights *uploaded;
  heddle_session *session;
  int32_t *ids;
  int32_t prompt, total; /* ids given; and with the continuation */
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

static heddle_status open_device(run *r) {
  const heddle_device_options options = {
      .kind = (heddle_device_kind)MODEL.device_kind,
      .compiler_options = MODEL.device_kind == HEDDLE_DEVICE_OPENCL
                              ? getenv("HEDDLE_OPENCL_OPTIONS")
                              : NULL};
  if (heddle_device_open(&options, NULL, &r->device, &r->error) ||
      heddle_stream_create(r->device, NULL, NULL, &r->stream, &r->error) ||
      heddle_weights_upload(r->weights, r->stream, NULL, &r->uploaded,
                            &r->error))
    return r->error.status;
  return HEDDLE_OK;
}

static heddle_status prepare(run *r, const char *weights_path) {
  heddle_context context = {.parallel_for = heddle_threads_parallel_for};
  if (heddle_weights_open(&MODEL, weights_path, 0, NULL, &r->weights,
                          &r->error) ||
      heddle_threads_create(0, NULL, &r->threads, &r->error) ||
      (MODEL.device_kind != HEDDLE_DEVICE_NONE && open_device(r)))
    return r->error.status;
  context.parallel_for_data = r->threads;
  context.stream = r->stream;
  return heddle_session_create(&MODEL, r->stream ? r->uploaded : r->weights,
                               &context, 1, r->prompt, r->total, NULL,
                               &r->session, &r->error);
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
  const heddle_sampling greedy = HEDDLE_GREEDY;
  heddle_status status = prepare(&r, is_embedded ? NULL : argv[1]);
  for (int32_t n = r.prompt, best = 0; n < r.total && !status; ++n) {
    bool is_prompt = n == r.prompt;
    status = heddle_session_append(r.session, is_prompt ? r.ids : &best,
                                   is_prompt ? n : 1, &r.error);
    if (!status)
      status = heddle_session_sample(r.session, &greedy, NULL, &best, &r.error);
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
  heddle_session_destroy(r.session);
  heddle_weights_close(r.uploaded);
  heddle_stream_destroy(r.stream);
  heddle_device_close(r.device);
  heddle_threads_destroy(r.threads);
  heddle_weights_close(r.weights);
  free(r.ids);
  return status || !is_printed ? 1 : 0;
}
