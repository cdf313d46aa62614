/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* What the runtime's own sources share: errors, memory, the weights handle and
 * the CPU check. Not installed.
 */
#ifndef HEDDLE_INTERNAL_H
#define HEDDLE_INTERNAL_H

#include "heddle.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fills *error (where given) and returns `status`, so that a check reads
 * `return heddle_fail(...)`. */
__attribute__((format(printf, 3, 4))) static inline heddle_status
heddle_fail(heddle_error *error, heddle_status status, const char *format,
            ...) {
  if (error) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof(error->message), format, arguments);
    va_end(arguments);
    error->status = (int32_t)status;
  }
  return status;
}

static inline heddle_status heddle_succeed(heddle_error *error) {
  if (error) {
    error->status = HEDDLE_OK;
    error->message[0] = '\0';
  }
  return HEDDLE_OK;
}

/* Null means malloc and free; one that is given has both functions. */
static inline heddle_status
heddle_check_allocator(const heddle_allocator *allocator, heddle_error *error) {
  if (allocator && (!allocator->allocate || !allocator->release))
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                       "allocator lacks its function '%s'",
                       allocator->allocate ? "release" : "allocate");
  return HEDDLE_OK;
}

/* Memory for one handle, zeroed and aligned to HEDDLE_ALIGNMENT; null on
 * failure. The handle keeps a copy of *allocator (zero for null) for
 * heddle_release. */
static inline void *heddle_allocate(const heddle_allocator *allocator,
                                    size_t size) {
  size_t rounded =
      (size + HEDDLE_ALIGNMENT - 1) / HEDDLE_ALIGNMENT * HEDDLE_ALIGNMENT;
  void *pointer =
      allocator && allocator->allocate
          ? allocator->allocate(allocator->data, size, HEDDLE_ALIGNMENT)
          : aligned_alloc(HEDDLE_ALIGNMENT, rounded);
  if (pointer)
    memset(pointer, 0, size);
  return pointer;
}

/* The same, with the error where there is no memory for `what`. */
static inline void *heddle_allocate_for(const heddle_allocator *allocator,
                                        size_t size, const char *what,
                                        heddle_error *error) {
  void *pointer = heddle_allocate(allocator, size);
  if (!pointer)
    heddle_fail(error, HEDDLE_OUT_OF_MEMORY, "cannot allocate %zu bytes for %s",
                size, what);
  return pointer;
}

static inline void heddle_release(const heddle_allocator *allocator,
                                  void *pointer) {
  if (!allocator || !allocator->release)
    free(pointer);
  else
    allocator->release(allocator->data, pointer);
}

struct heddle_weights {
  const heddle_model *model; /* heddle_invoke runs this target of a model */
  const uint8_t *data;       /* the packed data, behind the file's header */
  void *mapping;             /* null where the caller owns the memory */
  size_t mapping_size;
  heddle_allocator allocator;
  heddle_device *device;          /* that has the data, or null */
  struct heddle_program *program; /* what it runs */
};

/* The end of heddle_weights_close for weights on a device. */
void heddle_release_uploaded(heddle_weights *weights);

/* "OpenCL" */
const char *heddle_device_kind_name(heddle_device_kind kind);

/* Does this runtime know the layout of the object's structs? */
heddle_status heddle_check_model(const heddle_model *model,
                                 heddle_error *error);

/* What CPUID says, and which register sets the operating system saves. */
enum {
  HEDDLE_CPUID_1_ECX,
  HEDDLE_CPUID_7_EBX,
  HEDDLE_CPUID_7_ECX,
  HEDDLE_CPUID_7_EDX,
  HEDDLE_CPUID_7_1_EAX, /* leaf 7, subleaf 1 */
  HEDDLE_CPUID_7_1_EDX,
  HEDDLE_CPUID_80000001_ECX,
  HEDDLE_CPUID_AVX10, /* made up: bit n stands for version n, leaf 24h */
  HEDDLE_CPUID_WORDS
};
typedef struct heddle_cpu {
  uint32_t words[HEDDLE_CPUID_WORDS];
  uint32_t saved_state; /* low half of XCR0 */
} heddle_cpu;

void heddle_cpu_detect(heddle_cpu *cpu);

/* Counts the names in the comma-separated `features` that `cpu` lacks and lists
 * them in `missing` ("avx2, fma"), cut off where `size` is too small. */
size_t heddle_cpu_missing(const heddle_cpu *cpu, const char *features,
                          char *missing, size_t size);

/* Fails where the CPU that runs this lacks what the object was compiled for. */
heddle_status heddle_check_cpu(const heddle_model *model, heddle_error *error);

/* How many CPUs this process may keep busy, at least 1: those that it may run
 * on, or as many as its control groups have a quota for. `groups` is the file
 * that names them (/proc/self/cgroup), `root` the folder where they are
 * mounted. */
int heddle_available_cpus(const char *groups, const char *root);

#ifdef __cplusplus
}
#endif
#endif /* HEDDLE_INTERNAL_H */
