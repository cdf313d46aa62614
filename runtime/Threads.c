/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* A pool of threads for parallel loops of a few microseconds.
 *
 * One loop runs at a time. Its caller publishes it by storing a new `state`:
 *
 *   state = [ number of the loop : 32 | free seats : 16 | seated workers : 16 ]
 *
 * A worker takes a seat, claims indices until none are left and gives the seat
 * up. The caller claims indices too, then removes the free seats and waits for
 * the seated workers: one that is still waking up is never waited for.
 *
 * Idle workers, and a caller whose loop is nearly done, spin for a short time
 * and then sleep. A sleeper announces itself and then looks at `state`, a waker
 * changes `state` and then looks for sleepers: both are sequentially consistent
 * operations, so at least one sees the other.
 */
#define _GNU_SOURCE
#include "Internal.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

enum {
  MAX_THREADS = 4096,
  STACK_SIZE = 2 << 20, /* tasks need 256 KiB, those of sanitizers more */
  SPIN_NANOSECONDS = 30000,
  SPIN_BATCH = 16 /* pauses between two looks at the clock */
};

#define SEATED_MASK UINT64_C(0xffff)
#define SEAT UINT64_C(0x10000)
#define SEATS_MASK UINT64_C(0xffff0000)
#define LOOP_SHIFT 32

typedef struct loop {
  heddle_task task;
  void *user_context;
  uint8_t *closure;
  int32_t first;
  int32_t count;
} loop;

struct heddle_threads {
  heddle_allocator allocator;
  int count;            /* threads of a loop, the calling thread included */
  int started;          /* workers that have to be joined */
  pthread_mutex_t lock; /* guards nothing but going to sleep */
  pthread_cond_t work;  /* a loop was published, or `stop` set */
  pthread_cond_t done;  /* the last seated worker left */
  loop current;         /* written while no worker has a seat */

  /* Each of these is written often, so each has its own cache line. */
  _Alignas(HEDDLE_ALIGNMENT) atomic_bool busy; /* held by the loop's caller */
  _Alignas(HEDDLE_ALIGNMENT) _Atomic uint64_t state;
  _Alignas(HEDDLE_ALIGNMENT) _Atomic uint64_t next; /* index to claim */
  atomic_int result;
  _Alignas(HEDDLE_ALIGNMENT) atomic_int workers_asleep;
  atomic_int callers_asleep; /* 0 or 1 */
  atomic_bool stop;
  pthread_t workers[]; /* count - 1 */
};

static void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory"); /* `yield` does nothing on most cores */
#endif
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

typedef bool (*condition)(heddle_threads *pool, uint32_t *argument);

/* Spins, then sleeps on `signal` counted in *sleepers, until `ready` holds. */
static void wait_until(heddle_threads *pool, condition ready,
                       uint32_t *argument, pthread_cond_t *signal,
                       atomic_int *sleepers) {
  for (;;) {
    int64_t end = now() + SPIN_NANOSECONDS;
    do {
      for (int i = 0; i < SPIN_BATCH; ++i) {
        if (ready(pool, argument))
          return;
        pause_briefly();
      }
      sched_yield(); /* to whoever this thread waits for, were CPUs short */
    } while (now() < end);
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(sleepers, 1);
    bool finished = ready(pool, argument);
    if (!finished)
      pthread_cond_wait(signal, &pool->lock);
    atomic_fetch_sub(sleepers, 1);
    pthread_mutex_unlock(&pool->lock);
    if (finished)
      return;
  }
}

/* Claims and runs indices until none are left or one has failed. */
static void run_share(heddle_threads *pool) {
  const loop *current = &pool->current;
  while (atomic_load_explicit(&pool->result, memory_order_relaxed) == 0) {
    uint64_t index =
        atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
    if (index >= (uint64_t)current->count)
      return;
    int result = current->task(current->user_context,
                               (int32_t)(current->first + (int64_t)index),
                               current->closure);
    int none = 0;
    if (result != 0)
      atomic_compare_exchange_strong(&pool->result, &none, result);
  }
}

/* Takes a seat in a loop other than number *seen; true also when stopping. */
static bool take_seat(heddle_threads *pool, uint32_t *seen) {
  uint64_t state = atomic_load(&pool->state);
  while ((state & SEATS_MASK) != 0 && (uint32_t)(state >> LOOP_SHIFT) != *seen)
    if (atomic_compare_exchange_weak(&pool->state, &state, state - SEAT + 1)) {
      *seen = (uint32_t)(state >> LOOP_SHIFT);
      return true;
    }
  return atomic_load_explicit(&pool->stop, memory_order_relaxed);
}

static void leave_seat(heddle_threads *pool) {
  uint64_t state = atomic_fetch_sub(&pool->state, 1);
  if ((state & SEATED_MASK) == 1 && atomic_load(&pool->callers_asleep)) {
    pthread_mutex_lock(&pool->lock);
    pthread_cond_signal(&pool->done);
    pthread_mutex_unlock(&pool->lock);
  }
}

static void *worker_main(void *argument) {
  heddle_threads *pool = (heddle_threads *)argument;
  uint32_t seen = 0;
  for (;;) {
    wait_until(pool, take_seat, &seen, &pool->work, &pool->workers_asleep);
    if (atomic_load_explicit(&pool->stop, memory_order_relaxed))
      return NULL; /* no loop may be running, so there was no seat to leave */
    run_share(pool);
    leave_seat(pool);
  }
}

