/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Devices of OpenCL 2.0 and later. Memory is shared virtual memory (coarse
 * grain), so that an address in it is a pointer like any other: buffers lie
 * anywhere in a workspace.
 */
#include "Driver.h"
#include "OpenClApi.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>

typedef struct opencl_device {
  heddle_device base;
  heddle_opencl_api api;
  cl_device_id id;
  cl_context context;
  cl_ulong local_bytes;
  int divides_exactly;
  int is_pocl;
  char compiler_options[256];
} opencl_device;

typedef struct opencl_stream {
  heddle_stream base;
  cl_command_queue queue;
} opencl_stream;

typedef struct opencl_function {
  cl_program program; /* null where it is that of the one before */
  cl_kernel kernel;
} opencl_function;

struct heddle_program {
  opencl_device *device;
  const heddle_model *model;
  heddle_allocator allocator;
  pthread_mutex_t lock; /* a kernel keeps its arguments until it is launched */
  opencl_function *functions;
};

static opencl_device *of_device(heddle_device *device) {
  return (opencl_device *)device;
}
static opencl_stream *of_stream(heddle_stream *stream) {
  return (opencl_stream *)stream;
}
static const heddle_opencl_api *api_of(heddle_stream *stream) {
  return &of_device(stream->device)->api;
}

static heddle_status fail(heddle_error *error, const opencl_device *device,
                          const char *function, cl_int code) {
  int is_memory = code == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
                  code == CL_OUT_OF_RESOURCES || code == CL_OUT_OF_HOST_MEMORY;
  return heddle_fail(error,
                     is_memory ? HEDDLE_OUT_OF_MEMORY : HEDDLE_DEVICE_ERROR,
                     "%s: %s failed with error %d of OpenCL", device->base.name,
                     function, code);
}

/* ---- Devices ------------------------------------------------------------ */

