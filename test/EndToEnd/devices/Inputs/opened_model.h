/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The first device of a model's kind with a stream and the model's weights:
 * what most programs of these tests begin and end with.
 */
#ifndef HEDDLE_TEST_OPENED_MODEL_H
#define HEDDLE_TEST_OPENED_MODEL_H

#include "require.h"

typedef struct opened_model {
  heddle_device *device;
  heddle_stream *stream;
  heddle_weights *file, *weights; /* of the host, and on the device */
} opened_model;

static opened_model open_model(const heddle_model *model, const char *path) {
  opened_model m;
  const heddle_device_options options = {
      .kind = (heddle_device_kind)model->device_kind,
      .compiler_options = model->device_kind == HEDDLE_DEVICE_OPENCL
                              ? getenv("HEDDLE_OPENCL_OPTIONS")
                              : NULL};
  require(heddle_device_open(&options, NULL, &m.device, &error));
  require(heddle_stream_create(m.device, NULL, NULL, &m.stream, &error));
  require(heddle_weights_open(model, path, 0, NULL, &m.file, &error));
  require(heddle_weights_upload(m.file, m.stream, NULL, &m.weights, &error));
  return m;
}

static void close_model(opened_model *m) {
  heddle_weights_close(m->weights);
  heddle_weights_close(m->file);
  heddle_stream_destroy(m->stream);
  heddle_device_close(m->device);
}

#endif /* HEDDLE_TEST_OPENED_MODEL_H */
