/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Devices, their memory and streams, and the weights of a model on one. */
#include "Driver.h"

static const heddle_driver *driver_of(heddle_device_kind kind) {
  switch (kind) {
  case HEDDLE_DEVICE_OPENCL:
    return &heddle_opencl_driver;
  case HEDDLE_DEVICE_CUDA:
    return &heddle_cuda_driver;
  default:
    return NULL;
  }
}

const char *heddle_device_kind_name(heddle_device_kind kind) {
  switch (kind) {
  case HEDDLE_DEVICE_NONE:
    return "the CPU";
  case HEDDLE_DEVICE_OPENCL:
    return "OpenCL";
  case HEDDLE_DEVICE_CUDA:
    return "CUDA";
  }
  return "an unknown kind of device";
}

static heddle_status fail_null(heddle_error *error, const char *what) {
  return heddle_fail(error, HEDDLE_INVALID_ARGUMENT, "%s is null", what);
}

/* ---- Devices ------------------------------------------------------------ */

heddle_status heddle_device_open(const heddle_device_options *options,
                                 const heddle_allocator *allocator,
                                 heddle_device **device, heddle_error *error) {
  if (!device)
    return fail_null(error, "device");
  *device = NULL;
  if (!options)
    return fail_null(error, "options");
  heddle_status status = heddle_check_allocator(allocator, error);
  const heddle_driver *driver = driver_of(options->kind);
  if (status == HEDDLE_OK && !driver)
    status = heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                         "options.kind is %d, expected HEDDLE_DEVICE_OPENCL or "
                         "HEDDLE_DEVICE_CUDA",
                         (int)options->kind);
  heddle_device *opened = NULL;
  if (status == HEDDLE_OK)
    status = driver->open(options, allocator, &opened, error);
  if (status != HEDDLE_OK)
    return status;
  opened->driver = driver;
  opened->kind = options->kind;
  *device = opened;
  return heddle_succeed(error);
}

void heddle_device_close(heddle_device *device) {
  if (device)
    device->driver->close(device);
}

const char *heddle_device_name(const heddle_device *device) {
  return device ? device->name : "";
}

heddle_status heddle_device_allocate(heddle_device *device, size_t size,
                                     void **address, heddle_error *error) {
  if (!address)
    return fail_null(error, "address");
  *address = NULL;
  if (!device)
    return fail_null(error, "device");
  heddle_status status = device->driver->allocate(device, size, address, error);
  return status == HEDDLE_OK ? heddle_succeed(error) : status;
}

void heddle_device_release(heddle_device *device, void *address) {
  if (device && address)
    device->driver->release(device, address);
}

/* ---- Streams ------------------------------------------------------------ */

heddle_status heddle_stream_create(heddle_device *device, void *native,
                                   const heddle_allocator *allocator,
                                   heddle_stream **stream,
                                   heddle_error *error) {
  if (!stream)
    return fail_null(error, "stream");
  *stream = NULL;
  if (!device)
    return fail_null(error, "device");
  heddle_status status = heddle_check_allocator(allocator, error);
  heddle_stream *created = NULL;
  if (status == HEDDLE_OK)
    status = device->driver->create_stream(device, native, allocator, &created,
                                           error);
  if (status != HEDDLE_OK)
    return status;
  created->device = device;
  if (allocator)
    created->allocator = *allocator;
  *stream = created;
  return heddle_succeed(error);
}

void heddle_stream_destroy(heddle_stream *stream) {
  if (stream)
    stream->device->driver->destroy_stream(stream);
}

heddle_status heddle_stream_wait(heddle_stream *stream, heddle_error *error) {
  if (!stream)
    return fail_null(error, "stream");
  heddle_status status = stream->device->driver->wait(stream, error);
  return status == HEDDLE_OK ? heddle_succeed(error) : status;
}