static heddle_status load_api(heddle_opencl_api *api, heddle_error *error) {
  /* Debian has the first name with the loader, the second for programs. */
  static const char *const names[] = {"libOpenCL.so.1", "libOpenCL.so"};
  for (int i = 0; i < 2 && !api->library; ++i)
    api->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  if (!api->library)
    return heddle_fail(error, HEDDLE_NO_DEVICE,
                       "no OpenCL: neither %s nor %s can be loaded", names[0],
                       names[1]);
#define HEDDLE_FIND(result, name, parameters)                                  \
  *(void **)&api->name = dlsym(api->library, #name);                           \
  if (!api->name)                                                              \
    return heddle_fail(error, HEDDLE_NO_DEVICE,                                \
                       "OpenCL's library has no %s; expected version 2.0 or "  \
                       "later",                                                \
                       #name);
  HEDDLE_OPENCL_FUNCTIONS(HEDDLE_FIND)
#undef HEDDLE_FIND
  return HEDDLE_OK;
}

enum { MOST_PLATFORMS = 16, MOST_DEVICES = 64 };

/* Device number `index` of all platforms. */
static heddle_status find_device(opencl_device *device, int32_t index,
                                 heddle_error *error) {
  cl_platform_id platforms[MOST_PLATFORMS];
  cl_uint platform_count = 0, found = 0;
  if (device->api.clGetPlatformIDs(MOST_PLATFORMS, platforms,
                                   &platform_count) != CL_SUCCESS)
    platform_count = 0;
  if (platform_count > MOST_PLATFORMS)
    platform_count = MOST_PLATFORMS;
  for (cl_uint p = 0; p < platform_count; ++p) {
    cl_device_id devices[MOST_DEVICES];
    cl_uint count = 0;
    if (device->api.clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL,
                                   MOST_DEVICES, devices, &count) != CL_SUCCESS)
      continue;
    if (count > MOST_DEVICES)
      count = MOST_DEVICES;
    if (index >= 0 && (cl_uint)index < found + count) {
      device->id = devices[(cl_uint)index - found];
      return HEDDLE_OK;
    }
    found += count;
  }
  return heddle_fail(error, HEDDLE_NO_DEVICE,
                     "no device %" PRId32 " of OpenCL: %u platforms have %u "
                     "devices",
                     index, platform_count, found);
}

static heddle_status describe(opencl_device *device, heddle_error *error) {
  const heddle_opencl_api *api = &device->api;
  cl_bitfield memory = 0, floats = 0;
  char version[256] = "";
  api->clGetDeviceInfo(device->id, CL_DEVICE_NAME,
                       sizeof(device->base.name) - 1, device->base.name, NULL);
  api->clGetDeviceInfo(device->id, CL_DEVICE_VERSION, sizeof(version) - 1,
                       version, NULL);
  device->is_pocl = strstr(version, "PoCL") || strstr(version, "pocl");
  api->clGetDeviceInfo(device->id, CL_DEVICE_SVM_CAPABILITIES, sizeof(memory),
                       &memory, NULL);
  if (!(memory & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER))
    return heddle_fail(error, HEDDLE_NO_DEVICE,
                       "%s has no shared virtual memory, which kernels need "
                       "(CL_DEVICE_SVM_COARSE_GRAIN_BUFFER)",
                       device->base.name);
  api->clGetDeviceInfo(device->id, CL_DEVICE_LOCAL_MEM_SIZE,
                       sizeof(device->local_bytes), &device->local_bytes, NULL);
  api->clGetDeviceInfo(device->id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof(floats),
                       &floats, NULL);
  device->divides_exactly = (floats & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  return HEDDLE_OK;
}

static void opencl_close(heddle_device *base) {
  opencl_device *device = of_device(base);
  heddle_allocator allocator = base->allocator;
  if (device->context)
    device->api.clReleaseContext(device->context);
  /* The library stays: drivers leave threads and handlers behind. */
  heddle_release(&allocator, device);
}

static heddle_status opencl_open(const heddle_device_options *options,
                                 const heddle_allocator *allocator,
                                 heddle_device **result, heddle_error *error) {
  opencl_device *device = (opencl_device *)heddle_allocate_for(
      allocator, sizeof(*device), "the device", error);
  if (!device)
    return HEDDLE_OUT_OF_MEMORY;
  if (allocator)
    device->base.allocator = *allocator;
  heddle_status status = HEDDLE_OK;
  const char *added = options->compiler_options;
  if (added && strlen(added) >= sizeof(device->compiler_options))
    status = heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                         "options.compiler_options has %zu characters, "
                         "expected less than %zu",
                         strlen(added), sizeof(device->compiler_options));
  else if (added)
    strcpy(device->compiler_options, added);
  if (status == HEDDLE_OK)
    status = load_api(&device->api, error);
  if (status == HEDDLE_OK && options->context && !options->device)
    status = heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                         "options.context is given, and options.device is not");
  if (status == HEDDLE_OK && options->device)
    device->id = (cl_device_id)options->device;
  else if (status == HEDDLE_OK)
    status = find_device(device, options->index, error);
  if (status == HEDDLE_OK)
    status = describe(device, error);
  if (status == HEDDLE_OK) {
    cl_int code = CL_SUCCESS;
    cl_context context = (cl_context)options->context;
    if (context)
      code = device->api.clRetainContext(context);
    else
      context =
          device->api.clCreateContext(NULL, 1, &device->id, NULL, NULL, &code);
    if (code == CL_SUCCESS)
      device->context = context;
    else
      status =
          fail(error, device,
               options->context ? "clRetainContext" : "clCreateContext", code);
  }
  if (status != HEDDLE_OK)
    opencl_close(&device->base);
  else
    *result = &device->base;
  return status;
}

/* ---- Memory ------------------------------------------------------------- */

static heddle_status opencl_allocate(heddle_device *base, size_t size,
                                     void **address, heddle_error *error) {
  opencl_device *device = of_device(base);
  *address = device->api.clSVMAlloc(device->context, CL_MEM_READ_WRITE,
                                    size ? size : 1, 0);
  if (!*address)
    return heddle_fail(error, HEDDLE_OUT_OF_MEMORY,
                       "%s: cannot allocate %zu bytes", base->name, size);
  return HEDDLE_OK;
}

