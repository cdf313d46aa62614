/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* A stand-in for OpenCL's library (stand_in.h). Kernels do nothing; memory is
 * the host's. $SHARED: bytes of shared memory. A queue of the caller's: of
 * another context with $OTHER=1, out of order with $UNORDERED=1.
 */
#include "device/OpenClApi.h"

#include "stand_in.h"

enum { AN_ERROR = -9999 };

#define request(name, ...) (succeeds(name, __VA_ARGS__) ? CL_SUCCESS : AN_ERROR)

/* A handle is any address but null. */
static char objects[1];
static void *object(const char *name, int *count, cl_int *code) {
  *code = request(name, "");
  *count += *code == CL_SUCCESS;
  return *code == CL_SUCCESS ? objects : NULL;
}

cl_int clGetPlatformIDs(cl_uint most, cl_platform_id *all, cl_uint *count) {
  (void)most;
  *all = (cl_platform_id)objects;
  *count = 1;
  return request("clGetPlatformIDs", "");
}
cl_int clGetDeviceIDs(cl_platform_id platform, cl_bitfield type, cl_uint most,
                      cl_device_id *all, cl_uint *count) {
  (void)platform, (void)type, (void)most;
  *all = (cl_device_id)objects;
  *count = 1;
  return request("clGetDeviceIDs", "");
}
cl_int clGetDeviceInfo(cl_device_id device, cl_uint what, size_t size,
                       void *value, size_t *actual) {
  (void)device, (void)actual;
  cl_ulong number = what == CL_DEVICE_LOCAL_MEM_SIZE
                        ? (cl_ulong)number_in("SHARED", 65536)
                        : CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
  if (what == CL_DEVICE_NAME)
    snprintf(value, size, "Stand-in");
  else if (what == CL_DEVICE_VERSION)
    snprintf(value, size, "OpenCL 2.0 Stand-in");
  else
    memcpy(value, &number, size);
  return CL_SUCCESS;
}
cl_context clCreateContext(const intptr_t *properties, cl_uint count,
                           const cl_device_id *devices,
                           void (*notify)(const char *, const void *, size_t,
                                          void *),
                           void *data, cl_int *code) {
  (void)properties, (void)count, (void)devices, (void)notify, (void)data;
  return (cl_context)object("clCreateContext", &retained, code);
}
cl_int clRetainContext(cl_context context) {
  (void)context;
  cl_int code = request("clRetainContext", "");
  retained += code == CL_SUCCESS;
  return code;
}
cl_int clReleaseContext(cl_context context) {
  (void)context;
  --retained;
  return request("clReleaseContext", "");
}
cl_command_queue clCreateCommandQueueWithProperties(cl_context context,
                                                    cl_device_id device,
                                                    const cl_ulong *properties,
                                                    cl_int *code) {
  (void)context, (void)device, (void)properties;
  return (cl_command_queue)object("clCreateCommandQueueWithProperties",
                                  &streams, code);
}
cl_int clGetCommandQueueInfo(cl_command_queue queue, cl_uint what, size_t size,
                             void *value, size_t *actual) {
  (void)actual;
  cl_bitfield properties = (cl_bitfield)number_in("UNORDERED", 0);
  cl_context context = getenv("OTHER") ? NULL : (cl_context)queue;
  if (what == CL_QUEUE_CONTEXT)
    memcpy(value, &context, size);
  else
    memcpy(value, &properties, size);
  return request("clGetCommandQueueInfo", "");
}
cl_int clRetainCommandQueue(cl_command_queue queue) {
  (void)queue;
  cl_int code = request("clRetainCommandQueue", "");
  streams += code == CL_SUCCESS;
  return code;
}
cl_int clReleaseCommandQueue(cl_command_queue queue) {
  (void)queue;
  --streams;
  return request("clReleaseCommandQueue", "");
}
cl_int clFlush(cl_command_queue queue) {
  (void)queue;
  return request("clFlush", "");
}
cl_int clFinish(cl_command_queue queue) {
  (void)queue;
  return request("clFinish", "");
}
void *clSVMAlloc(cl_context context, cl_bitfield flags, size_t size,
                 cl_uint alignment) {
  (void)context, (void)flags, (void)alignment;
  if (request("clSVMAlloc", " %zu", size) != CL_SUCCESS)
    return NULL;
  ++allocations;
  return aligned_alloc(256, (size + 255) / 256 * 256);
}
void clSVMFree(cl_context context, void *memory) {
  (void)context;
  allocations -= memory != NULL;
  free(memory);
}
cl_int clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool waits, void *to,
                          const void *from, size_t size, cl_uint count,
                          const cl_event *events, cl_event *event) {
  (void)queue, (void)count, (void)events, (void)event;
  memmove(to, from, size);
  return request("clEnqueueSVMMemcpy", " %zu, %u", size, (unsigned)waits);
}
cl_program clCreateProgramWithSource(cl_context context, cl_uint count,
                                     const char **sources, const size_t *sizes,
                                     cl_int *code) {
  (void)context, (void)count, (void)sources, (void)sizes;
  return (cl_program)object("clCreateProgramWithSource", &modules, code);
}
cl_int clBuildProgram(cl_program program, cl_uint count,
                      const cl_device_id *devices, const char *options,
                      void (*notify)(cl_program, void *), void *data) {
  (void)program, (void)count, (void)devices, (void)notify, (void)data;
  return request("clBuildProgram", " %s", options);
}
cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device,
                             cl_uint what, size_t size, void *value,
                             size_t *actual) {
  static const char log[] = "line 7: no kernel";
  (void)program, (void)device, (void)what;
  if (actual)
    *actual = sizeof(log);
  if (value)
    snprintf(value, size, "%s", log);
  return CL_SUCCESS;
}
cl_int clReleaseProgram(cl_program program) {
  (void)program;
  --modules;
  return request("clReleaseProgram", "");
}
cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *code) {
  (void)program, (void)name;
  return (cl_kernel)object("clCreateKernel", &modules, code);
}
cl_int clReleaseKernel(cl_kernel kernel) {
  (void)kernel;
  --modules;
  return request("clReleaseKernel", "");
}
cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                cl_uint what, size_t size, void *value,
                                size_t *actual) {
  (void)kernel, (void)device, (void)what, (void)actual;
  size_t threads = (size_t)number_in("THREADS", 1024);
  memcpy(value, &threads, size);
  return CL_SUCCESS;
}
cl_int clSetKernelArg(cl_kernel kernel, cl_uint number, size_t size,
                      const void *value) {
  (void)kernel, (void)size, (void)value;
  return request("clSetKernelArg", " %u", number);
}
cl_int clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint number,
                                const void *address) {
  (void)kernel, (void)address;
  return request("clSetKernelArgSVMPointer", " %u", number);
}
cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
                              cl_uint dimensions, const size_t *offset,
                              const size_t *all, const size_t *threads,
                              cl_uint count, const cl_event *events,
                              cl_event *event) {
  (void)queue, (void)kernel, (void)dimensions, (void)offset, (void)count;
  (void)events, (void)event;
  return request("clEnqueueNDRangeKernel", " %zu of %zu", *all, *threads);
}