static heddle_status copy(heddle_stream *stream, void *to, const void *from,
                          size_t size, heddle_direction direction,
                          heddle_error *error) {
  if (!stream || ((!to || !from) && size > 0))
    return fail_null(error, !stream ? "stream" : to ? "from" : "to");
  heddle_status status =
      stream->device->driver->copy(stream, to, from, size, direction, error);
  return status == HEDDLE_OK ? heddle_succeed(error) : status;
}

heddle_status heddle_stream_upload(heddle_stream *stream, void *to,
                                   const void *from, size_t size,
                                   heddle_error *error) {
  return copy(stream, to, from, size, HEDDLE_TO_DEVICE, error);
}

heddle_status heddle_stream_download(heddle_stream *stream, void *to,
                                     const void *from, size_t size,
                                     heddle_error *error) {
  return copy(stream, to, from, size, HEDDLE_TO_HOST, error);
}

heddle_status heddle_stream_copy(heddle_stream *stream, void *to,
                                 const void *from, size_t size,
                                 heddle_error *error) {
  return copy(stream, to, from, size, HEDDLE_ON_DEVICE, error);
}

/* ---- Weights ------------------------------------------------------------ */

void heddle_release_uploaded(heddle_weights *weights) {
  heddle_allocator allocator = weights->allocator;
  heddle_device *device = weights->device;
  if (weights->program)
    device->driver->discard(weights->program);
  if (weights->data)
    device->driver->release(device, (void *)weights->data);
  heddle_release(&allocator, weights);
}

static heddle_status fill_uploaded(const heddle_weights *weights,
                                   heddle_stream *stream,
                                   const heddle_allocator *allocator,
                                   heddle_weights *uploaded,
                                   heddle_error *error) {
  const heddle_driver *driver = stream->device->driver;
  size_t size = (size_t)weights->model->weights_size;
  void *data = NULL;
  heddle_status status = driver->allocate(stream->device, size, &data, error);
  if (status != HEDDLE_OK)
    return status;
  uploaded->data = (const uint8_t *)data;
  status =
      driver->copy(stream, data, weights->data, size, HEDDLE_TO_DEVICE, error);
  /* So that other streams may use them at once, and memory may go again. */
  if (status == HEDDLE_OK)
    status = driver->wait(stream, error);
  if (status == HEDDLE_OK)
    status = driver->compile(stream->device, weights->model, allocator,
                             &uploaded->program, error);
  return status;
}

heddle_status heddle_weights_upload(const heddle_weights *weights,
                                    heddle_stream *stream,
                                    const heddle_allocator *allocator,
                                    heddle_weights **uploaded,
                                    heddle_error *error) {
  if (!uploaded)
    return fail_null(error, "uploaded");
  *uploaded = NULL;
  if (!weights || !stream)
    return fail_null(error, weights ? "stream" : "weights");
  heddle_status status = heddle_check_allocator(allocator, error);
  if (status != HEDDLE_OK)
    return status;
  const heddle_model *model = weights->model;
  if (weights->device)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                       "weights of '%s' are on a device already", model->name);
  if (model->device_kind != (uint32_t)stream->device->kind)
    return heddle_fail(
        error, HEDDLE_INVALID_ARGUMENT,
        "'%s' was compiled for %s, the stream is of %s", model->name,
        heddle_device_kind_name((heddle_device_kind)model->device_kind),
        heddle_device_kind_name(stream->device->kind));
  heddle_weights *handle = (heddle_weights *)heddle_allocate_for(
      allocator, sizeof(*handle), "the weights handle", error);
  if (!handle)
    return HEDDLE_OUT_OF_MEMORY;
  handle->model = model;
  handle->device = stream->device;
  if (allocator)
    handle->allocator = *allocator;
  status = fill_uploaded(weights, stream, allocator, handle, error);
  if (status != HEDDLE_OK) {
    heddle_release_uploaded(handle);
    return status;
  }
  *uploaded = handle;
  return heddle_succeed(error);
}
