/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Calls with an observer that waits, calls around the life of weights, and
 * calls whose graphs never fit, which $FAIL says to the stand-in for CUDA's
 * driver.
 */
#define _DEFAULT_SOURCE /* setenv */
#include "steps.h"

#include "require.h"

enum { ROWS = 3, CHANGES = 6 };

static heddle_device *device;
static heddle_stream *stream;
static void *x, *y, *workspace;
static size_t workspace_size;

static void observe(void *data, const heddle_kernel_event *event) {
  (void)data, (void)event;
  require(heddle_stream_wait(stream, &error));
}

static heddle_status try_call(const heddle_weights *weights,
                              heddle_observer observer) {
  const heddle_context context = {.error = &error,
                                  .observer = observer,
                                  .stream = stream,
                                  .device_arguments = 3};
  return steps_steps(&context, weights, x, y, ROWS, workspace, workspace_size);
}

static void call(const heddle_weights *weights, heddle_observer observer) {
  require(try_call(weights, observer));
}

int main(int argc, char **argv) {
  const heddle_device_options options = {.kind = HEDDLE_DEVICE_CUDA};
  heddle_weights *file, *weights;
  if (argc != 2)
    return 2;
  require(heddle_device_open(&options, NULL, &device, &error));
  require(heddle_stream_create(device, NULL, NULL, &stream, &error));
  require(heddle_weights_open(&steps_model, argv[1], 0, NULL, &file, &error));
  require(heddle_weights_upload(file, stream, NULL, &weights, &error));
  require(steps_steps_workspace_size(ROWS, &workspace_size, &error));
  require(heddle_device_allocate(device, workspace_size, &workspace, &error));
  require(heddle_device_allocate(device, ROWS * 64 * 4, &x, &error));
  require(heddle_device_allocate(device, ROWS * 64 * 4, &y, &error));
  fputs("observed\n", stderr);
  for (int i = 0; i < 3; ++i)
    call(weights, observe);
  fputs("repeated\n", stderr);
  call(weights, NULL);
  call(weights, NULL);
  fputs("closed\n", stderr);
  heddle_weights_close(weights);
  require(heddle_weights_upload(file, stream, NULL, &weights, &error));
  fputs("with others\n", stderr);
  call(weights, NULL);
  fputs("again\n", stderr);
  call(weights, NULL);
  fputs("failing\n", stderr);
  setenv("FAIL", "cuLaunchKernel", 1);
  if (try_call(weights, NULL) == HEDDLE_OK)
    return 1;
  fprintf(stderr, "%s\n", error.message);
  unsetenv("FAIL");
  call(weights, NULL);
  fputs("changing\n", stderr);
  setenv("FAIL", "cuGraphExecUpdate", 1);
  for (int i = 0; i < CHANGES; ++i)
    call(weights, NULL);
  unsetenv("FAIL");
  fputs("gone\n", stderr);
  heddle_device_release(device, y);
  heddle_device_release(device, x);
  heddle_device_release(device, workspace);
  heddle_weights_close(weights);
  heddle_weights_close(file);
  heddle_stream_destroy(stream);
  heddle_device_close(device);
  return 0;
}
