/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Beam search with a compiled model, whose cache follows its beams:
 *
 *   beam_search WEIGHTS END INTERVAL ID...
 *
 * In every INTERVALth step the logits of all rows, from the reordered cache,
 * are compared with those of the same ids without a cache. Prints the
 * hypotheses.
 */
#include "session.h"

extern const heddle_model dates_model;

enum { WIDTH = MAX_BATCH, CAPACITY = 64, CACHE_ARGUMENT = 3 };

/* Logits of f32 up to 30, where one rounding is up to 1e-6; the measured
 * difference is 1.6e-5. A row that is not the right one is off by 1 and more.
 */
static const double tolerance = 1e-3;

typedef struct run {
  session cached, fresh;
  int32_t rows[WIDTH][CAPACITY]; /* the ids that each row of the cache holds */
  int32_t length;
  double largest; /* difference of logits */
} run;

static void check_logits(run *r) {
  const int32_t zeros[WIDTH] = {0};
  int32_t ids[WIDTH * CAPACITY], lengths[WIDTH];
  for (int b = 0; b < WIDTH; ++b) {
    lengths[b] = r->length;
    memcpy(ids + b * r->length, r->rows[b],
           (size_t)r->length * sizeof(int32_t));
  }
  session_prefill(&r->fresh, ids, zeros, lengths, r->length);
  for (int i = 0; i < WIDTH * session_vocabulary(&r->fresh); ++i) {
    double difference = fabs((double)r->cached.logits[i] - r->fresh.logits[i]);
    if (!(difference <= tolerance))
      die("logit %d after %d ids is %g, without a cache %g", i, r->length,
          r->cached.logits[i], r->fresh.logits[i]);
    r->largest = fmax(r->largest, difference);
  }
}

static void append(run *r, const int32_t *parents, const int32_t *ids) {
  const heddle_entry *decode = heddle_find_entry(&dates_model, "decode");
  const int64_t sizes[] = {WIDTH, CAPACITY};
  heddle_error error;
  int32_t starts[WIDTH];
  if (heddle_reorder_cache(decode, CACHE_ARGUMENT, sizes, r->cached.cache,
                           parents, &error) ||
      heddle_reorder_rows(r->rows, WIDTH, sizeof(r->rows[0]), parents, &error))
    die("%s", error.message);
  for (int b = 0; b < WIDTH; ++b) {
    starts[b] = r->length;
    r->rows[b][r->length] = ids[b];
  }
  session_decode(&r->cached, ids, starts);
  ++r->length;
}

static void print_hypotheses(const heddle_beam_search *search) {
  heddle_error error;
  heddle_hypothesis found;
  int32_t ids[CAPACITY];
  for (int64_t i = 0; i < heddle_beam_search_count(search); ++i) {
    if (heddle_beam_search_get(search, i, &found, ids, &error))
      die("%s", error.message);
    printf("%.3f:", found.score);
    for (int64_t k = 0; k < found.length; ++k)
      printf(" %d", ids[k]);
    printf("\n");
  }
}

int main(int argc, char **argv) {
  static run r;
  heddle_error error;
  heddle_weights *weights = open_weights(&dates_model, argv[1]);
  int32_t end = atoi(argv[2]), interval = atoi(argv[3]);
  int32_t ids[WIDTH], parents[WIDTH];
  session_open(&r.cached, &dates_model, weights, NULL, WIDTH, CAPACITY);
  session_open(&r.fresh, &dates_model, weights, NULL, WIDTH, CAPACITY);
  for (int i = 4; i < argc; ++i) {
    for (int b = 0; b < WIDTH; ++b) {
      ids[b] = atoi(argv[i]);
      parents[b] = b;
    }
    append(&r, parents, ids);
  }
  heddle_beam_options options = {.width = WIDTH,
                                 .vocabulary = session_vocabulary(&r.cached),
                                 .maximum_length = CAPACITY - r.length + 1,
                                 .end_ids = &end,
                                 .end_count = 1,
                                 .length_penalty = 1};
  heddle_beam_search *search;
  if (heddle_beam_search_create(&options, NULL, &search, &error))
    die("%s", error.message);
  int moved = 0;
  while (1) {
    if (r.length % interval == 0)
      check_logits(&r);
    if (heddle_beam_search_step(search, r.cached.logits, parents, ids, &error))
      die("%s", error.message);
    if (heddle_beam_search_is_finished(search))
      break;
    for (int b = 0; b < WIDTH; ++b)
      moved += parents[b] != b;
    append(&r, parents, ids);
  }
  printf("rows that changed: %d\nlargest difference of a logit: %.2e\n", moved,
         r.largest);
  print_hypotheses(search);
  heddle_beam_search_destroy(search);
  session_close(&r.cached);
  session_close(&r.fresh);
  heddle_weights_close(weights);
  return 0;
}
