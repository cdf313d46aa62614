/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Counts what calls of a model's entry points allocate, in all threads:
 *
 *   counted_allocations WEIGHTS [allocating]
 *
 * Each entry point runs for small and larger sizes, in the calling thread, on a
 * pool, with an observer, and with sizes that are refused. With `allocating`
 * the tasks of the pool allocate, which must be seen.
 */
#define _GNU_SOURCE /* mmap64, syscall */
#include "heddle.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern const heddle_model MODEL;

/* ---- Memory that is counted: these take the place of libc's. ------------- */

static atomic_long allocations;

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
  ++allocations;
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
  ++allocations;
  return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  *memory = memalign(alignment, size);
  return *memory ? 0 : 12; /* ENOMEM */
}

void *mmap(void *address, size_t size, int protection, int flags, int file,
           off_t offset) {
  ++allocations;
  return (void *)syscall(SYS_mmap, address, size, protection, flags, file,
                         offset);
}

void *mmap64(void *address, size_t size, int protection, int flags, int file,
             off_t offset) {
  return mmap(address, size, protection, flags, file, offset);
}

void *mremap(void *address, size_t old_size, size_t size, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  void *place = va_arg(rest, void *);
  va_end(rest);
  ++allocations;
  return (void *)syscall(SYS_mremap, address, old_size, size, flags, place);
}

int brk(void *end) {
  ++allocations;
  return (void *)syscall(SYS_brk, end) == end ? 0 : -1;
}

void *sbrk(intptr_t increment) {
  ++allocations;
  char *end = (char *)syscall(SYS_brk, NULL);
  return (char *)syscall(SYS_brk, end + increment) == end + increment
             ? end
             : (void *)-1;
}

/* ---- How calls run ------------------------------------------------------- */

typedef struct allocating_task {
  heddle_task task;
  uint8_t *closure;
} allocating_task;

static int run_allocating(void *user_context, int32_t index, uint8_t *closure) {
  const allocating_task *t = (const allocating_task *)closure;
  void *volatile memory = malloc(1);
  free(memory);
  return t->task(user_context, index, t->closure);
}

static int allocating_for(void *data, heddle_task task, void *user_context,
                          int32_t first, int32_t count, uint8_t *closure) {
  allocating_task t = {task, closure};
  return heddle_threads_parallel_for(data, run_allocating, user_context, first,
                                     count, (uint8_t *)&t);
}

static void observe(void *data, const heddle_kernel_event *event) {
  *(uint32_t *)data += event->finished;
}

/* ---- Calls --------------------------------------------------------------- */

typedef struct call {
  const heddle_entry *entry;
  int64_t *sizes;
  void **buffers;
  void *workspace;
  size_t workspace_size;
} call;

static void require(int holds, const char *message) {
  if (holds)
    return;
  fprintf(stderr, "%s\n", message);
  exit(1);
}

static void *allocate(size_t size) {
  void *memory = aligned_alloc(HEDDLE_ALIGNMENT, (size / HEDDLE_ALIGNMENT + 1) *
                                                     HEDDLE_ALIGNMENT);
  require(memory != NULL, "out of memory");
  memset(memory, 0, size);
  return memory;
}

/* Values that calls take: the smallest; where all are, 0.25 and 7. */
static void fill(const heddle_argument *argument, void *memory, size_t size) {
  int64_t value = argument->maximum ? argument->minimum : 7;
  for (size_t at = 0; at < size; at += heddle_type_size(argument->type))
    switch (argument->type) {
    case HEDDLE_TYPE_F32:
      *(float *)((char *)memory + at) = 0.25F;
      break;
    case HEDDLE_TYPE_I32:
      *(int32_t *)((char *)memory + at) = (int32_t)value;
      break;
    case HEDDLE_TYPE_I64:
      *(int64_t *)((char *)memory + at) = value;
      break;
    default:
      break; /* zeros */
    }
}

