/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* No part of the library: what runs the model of a program that
 * `heddlec --emit=exe` makes, MODEL, on the target that it is compiled for.
 */
#ifndef HEDDLE_PROGRAMS_MODEL_H
#define HEDDLE_PROGRAMS_MODEL_H

#include "heddle.h"

#include <stdlib.h>
#include <string.h>

extern const heddle_model MODEL;

typedef struct executable_model {
  heddle_context context;  /* of its calls */
  heddle_weights *weights; /* of its calls */
  heddle_weights *file;
  heddle_threads *threads;
  heddle_device *device; /* these two where one runs the model */
  heddle_stream *stream;
} executable_model;

/* Before "--", behind which there are no options. */
static inline int asks_for_help(int argc, char **argv) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; ++i)
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
      return 1;
  return 0;
}

static inline heddle_status upload_model(executable_model *m,
                                         heddle_error *error) {
  const heddle_device_options options = {
      .kind = (heddle_device_kind)MODEL.device_kind,
      .compiler_options = MODEL.device_kind == HEDDLE_DEVICE_OPENCL
                              ? getenv("HEDDLE_OPENCL_OPTIONS")
                              : NULL};
  heddle_status status = heddle_device_open(&options, NULL, &m->device, error);
  if (!status)
    status = heddle_stream_create(m->device, NULL, NULL, &m->stream, error);
  m->context.stream = m->stream;
  m->weights = NULL;
  return status ? status
                : heddle_weights_upload(m->file, m->stream, NULL, &m->weights,
                                        error);
}

/* Weights are those of the file, or inside where `path` is null. Whatever this
 * returns, close_model frees what there is. */
static inline heddle_status open_model(executable_model *m, const char *path,
                                       heddle_error *error) {
  heddle_status status =
      heddle_weights_open(&MODEL, path, 0, NULL, &m->file, error);
  if (!status)
    status = heddle_threads_create(0, NULL, &m->threads, error);
  m->weights = m->file;
  m->context.parallel_for = heddle_threads_parallel_for;
  m->context.parallel_for_data = m->threads;
  return status || MODEL.device_kind == HEDDLE_DEVICE_NONE
             ? status
             : upload_model(m, error);
}

static inline void close_model(executable_model *m) {
  if (m->weights != m->file)
    heddle_weights_close(m->weights);
  heddle_stream_destroy(m->stream);
  heddle_device_close(m->device);
  heddle_threads_destroy(m->threads);
  heddle_weights_close(m->file);
}

#endif /* HEDDLE_PROGRAMS_MODEL_H */