static void opencl_release(heddle_device *base, void *address) {
  of_device(base)->api.clSVMFree(of_device(base)->context, address);
}

/* ---- Streams ------------------------------------------------------------ */

/* Holds a queue of the caller's, if it can be a stream of the device. */
static heddle_status retain_queue(opencl_device *device, cl_command_queue queue,
                                  heddle_error *error) {
  const heddle_opencl_api *api = &device->api;
  cl_context context = NULL;
  cl_bitfield properties = 0;
  cl_int code = api->clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT,
                                           sizeof(context), &context, NULL);
  if (code == CL_SUCCESS)
    code = api->clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES,
                                      sizeof(properties), &properties, NULL);
  if (code != CL_SUCCESS)
    return fail(error, device, "clGetCommandQueueInfo", code);
  if (context != device->context)
    return heddle_fail(
        error, HEDDLE_INVALID_ARGUMENT,
        "native is a queue of another context than the device's");
  if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                       "native is a queue that runs out of order, expected one "
                       "that runs in order");
  code = api->clRetainCommandQueue(queue);
  return code == CL_SUCCESS ? HEDDLE_OK
                            : fail(error, device, "clRetainCommandQueue", code);
}

static heddle_status create_queue(opencl_device *device,
                                  cl_command_queue *queue,
                                  heddle_error *error) {
  cl_int code = CL_SUCCESS;
  *queue = device->api.clCreateCommandQueueWithProperties(
      device->context, device->id, NULL, &code);
  return code == CL_SUCCESS
             ? HEDDLE_OK
             : fail(error, device, "clCreateCommandQueueWithProperties", code);
}

static heddle_status opencl_create_stream(heddle_device *base, void *native,
                                          const heddle_allocator *allocator,
                                          heddle_stream **result,
                                          heddle_error *error) {
  opencl_device *device = of_device(base);
  opencl_stream *stream = (opencl_stream *)heddle_allocate_for(
      allocator, sizeof(*stream), "the stream", error);
  if (!stream)
    return HEDDLE_OUT_OF_MEMORY;
  stream->queue = (cl_command_queue)native;
  heddle_status status = native ? retain_queue(device, stream->queue, error)
                                : create_queue(device, &stream->queue, error);
  if (status != HEDDLE_OK)
    heddle_release(allocator, stream);
  else
    *result = &stream->base;
  return status;
}

static void opencl_destroy_stream(heddle_stream *stream) {
  heddle_allocator allocator = stream->allocator;
  api_of(stream)->clFinish(of_stream(stream)->queue);
  api_of(stream)->clReleaseCommandQueue(of_stream(stream)->queue);
  heddle_release(&allocator, stream);
}

static heddle_status opencl_wait(heddle_stream *stream, heddle_error *error) {
  cl_int code = api_of(stream)->clFinish(of_stream(stream)->queue);
  return code == CL_SUCCESS
             ? HEDDLE_OK
             : fail(error, of_device(stream->device), "clFinish", code);
}

static heddle_status opencl_copy(heddle_stream *stream, void *to,
                                 const void *from, size_t size,
                                 heddle_direction direction,
                                 heddle_error *error) {
  if (size == 0)
    return HEDDLE_OK;
  cl_int code = api_of(stream)->clEnqueueSVMMemcpy(
      of_stream(stream)->queue, direction == HEDDLE_TO_DEVICE, to, from, size,
      0, NULL, NULL);
  return code == CL_SUCCESS ? HEDDLE_OK
                            : fail(error, of_device(stream->device),
                                   "clEnqueueSVMMemcpy", code);
}

/* ---- Programs ----------------------------------------------------------- */

