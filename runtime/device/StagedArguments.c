/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#include "StagedArguments.h"
#include "Driver.h"

/* Addresses that parts of a workspace begin at are multiples of this. */
enum { STAGE_ALIGNMENT = 256 };

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

heddle_status heddle_place_arguments(const heddle_call *call,
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

/* The next argument from *a on of that kind that the host has, and its bytes;
 * argument_count where there is none. */
static heddle_status next_staged(const heddle_call *call, uint32_t kind,
                                 uint32_t *a, size_t *bytes) {
  const heddle_entry *entry = call->entry;
  heddle_measurement measured = {0};
  while (*a < entry->argument_count &&
         (entry->arguments[*a].kind != kind ||
          !heddle_is_staged(entry, *a, call->device_arguments)))
    ++*a;
  heddle_status status = *a < entry->argument_count
                             ? heddle_measure_argument(call, *a, &measured)
                             : HEDDLE_OK;
  *bytes = (size_t)measured.bytes;
  return status;
}

/* ---- Inputs ------------------------------------------------------------- */

static heddle_status upload(const heddle_call *call, heddle_stream *stream,
                            void *to, const void *from, size_t size) {
  return size ? stream->device->driver->copy(stream, to, from, size,
                                             HEDDLE_TO_DEVICE, call->error)
              : HEDDLE_OK;
}

/* Inputs that follow each other in the workspace, on their way there as one:
 * an upload takes a driver microseconds, however small it is. What lies between
 * them, padding and the places of outputs, becomes 0: no kernel runs yet. */
typedef struct parcel {
  unsigned char bytes[8192];
  unsigned char *to;
  size_t size;
} parcel;

static heddle_status send(const heddle_call *call, heddle_stream *stream,
                          parcel *all) {
  const size_t size = all->size;
  all->size = 0;
  return upload(call, stream, all->to, all->bytes, size);
}

/* Whatever finds no room goes by itself. */
static heddle_status add(const heddle_call *call, heddle_stream *stream,
                         parcel *all, unsigned char *to, const void *from,
                         size_t size) {
  size_t at = all->size ? (size_t)(to - all->to) : 0;
  if (at + size > sizeof(all->bytes)) {
    heddle_status status = send(call, stream, all);
    if (status != HEDDLE_OK || size > sizeof(all->bytes))
      return status == HEDDLE_OK ? upload(call, stream, to, from, size)
                                 : status;
    at = 0;
  }
  if (at == 0)
    all->to = to;
  memset(all->bytes + all->size, 0, at - all->size);
  memcpy(all->bytes + at, from, size);
  all->size = at + size;
  return HEDDLE_OK;
}

heddle_status heddle_upload_inputs(const heddle_call *call,
                                   const heddle_frame *frame,
                                   void *const *staged) {
  heddle_stream *stream = frame->context->stream;
  parcel all;
  all.size = 0;
  for (uint32_t a = 0;; ++a) {
    size_t bytes;
    heddle_status status = next_staged(call, HEDDLE_ARGUMENT_INPUT, &a, &bytes);
    if (status != HEDDLE_OK)
      return status;
    if (a == call->entry->argument_count)
      return send(call, stream, &all);
    status = add(call, stream, &all, (unsigned char *)staged[a],
                 frame->buffers[a], bytes);
    if (status != HEDDLE_OK)
      return status;
  }
}

/* ---- Outputs ------------------------------------------------------------ */

heddle_status heddle_download_outputs(const heddle_call *call,
                                      const heddle_frame *frame,
                                      void *const *staged) {
  heddle_stream *stream = frame->context->stream;
  for (uint32_t a = 0;; ++a) {
    size_t bytes;
    heddle_status status =
        next_staged(call, HEDDLE_ARGUMENT_OUTPUT, &a, &bytes);
    if (status != HEDDLE_OK || a == call->entry->argument_count)
      return status;
    status = stream->device->driver->copy(stream, frame->buffers[a], staged[a],
                                          bytes, HEDDLE_TO_HOST, call->error);
    if (status != HEDDLE_OK)
      return status;
  }
}
