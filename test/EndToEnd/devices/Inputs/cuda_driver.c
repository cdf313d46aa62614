/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* A stand-in for CUDA's driver (stand_in.h). Kernels do nothing; memory is the
 * host's, of which there is no more where an allocation fails. With $LOST the
 * context is lost. Devices: $DEVICES, 1 without; what each has of them:
 * $THREADS of a block, $SHARED bytes. A stream that the program captures:
 * $CAPTURED=1; one that waits for CUDA's default stream: $BLOCKING=1; one of
 * another context: $OTHER=1.
 */
#include "device/CudaApi.h"

#include "stand_in.h"

enum { ANOTHER_ERROR = 700 };

static CUresult result_of(const char *name, bool is_success) {
  if (is_success)
    return CUDA_SUCCESS;
  return strcmp(name, "cuMemAlloc") == 0 && !is_lost ? CUDA_ERROR_OUT_OF_MEMORY
                                                     : ANOTHER_ERROR;
}
#define request(name, ...) result_of(name, succeeds(name, __VA_ARGS__))
static void *address(CUdeviceptr memory) { return (void *)(uintptr_t)memory; }

CUresult cuInit(unsigned flags) { return request("cuInit", " %u", flags); }
CUresult cuGetErrorName(CUresult code, const char **name) {
  *name = code == ANOTHER_ERROR ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                : "CUDA_ERROR_OUT_OF_MEMORY";
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult code, const char **text) {
  *text = code == ANOTHER_ERROR ? "an illegal memory access" : "out of memory";
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int *count) {
  *count = number_in("DEVICES", 1);
  return request("cuDeviceGetCount", "");
}
CUresult cuDeviceGet(CUdevice *device, int index) {
  *device = index;
  return request("cuDeviceGet", " %d", index);
}
CUresult cuDeviceGetName(char *name, int size, CUdevice device) {
  snprintf(name, (size_t)size, "Stand-in %d", device);
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
  (void)device;
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    *value = 8;
    break;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    *value = 6;
    break;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    *value = number_in("SHARED", 101376);
    break;
  default:
    *value = 0;
  }
  return CUDA_SUCCESS;
}
/* Contexts are a stack, as the driver's; a call outside of one is a mistake. */
static int depth;
static CUcontext current;
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  CUresult code = request("cuDevicePrimaryCtxRetain", " %d", device);
  *context = (CUcontext)&depth;
  retained += code == CUDA_SUCCESS;
  return code;
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  --retained;
  return request("cuDevicePrimaryCtxRelease", " %d, %d contexts left", device,
                 depth);
}
CUresult cuCtxPushCurrent_v2(CUcontext context) {
  if (is_lost)
    return ANOTHER_ERROR;
  depth += context != NULL;
  current = context;
  return CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  *context = (CUcontext)&depth;
  --depth;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice *device) {
  *device = 0;
  return request("cuCtxGetDevice", "");
}
static CUresult inContext(const char *name, size_t number) {
  if (depth < 1)
    fprintf(stderr, "NO CONTEXT: ");
  return request(name, " %zu", number);
}
/* What a stream must not be asked for while it is captured. */
static int isCaptured;
static CUresult alone(const char *name, size_t number) {
  if (isCaptured)
    fprintf(stderr, "IN A CAPTURE: ");
  return inContext(name, number);
}
CUresult cuMemAlloc_v2(CUdeviceptr *memory, size_t size) {
  CUresult code = inContext("cuMemAlloc", size);
  if (code == CUDA_SUCCESS) {
    *memory =
        (CUdeviceptr)(uintptr_t)aligned_alloc(256, (size + 255) / 256 * 256);
    ++allocations;
  }
  return code;
}
CUresult cuMemFree_v2(CUdeviceptr memory) {
  free(address(memory));
  return inContext("cuMemFree", (size_t)--allocations);
}
CUresult cuPointerGetAttribute(void *value, int attribute, CUdeviceptr memory) {
  (void)value, (void)attribute, (void)memory;
  return ANOTHER_ERROR; /* pageable memory */
}
CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  CUresult code = inContext("cuStreamCreate", flags);
  *stream = (CUstream)&allocations;
  streams += code == CUDA_SUCCESS;
  return code;
}
CUresult cuStreamDestroy_v2(CUstream stream) {
  --streams;
  return inContext("cuStreamDestroy", stream == (CUstream)&allocations);
}
CUresult cuStreamSynchronize(CUstream stream) {
  return alone("cuStreamSynchronize", stream == (CUstream)&allocations);
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t size,
                              CUstream stream) {
  (void)stream;
  memcpy(address(to), from, size);
  return alone("cuMemcpyHtoDAsync", size);
}
CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t size,
                              CUstream stream) {
  (void)stream;
  memcpy(to, address(from), size);
  return alone("cuMemcpyDtoHAsync", size);
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t size,
                              CUstream stream) {
  (void)stream;
  memmove(address(to), address(from), size);
  return inContext("cuMemcpyDtoDAsync", size);
}
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                            const int *options, void **values) {
  *module = (CUmodule)(uintptr_t)image;
  CUresult code = inContext("cuModuleLoadDataEx", count);
  modules += code == CUDA_SUCCESS;
  for (unsigned i = 0; i < count && code != CUDA_SUCCESS; ++i)
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
      strcpy(values[i], "ptxas: line 7");
  return code;
}
CUresult cuModuleUnload(CUmodule module) {
  --modules;
  return inContext("cuModuleUnload", module != NULL);
}
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name) {
  *function = (CUfunction)module;
  if (!strstr((const char *)module, name))
    return ANOTHER_ERROR;
  return request("cuModuleGetFunction", " %s", name);
}
CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function) {
  (void)attribute, (void)function;
  *value = number_in("THREADS", 1024);
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  (void)function, (void)attribute;
  return inContext("cuFuncSetAttribute", (size_t)value);
}
CUresult cuLaunchKernel(CUfunction function, unsigned x, unsigned y, unsigned z,
                        unsigned threads, unsigned threads_y,
                        unsigned threads_z, unsigned shared, CUstream stream,
                        void **arguments, void **extra) {
  (void)function, (void)stream, (void)arguments, (void)extra;
  return request("cuLaunchKernel", " %ux%ux%u of %ux%ux%u, %u", x, y, z,
                 threads, threads_y, threads_z, shared);
}
/* A graph is any address but null. */
CUresult cuStreamIsCapturing(CUstream stream, int *status) {
  (void)stream;
  *status = getenv("CAPTURED") != NULL;
  return CUDA_SUCCESS;
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) {
  (void)stream;
  *context = getenv("OTHER") ? NULL : current;
  return request("cuStreamGetCtx", "");
}
CUresult cuStreamGetFlags(CUstream stream, unsigned *flags) {
  (void)stream;
  *flags = getenv("BLOCKING") ? 0 : CU_STREAM_NON_BLOCKING;
  return request("cuStreamGetFlags", "");
}
CUresult cuStreamBeginCapture_v2(CUstream stream, int mode) {
  (void)stream;
  CUresult code = alone("cuStreamBeginCapture", (size_t)mode);
  isCaptured = code == CUDA_SUCCESS;
  return code;
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  (void)stream;
  isCaptured = 0;
  CUresult code = inContext("cuStreamEndCapture", 1);
  *graph = code == CUDA_SUCCESS ? (CUgraph)&graphs : NULL;
  graphs += code == CUDA_SUCCESS;
  return code;
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph,
                                     unsigned long long flags) {
  CUresult code = inContext("cuGraphInstantiate", (size_t)flags);
  *executable = (CUgraphExec)graph;
  executables += code == CUDA_SUCCESS;
  return code;
}
CUresult cuGraphExecUpdate(CUgraphExec executable, CUgraph graph,
                           CUgraphNode *node, int *reason) {
  (void)node, (void)reason;
  return inContext("cuGraphExecUpdate",
                   (size_t)(executable == (CUgraphExec)graph));
}
CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  (void)stream;
  return inContext("cuGraphLaunch", (size_t)(executable != NULL));
}
CUresult cuGraphDestroy(CUgraph graph) {
  (void)graph;
  return inContext("cuGraphDestroy", (size_t)--graphs);
}
CUresult cuGraphExecDestroy(CUgraphExec executable) {
  --executables;
  return inContext("cuGraphExecDestroy", (size_t)(executable != NULL));
}
