/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The runtime's C API: weights, devices, threads, sizes and calls; and
 * heddle_generation.h, which it includes.
 *
 * Nothing here prints, aborts, throws or keeps global state. Functions return a
 * heddle_status; where an `error` is passed and not null it receives the status
 * and a message that names the argument, the expected and the actual value.
 */
#ifndef HEDDLE_H
#define HEDDLE_H

#include "heddle_abi.h"

#ifdef __cplusplus
extern "C" {
#endif
/* What a shared library shows that has the runtime inside. */
#pragma GCC visibility push(default)

/* Where the runtime takes its own memory from: handles, thread pools and what a
 * session works on. Calls themselves allocate nothing. A null allocator means
 * malloc and free. */
typedef struct heddle_allocator {
  void *(*allocate)(void *data, size_t size, size_t alignment);
  void (*release)(void *data, void *pointer);
  void *data;
} heddle_allocator;

/* ---- Weights ------------------------------------------------------------ */

/* The packed weights of one model, checked against it. Immutable once bound:
 * any number of threads may use one handle. */
typedef struct heddle_weights heddle_weights;

enum {
  /* Also read all data and compare it with the stored checksum. */
  HEDDLE_WEIGHTS_VERIFY = 1,
  /* Copy a file into memory of the process, in large pages where the system has
   * them, in place of mapping it: steps of a decoder, which wait for weights,
   * were 4 to 8% faster (an Emerald Rapids). Processes share no such copies.
   * What is in memory already stays where it is. */
  HEDDLE_WEIGHTS_COPY = 2
};

/* Maps the file `path` read-only, or takes the weights inside the object
 * (heddlec --embed-weights), where they are, if `path` is null. Fails where the
 * file is missing, no regular file, truncated or damaged, belongs to another
 * model, or the CPU lacks what the object needs. The caller owns *weights and
 * frees it with heddle_weights_close. */
heddle_status heddle_weights_open(const heddle_model *model, const char *path,
                                  unsigned flags,
                                  const heddle_allocator *allocator,
                                  heddle_weights **weights,
                                  heddle_error *error);

/* The same for a whole weights file already in memory: downloaded, mapped, or
 * made a part of the program by other means than heddlec's. `data` must be
 * aligned to HEDDLE_ALIGNMENT and outlive the handle. */
heddle_status heddle_weights_bind(const heddle_model *model, const void *data,
                                  size_t size, unsigned flags,
                                  const heddle_allocator *allocator,
                                  heddle_weights **weights,
                                  heddle_error *error);

/* The packed data, *size bytes, where `size` is not null; null and 0 of null.
 * For tools that look at what kernels read. */
const void *heddle_weights_data(const heddle_weights *weights, size_t *size);

/* Frees the handle and its mapping; null is allowed. No call may be running. */
void heddle_weights_close(heddle_weights *weights);

/* ---- Devices ------------------------------------------------------------ */

/* A device that runs kernels in place of the CPU, for models that heddlec
 * --target has compiled for one. Its driver is looked for and loaded when it is
 * opened. Any number of threads may use a device. */
typedef struct heddle_device heddle_device;

/* Work for a device, in order: calls, copies and the like begin once all that
 * was put into the stream before is done. One thread may use it at a time. */
typedef struct heddle_stream heddle_stream;

typedef struct heddle_device_options {
  heddle_device_kind kind;
  int32_t index; /* among the devices of this kind, from 0 */
  /* A cl_context or CUcontext of the caller's. Null for one of its own, on CUDA
   * the device's primary context, which the CUDA runtime has, too. */
  void *context;
  void *device; /* of that context: a cl_device_id; null on CUDA */
  /* Added to the options of OpenCL's compiler, such as "-cl-opt-disable" where
   * programs are to start at once; null for none, as on CUDA. */
  const char *compiler_options;
  /* Not 0: on CUDA each kernel is launched by itself, which a profiler shows
   * better. Otherwise calls of more than a few kernels are launched as graphs,
   * in streams of CU_STREAM_NON_BLOCKING that the program does not capture. */
  int32_t launches_alone;
} heddle_device_options;

/* Fails where there is no such device, and says what was looked for. The caller
 * owns *device and frees it with heddle_device_close. A context of the caller's
 * must outlive it. */
heddle_status heddle_device_open(const heddle_device_options *options,
                                 const heddle_allocator *allocator,
                                 heddle_device **device, heddle_error *error);

/* Null is allowed. Streams, memory and weights of the device must be gone. */
void heddle_device_close(heddle_device *device);

/* As its driver calls it; never null, and empty of a null device. */
const char *heddle_device_name(const heddle_device *device);

/* Memory of the device, aligned for caches and workspace. Arithmetic of
 * pointers holds of its addresses, but the host must not use them. The caller
 * frees it with heddle_device_release, where both may be null, once no work in
 * any stream uses it (heddle_stream_wait). */
heddle_status heddle_device_allocate(heddle_device *device, size_t size,
                                     void **address, heddle_error *error);
void heddle_device_release(heddle_device *device, void *address);

/* A stream on `native`, a CUstream or a cl_command_queue of the caller's, of
 * the device's context, that runs in order, or on one of its own where that is
 * null. The caller frees it
 * with heddle_stream_destroy, which waits for its work; null is allowed there.
 */
heddle_status heddle_stream_create(heddle_device *device, void *native,
                                   const heddle_allocator *allocator,
                                   heddle_stream **stream, heddle_error *error);
void heddle_stream_destroy(heddle_stream *stream);

/* Returns once all work in the stream is done, or with its failure. */
heddle_status heddle_stream_wait(heddle_stream *stream, heddle_error *error);

/* Copies between memory of the host and of the device. What is uploaded has
 * been read when the function returns; what is downloaded is there once the
 * stream has been waited for. */
heddle_status heddle_stream_upload(heddle_stream *stream, void *to,
                                   const void *from, size_t size,
                                   heddle_error *error);
heddle_status heddle_stream_download(heddle_stream *stream, void *to,
                                     const void *from, size_t size,
                                     heddle_error *error);
/* Between places of the device's memory that do not overlap. */
heddle_status heddle_stream_copy(heddle_stream *stream, void *to,
                                 const void *from, size_t size,
                                 heddle_error *error);

/* heddle_reorder_cache for a cache on the device. `scratch` is memory of the
 * device, such as the workspace of the calls before; the larger it is, up to
 * the bytes of a sequence in one part of the cache, the fewer are the copies.
 */
heddle_status
heddle_stream_reorder_cache(heddle_stream *stream, const heddle_entry *entry,
                            uint32_t argument, const int64_t *sizes,
                            void *cache, const int32_t *parents, void *scratch,
                            size_t scratch_size, heddle_error *error);

/* The device that has the weights; null where it is the CPU, and of null. */
heddle_device *heddle_weights_device(const heddle_weights *weights);

/* A copy of `weights` on the stream's device, with the model's kernels, which
 * the device's driver compiles; both are done when the function returns. Calls
 * of the model in any stream of the device take it; `weights` may be closed.
 * The caller frees it with heddle_weights_close. */
heddle_status heddle_weights_upload(const heddle_weights *weights,
                                    heddle_stream *stream,
                                    const heddle_allocator *allocator,
                                    heddle_weights **uploaded,
                                    heddle_error *error);

/* ---- Threads ------------------------------------------------------------ */

typedef struct heddle_threads heddle_threads;

/* A pool that runs parallel loops on `count` threads, the calling one included
 * (so count - 1 are started). 0 means one for each CPU this process may use: on
 * Linux those of its affinity mask, or fewer where a control group (a
 * container) has a quota of CPU time, which is rounded down, as a thread that
 * is stopped while the others wait costs more than it brings. */
heddle_status heddle_threads_create(int count,
                                    const heddle_allocator *allocator,
                                    heddle_threads **threads,
                                    heddle_error *error);

/* A heddle_parallel_for; `data` is the heddle_threads, or null for the calling
 * thread alone. A null task is HEDDLE_INVALID_ARGUMENT. May be called from many
 * threads: while the pool is busy with one loop, further callers (and loops
 * inside tasks) run theirs in their own thread. */
int heddle_threads_parallel_for(void *data, heddle_task task,
                                void *user_context, int32_t first,
                                int32_t count, uint8_t *closure);

/* How many threads a loop uses, the calling one included: 1 of null. */
int heddle_threads_count(const heddle_threads *threads);

/* Stops and joins the threads; null is allowed. No loop may be running. */
void heddle_threads_destroy(heddle_threads *threads);

/* ---- Sizes and calls ---------------------------------------------------- */

/* An object may have a model for several targets (heddlec --target=cpu,cuda).
 * Its constant is that of the first one; this is the target of a kind, from any
 * of them, or null where the object has none, or is null. Weights are opened
 * for it, and decide where a call runs: entry points of one target take weights
 * of all. */
const heddle_model *heddle_model_for(const heddle_model *model,
                                     heddle_device_kind kind);

/* Finds an entry point by name ("prefill"), or returns null, also where the
 * model or the name is null. */
const heddle_entry *heddle_find_entry(const heddle_model *model,
                                      const char *name);

/* The number of the symbol of that name; that of all symbols where there is
 * none, also where `name` is null; 0 where `entry` is. An extent of an argument
 * is such a name, a number, or an expression. */
uint32_t heddle_find_symbol(const heddle_entry *entry, const char *name);

/* Bytes of workspace that a call with these sizes needs; `sizes` holds one
 * value for each symbol of the entry point, in its order. *bytes is set to 0
 * and an error returned where a size is out of range, or sizes are too large
 * together. */
heddle_status heddle_workspace_size(const heddle_entry *entry,
                                    const int64_t *sizes, size_t *bytes,
                                    heddle_error *error);

/* As much as that entry point needs on any target that takes these sizes. */
heddle_status heddle_largest_workspace_size(const heddle_entry *entry,
                                            const int64_t *sizes, size_t *bytes,
                                            heddle_error *error);

/* The same of calls whose context says `device_arguments`: those have no room
 * to be copied to. On a CPU there is no difference. */
heddle_status heddle_device_workspace_size(const heddle_entry *entry,
                                           const int64_t *sizes,
                                           uint64_t device_arguments,
                                           size_t *bytes, heddle_error *error);

/* Bytes of the argument `argument` (an input, output or cache) for these sizes.
 */
heddle_status heddle_argument_size(const heddle_entry *entry, uint32_t argument,
                                   const int64_t *sizes, size_t *bytes,
                                   heddle_error *error);

/* Checks every argument against the entry point's description, then runs it.
 * This is what the generated functions (`stories_prefill`, ...) call; use it
 * directly to call a model whose header is not at hand.
 *
 * `buffers` holds one pointer for each argument in order, which may be null
 * where the argument has no elements. Workspace and cache must be aligned to
 * HEDDLE_ALIGNMENT; the workspace is scratch: nothing in it outlives the call.
 * Memory that context->argument_bytes measures is checked to be large enough.
 * Calls on different workspaces, caches and outputs may run at the same time.
 * When a check fails, no output and no cache is written. */
heddle_status heddle_invoke(const heddle_model *model,
                            const heddle_entry *entry,
                            const heddle_context *context,
                            const heddle_weights *weights, void *const *buffers,
                            const int64_t *sizes, void *workspace,
                            size_t workspace_size);

/* ---- Names -------------------------------------------------------------- */

/* The name of an element type, such as "bf16"; never null. */
const char *heddle_type_name(heddle_type type);

/* The bytes of an element; 0 of a type that there is not. */
size_t heddle_type_size(heddle_type type);

/* The name of a status, such as "HEDDLE_OUT_OF_RANGE"; never null. */
const char *heddle_status_name(heddle_status status);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#include "heddle_generation.h"

#endif /* HEDDLE_H */
