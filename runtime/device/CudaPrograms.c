/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The functions of a model on a device of CUDA, and their launches. */
#include "CudaDriver.h"

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

void heddle_cuda_discard(heddle_program *program) {
  heddle_allocator allocator = program->allocator;
  cuda_device *device = program->device;
  bool has_context = enter(device, NULL) == HEDDLE_OK;
  uint64_t count =
      program->functions ? program->model->device_function_count : 0;
  heddle_cuda_remove_graphs(device, NULL, program, has_context);
  for (uint64_t f = 0; f < count && has_context; ++f)
    if (program->functions[f].module)
      device->api.cuModuleUnload(program->functions[f].module);
  if (has_context)
    leave(device, HEDDLE_OK);
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
    function->module = NULL;
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

heddle_status heddle_cuda_compile(heddle_device *base,
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
    heddle_cuda_discard(program);
  else
    *result = program;
  return status;
}

heddle_status heddle_cuda_launch(heddle_stream *stream, heddle_program *program,
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