static call prepare(const heddle_entry *entry, int64_t size) {
  heddle_error error;
  call c = {.entry = entry};
  c.sizes = allocate(entry->symbol_count * sizeof(int64_t));
  c.buffers = allocate(entry->argument_count * sizeof(void *));
  for (uint32_t i = 0; i < entry->symbol_count; ++i)
    c.sizes[i] =
        size < entry->symbols[i].maximum ? size : entry->symbols[i].maximum;
  for (uint32_t i = 0; i < entry->argument_count; ++i) {
    size_t bytes;
    require(!heddle_argument_size(entry, i, c.sizes, &bytes, &error),
            error.message);
    c.buffers[i] = allocate(bytes);
    if (entry->arguments[i].kind == HEDDLE_ARGUMENT_INPUT)
      fill(&entry->arguments[i], c.buffers[i], bytes);
  }
  require(!heddle_workspace_size(entry, c.sizes, &c.workspace_size, &error),
          error.message);
  c.workspace = allocate(c.workspace_size);
  return c;
}

static void release(call *c) {
  for (uint32_t i = 0; i < c->entry->argument_count; ++i)
    free(c->buffers[i]);
  free(c->buffers);
  free(c->sizes);
  free(c->workspace);
}

static void count(const call *c, const heddle_weights *weights,
                  heddle_context context, const char *how,
                  heddle_status expected) {
  enum { TIMES = 3 };
  heddle_error error = {0};
  heddle_status status = HEDDLE_OK;
  size_t size = 0;
  context.error = &error;
  long before = allocations;
  for (int i = 0; i < TIMES && status == HEDDLE_OK; ++i) {
    heddle_workspace_size(c->entry, c->sizes, &size, &error);
    status = heddle_invoke(&MODEL, c->entry, &context, weights, c->buffers,
                           c->sizes, c->workspace, c->workspace_size);
  }
  long after = allocations;
  require(status == expected, error.message);
  printf("%s, %s: %ld allocations\n", c->entry->name, how, after - before);
}

/* Each function is seen, wherever it is called from. */
static void count_all_functions(void) {
  void *memory[6];
  long before = allocations;
  memory[0] = malloc(1);
  memory[1] = calloc(1, 1);
  memory[2] = realloc(NULL, 1);
  memory[3] = aligned_alloc(64, 64);
  int failed = posix_memalign(&memory[4], 64, 64);
  memory[5] = strdup("a copy that libc itself allocates");
  void *pages = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  printf("%ld of 7 ways to allocate are seen\n", allocations - before);
  require(!failed && pages != MAP_FAILED, "out of memory");
  munmap(pages, 4096);
  for (int i = 0; i < 6; ++i)
    free(memory[i]);
}

int main(int argc, char **argv) {
  heddle_error error;
  heddle_weights *weights = NULL;
  heddle_threads *threads = NULL;
  uint32_t kernels = 0;
  require(argc > 1, "usage: counted_allocations WEIGHTS [allocating]");
  count_all_functions();
  require(!heddle_weights_open(&MODEL, argv[1], 0, NULL, &weights, &error) &&
              !heddle_threads_create(3, NULL, &threads, &error),
          error.message);
  heddle_context alone = {0}, pool = {0}, observed = {0};
  pool.parallel_for = argc > 2 ? allocating_for : heddle_threads_parallel_for;
  pool.parallel_for_data = threads;
  observed.observer = observe;
  observed.observer_data = &kernels;
  for (int64_t size = 1; size <= 40; size += 39) {
    printf("sizes up to %d\n", (int)size);
    for (uint32_t i = 0; i < MODEL.entry_count; ++i) {
      call c = prepare(MODEL.entries[i], size);
      count(&c, weights, alone, "alone", HEDDLE_OK);
      count(&c, weights, pool, "on a pool", HEDDLE_OK);
      count(&c, weights, observed, "observed", HEDDLE_OK);
      c.sizes[0] = -1;
      count(&c, weights, pool, "refused", HEDDLE_INVALID_ARGUMENT);
      release(&c);
    }
  }
  require(kernels > 0, "no kernel was observed");
  heddle_threads_destroy(threads);
  heddle_weights_close(weights);
  return 0;
}
