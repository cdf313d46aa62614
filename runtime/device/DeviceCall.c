/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#include "DeviceCall.h"
#include "Driver.h"

/* Addresses that parts of a workspace begin at are multiples of this. */
enum { STAGE_ALIGNMENT = 256, MOST_ARGUMENTS = 1024 };

static size_t round_up(size_t bytes) {
  return (bytes + STAGE_ALIGNMENT - 1) / STAGE_ALIGNMENT * STAGE_ALIGNMENT;
}

bool heddle_is_staged(const heddle_entry *entry, uint32_t a,
                      uint64_t device_arguments) {
  if (entry->arguments[a].kind == HEDDLE_ARGUMENT_CACHE)
    return false;
  uint32_t bit = a < 63 ? a : 63; /* the last one stands for all others */
  return !(device_arguments >> bit & 1);
}

bool heddle_is_here(const heddle_call *call, uint32_t argument) {
  return argument == HEDDLE_NO_ARGUMENT ||
         call->entry->device_kind == HEDDLE_DEVICE_NONE ||
         heddle_is_staged(call->entry, argument, call->device_arguments);
}

heddle_status heddle_measure_staged(const heddle_call *call, size_t *bytes) {
  size_t all = round_up(*bytes);
  for (uint32_t a = 0; a < call->entry->argument_count; ++a) {
    heddle_measurement measured;
    if (!heddle_is_staged(call->entry, a, call->device_arguments))
      continue;
    heddle_status status = heddle_measure_argument(call, a, &measured);
    if (status != HEDDLE_OK)
      return status;
    if (__builtin_add_overflow(all, round_up((size_t)measured.bytes), &all))
      return heddle_call_fail(
          call, HEDDLE_INVALID_ARGUMENT,
          "the workspace for these sizes is larger than memory can be");
  }
  *bytes = all;
  return HEDDLE_OK;
}

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

/* Copies all arguments of that kind between the host and the workspace. */
static heddle_status copy_arguments(const heddle_call *call,
                                    const heddle_frame *frame,
                                    void *const *staged, uint32_t kind) {
  const heddle_entry *entry = call->entry;
  heddle_stream *stream = frame->context->stream;
  for (uint32_t a = 0; a < entry->argument_count; ++a) {
    heddle_measurement measured;
    if (entry->arguments[a].kind != kind ||
        !heddle_is_staged(entry, a, call->device_arguments))
      continue;
    heddle_status status = heddle_measure_argument(call, a, &measured);
    bool is_input = kind == HEDDLE_ARGUMENT_INPUT;
    if (status == HEDDLE_OK)
      status = stream->device->driver->copy(
          stream, is_input ? staged[a] : frame->buffers[a],
          is_input ? frame->buffers[a] : staged[a], (size_t)measured.bytes,
          is_input ? HEDDLE_TO_DEVICE : HEDDLE_TO_HOST, call->error);
    if (status != HEDDLE_OK)
      return status;
  }
  return HEDDLE_OK;
}

/* Where the arguments are on the device. */
static heddle_status place_arguments(const heddle_call *call,
                                     const heddle_frame *frame, void **staged,
                                     bool *has_outputs) {
  const heddle_entry *entry = call->entry;
  size_t offset = 0;
  heddle_measurement workspace = {0};
  call->entry->measure(call->sizes, entry->argument_count, &workspace);
  offset = round_up((size_t)workspace.bytes);
  for (uint32_t a = 0; a < entry->argument_count; ++a) {
    heddle_measurement measured;
    heddle_status status = heddle_measure_argument(call, a, &measured);
    if (status != HEDDLE_OK)
      return status;
    if (!heddle_is_staged(entry, a, call->device_arguments)) {
      staged[a] = frame->buffers[a];
      continue;
    }
    staged[a] = frame->workspace + offset;
    offset += round_up((size_t)measured.bytes);
    *has_outputs |= entry->arguments[a].kind == HEDDLE_ARGUMENT_OUTPUT;
  }
  return HEDDLE_OK;
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
  heddle_status status = place_arguments(call, frame, staged, has_outputs);
  if (status == HEDDLE_OK)
    status = copy_arguments(call, frame, staged, HEDDLE_ARGUMENT_INPUT);
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
  return copy_arguments(call, frame, staged, HEDDLE_ARGUMENT_OUTPUT);
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
