/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Devices of CUDA, through its driver API: memory, streams and copies. */
#include "CudaDriver.h"

#include <dlfcn.h>

heddle_status heddle_cuda_fail(heddle_error *error, const cuda_device *device,
                               const char *function, CUresult code) {
  const char *name = "an unknown error", *text = "";
  device->api.cuGetErrorName(code, &name);
  device->api.cuGetErrorString(code, &text);
  return heddle_fail(error,
                     code == CUDA_ERROR_OUT_OF_MEMORY ? HEDDLE_OUT_OF_MEMORY
                                                      : HEDDLE_DEVICE_ERROR,
                     "%s: %s failed with %s (%s)", device->base.name, function,
                     name, text);
}

/* ---- Devices ------------------------------------------------------------ */

static heddle_status load_api(heddle_cuda_api *api, heddle_error *error) {
  /* The driver's library, and the name that its development files have. */
  static const char *const names[] = {"libcuda.so.1", "libcuda.so"};
  for (int i = 0; i < 2 && !api->library; ++i)
    api->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  if (!api->library)
    return heddle_fail(error, HEDDLE_NO_DEVICE,
                       "no CUDA: neither %s nor %s can be loaded", names[0],
                       names[1]);
#define HEDDLE_FIND(name, symbol, parameters)                                  \
  *(void **)&api->name = dlsym(api->library, symbol);                          \
  if (!api->name)                                                              \
    return heddle_fail(                                                        \
        error, HEDDLE_NO_DEVICE,                                               \
        "CUDA's driver has no %s; expected version 11.4 or later", symbol);
  HEDDLE_CUDA_FUNCTIONS(HEDDLE_FIND)
#undef HEDDLE_FIND
  return HEDDLE_OK;
}

/* A context of the caller's, or the one that programs share with the CUDA
 * runtime and so with libraries on it. */
static heddle_status find_context(cuda_device *device,
                                  const heddle_device_options *options,
                                  heddle_error *error) {
  int count = 0;
  heddle_status status = HEDDLE_OK;
  if (options->context) {
    device->context = (CUcontext)options->context;
    status = enter(device, error);
    if (status != HEDDLE_OK)
      return status;
    return leave(device,
                 HEDDLE_CHECK(device, error, cuCtxGetDevice, &device->id));
  }
  status = HEDDLE_CHECK(device, error, cuDeviceGetCount, &count);
  if (status != HEDDLE_OK)
    return status;
  if (options->index < 0 || options->index >= count)
    return heddle_fail(error, HEDDLE_NO_DEVICE,
                       "no device %" PRId32 " of CUDA: there are %d",
                       options->index, count);
  status =
      HEDDLE_CHECK(device, error, cuDeviceGet, &device->id, options->index);
  if (status == HEDDLE_OK)
    status = HEDDLE_CHECK(device, error, cuDevicePrimaryCtxRetain,
                          &device->context, device->id);
  device->is_primary = status == HEDDLE_OK;
  return status;
}