static void opencl_discard(heddle_program *program) {
  heddle_allocator allocator = program->allocator;
  const heddle_opencl_api *api = &program->device->api;
  if (program->functions)
    for (uint64_t f = 0; f < program->model->device_function_count; ++f) {
      if (program->functions[f].kernel)
        api->clReleaseKernel(program->functions[f].kernel);
      if (program->functions[f].program)
        api->clReleaseProgram(program->functions[f].program);
    }
  pthread_mutex_destroy(&program->lock);
  heddle_release(&allocator, program->functions);
  heddle_release(&allocator, program);
}

/* Of the log the beginning, as long as there is room for it. A part of it alone
 * OpenCL does not give. */
static heddle_status fail_build(opencl_device *device, cl_program program,
                                const char *model, cl_int code,
                                heddle_error *error) {
  const heddle_allocator *allocator = &device->base.allocator;
  size_t size = 0;
  device->api.clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG,
                                    0, NULL, &size);
  char *log = (char *)heddle_allocate(allocator, size + 1);
  if (log)
    device->api.clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG,
                                      size, log, NULL);
  heddle_status status =
      heddle_fail(error, HEDDLE_DEVICE_ERROR,
                  "%s cannot compile the kernels of '%s', error %d of OpenCL: "
                  "%.300s",
                  device->base.name, model, code, log ? log : "");
  if (log)
    heddle_release(allocator, log);
  return status;
}

static heddle_status build(opencl_device *device, const heddle_model *model,
                           const char *code, cl_program *program,
                           heddle_error *error) {
  cl_int status = CL_SUCCESS;
  *program = device->api.clCreateProgramWithSource(device->context, 1, &code,
                                                   NULL, &status);
  if (status != CL_SUCCESS)
    return fail(error, device, "clCreateProgramWithSource", status);
  /* No buffer is small enough to be known as a constant. Optimised by PoCL 3.1,
   * attention with a dense mask gives rows of 0; the cause is not known. */
  char options[256 + sizeof(device->compiler_options)];
  snprintf(options, sizeof(options),
           "-DMAX_CONSTANT_BUFFER_SIZE=0 -DMAX_CONSTANT_ARGS=0 -cl-mad-enable "
           "%s %s %s",
           device->divides_exactly ? "-cl-fp32-correctly-rounded-divide-sqrt"
                                   : "",
           device->is_pocl ? "-cl-opt-disable" : "", device->compiler_options);
  status =
      device->api.clBuildProgram(*program, 1, &device->id, options, NULL, NULL);
  return status == CL_SUCCESS
             ? HEDDLE_OK
             : fail_build(device, *program, model->name, status, error);
}

static heddle_status build_all(heddle_program *program, heddle_error *error) {
  opencl_device *device = program->device;
  const heddle_device_function *functions = program->model->device_functions;
  cl_program built = NULL;
  for (uint64_t f = 0; f < program->model->device_function_count; ++f) {
    opencl_function *function = &program->functions[f];
    if (f == 0 || functions[f].code != functions[f - 1].code) {
      heddle_status status = build(device, program->model, functions[f].code,
                                   &function->program, error);
      if (status != HEDDLE_OK)
        return status;
      built = function->program;
    }
    cl_int code = CL_SUCCESS;
    function->kernel =
        device->api.clCreateKernel(built, functions[f].name, &code);
    if (code != CL_SUCCESS)
      return fail(error, device, "clCreateKernel", code);
  }
  return HEDDLE_OK;
}

static heddle_status opencl_compile(heddle_device *base,
                                    const heddle_model *model,
                                    const heddle_allocator *allocator,
                                    heddle_program **result,
                                    heddle_error *error) {
  size_t bytes = (size_t)model->device_function_count * sizeof(opencl_function);
  heddle_program *program = (heddle_program *)heddle_allocate_for(
      allocator, sizeof(*program), "the program", error);
  if (!program)
    return HEDDLE_OUT_OF_MEMORY;
  program->device = of_device(base);
  program->model = model;
  if (allocator)
    program->allocator = *allocator;
  pthread_mutex_init(&program->lock, NULL);
  program->functions = (opencl_function *)heddle_allocate_for(
      allocator, bytes ? bytes : 1, "the functions", error);
  heddle_status status = HEDDLE_OK;
  if (!program->functions)
    status = HEDDLE_OUT_OF_MEMORY;
  if (status == HEDDLE_OK)
    status = build_all(program, error);
  if (status != HEDDLE_OK)
    opencl_discard(program);
  else
    *result = program;
  return status;
}

