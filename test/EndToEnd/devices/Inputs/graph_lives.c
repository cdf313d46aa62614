/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Calls with an observer that waits, calls around the life of weights, and
 * calls whose graphs never fit, which $FAIL says to the stand-in for CUDA's
 * driver.
 */
#define _DEFAULT_SOURCE /* setenv */
#include "steps.h"

#include "opened_model.h"

enum { ROWS = 3, CHANGES = 6 };

static opened_model model;
static void *x, *y, *workspace;
static size_t workspace_size;

static void observe(void *data, const heddle_kernel_event *event) {
  (void)data, (void)event;
  require(heddle_stream_wait(model.stream, &error));
}

static heddle_status try_call(heddle_observer observer) {
  const heddle_context context = {.error = &error,
                                  .observer = observer,
                                  .stream = model.stream,
                                  .device_arguments = 3};
  return steps_steps(&context, model.weights, x, y, ROWS, workspace,
                     workspace_size);
}

static void call(heddle_observer observer) { require(try_call(observer)); }

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  model = open_model(&steps_model, argv[1]);
  require(steps_steps_workspace_size(ROWS, &workspace_size, &error));
  require(
      heddle_device_allocate(model.device, workspace_size, &workspace, &error));
  require(heddle_device_allocate(model.device, ROWS * 64 * 4, &x, &error));
  require(heddle_device_allocate(model.device, ROWS * 64 * 4, &y, &error));
  fputs("observed\n", stderr);
  for (int i = 0; i < 3; ++i)
    call(observe);
  fputs("repeated\n", stderr);
  call(NULL);
  call(NULL);
  fputs("closed\n", stderr);
  heddle_weights_close(model.weights);
  require(heddle_weights_upload(model.file, model.stream, NULL, &model.weights,
                                &error));
  fputs("with others\n", stderr);
  call(NULL);
  fputs("again\n", stderr);
  call(NULL);
  fputs("failing\n", stderr);
  setenv("FAIL", "cuLaunchKernel", 1);
  if (try_call(NULL) == HEDDLE_OK)
    return 1;
  fprintf(stderr, "%s\n", error.message);
  unsetenv("FAIL");
  call(NULL);
  fputs("changing\n", stderr);
  setenv("FAIL", "cuGraphExecUpdate", 1);
  for (int i = 0; i < CHANGES; ++i)
    call(NULL);
  unsetenv("FAIL");
  fputs("gone\n", stderr);
  heddle_device_release(model.device, y);
  heddle_device_release(model.device, x);
  heddle_device_release(model.device, workspace);
  close_model(&model);
  return 0;
}