static heddle_status describe(cuda_device *device, heddle_error *error) {
  int major = 0, minor = 0;
  heddle_status status =
      HEDDLE_CHECK(device, error, cuDeviceGetName, device->base.name,
                   (int)sizeof(device->base.name), device->id);
  const struct {
    int *value, attribute;
  } attributes[] = {
      {&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
      {&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
      {&device->shared_bytes,
       CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN},
      {&device->reads_pageable, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS}};
  for (int i = 0; i < 4 && status == HEDDLE_OK; ++i)
    status =
        HEDDLE_CHECK(device, error, cuDeviceGetAttribute, attributes[i].value,
                     attributes[i].attribute, device->id);
  device->capability = 10 * major + minor;
  return status;
}

static void cuda_close(heddle_device *base) {
  cuda_device *device = of_device(base);
  heddle_allocator allocator = base->allocator;
  if (device->is_primary)
    device->api.cuDevicePrimaryCtxRelease(device->id);
  pthread_mutex_destroy(&device->lock);
  /* The library stays: drivers leave threads and handlers behind. */
  heddle_release(&allocator, device);
}

static heddle_status cuda_open(const heddle_device_options *options,
                               const heddle_allocator *allocator,
                               heddle_device **result, heddle_error *error) {
  cuda_device *device = (cuda_device *)heddle_allocate_for(
      allocator, sizeof(*device), "the device", error);
  if (!device)
    return HEDDLE_OUT_OF_MEMORY;
  if (allocator)
    device->base.allocator = *allocator;
  device->has_graphs = !options->launches_alone;
  pthread_mutex_init(&device->lock, NULL);
  snprintf(device->base.name, sizeof(device->base.name), "CUDA");
  heddle_status status = HEDDLE_OK;
  if (options->device)
    status = heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                         "options.device is given, expected null: CUDA's "
                         "contexts know theirs");
  if (status == HEDDLE_OK && options->compiler_options &&
      *options->compiler_options)
    status = heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                         "options.compiler_options is '%s', expected none: "
                         "CUDA's driver takes no such options",
                         options->compiler_options);
  if (status == HEDDLE_OK)
    status = load_api(&device->api, error);
  if (status == HEDDLE_OK) {
    CUresult code = device->api.cuInit(0);
    if (code != CUDA_SUCCESS) {
      heddle_cuda_fail(error, device, "cuInit", code);
      status = HEDDLE_NO_DEVICE;
      if (error)
        error->status = status;
    }
  }
  if (status == HEDDLE_OK)
    status = find_context(device, options, error);
  if (status == HEDDLE_OK)
    status = describe(device, error);
  if (status != HEDDLE_OK)
    cuda_close(&device->base);
  else
    *result = &device->base;
  return status;
}

/* ---- Memory ------------------------------------------------------------- */

static heddle_status cuda_allocate(heddle_device *base, size_t size,
                                   void **address, heddle_error *error) {
  cuda_device *device = of_device(base);
  CUdeviceptr memory = 0;
  heddle_status status = enter(device, error);
  if (status != HEDDLE_OK)
    return status;
  CUresult code = device->api.cuMemAlloc(&memory, size ? size : 1);
  if (code == CUDA_ERROR_OUT_OF_MEMORY)
    status = heddle_fail(error, HEDDLE_OUT_OF_MEMORY,
                         "%s: cannot allocate %zu bytes", base->name, size);
  else
    status = heddle_cuda_check(error, device, "cuMemAlloc", code);
  *address = (void *)(uintptr_t)memory;
  return leave(device, status);
}

static void cuda_release(heddle_device *base, void *address) {
  cuda_device *device = of_device(base);
  if (enter(device, NULL) != HEDDLE_OK)
    return; /* the context has gone, and its memory with it */
  device->api.cuMemFree((CUdeviceptr)(uintptr_t)address);
  leave(device, HEDDLE_OK);
}

/* ---- Streams ------------------------------------------------------------ */

/* Whether a stream of the caller's is one of the device, and its flags. */
static heddle_status check_native(cuda_device *device, CUstream stream,
                                  unsigned *flags, heddle_error *error) {
  CUcontext context = NULL;
  heddle_status status =
      HEDDLE_CHECK(device, error, cuStreamGetCtx, stream, &context);
  if (status == HEDDLE_OK && context != device->context)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                       "native is a stream of another context than the "
                       "device's");
  return status == HEDDLE_OK
             ? HEDDLE_CHECK(device, error, cuStreamGetFlags, stream, flags)
             : status;
}

static heddle_status cuda_create_stream(heddle_device *base, void *native,
                                        const heddle_allocator *allocator,
                                        heddle_stream **result,
                                        heddle_error *error) {
  cuda_device *device = of_device(base);
  cuda_stream *stream = (cuda_stream *)heddle_allocate_for(
      allocator, sizeof(*stream), "the stream", error);
  if (!stream)
    return HEDDLE_OUT_OF_MEMORY;
  stream->stream = (CUstream)native;
  stream->is_own = !native;
  /* While another stream is captured, no thread may use CUDA's default one. */
  unsigned flags = CU_STREAM_NON_BLOCKING;
  heddle_status status = enter(device, error);
  if (status == HEDDLE_OK)
    status = leave(device,
                   native ? check_native(device, stream->stream, &flags, error)
                          : HEDDLE_CHECK(device, error, cuStreamCreate,
                                         &stream->stream, flags));
  stream->can_capture =
      device->has_graphs && (flags & CU_STREAM_NON_BLOCKING) != 0;
  if (status != HEDDLE_OK)
    heddle_release(allocator, stream);
  else
    *result = &stream->base;
  return status;
}

