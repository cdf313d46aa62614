/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Two models in one program, at the same time from four threads:
 *
 *   two_models FIRST_WEIGHTS SECOND_WEIGHTS
 *
 * Each thread has its own cache and workspace, two share a thread pool, and
 * what they compute is, bit for bit, what each model computed alone before.
 */
#include "session.h"

#include <pthread.h>

extern const heddle_model FIRST, SECOND;

enum { CAPACITY = 64, PROMPT = 9, STEPS = 40, ROUNDS = 3, RUNNERS = 4 };

typedef struct result {
  int32_t ids[STEPS];
  uint32_t logits[512]; /* the bits of the first ones of the last call */
} result;

typedef struct runner {
  pthread_t thread;
  const heddle_model *model;
  const heddle_weights *weights;
  heddle_threads *threads;
  const result *expected; /* null: fill in `actual` */
  result actual;
} runner;

static void generate(const runner *r, result *out) {
  session s;
  int32_t ids[PROMPT], zero = 0, length = PROMPT;
  memset(out, 0, sizeof(*out));
  session_open(&s, r->model, r->weights, r->threads, 1, CAPACITY);
  for (int32_t i = 0; i < PROMPT; ++i)
    ids[i] = (7 * i + 1) % session_vocabulary(&s);
  session_prefill(&s, ids, &zero, &length, PROMPT);
  for (int32_t i = 0; i < STEPS; ++i) {
    int32_t start = PROMPT + i;
    out->ids[i] = session_likeliest(&s, 0);
    session_decode(&s, &out->ids[i], &start);
  }
  size_t size =
      s.logits_size < sizeof(out->logits) ? s.logits_size : sizeof(out->logits);
  memcpy(out->logits, s.logits, size);
  session_close(&s);
}

static void *run(void *data) {
  runner *r = data;
  for (int round = 0; round < ROUNDS; ++round) {
    generate(r, &r->actual);
    if (r->expected && memcmp(r->expected, &r->actual, sizeof(result)) != 0)
      die("model '%s' computes something else in round %d", r->model->name,
          round);
  }
  return NULL;
}

int main(int argc, char **argv) {
  heddle_error error;
  heddle_threads *threads = NULL;
  if (argc != 3)
    die("usage: two_models FIRST_WEIGHTS SECOND_WEIGHTS");
  heddle_weights *first = open_weights(&FIRST, argv[1]);
  heddle_weights *second = open_weights(&SECOND, argv[2]);
  if (heddle_threads_create(3, NULL, &threads, &error))
    die("%s", error.message);

  runner alone[2] = {{.model = &FIRST, .weights = first},
                     {.model = &SECOND, .weights = second}};
  for (int i = 0; i < 2; ++i)
    generate(&alone[i], &alone[i].actual);
  runner runners[RUNNERS] = {{0}};
  for (int i = 0; i < RUNNERS; ++i) {
    runners[i].model = alone[i % 2].model;
    runners[i].weights = alone[i % 2].weights;
    runners[i].expected = &alone[i % 2].actual;
    runners[i].threads = i < 2 ? threads : NULL;
  }
  for (int i = 0; i < RUNNERS; ++i)
    if (pthread_create(&runners[i].thread, NULL, run, &runners[i]))
      die("cannot create a thread");
  for (int i = 0; i < RUNNERS; ++i)
    pthread_join(runners[i].thread, NULL);
  printf("%s and %s: as alone\n", FIRST.name, SECOND.name);

  heddle_threads_destroy(threads);
  heddle_weights_close(first);
  heddle_weights_close(second);
  return 0;
}
