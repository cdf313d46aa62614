/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Some calls on a device, of which a request of the stand-in for its driver
 * fails: by the failure's message, and all memory is released.
 *
 *   failing WEIGHTS [own|INDEX]
 *
 * "own": the context and the stream are the program's. Else the device's
 * number.
 */
#include "steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 3, CALLS = 4, BYTES = ROWS * 64 * 4 };

typedef struct state {
  heddle_error error;
  heddle_device *device;
  heddle_stream *stream;
  heddle_weights *file, *weights;
  void *x, *y, *workspace;
  size_t workspace_size;
} state;

static heddle_status run(state *s, const char *path, const char *where) {
  const int has_own = strcmp(where, "own") == 0;
  const heddle_device_kind kind = (heddle_device_kind)steps_model.device_kind;
  /* OpenCL wants to know the context's device, too. */
  void *id = has_own && kind == HEDDLE_DEVICE_OPENCL ? s : NULL;
  const heddle_device_options options = {.kind = kind,
                                         .device = id,
                                         .context = has_own ? s : NULL,
                                         .index = has_own ? 0 : atoi(where)};
  float x[ROWS * 64] = {0}, y[ROWS * 64];
  if (heddle_device_open(&options, NULL, &s->device, &s->error) ||
      heddle_stream_create(s->device, has_own ? s : NULL, NULL, &s->stream,
                           &s->error) ||
      heddle_weights_open(&steps_model, path, 0, NULL, &s->file, &s->error) ||
      heddle_weights_upload(s->file, s->stream, NULL, &s->weights, &s->error) ||
      steps_steps_workspace_size(ROWS, &s->workspace_size, &s->error) ||
      heddle_device_allocate(s->device, s->workspace_size, &s->workspace,
                             &s->error) ||
      heddle_device_allocate(s->device, BYTES, &s->x, &s->error) ||
      heddle_device_allocate(s->device, BYTES, &s->y, &s->error) ||
      heddle_stream_upload(s->stream, s->x, x, BYTES, &s->error))
    return s->error.status;
  heddle_context context = {
      .error = &s->error, .stream = s->stream, .device_arguments = 3};
  for (int i = 0; i < CALLS; ++i)
    if (steps_steps(&context, s->weights, s->x, s->y, ROWS, s->workspace,
                    s->workspace_size))
      return s->error.status;
  context.device_arguments = 0; /* from the host and to it */
  if (steps_steps(&context, s->weights, x, y, ROWS, s->workspace,
                  s->workspace_size) ||
      heddle_stream_copy(s->stream, s->x, s->y, BYTES, &s->error) ||
      heddle_stream_download(s->stream, y, s->x, BYTES, &s->error) ||
      heddle_stream_wait(s->stream, &s->error))
    return s->error.status;
  return HEDDLE_OK;
}

int main(int argc, char **argv) {
  state s = {0};
  heddle_status status = run(&s, argv[1], argc > 2 ? argv[2] : "0");
  if (status)
    printf("%s: %s\n", heddle_status_name(status), s.error.message);
  if (s.stream)
    heddle_stream_wait(s.stream, NULL);
  if (s.device) {
    heddle_device_release(s.device, s.y);
    heddle_device_release(s.device, s.x);
    heddle_device_release(s.device, s.workspace);
  }
  heddle_weights_close(s.weights);
  heddle_weights_close(s.file);
  heddle_stream_destroy(s.stream);
  heddle_device_close(s.device);
  return status ? 1 : 0;
}
