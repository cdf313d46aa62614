/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Runs models on their device in programs that know of none. The linker puts
 * these functions in the place of the runtime's (--wrap, in lit.cfg.py). Caches
 * and workspaces stay the program's, on the host: each call works on copies of
 * them, each with bytes behind it that nobody may write.
 */
#include "heddle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD_BYTES = 256, MOST_COPIES = 16 };

heddle_status __real_heddle_weights_open(const heddle_model *, const char *,
                                         unsigned, const heddle_allocator *,
                                         heddle_weights **, heddle_error *);
heddle_status __real_heddle_weights_bind(const heddle_model *, const void *,
                                         size_t, unsigned,
                                         const heddle_allocator *,
                                         heddle_weights **, heddle_error *);
heddle_status __real_heddle_invoke(const heddle_model *, const heddle_entry *,
                                   const heddle_context *,
                                   const heddle_weights *, void *const *,
                                   const int64_t *, void *, size_t);
heddle_status __real_heddle_reorder_cache(const heddle_entry *, uint32_t,
                                          const int64_t *, void *,
                                          const int32_t *, heddle_error *);

/* Open from the first weights until the program ends. */
static heddle_device *device;

/* Replaces weights of the host where they are those of a device's model. */
static heddle_status upload(const heddle_model *model, heddle_weights **weights,
                            heddle_error *error) {
  heddle_weights *file = *weights;
  heddle_stream *stream = NULL;
  heddle_status status = HEDDLE_OK;
  if (model->device_kind == HEDDLE_DEVICE_NONE)
    return HEDDLE_OK;
  *weights = NULL;
  const heddle_device_options options = {
      .kind = (heddle_device_kind)model->device_kind,
      .compiler_options = getenv("HEDDLE_OPENCL_OPTIONS")};
  if (!device)
    status = heddle_device_open(&options, NULL, &device, error);
  if (status == HEDDLE_OK)
    status = heddle_stream_create(device, NULL, NULL, &stream, error);
  if (status == HEDDLE_OK)
    status = heddle_weights_upload(file, stream, NULL, weights, error);
  heddle_stream_destroy(stream);
  heddle_weights_close(file);
  return status;
}

heddle_status __wrap_heddle_weights_open(const heddle_model *model,
                                         const char *path, unsigned flags,
                                         const heddle_allocator *allocator,
                                         heddle_weights **weights,
                                         heddle_error *error) {
  heddle_status status =
      __real_heddle_weights_open(model, path, flags, allocator, weights, error);
  return status != HEDDLE_OK ? status : upload(model, weights, error);
}

heddle_status __wrap_heddle_weights_bind(const heddle_model *model,
                                         const void *data, size_t size,
                                         unsigned flags,
                                         const heddle_allocator *allocator,
                                         heddle_weights **weights,
                                         heddle_error *error) {
  heddle_status status = __real_heddle_weights_bind(model, data, size, flags,
                                                    allocator, weights, error);
  return status != HEDDLE_OK ? status : upload(model, weights, error);
}

/* Memory of the host and a copy on the device. */
typedef struct copy {
  void *host, *on_device;
  size_t size;
} copy;

typedef struct copies {
  heddle_stream *stream;
  heddle_error *error;
  int count;
  copy of[MOST_COPIES];
} copies;

/* Moves *memory to the device where the runtime would take it. */
static heddle_status copy_in(copies *c, void **memory, size_t size) {
  unsigned char guard[GUARD_BYTES];
  if (!*memory || (uintptr_t)*memory % HEDDLE_ALIGNMENT != 0)
    return HEDDLE_OK;
  if (c->count == MOST_COPIES) {
    snprintf(c->error->message, sizeof(c->error->message), "too many caches");
    return HEDDLE_INTERNAL_ERROR;
  }
  copy *of = &c->of[c->count];
  heddle_status status = heddle_device_allocate(device, size + GUARD_BYTES,
                                                &of->on_device, c->error);
  if (status != HEDDLE_OK)
    return status;
  ++c->count;
  of->host = *memory;
  of->size = size;
  *memory = of->on_device;
  memset(guard, 0x5a, sizeof(guard));
  status =
      heddle_stream_upload(c->stream, of->on_device, of->host, size, c->error);
  return status != HEDDLE_OK
             ? status
             : heddle_stream_upload(c->stream, (char *)of->on_device + size,
                                    guard, sizeof(guard), c->error);
}

