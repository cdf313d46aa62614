/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The functions of OpenCL that the runtime uses, found at run time. Types,
 * names and numbers are those of the OpenCL 3.0 specification. Not installed.
 */
#ifndef HEDDLE_OPENCL_API_H
#define HEDDLE_OPENCL_API_H

#include "../heddle_abi.h"

typedef int32_t cl_int;
typedef uint32_t cl_uint, cl_bool;
typedef uint64_t cl_ulong, cl_bitfield;
typedef struct cl_platform *cl_platform_id;
typedef struct cl_device *cl_device_id;
typedef struct cl_context_ *cl_context;
typedef struct cl_queue *cl_command_queue;
typedef struct cl_program_ *cl_program;
typedef struct cl_kernel_ *cl_kernel;
typedef struct cl_event_ *cl_event;

enum {
  CL_SUCCESS = 0,
  CL_DEVICE_NOT_FOUND = -1,
  CL_MEM_OBJECT_ALLOCATION_FAILURE = -4,
  CL_OUT_OF_RESOURCES = -5,
  CL_OUT_OF_HOST_MEMORY = -6,
  CL_BUILD_PROGRAM_FAILURE = -11,

  CL_DEVICE_NAME = 0x102B,
  CL_DEVICE_VERSION = 0x102F,
  CL_DEVICE_LOCAL_MEM_SIZE = 0x1023,
  CL_DEVICE_SINGLE_FP_CONFIG = 0x101B,
  CL_DEVICE_SVM_CAPABILITIES = 0x1053,
  CL_DEVICE_SVM_COARSE_GRAIN_BUFFER = 1 << 0,
  CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT = 1 << 7,

  CL_QUEUE_CONTEXT = 0x1090,
  CL_QUEUE_PROPERTIES = 0x1093,
  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE = 1 << 0,
  CL_PROGRAM_BUILD_LOG = 0x1183,
  CL_KERNEL_WORK_GROUP_SIZE = 0x11B0,
  CL_MEM_READ_WRITE = 1 << 0
};
#define CL_DEVICE_TYPE_ALL 0xFFFFFFFFu

/* X(result, name, parameters) */
#define HEDDLE_OPENCL_FUNCTIONS(X)                                             \
  X(cl_int, clGetPlatformIDs, (cl_uint, cl_platform_id *, cl_uint *))          \
  X(cl_int, clGetDeviceIDs,                                                    \
    (cl_platform_id, cl_bitfield, cl_uint, cl_device_id *, cl_uint *))         \
  X(cl_int, clGetDeviceInfo,                                                   \
    (cl_device_id, cl_uint, size_t, void *, size_t *))                         \
  X(cl_context, clCreateContext,                                               \
    (const intptr_t *, cl_uint, const cl_device_id *,                          \
     void (*)(const char *, const void *, size_t, void *), void *, cl_int *))  \
  X(cl_int, clRetainContext, (cl_context))                                     \
  X(cl_int, clReleaseContext, (cl_context))                                    \
  X(cl_command_queue, clCreateCommandQueueWithProperties,                      \
    (cl_context, cl_device_id, const cl_ulong *, cl_int *))                    \
  X(cl_int, clGetCommandQueueInfo,                                             \
    (cl_command_queue, cl_uint, size_t, void *, size_t *))                     \
  X(cl_int, clRetainCommandQueue, (cl_command_queue))                          \
  X(cl_int, clReleaseCommandQueue, (cl_command_queue))                         \
  X(cl_int, clFlush, (cl_command_queue))                                       \
  X(cl_int, clFinish, (cl_command_queue))                                      \
  X(void *, clSVMAlloc, (cl_context, cl_bitfield, size_t, cl_uint))            \
  X(void, clSVMFree, (cl_context, void *))                                     \
  X(cl_int, clEnqueueSVMMemcpy,                                                \
    (cl_command_queue, cl_bool, void *, const void *, size_t, cl_uint,         \
     const cl_event *, cl_event *))                                            \
  X(cl_program, clCreateProgramWithSource,                                     \
    (cl_context, cl_uint, const char **, const size_t *, cl_int *))            \
  X(cl_int, clBuildProgram,                                                    \
    (cl_program, cl_uint, const cl_device_id *, const char *,                  \
     void (*)(cl_program, void *), void *))                                    \
  X(cl_int, clGetProgramBuildInfo,                                             \
    (cl_program, cl_device_id, cl_uint, size_t, void *, size_t *))             \
  X(cl_int, clReleaseProgram, (cl_program))                                    \
  X(cl_kernel, clCreateKernel, (cl_program, const char *, cl_int *))           \
  X(cl_int, clReleaseKernel, (cl_kernel))                                      \
  X(cl_int, clGetKernelWorkGroupInfo,                                          \
    (cl_kernel, cl_device_id, cl_uint, size_t, void *, size_t *))              \
  X(cl_int, clSetKernelArg, (cl_kernel, cl_uint, size_t, const void *))        \
  X(cl_int, clSetKernelArgSVMPointer, (cl_kernel, cl_uint, const void *))      \
  X(cl_int, clEnqueueNDRangeKernel,                                            \
    (cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *,     \
     const size_t *, cl_uint, const cl_event *, cl_event *))

typedef struct heddle_opencl_api {
  void *library;
#define HEDDLE_DECLARE(result, name, parameters) result(*name) parameters;
  HEDDLE_OPENCL_FUNCTIONS(HEDDLE_DECLARE)
#undef HEDDLE_DECLARE
} heddle_opencl_api;

#endif /* HEDDLE_OPENCL_API_H */
