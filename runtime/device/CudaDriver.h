/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* What the files of CUDA's driver share: devices, streams, and calls of the
 * driver API. Not installed.
 */
#ifndef HEDDLE_CUDA_DRIVER_H
#define HEDDLE_CUDA_DRIVER_H

#include "CudaApi.h"
#include "Driver.h"

#include <inttypes.h>
#include <pthread.h>

typedef struct cuda_device {
  heddle_device base;
  heddle_cuda_api api;
  CUdevice id;
  CUcontext context;
  int is_primary; /* the device's own context, to be released */
  int capability; /* 90 for sm_90 */
  int shared_bytes;
  int reads_pageable; /* memory of the host that CUDA does not know */
  int has_graphs;
  pthread_mutex_t lock; /* of the list below */
  struct cuda_graph *graphs;
} cuda_device;

typedef struct cuda_stream {
  heddle_stream base;
  CUstream stream;
  int is_own;
  int can_capture;
  struct cuda_graph *call; /* of the call that launches now, or null */
  int is_captured;         /* and whether it is captured */
} cuda_stream;

static inline cuda_device *of_device(heddle_device *device) {
  return (cuda_device *)device;
}
static inline cuda_stream *of_stream(heddle_stream *stream) {
  return (cuda_stream *)stream;
}

/* Fills *error with what `function` returned. */
heddle_status heddle_cuda_fail(heddle_error *error, const cuda_device *device,
                               const char *function, CUresult code);

/* `return HEDDLE_CHECK(function, arguments)`: succeeds, or says what failed. */
#define HEDDLE_CHECK(device, error, function, ...)                             \
  heddle_cuda_check(error, device, #function,                                  \
                    (device)->api.function(__VA_ARGS__))
static inline heddle_status heddle_cuda_check(heddle_error *error,
                                              const cuda_device *device,
                                              const char *function,
                                              CUresult code) {
  return code == CUDA_SUCCESS ? HEDDLE_OK
                              : heddle_cuda_fail(error, device, function, code);
}

/* Each function makes the device's context current and leaves the one that was
 * before. */
static inline heddle_status enter(cuda_device *device, heddle_error *error) {
  return HEDDLE_CHECK(device, error, cuCtxPushCurrent, device->context);
}
static inline heddle_status leave(cuda_device *device, heddle_status status) {
  CUcontext before;
  device->api.cuCtxPopCurrent(&before);
  return status;
}

/* ---- CudaGraphs.c ------------------------------------------------------- */

heddle_status heddle_cuda_begin(heddle_stream *stream,
                                const heddle_program *program,
                                const heddle_entry *entry, heddle_error *error);
heddle_status heddle_cuda_finish(heddle_stream *stream, bool has_failed,
                                 heddle_error *error);
/* Ends the capture, if there is one, and runs or drops what it has. In the
 * device's context. */
heddle_status heddle_cuda_end_capture(cuda_device *device, cuda_stream *stream,
                                      bool is_dropped, heddle_error *error);
/* Removes the graphs of a stream, or of a program, whose functions are about to
 * go; the other is null. In the device's context, unless that has gone, and
 * what the driver has of them with it. */
void heddle_cuda_remove_graphs(cuda_device *device, const cuda_stream *stream,
                               const heddle_program *program, bool has_context);

/* ---- CudaPrograms.c ----------------------------------------------------- */

heddle_status heddle_cuda_compile(heddle_device *device,
                                  const heddle_model *model,
                                  const heddle_allocator *allocator,
                                  heddle_program **program,
                                  heddle_error *error);
void heddle_cuda_discard(heddle_program *program);
heddle_status heddle_cuda_launch(heddle_stream *stream, heddle_program *program,
                                 int32_t function, int32_t blocks,
                                 int32_t threads, int32_t shared_bytes,
                                 const int64_t *sizes, void *const *arguments,
                                 const uint8_t *are_buffers,
                                 heddle_error *error);

#endif /* HEDDLE_CUDA_DRIVER_H */
