/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* What a kind of device can do for the functions of heddle.h. One file a kind.
 * Not installed.
 */
#ifndef HEDDLE_DRIVER_H
#define HEDDLE_DRIVER_H

#include "../Internal.h"

#include <stdbool.h>

/* The functions of a model that a device has compiled. */
typedef struct heddle_program heddle_program;

/* Functions of a kind of device. Where one fails it fills *error, and has
 * changed nothing. Those without an error cannot fail. */
typedef struct heddle_driver {
  heddle_status (*open)(const heddle_device_options *options,
                        const heddle_allocator *allocator,
                        heddle_device **device, heddle_error *error);
  void (*close)(heddle_device *device);

  heddle_status (*allocate)(heddle_device *device, size_t size, void **address,
                            heddle_error *error);
  void (*release)(heddle_device *device, void *address);

  heddle_status (*create_stream)(heddle_device *device, void *native,
                                 const heddle_allocator *allocator,
                                 heddle_stream **stream, heddle_error *error);
  void (*destroy_stream)(heddle_stream *stream);
  heddle_status (*wait)(heddle_stream *stream, heddle_error *error);
  /* From the host: `from` may change once this returns. To it: once the stream
   * has been waited for. */
  heddle_status (*copy)(heddle_stream *stream, void *to, const void *from,
                        size_t size, heddle_direction direction,
                        heddle_error *error);

  heddle_status (*compile)(heddle_device *device, const heddle_model *model,
                           const heddle_allocator *allocator,
                           heddle_program **program, heddle_error *error);
  void (*discard)(heddle_program *program);
  /* A heddle_launch. */
  heddle_status (*launch)(heddle_stream *stream, heddle_program *program,
                          int32_t function, int32_t blocks, int32_t threads,
                          int32_t shared_bytes, const int64_t *sizes,
                          void *const *arguments, const uint8_t *are_buffers,
                          heddle_error *error);
  /* Around the launches of a call of `entry`: a device may hold them back and
   * run them as one. What has not begun does so with `finish`; after a failure
   * that drops what it holds. Either is null where there is nothing to do. */
  heddle_status (*begin)(heddle_stream *stream, const heddle_program *program,
                         const heddle_entry *entry, heddle_error *error);
  heddle_status (*finish)(heddle_stream *stream, bool has_failed,
                          heddle_error *error);
} heddle_driver;

extern const heddle_driver heddle_cuda_driver;
extern const heddle_driver heddle_opencl_driver;

/* What handles of all kinds begin with. */
struct heddle_device {
  const heddle_driver *driver;
  heddle_device_kind kind;
  heddle_allocator allocator;
  char name[128];
};

struct heddle_stream {
  heddle_device *device;
  heddle_allocator allocator;
};

#endif /* HEDDLE_DRIVER_H */