static int run_inline(heddle_task task, void *user_context, int32_t first,
                      int32_t count, uint8_t *closure) {
  int result = 0;
  for (int32_t i = 0; i < count && result == 0; ++i)
    result = task(user_context, first + i, closure);
  return result;
}

/* Wakes workers for the seats that those awake cannot fill. */
static void wake_workers(heddle_threads *pool, int seats) {
  int asleep = atomic_load(&pool->workers_asleep);
  int needed = seats - (pool->count - 1 - asleep);
  if (asleep == 0 || needed <= 0)
    return;
  /* Whoever holds the lock is about to sleep: let it get there. */
  pthread_mutex_lock(&pool->lock);
  pthread_mutex_unlock(&pool->lock);
  if (needed == asleep)
    pthread_cond_broadcast(&pool->work);
  else
    while (needed-- > 0)
      pthread_cond_signal(&pool->work);
}

static bool seats_empty(heddle_threads *pool, uint32_t *unused) {
  (void)unused;
  return (atomic_load(&pool->state) & SEATED_MASK) == 0;
}

int heddle_threads_parallel_for(void *data, heddle_task task,
                                void *user_context, int32_t first,
                                int32_t count, uint8_t *closure) {
  heddle_threads *pool = (heddle_threads *)data;
  if (!task)
    return HEDDLE_INVALID_ARGUMENT;
  if (count <= 1 || !pool || pool->count == 1 ||
      atomic_load_explicit(&pool->busy, memory_order_relaxed) ||
      atomic_exchange_explicit(&pool->busy, true, memory_order_acquire))
    return run_inline(task, user_context, first, count, closure);

  int seats = count < pool->count ? count - 1 : pool->count - 1;
  uint64_t number = (atomic_load(&pool->state) >> LOOP_SHIFT) + 1;
  pool->current = (loop){task, user_context, closure, first, count};
  atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
  atomic_store_explicit(&pool->result, 0, memory_order_relaxed);
  atomic_store(&pool->state, number << LOOP_SHIFT | (uint64_t)seats * SEAT);
  wake_workers(pool, seats);
  run_share(pool);
  atomic_fetch_and(&pool->state, ~SEATS_MASK);
  wait_until(pool, seats_empty, NULL, &pool->done, &pool->callers_asleep);
  int result = atomic_load_explicit(&pool->result, memory_order_relaxed);
  atomic_store_explicit(&pool->busy, false, memory_order_release);
  return result;
}

/* Starts workers until pool->started is count - 1; returns an errno value. */
static int start_workers(heddle_threads *pool) {
  pthread_attr_t attributes;
  int result = pthread_attr_init(&attributes);
  if (result != 0)
    return result;
  result = pthread_attr_setstacksize(&attributes, STACK_SIZE);
  while (result == 0 && pool->started < pool->count - 1) {
    result = pthread_create(&pool->workers[pool->started], &attributes,
                            worker_main, pool);
    pool->started += result == 0;
  }
  pthread_attr_destroy(&attributes);
  return result;
}

heddle_status heddle_threads_create(int count,
                                    const heddle_allocator *allocator,
                                    heddle_threads **threads,
                                    heddle_error *error) {
  if (!threads)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT, "threads is null");
  *threads = NULL;
  if (count < 0 || count > MAX_THREADS)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                       "count is %d, expected 0 to %d", count, MAX_THREADS);
  heddle_status status = heddle_check_allocator(allocator, error);
  if (status != HEDDLE_OK)
    return status;
  if (count == 0) {
    count = heddle_available_cpus("/proc/self/cgroup", "/sys/fs/cgroup");
    count = count < MAX_THREADS ? count : MAX_THREADS;
  }
  size_t size =
      sizeof(heddle_threads) + (size_t)(count - 1) * sizeof(pthread_t);
  heddle_threads *pool = (heddle_threads *)heddle_allocate(allocator, size);
  if (!pool)
    return heddle_fail(error, HEDDLE_OUT_OF_MEMORY,
                       "cannot allocate %zu bytes for a pool of %d threads",
                       size, count);
  if (allocator)
    pool->allocator = *allocator;
  pool->count = count;
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->work, NULL);
  pthread_cond_init(&pool->done, NULL);
  int result = start_workers(pool);
  if (result != 0) {
    int failed = pool->started + 1;
    heddle_threads_destroy(pool);
    return heddle_fail(error, HEDDLE_OUT_OF_MEMORY,
                       "cannot start thread %d of %d: %s", failed, count - 1,
                       strerror(result));
  }
  *threads = pool;
  return heddle_succeed(error);
}

int heddle_threads_count(const heddle_threads *threads) {
  return threads ? threads->count : 1;
}

void heddle_threads_destroy(heddle_threads *threads) {
  if (!threads)
    return;
  pthread_mutex_lock(&threads->lock);
  atomic_store(&threads->stop, true);
  pthread_cond_broadcast(&threads->work);
  pthread_mutex_unlock(&threads->lock);
  for (int i = 0; i < threads->started; ++i)
    pthread_join(threads->workers[i], NULL);
  pthread_cond_destroy(&threads->done);
  pthread_cond_destroy(&threads->work);
  pthread_mutex_destroy(&threads->lock);
  heddle_allocator allocator = threads->allocator;
  heddle_release(&allocator, threads);
}
