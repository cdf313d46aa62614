/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Devices of CUDA, through its driver API. Each function makes the device's
 * context current and leaves the one that was before.
 */
#include "CudaApi.h"
#include "Driver.h"

#include <dlfcn.h>
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

/* The launches of an entry point's calls in a stream, from the first call on
 * until the stream or the program goes. The driver loads kernels in a call that
 * is not captured; later ones are. */
typedef struct cuda_graph {
  struct cuda_graph *next;
  const cuda_stream *stream;
  const heddle_program *program;
  const heddle_entry *entry;
  int is_loaded;          /* a call has launched all kernels */
  CUgraphExec executable; /* of the last call that was captured, or null */
  int misfits; /* calls that it did not fit, or all where there is none */
} cuda_graph;

typedef struct cuda_function {
  CUmodule module;
  CUfunction function;
  int most_threads;
} cuda_function;

struct heddle_program {
  cuda_device *device;
  const heddle_model *model;
  heddle_allocator allocator;
  cuda_function *functions;
};

static cuda_device *of_device(heddle_device *device) {
  return (cuda_device *)device;
}
static cuda_stream *of_stream(heddle_stream *stream) {
  return (cuda_stream *)stream;
}

static heddle_status fail(heddle_error *error, const cuda_device *device,
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

/* `return HEDDLE_CHECK(function, arguments)`: succeeds, or says what failed. */
#define HEDDLE_CHECK(device, error, function, ...)                             \
  check(error, device, #function, (device)->api.function(__VA_ARGS__))
static heddle_status check(heddle_error *error, const cuda_device *device,
                           const char *function, CUresult code) {
  return code == CUDA_SUCCESS ? HEDDLE_OK : fail(error, device, function, code);
}

static heddle_status enter(cuda_device *device, heddle_error *error) {
  return HEDDLE_CHECK(device, error, cuCtxPushCurrent, device->context);
}
static heddle_status leave(cuda_device *device, heddle_status status) {
  CUcontext before;
  device->api.cuCtxPopCurrent(&before);
  return status;
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
      fail(error, device, "cuInit", code);
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
    status = check(error, device, "cuMemAlloc", code);
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

/* ---- Graphs of launches -------------------------------------------------- */

enum {
  FEW_KERNELS = 3, /* launched alone */
  MOST_MISFITS = 3 /* after so many, control flow decides what is launched */
};

static cuda_graph *find_graph(cuda_device *device, const cuda_stream *stream,
                              const heddle_program *program,
                              const heddle_entry *entry) {
  pthread_mutex_lock(&device->lock);
  cuda_graph *graph = device->graphs;
  while (graph && (graph->stream != stream || graph->program != program ||
                   graph->entry != entry))
    graph = graph->next;
  pthread_mutex_unlock(&device->lock);
  return graph;
}

/* Null where there is no memory for it; the next call tries again. */
static cuda_graph *add_graph(cuda_device *device, const cuda_stream *stream,
                             const heddle_program *program,
                             const heddle_entry *entry) {
  cuda_graph *graph =
      (cuda_graph *)heddle_allocate(&device->base.allocator, sizeof(*graph));
  if (!graph)
    return NULL;
  graph->stream = stream;
  graph->program = program;
  graph->entry = entry;
  pthread_mutex_lock(&device->lock);
  graph->next = device->graphs;
  device->graphs = graph;
  pthread_mutex_unlock(&device->lock);
  return graph;
}

/* Those of a stream, or of a program, whose functions are about to go. In the
 * device's context. */
static void remove_graphs(cuda_device *device, const cuda_stream *stream,
                          const heddle_program *program) {
  pthread_mutex_lock(&device->lock);
  for (cuda_graph **place = &device->graphs; *place;) {
    cuda_graph *graph = *place;
    if (graph->stream != stream && graph->program != program) {
      place = &graph->next;
      continue;
    }
    *place = graph->next;
    if (graph->executable)
      device->api.cuGraphExecDestroy(graph->executable);
    heddle_release(&device->base.allocator, graph);
  }
  pthread_mutex_unlock(&device->lock);
}

static heddle_status launch_graph(cuda_device *device, cuda_stream *stream,
                                  cuda_graph *graph, CUgraph captured,
                                  heddle_error *error) {
  CUgraphNode node = NULL;
  int reason = 0;
  heddle_status status = HEDDLE_OK;
  if (graph->executable &&
      device->api.cuGraphExecUpdate(graph->executable, captured, &node,
                                    &reason) != CUDA_SUCCESS) {
    device->api.cuGraphExecDestroy(graph->executable);
    graph->executable = NULL;
    ++graph->misfits;
  }
  if (!graph->executable)
    status = HEDDLE_CHECK(device, error, cuGraphInstantiate, &graph->executable,
                          captured, 0);
  if (status != HEDDLE_OK) {
    graph->executable = NULL;
    graph->misfits = MOST_MISFITS;
    return status;
  }
  return HEDDLE_CHECK(device, error, cuGraphLaunch, graph->executable,
                      stream->stream);
}

/* Ends the capture, if there is one, and runs or drops what it has. In the
 * device's context. */
static heddle_status end_capture(cuda_device *device, cuda_stream *stream,
                                 bool is_dropped, heddle_error *error) {
  CUgraph captured = NULL;
  if (!stream->is_captured)
    return HEDDLE_OK;
  stream->is_captured = 0;
  heddle_status status =
      HEDDLE_CHECK(device, is_dropped ? NULL : error, cuStreamEndCapture,
                   stream->stream, &captured);
  if (status == HEDDLE_OK && !is_dropped)
    status = launch_graph(device, stream, stream->call, captured, error);
  if (captured)
    device->api.cuGraphDestroy(captured);
  return status;
}

/* Launches go to the stream itself where they are few, and where the caller
 * captures it. */
static heddle_status cuda_begin(heddle_stream *base,
                                const heddle_program *program,
                                const heddle_entry *entry,
                                heddle_error *error) {
  cuda_device *device = of_device(base->device);
  cuda_stream *stream = of_stream(base);
  int capture = CU_STREAM_CAPTURE_STATUS_NONE;
  if (!stream->can_capture || entry->kernel_count <= FEW_KERNELS)
    return HEDDLE_OK;
  cuda_graph *graph = find_graph(device, stream, program, entry);
  if (!graph)
    graph = add_graph(device, stream, program, entry);
  stream->call = graph;
  if (!graph || !graph->is_loaded || graph->misfits >= MOST_MISFITS)
    return HEDDLE_OK;
  heddle_status status = enter(device, error);
  if (status != HEDDLE_OK)
    return status;
  stream->is_captured =
      device->api.cuStreamIsCapturing(stream->stream, &capture) ==
          CUDA_SUCCESS &&
      capture == CU_STREAM_CAPTURE_STATUS_NONE &&
      device->api.cuStreamBeginCapture(
          stream->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) == CUDA_SUCCESS;
  return leave(device, HEDDLE_OK);
}

static heddle_status cuda_finish(heddle_stream *base, bool has_failed,
                                 heddle_error *error) {
  cuda_device *device = of_device(base->device);
  cuda_stream *stream = of_stream(base);
  heddle_status status = HEDDLE_OK;
  if (stream->is_captured) {
    status = enter(device, has_failed ? NULL : error);
    if (status == HEDDLE_OK)
      status = leave(device, end_capture(device, stream, has_failed, error));
    else /* the context has gone, and the stream with it */
      stream->is_captured = 0;
  } else if (stream->call && !has_failed) {
    stream->call->is_loaded = 1;
  }
  stream->call = NULL;
  return status;
}

/* ---- Streams ------------------------------------------------------------ */

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
    status =
        leave(device, native ? HEDDLE_CHECK(device, error, cuStreamGetFlags,
                                            stream->stream, &flags)
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
  if (enter(device, NULL) == HEDDLE_OK) {
    device->api.cuStreamSynchronize(of_stream(base)->stream);
    remove_graphs(device, of_stream(base), NULL);
    if (of_stream(base)->is_own)
      device->api.cuStreamDestroy(of_stream(base)->stream);
    leave(device, HEDDLE_OK);
  }
  heddle_release(&allocator, base);
}

/* ---- Copies ------------------------------------------------------------- */

static heddle_status cuda_wait(heddle_stream *stream, heddle_error *error) {
  cuda_device *device = of_device(stream->device);
  heddle_status status = enter(device, error);
  if (status != HEDDLE_OK)
    return status;
  status = end_capture(device, of_stream(stream), /*is_dropped=*/false, error);
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
  int type = 0;
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
    status = end_capture(device, of_stream(base), /*is_dropped=*/false, error);
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

/* ---- Programs ----------------------------------------------------------- */

static void cuda_discard(heddle_program *program) {
  heddle_allocator allocator = program->allocator;
  cuda_device *device = program->device;
  if (program->functions && enter(device, NULL) == HEDDLE_OK) {
    remove_graphs(device, NULL, program);
    for (uint64_t f = 0; f < program->model->device_function_count; ++f)
      if (program->functions[f].module)
        device->api.cuModuleUnload(program->functions[f].module);
    leave(device, HEDDLE_OK);
  }
  heddle_release(&allocator, program->functions);
  heddle_release(&allocator, program);
}

static heddle_status compile_function(cuda_device *device,
                                      const heddle_device_function *source,
                                      cuda_function *function,
                                      heddle_error *error) {
  char log[4096] = "";
  const int options[] = {CU_JIT_ERROR_LOG_BUFFER,
                         CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)(uintptr_t)(sizeof(log) - 1)};
  CUresult code = device->api.cuModuleLoadDataEx(
      &function->module, source->code, 2, options, values);
  if (code != CUDA_SUCCESS) {
    const char *name = "an unknown error";
    device->api.cuGetErrorName(code, &name);
    return heddle_fail(error, HEDDLE_DEVICE_ERROR,
                       "%s cannot compile %s, %s: %.300s", device->base.name,
                       source->name, name, log);
  }
  heddle_status status =
      HEDDLE_CHECK(device, error, cuModuleGetFunction, &function->function,
                   function->module, source->name);
  if (status == HEDDLE_OK)
    status = HEDDLE_CHECK(
        device, error, cuFuncGetAttribute, &function->most_threads,
        CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function->function);
  /* More than 48 KiB is to be asked for. */
  if (status == HEDDLE_OK)
    status = HEDDLE_CHECK(device, error, cuFuncSetAttribute, function->function,
                          CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                          device->shared_bytes);
  return status;
}

/* "cuda:sm_80" runs on devices of capability 8.0 and later, "sm_90a" and
 * "sm_100f" on no other than those. */
static heddle_status check_capability(const cuda_device *device,
                                      const heddle_model *model,
                                      heddle_error *error) {
  const char *chip = strstr(model->device, "sm_");
  char *end = NULL;
  long needed = chip ? strtol(chip + 3, &end, 10) : 0;
  if (device->capability == needed ||
      (device->capability > needed && (!end || !*end)))
    return HEDDLE_OK;
  return heddle_fail(error, HEDDLE_NO_DEVICE,
                     "'%s' was compiled for %s, %s is sm_%d", model->name,
                     model->device, device->base.name, device->capability);
}

static heddle_status cuda_compile(heddle_device *base,
                                  const heddle_model *model,
                                  const heddle_allocator *allocator,
                                  heddle_program **result,
                                  heddle_error *error) {
  cuda_device *device = of_device(base);
  size_t bytes = (size_t)model->device_function_count * sizeof(cuda_function);
  heddle_status status = check_capability(device, model, error);
  if (status != HEDDLE_OK)
    return status;
  heddle_program *program = (heddle_program *)heddle_allocate_for(
      allocator, sizeof(*program), "the program", error);
  if (!program)
    return HEDDLE_OUT_OF_MEMORY;
  program->device = device;
  program->model = model;
  if (allocator)
    program->allocator = *allocator;
  program->functions = (cuda_function *)heddle_allocate_for(
      allocator, bytes ? bytes : 1, "the functions", error);
  if (!program->functions)
    status = HEDDLE_OUT_OF_MEMORY;
  if (status == HEDDLE_OK)
    status = enter(device, error);
  if (status == HEDDLE_OK) {
    for (uint64_t f = 0;
         status == HEDDLE_OK && f < model->device_function_count; ++f)
      status = compile_function(device, &model->device_functions[f],
                                &program->functions[f], error);
    leave(device, status);
  }
  if (status != HEDDLE_OK)
    cuda_discard(program);
  else
    *result = program;
  return status;
}

static heddle_status cuda_launch(heddle_stream *stream, heddle_program *program,
                                 int32_t function, int32_t blocks,
                                 int32_t threads, int32_t shared_bytes,
                                 const int64_t *sizes, void *const *arguments,
                                 const uint8_t *are_buffers,
                                 heddle_error *error) {
  (void)sizes, (void)are_buffers; /* the function knows its arguments */
  cuda_device *device = of_device(stream->device);
  const char *name = program->model->device_functions[function].name;
  const cuda_function *f = &program->functions[function];
  if (shared_bytes > device->shared_bytes)
    return heddle_fail(error, HEDDLE_DEVICE_ERROR,
                       "%s needs %" PRId32 " bytes of shared memory, %s has %d",
                       name, shared_bytes, device->base.name,
                       device->shared_bytes);
  if (threads > f->most_threads)
    return heddle_fail(error, HEDDLE_DEVICE_ERROR,
                       "%s has blocks of %" PRId32 " threads, %s runs %d", name,
                       threads, device->base.name, f->most_threads);
  heddle_status status = enter(device, error);
  if (status != HEDDLE_OK)
    return status;
  CUresult code = device->api.cuLaunchKernel(
      f->function, (unsigned)blocks, 1, 1, (unsigned)threads, 1, 1,
      (unsigned)shared_bytes, of_stream(stream)->stream, (void **)arguments,
      NULL);
  if (code != CUDA_SUCCESS) {
    const char *text = "an unknown error";
    device->api.cuGetErrorName(code, &text);
    status =
        heddle_fail(error, HEDDLE_DEVICE_ERROR, "%s: %s cannot be launched: %s",
                    device->base.name, name, text);
  }
  return leave(device, status);
}

const heddle_driver heddle_cuda_driver = {
    cuda_open,          cuda_close,          cuda_allocate, cuda_release,
    cuda_create_stream, cuda_destroy_stream, cuda_wait,     cuda_copy,
    cuda_compile,       cuda_discard,        cuda_launch,   cuda_begin,
    cuda_finish,
};
