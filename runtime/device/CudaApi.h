/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The functions of the CUDA driver API that the runtime uses, found at run
 * time. Types, names and numbers are those of its documentation, versions 11.4
 * and later. Not installed.
 */
#ifndef HEDDLE_CUDA_API_H
#define HEDDLE_CUDA_API_H

#include "../heddle_abi.h"

typedef int CUresult, CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUgraphNode_st *CUgraphNode;

enum {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_OUT_OF_MEMORY = 2,

  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS = 88,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,

  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,

  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,

  CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,

  CU_STREAM_NON_BLOCKING = 1,

  CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
  CU_STREAM_CAPTURE_STATUS_NONE = 0
};

/* X(name, symbol, parameters). The symbol has the version whose meaning is
 * meant; all functions return a CUresult. */
#define HEDDLE_CUDA_FUNCTIONS(X)                                               \
  X(cuInit, "cuInit", (unsigned))                                              \
  X(cuGetErrorName, "cuGetErrorName", (CUresult, const char **))               \
  X(cuGetErrorString, "cuGetErrorString", (CUresult, const char **))           \
  X(cuDeviceGetCount, "cuDeviceGetCount", (int *))                             \
  X(cuDeviceGet, "cuDeviceGet", (CUdevice *, int))                             \
  X(cuDeviceGetName, "cuDeviceGetName", (char *, int, CUdevice))               \
  X(cuDeviceGetAttribute, "cuDeviceGetAttribute", (int *, int, CUdevice))      \
  X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain",                      \
    (CUcontext *, CUdevice))                                                   \
  X(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (CUdevice))     \
  X(cuCtxPushCurrent, "cuCtxPushCurrent_v2", (CUcontext))                      \
  X(cuCtxPopCurrent, "cuCtxPopCurrent_v2", (CUcontext *))                      \
  X(cuCtxGetDevice, "cuCtxGetDevice", (CUdevice *))                            \
  X(cuMemAlloc, "cuMemAlloc_v2", (CUdeviceptr *, size_t))                      \
  X(cuMemFree, "cuMemFree_v2", (CUdeviceptr))                                  \
  X(cuPointerGetAttribute, "cuPointerGetAttribute",                            \
    (void *, int, CUdeviceptr))                                                \
  X(cuStreamCreate, "cuStreamCreate", (CUstream *, unsigned))                  \
  X(cuStreamDestroy, "cuStreamDestroy_v2", (CUstream))                         \
  X(cuStreamSynchronize, "cuStreamSynchronize", (CUstream))                    \
  X(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2",                                 \
    (CUdeviceptr, const void *, size_t, CUstream))                             \
  X(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2",                                 \
    (void *, CUdeviceptr, size_t, CUstream))                                   \
  X(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2",                                 \
    (CUdeviceptr, CUdeviceptr, size_t, CUstream))                              \
  X(cuModuleLoadDataEx, "cuModuleLoadDataEx",                                  \
    (CUmodule *, const void *, unsigned, const int *, void **))                \
  X(cuModuleUnload, "cuModuleUnload", (CUmodule))                              \
  X(cuModuleGetFunction, "cuModuleGetFunction",                                \
    (CUfunction *, CUmodule, const char *))                                    \
  X(cuFuncGetAttribute, "cuFuncGetAttribute", (int *, int, CUfunction))        \
  X(cuFuncSetAttribute, "cuFuncSetAttribute", (CUfunction, int, int))          \
  X(cuLaunchKernel, "cuLaunchKernel",                                          \
    (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,   \
     unsigned, CUstream, void **, void **))                                    \
  X(cuStreamGetCtx, "cuStreamGetCtx", (CUstream, CUcontext *))                 \
  X(cuStreamGetFlags, "cuStreamGetFlags", (CUstream, unsigned *))              \
  X(cuStreamIsCapturing, "cuStreamIsCapturing", (CUstream, int *))             \
  X(cuStreamBeginCapture, "cuStreamBeginCapture_v2", (CUstream, int))          \
  X(cuStreamEndCapture, "cuStreamEndCapture", (CUstream, CUgraph *))           \
  X(cuGraphInstantiate, "cuGraphInstantiateWithFlags",                         \
    (CUgraphExec *, CUgraph, unsigned long long))                              \
  X(cuGraphExecUpdate, "cuGraphExecUpdate",                                    \
    (CUgraphExec, CUgraph, CUgraphNode *, int *))                              \
  X(cuGraphLaunch, "cuGraphLaunch", (CUgraphExec, CUstream))                   \
  X(cuGraphDestroy, "cuGraphDestroy", (CUgraph))                               \
  X(cuGraphExecDestroy, "cuGraphExecDestroy", (CUgraphExec))

typedef struct heddle_cuda_api {
  void *library;
#define HEDDLE_DECLARE(name, symbol, parameters) CUresult(*name) parameters;
  HEDDLE_CUDA_FUNCTIONS(HEDDLE_DECLARE)
#undef HEDDLE_DECLARE
} heddle_cuda_api;

#endif /* HEDDLE_CUDA_API_H */
