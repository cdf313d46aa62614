/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#include "DeviceCall.h"
#include "Driver.h"
#include "StagedArguments.h"

enum { MOST_ARGUMENTS = 1024 };

heddle_status heddle_check_device(const heddle_call *call,
                                  const heddle_context *context,
                                  const heddle_weights *weights) {
  heddle_device_kind kind = (heddle_device_kind)call->model->device_kind;
  if (kind == HEDDLE_DEVICE_NONE) {
    if (weights->device)
      return heddle_call_fail(call, HEDDLE_INVALID_ARGUMENT,
                              "weights are on a device, kernels are not");
    return HEDDLE_OK;
  }
  if (!context || !context->stream)
    return heddle_call_fail(call, HEDDLE_INVALID_ARGUMENT,
                            "context.stream is null; the model was compiled "
                            "for %s and needs a heddle_stream",
                            heddle_device_kind_name(kind));
  if (!weights->device)
    return heddle_call_fail(call, HEDDLE_INVALID_ARGUMENT,
                            "weights are not on the device "
                            "(heddle_weights_upload puts them there)");
  if (weights->device != context->stream->device)
    return heddle_call_fail(call, HEDDLE_INVALID_ARGUMENT,
                            "weights are on another device than the stream");
  if (call->entry->argument_count > MOST_ARGUMENTS)
    return heddle_call_fail(call, HEDDLE_INVALID_ARGUMENT,
                            "%" PRIu32 " arguments, expected at most %d of a "
                            "model that a device runs",
                            call->entry->argument_count, MOST_ARGUMENTS);
  return HEDDLE_OK;
}

/* ---- The call ----------------------------------------------------------- */

/* heddle_frame.launcher */
typedef struct launcher {
  heddle_stream *stream;
  heddle_program *program;
  heddle_error *error;
  heddle_status failure; /* of a launch or copy */
} launcher;

static int launch(const heddle_frame *frame, int32_t function, int32_t blocks,
                  int32_t threads, int32_t shared_bytes, const int64_t *sizes,
                  void *const *arguments, const uint8_t *are_buffers) {
  launcher *of = (launcher *)frame->launcher;
  if (blocks <= 0)
    return HEDDLE_OK;
  of->failure = of->stream->device->driver->launch(
      of->stream, of->program, function, blocks, threads, shared_bytes, sizes,
      arguments, are_buffers, of->error);
  return of->failure;
}

static int copy(const heddle_frame *frame, void *to, const void *from,
                int64_t bytes, int32_t direction) {
  launcher *of = (launcher *)frame->launcher;
  const heddle_driver *driver = of->stream->device->driver;
  if (bytes <= 0)
    return HEDDLE_OK;
  of->failure = driver->copy(of->stream, to, from, (size_t)bytes,
                             (heddle_direction)direction, of->error);
  if (of->failure == HEDDLE_OK && direction == HEDDLE_TO_HOST)
    of->failure = driver->wait(of->stream, of->error);
  return of->failure;
}

/* All but to wait, which there is a reason for where the host has outputs. */
static heddle_status run_staged(const heddle_call *call,
                                const heddle_weights *weights,
                                const heddle_frame *frame, bool *has_outputs,
                                int *result) {
  void *staged[MOST_ARGUMENTS];
  const heddle_entry *entry = call->entry;
  launcher of = {frame->context->stream, weights->program, call->error,
                 HEDDLE_OK};
  heddle_status status =
      heddle_place_arguments(call, frame, staged, has_outputs);
  if (status == HEDDLE_OK)
    status = heddle_upload_inputs(call, frame, staged);
  if (status != HEDDLE_OK)
    return status;
  heddle_frame on_device = *frame;
  on_device.buffers = staged;
  on_device.launch = launch;
  on_device.copy = copy;
  on_device.launcher = &of;
  const heddle_driver *driver = of.stream->device->driver;
  /* An observer is told of kernels one by one. */
  bool has_observer = frame->context->observer != NULL;
  if (driver->begin && !has_observer)
    status = driver->begin(of.stream, of.program, entry, call->error);
  if (status != HEDDLE_OK)
    return status;
  *result = entry->run(&on_device);
  bool has_failed = of.failure != HEDDLE_OK || *result != HEDDLE_OK;
  if (driver->finish && !has_observer)
    status = driver->finish(of.stream, has_failed, call->error);
  if (has_failed) /* of a launch or copy there is a message */
    return of.failure;
  if (status != HEDDLE_OK)
    return status;
  return heddle_download_outputs(call, frame, staged);
}

heddle_status heddle_run_on_device(const heddle_call *call,
                                   const heddle_weights *weights,
                                   heddle_frame frame, int *result) {
  bool has_outputs = false;
  heddle_stream *stream = frame.context->stream;
  heddle_status status =
      run_staged(call, weights, &frame, &has_outputs, result);
  if (status == HEDDLE_OK && *result == HEDDLE_OK)
    return has_outputs ? stream->device->driver->wait(stream, call->error)
                       : HEDDLE_OK;
  /* What had begun uses memory that the caller may free now. */
  stream->device->driver->wait(stream, NULL);
  return status;
}