/* Sets the arguments and launches, under the lock. */
static cl_int launch_locked(heddle_stream *stream, cl_kernel kernel,
                            size_t blocks, size_t threads, size_t shared_bytes,
                            const int64_t *sizes, void *const *arguments,
                            const uint8_t *are_buffers) {
  const heddle_opencl_api *api = api_of(stream);
  cl_int code = CL_SUCCESS;
  cl_uint a = 0;
  for (; code == CL_SUCCESS && sizes[a] != 0; ++a)
    code = are_buffers[a]
               ? api->clSetKernelArgSVMPointer(kernel, a,
                                               *(void *const *)arguments[a])
               : api->clSetKernelArg(kernel, a, (size_t)sizes[a], arguments[a]);
  /* Last comes the shared memory, of which there is no less than nothing. */
  if (code == CL_SUCCESS)
    code =
        api->clSetKernelArg(kernel, a, shared_bytes ? shared_bytes : 64, NULL);
  size_t all = blocks * threads;
  if (code == CL_SUCCESS)
    code = api->clEnqueueNDRangeKernel(of_stream(stream)->queue, kernel, 1,
                                       NULL, &all, &threads, 0, NULL, NULL);
  return code;
}

static heddle_status
opencl_launch(heddle_stream *stream, heddle_program *program, int32_t function,
              int32_t blocks, int32_t threads, int32_t shared_bytes,
              const int64_t *sizes, void *const *arguments,
              const uint8_t *are_buffers, heddle_error *error) {
  opencl_device *device = of_device(stream->device);
  const char *name = program->model->device_functions[function].name;
  cl_kernel kernel = program->functions[function].kernel;
  size_t most_threads = 0;
  if ((cl_ulong)shared_bytes > device->local_bytes)
    return heddle_fail(error, HEDDLE_DEVICE_ERROR,
                       "%s needs %" PRId32 " bytes of shared memory, %s has "
                       "%" PRIu64,
                       name, shared_bytes, device->base.name,
                       (uint64_t)device->local_bytes);
  device->api.clGetKernelWorkGroupInfo(
      kernel, device->id, CL_KERNEL_WORK_GROUP_SIZE, sizeof(most_threads),
      &most_threads, NULL);
  if ((size_t)threads > most_threads)
    return heddle_fail(error, HEDDLE_DEVICE_ERROR,
                       "%s has blocks of %" PRId32 " threads, %s runs %zu",
                       name, threads, device->base.name, most_threads);
  pthread_mutex_lock(&program->lock);
  cl_int code =
      launch_locked(stream, kernel, (size_t)blocks, (size_t)threads,
                    (size_t)shared_bytes, sizes, arguments, are_buffers);
  pthread_mutex_unlock(&program->lock);
  if (code != CL_SUCCESS)
    return heddle_fail(error, HEDDLE_DEVICE_ERROR,
                       "%s: %s cannot be launched: error %d of OpenCL",
                       device->base.name, name, code);
  return HEDDLE_OK;
}

/* What is enqueued need not begin before. */
static heddle_status opencl_finish(heddle_stream *stream, bool has_failed,
                                   heddle_error *error) {
  cl_int code = has_failed ? CL_SUCCESS
                           : api_of(stream)->clFlush(of_stream(stream)->queue);
  return code == CL_SUCCESS
             ? HEDDLE_OK
             : fail(error, of_device(stream->device), "clFlush", code);
}

const heddle_driver heddle_opencl_driver = {
    opencl_open,    opencl_close,         opencl_allocate,
    opencl_release, opencl_create_stream, opencl_destroy_stream,
    opencl_wait,    opencl_copy,          opencl_compile,
    opencl_discard, opencl_launch,        NULL,
    opencl_finish,
};