static heddle_status copy_out(copies *c) {
  unsigned char guard[MOST_COPIES][GUARD_BYTES] = {0};
  heddle_status status = HEDDLE_OK;
  for (int i = 0; i < c->count && status == HEDDLE_OK; ++i) {
    const copy *of = &c->of[i];
    status = heddle_stream_download(c->stream, of->host, of->on_device,
                                    of->size, c->error);
    if (status == HEDDLE_OK)
      status = heddle_stream_download(c->stream, guard[i],
                                      (char *)of->on_device + of->size,
                                      sizeof(guard[i]), c->error);
  }
  if (status == HEDDLE_OK)
    status = heddle_stream_wait(c->stream, c->error);
  for (int i = 0; i < c->count && status == HEDDLE_OK; ++i)
    for (int b = 0; b < GUARD_BYTES && status == HEDDLE_OK; ++b)
      if (guard[i][b] != 0x5a) {
        snprintf(c->error->message, sizeof(c->error->message),
                 "byte %d behind memory of the device was written", b);
        status = HEDDLE_INTERNAL_ERROR;
      }
  return status;
}

static void release(copies *c) {
  for (int i = 0; i < c->count; ++i)
    heddle_device_release(device, c->of[i].on_device);
  heddle_stream_destroy(c->stream);
}

/* What the runtime refuses stays as it is, as it says what that is. */
static heddle_status copy_arguments_in(copies *c, const heddle_entry *entry,
                                       void **buffers, const int64_t *sizes,
                                       void **workspace,
                                       size_t workspace_size) {
  size_t needed = 0, size = 0;
  if (heddle_workspace_size(entry, sizes, &needed, NULL) != HEDDLE_OK)
    return HEDDLE_OK;
  heddle_status status = HEDDLE_OK;
  for (uint32_t a = 0; a < entry->argument_count && status == HEDDLE_OK; ++a)
    if (entry->arguments[a].kind == HEDDLE_ARGUMENT_CACHE &&
        heddle_argument_size(entry, a, sizes, &size, NULL) == HEDDLE_OK)
      status = copy_in(c, &buffers[a], size);
  if (status == HEDDLE_OK && workspace_size >= needed)
    status = copy_in(c, workspace, needed);
  return status;
}

heddle_status __wrap_heddle_invoke(const heddle_model *model,
                                   const heddle_entry *entry,
                                   const heddle_context *context,
                                   const heddle_weights *weights,
                                   void *const *buffers, const int64_t *sizes,
                                   void *workspace, size_t workspace_size) {
  heddle_context own = context ? *context : (heddle_context){0};
  heddle_error ignored;
  copies c = {.error = own.error ? own.error : &ignored};
  void *moved[64];
  if (model->device_kind == HEDDLE_DEVICE_NONE || !device || own.stream ||
      !entry || !buffers ||
      entry->argument_count > sizeof(moved) / sizeof(moved[0]))
    return __real_heddle_invoke(model, entry, context, weights, buffers, sizes,
                                workspace, workspace_size);
  memcpy(moved, buffers, entry->argument_count * sizeof(moved[0]));
  heddle_status status =
      heddle_stream_create(device, NULL, NULL, &c.stream, c.error);
  own.stream = c.stream;
  if (status == HEDDLE_OK)
    status =
        copy_arguments_in(&c, entry, moved, sizes, &workspace, workspace_size);
  if (status == HEDDLE_OK) {
    status = __real_heddle_invoke(model, entry, &own, weights, moved, sizes,
                                  workspace, workspace_size);
    /* After a failure, too: it may not have written to a cache. */
    if (status != HEDDLE_OK)
      c.error = &ignored;
    heddle_status copied = copy_out(&c);
    status = status != HEDDLE_OK ? status : copied;
  }
  release(&c);
  return status;
}

heddle_status __wrap_heddle_reorder_cache(const heddle_entry *entry,
                                          uint32_t argument,
                                          const int64_t *sizes, void *cache,
                                          const int32_t *parents,
                                          heddle_error *error) {
  copies c = {.error = error};
  void *moved = cache, *scratch = NULL;
  size_t size = 0;
  if (entry->device_kind == HEDDLE_DEVICE_NONE || !device ||
      heddle_argument_size(entry, argument, sizes, &size, NULL) != HEDDLE_OK)
    return __real_heddle_reorder_cache(entry, argument, sizes, cache, parents,
                                       error);
  heddle_status status =
      heddle_stream_create(device, NULL, NULL, &c.stream, error);
  if (status == HEDDLE_OK)
    status = copy_in(&c, &moved, size);
  if (status == HEDDLE_OK)
    status = heddle_device_allocate(device, size, &scratch, error);
  if (status == HEDDLE_OK)
    status = heddle_stream_reorder_cache(c.stream, entry, argument, sizes,
                                         moved, parents, scratch, size, error);
  if (status == HEDDLE_OK)
    status = copy_out(&c);
  heddle_device_release(device, scratch);
  release(&c);
  return status;
}
