/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* One model on several devices of a process at once, two threads on each with
 * streams and caches of their own:
 *
 *   several_devices WEIGHTS DEVICES DATE
 *
 * Each answers DATE a few times; all answers must be those of the first.
 */
#include "dates.h"
#include "examples/dates/characters.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_DEVICES = 4, THREADS_OF_DEVICE = 2, REPEATS = 3, ANSWER = 16 };

typedef struct worker {
  pthread_t thread;
  heddle_device *device;
  const heddle_weights *weights; /* of that device */
  const char *date;
  heddle_error error;
  heddle_status status;
  char answer[REPEATS][ANSWER];
} worker;

static heddle_status ask(worker *w, heddle_session *session, char *answer) {
  int32_t ids[DATES_POSITIONS] = {ID_BEGIN}, length = 1;
  heddle_session_restart(session);
  for (const char *c = w->date; *c; ++c)
    ids[length++] = id_of(*c);
  ids[length++] = id_of('\n');
  const heddle_sampling greedy = HEDDLE_GREEDY;
  heddle_status status = heddle_session_append(session, ids, length, &w->error);
  for (int n = 0; n + 1 < ANSWER && status == HEDDLE_OK; ++n) {
    int32_t id = ID_END;
    status = heddle_session_sample(session, &greedy, NULL, &id, &w->error);
    if (status != HEDDLE_OK || id == ID_END)
      break;
    answer[n] = character_of(id);
    status = heddle_session_append(session, &id, 1, &w->error);
  }
  return status;
}

static void *work(void *argument) {
  worker *w = argument;
  heddle_stream *stream = NULL;
  heddle_session *session = NULL;
  w->status = heddle_stream_create(w->device, NULL, NULL, &stream, &w->error);
  heddle_context context = {.stream = stream};
  if (w->status == HEDDLE_OK)
    w->status = heddle_session_create(&dates_model, w->weights, &context, 1,
                                      DATES_POSITIONS / 2, DATES_POSITIONS,
                                      NULL, &session, &w->error);
  for (int i = 0; i < REPEATS && w->status == HEDDLE_OK; ++i)
    w->status = ask(w, session, w->answer[i]);
  heddle_session_destroy(session);
  heddle_stream_destroy(stream);
  return NULL;
}

static heddle_status open_devices(int count, const heddle_weights *file,
                                  heddle_device **devices,
                                  heddle_weights **weights,
                                  heddle_error *error) {
  for (int d = 0; d < count; ++d) {
    const heddle_device_options options = {
        .kind = (heddle_device_kind)dates_model.device_kind,
        .index = d,
        .compiler_options = getenv("HEDDLE_OPENCL_OPTIONS")};
    heddle_stream *stream = NULL;
    if (heddle_device_open(&options, NULL, &devices[d], error) ||
        heddle_stream_create(devices[d], NULL, NULL, &stream, error))
      return error->status;
    heddle_status status =
        heddle_weights_upload(file, stream, NULL, &weights[d], error);
    heddle_stream_destroy(stream);
    if (status != HEDDLE_OK)
      return status;
  }
  return HEDDLE_OK;
}

int main(int argc, char **argv) {
  heddle_error error = {0};
  heddle_device *devices[MOST_DEVICES] = {NULL};
  heddle_weights *file = NULL, *weights[MOST_DEVICES] = {NULL};
  static worker workers[MOST_DEVICES * THREADS_OF_DEVICE];
  int count = argc == 4 ? atoi(argv[2]) : 0, failures = 0, other = 0;
  if (count < 1 || count > MOST_DEVICES)
    return 2;
  heddle_status status =
      heddle_weights_open(&dates_model, argv[1], 0, NULL, &file, &error);
  if (status == HEDDLE_OK)
    status = open_devices(count, file, devices, weights, &error);
  if (status != HEDDLE_OK)
    printf("%s: %s\n", heddle_status_name(status), error.message);
  int threads = status == HEDDLE_OK ? count * THREADS_OF_DEVICE : 0;
  for (int i = 0; i < threads; ++i) {
    workers[i].device = devices[i % count];
    workers[i].weights = weights[i % count];
    workers[i].date = argv[3];
    if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
      return 3;
  }
  for (int i = 0; i < threads; ++i) {
    pthread_join(workers[i].thread, NULL);
    if (workers[i].status != HEDDLE_OK)
      printf("thread %d: %s\n", i, workers[i].error.message);
    failures += workers[i].status != HEDDLE_OK;
    for (int r = 0; r < REPEATS; ++r)
      other += strcmp(workers[i].answer[r], workers[0].answer[0]) != 0;
  }
  if (threads)
    printf("%d devices, %d threads: %s, %d failed, %d other answers\n", count,
           threads, workers[0].answer[0], failures, other);
  for (int d = 0; d < count; ++d) {
    heddle_weights_close(weights[d]);
    heddle_device_close(devices[d]);
  }
  heddle_weights_close(file);
  return status != HEDDLE_OK || failures || other;
}
