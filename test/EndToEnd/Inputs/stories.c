/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Compares a compiled stories260K with what is known of it (expected.h):
 *
 *   stories WEIGHTS TOLERANCE THREADS [greedy]
 *
 * Logits, with the ids given, always; the greedy continuation on request. With
 * more than one of THREADS, in a pool.
 */
#include "session.h"

#include "expected.h"

#include <math.h>

enum { CAPACITY = 256 };

extern const heddle_model stories_model;

/* What each check runs with. */
static heddle_weights *weights;
static heddle_threads *threads;
static double tolerance;

/* Logits after each position, of one sequence alone, id by id. */
static float alone[IDS][VOCABULARY];

static void open_stories(session *s, int64_t batch) {
  session_open(s, &stories_model, weights, threads, batch, CAPACITY);
  if (session_vocabulary(s) != VOCABULARY)
    die("vocabulary is %d, expected %d", session_vocabulary(s), VOCABULARY);
}

static void check_close(const char *what, int position, const float *actual,
                        const float *expected) {
  for (int i = 0; i < VOCABULARY; ++i)
    if (!(fabs((double)actual[i] - (double)expected[i]) <= tolerance))
      die("%s: logit %d after position %d is %.9g, expected %.9g", what, i,
          position, actual[i], expected[i]);
}

/* ids[IDS - 1] is not read: nothing is known about what follows it. */
static void check_logits(void) {
  session s;
  double largest = 0;
  open_stories(&s, 1);
  for (int32_t n = 0; n < IDS - 1; ++n) {
    session_decode(&s, &expected_ids[n], &n);
    memcpy(alone[n], s.logits, sizeof(alone[n]));
  }
  for (int p = 0; p < POSITIONS; ++p)
    for (int i = 0; i < VOCABULARY; ++i) {
      double error = fabs(alone[positions[p]][i] - expected_logits[p][i]);
      if (!(error <= tolerance))
        die("logit %d after position %d is %.9g, expected %.9g", i,
            positions[p], alone[positions[p]][i], expected_logits[p][i]);
      largest = fmax(largest, error);
    }
  printf("largest error of a logit: %.2e\n", largest);
  session_close(&s);
}

static void check_id(const session *s, int b, int32_t position,
                     const char *what) {
  int32_t id = session_likeliest(s, b);
  if (id != expected_ids[position + 1])
    die("%s: id %d is %d, expected %d", what, position + 1, id,
        expected_ids[position + 1]);
}

/* Each sequence b is read up to lengths[b] at once, or in two parts if `split`
 * is not 0, and continued to the end of the shortest. */
static void check_prefill(const char *what, int batch, const int32_t *lengths,
                          int split) {
  session s;
  int32_t starts[MAX_BATCH] = {0}, parts[MAX_BATCH], next[MAX_BATCH];
  int32_t ids[MAX_BATCH * CAPACITY];
  open_stories(&s, batch);
  for (int part = split ? 0 : 1; part < 2; ++part) {
    int32_t longest = 0;
    for (int b = 0; b < batch; ++b) {
      parts[b] = part == 0 ? split : lengths[b] - starts[b];
      longest = parts[b] > longest ? parts[b] : longest;
    }
    for (int b = 0; b < batch; ++b)
      for (int32_t i = 0; i < longest;
           ++i) /* padding is nothing that is an id */
        ids[b * longest + i] =
            i < parts[b] ? expected_ids[starts[b] + i] : INT32_MIN + i;
    session_prefill(&s, ids, starts, parts, longest);
    for (int b = 0; b < batch; ++b)
      starts[b] += parts[b];
  }
  for (;;) {
    int32_t furthest = 0;
    for (int b = 0; b < batch; ++b) {
      check_close(what, starts[b] - 1, s.logits + b * VOCABULARY,
                  alone[starts[b] - 1]);
      check_id(&s, b, starts[b] - 1, what);
      next[b] = session_likeliest(&s, b);
      furthest = starts[b] > furthest ? starts[b] : furthest;
    }
    if (furthest == IDS - 1)
      break;
    session_decode(&s, next, starts);
    for (int b = 0; b < batch; ++b)
      ++starts[b];
  }
  printf("%s: as alone\n", what);
  session_close(&s);
}

int main(int argc, char **argv) {
  heddle_error error;
  if (argc < 4)
    die("usage: stories WEIGHTS TOLERANCE THREADS [greedy]");
  weights = open_weights(&stories_model, argv[1]);
  tolerance = strtod(argv[2], NULL);
  if (atoi(argv[3]) > 1 &&
      heddle_threads_create(atoi(argv[3]), NULL, &threads, &error))
    die("%s", error.message);
  check_logits();
  if (argc > 4) {
    check_prefill("1 id", 1, (int32_t[]){1}, 0);
    check_prefill("100 ids", 1, (int32_t[]){100}, 0);
    check_prefill("61 + 39 ids", 1, (int32_t[]){100}, 61);
    check_prefill("100 and 37 ids", 2, (int32_t[]){100, 37}, 0);
    check_prefill("5, 33, 1 and 180 ids", 4, (int32_t[]){5, 33, 1, 180}, 0);
    check_prefill("7 + 93 and 7 + 30 ids", 2, (int32_t[]){100, 37}, 7);
  }
  heddle_threads_destroy(threads);
  heddle_weights_close(weights);
  return 0;
}