static void cuda_destroy_stream(heddle_stream *base) {
  cuda_device *device = of_device(base->device);
  heddle_allocator allocator = base->allocator;
  bool has_context = enter(device, NULL) == HEDDLE_OK;
  if (has_context)
    device->api.cuStreamSynchronize(of_stream(base)->stream);
  heddle_cuda_remove_graphs(device, of_stream(base), NULL, has_context);
  if (has_context && of_stream(base)->is_own)
    device->api.cuStreamDestroy(of_stream(base)->stream);
  if (has_context)
    leave(device, HEDDLE_OK);
  heddle_release(&allocator, base);
}

/* ---- Copies ------------------------------------------------------------- */

static heddle_status cuda_wait(heddle_stream *stream, heddle_error *error) {
  cuda_device *device = of_device(stream->device);
  heddle_status status = enter(device, error);
  if (status != HEDDLE_OK)
    return status;
  status = heddle_cuda_end_capture(device, of_stream(stream),
                                   /*is_dropped=*/false, error);
  if (status == HEDDLE_OK)
    status = HEDDLE_CHECK(device, error, cuStreamSynchronize,
                          of_stream(stream)->stream);
  return leave(device, status);
}

/* What is copied from pageable memory has been read when CUDA's function
 * returns, if the device cannot read that itself, as it does memory that CUDA
 * knows. */
static heddle_status upload(cuda_device *device, CUstream stream, void *to,
                            const void *from, size_t size,
                            heddle_error *error) {
  int type = 0, capture = CU_STREAM_CAPTURE_STATUS_NONE;
  if (device->api.cuStreamIsCapturing(stream, &capture) == CUDA_SUCCESS &&
      capture != CU_STREAM_CAPTURE_STATUS_NONE)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                       "%s: the program captures the stream, and memory of the "
                       "host would be read when the graph runs: expected "
                       "arguments on the device (context.device_arguments)",
                       device->base.name);
  heddle_status status =
      HEDDLE_CHECK(device, error, cuMemcpyHtoDAsync, (CUdeviceptr)(uintptr_t)to,
                   from, size, stream);
  if (status == HEDDLE_OK &&
      (device->reads_pageable ||
       device->api.cuPointerGetAttribute(
           &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
           (CUdeviceptr)(uintptr_t)from) == CUDA_SUCCESS))
    status = HEDDLE_CHECK(device, error, cuStreamSynchronize, stream);
  return status;
}

static heddle_status cuda_copy(heddle_stream *base, void *to, const void *from,
                               size_t size, heddle_direction direction,
                               heddle_error *error) {
  cuda_device *device = of_device(base->device);
  CUstream stream = of_stream(base)->stream;
  heddle_status status = HEDDLE_OK;
  if (size == 0)
    return HEDDLE_OK;
  status = enter(device, error);
  if (status != HEDDLE_OK)
    return status;
  /* Memory of the host is no part of a graph. */
  if (direction != HEDDLE_ON_DEVICE)
    status = heddle_cuda_end_capture(device, of_stream(base),
                                     /*is_dropped=*/false, error);
  if (status != HEDDLE_OK)
    return leave(device, status);
  if (direction == HEDDLE_TO_DEVICE)
    status = upload(device, stream, to, from, size, error);
  else if (direction == HEDDLE_TO_HOST)
    status = HEDDLE_CHECK(device, error, cuMemcpyDtoHAsync, to,
                          (CUdeviceptr)(uintptr_t)from, size, stream);
  else
    status = HEDDLE_CHECK(device, error, cuMemcpyDtoDAsync,
                          (CUdeviceptr)(uintptr_t)to,
                          (CUdeviceptr)(uintptr_t)from, size, stream);
  return leave(device, status);
}

const heddle_driver heddle_cuda_driver = {
    cuda_open,           cuda_close,         cuda_allocate,
    cuda_release,        cuda_create_stream, cuda_destroy_stream,
    cuda_wait,           cuda_copy,          heddle_cuda_compile,
    heddle_cuda_discard, heddle_cuda_launch, heddle_cuda_begin,
    heddle_cuda_finish,
};
