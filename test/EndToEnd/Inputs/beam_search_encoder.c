/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Beam searches for two sources in one batch, with the encoder and the decoder
 * of cross_cache.mlir. All beams of a source attend to the same cross cache, so
 * the decoder's own cache alone is reordered.
 */
#include "model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  SEARCHES = 2,
  WIDTH = 3,
  ROWS = SEARCHES * WIDTH,
  FEATURES = 96,
  SOURCE = 5, /* tokens that the encoder reads */
  CAPACITY = 16,
  BEGIN = 1,
  END = 6,
  CACHE_ARGUMENT = 4 /* of prefill and decode; cross is the next one */
};

/* Logits are f32 up to 61, where one rounding is up to 2e-6; the measured
 * difference is 7.6e-6. A row that is not the right one is off by 1 and more.
 */
static const double tolerance = 1e-4;

static heddle_error error;
static const heddle_context context = {.error = &error};
static heddle_weights *weights;
static void *cross, *cache, *fresh_cache, *workspace;
static const size_t workspace_size = 1 << 24;
static int32_t rows[ROWS][CAPACITY]; /* the ids that each row holds */
static int32_t length;               /* how many */
static float logits[ROWS][MODEL_VOCABULARY];
static double largest_difference;

static void require(heddle_status status) {
  if (status) {
    fprintf(stderr, "%s: %s\n", heddle_status_name(status), error.message);
    exit(1);
  }
}

static void *allocate(uint32_t argument) {
  const heddle_entry *decode = heddle_find_entry(&model_model, "decode");
  const int64_t sizes[] = {ROWS, CAPACITY, SOURCE};
  size_t size;
  require(heddle_argument_size(decode, argument, sizes, &size, &error));
  return aligned_alloc(HEDDLE_ALIGNMENT, size);
}

static void fill(int32_t values[ROWS], int32_t value) {
  for (int row = 0; row < ROWS; ++row)
    values[row] = value;
}

static void encode(void) {
  static float x[ROWS][SOURCE][FEATURES];
  int32_t starts[ROWS], lengths[ROWS];
  for (int row = 0; row < ROWS; ++row)
    for (int token = 0; token < SOURCE; ++token)
      for (int i = 0; i < FEATURES; ++i)
        x[row][token][i] = sinf((float)(i * (token + 1) + 50 * (row / WIDTH)));
  fill(starts, 0);
  fill(lengths, SOURCE);
  require(model_encode(&context, weights, x[0][0], starts, lengths, cross, ROWS,
                       SOURCE, SOURCE, workspace, workspace_size));
}

static void append(const int32_t ids[ROWS]) {
  int32_t starts[ROWS], lengths[ROWS], memory_lengths[ROWS];
  fill(starts, length);
  fill(lengths, 1);
  fill(memory_lengths, SOURCE);
  require(model_decode(&context, weights, ids, starts, lengths, memory_lengths,
                       cache, cross, logits[0], ROWS, CAPACITY, SOURCE,
                       workspace, workspace_size));
  for (int row = 0; row < ROWS; ++row)
    rows[row][length] = ids[row];
  ++length;
}

/* Compares the logits with those of a prefill of the same ids. */
static void check_logits(void) {
  static float expected[ROWS][MODEL_VOCABULARY];
  int32_t ids[ROWS * CAPACITY], starts[ROWS], lengths[ROWS],
      memory_lengths[ROWS];
  for (int row = 0; row < ROWS; ++row)
    memcpy(ids + row * length, rows[row], (size_t)length * sizeof(int32_t));
  fill(starts, 0);
  fill(lengths, length);
  fill(memory_lengths, SOURCE);
  require(model_prefill(&context, weights, ids, starts, lengths, memory_lengths,
                        fresh_cache, cross, expected[0], ROWS, length, CAPACITY,
                        SOURCE, workspace, workspace_size));
  for (int row = 0; row < ROWS; ++row)
    for (int i = 0; i < MODEL_VOCABULARY; ++i) {
      double difference =
          fabs((double)logits[row][i] - (double)expected[row][i]);
      if (!(difference <= tolerance)) {
        fprintf(stderr, "logit [%d][%d] after %d ids is %g, expected %g\n", row,
                i, length, logits[row][i], expected[row][i]);
        exit(1);
      }
      largest_difference = fmax(largest_difference, difference);
    }
}

/* Steps of all searches. Returns whether one of them goes on. */
static int step(heddle_beam_search *const searches[SEARCHES],
                int32_t parents[ROWS], int32_t ids[ROWS]) {
  int goes_on = 0;
  for (int s = 0; s < SEARCHES; ++s) {
    int first = s * WIDTH;
    require(heddle_beam_search_step(searches[s], logits[first], parents + first,
                                    ids + first, &error));
    for (int row = first; row < first + WIDTH; ++row)
      parents[row] += first;
    goes_on |= !heddle_beam_search_is_finished(searches[s]);
  }
  return goes_on;
}

static void print_best(const heddle_beam_search *search) {
  heddle_hypothesis best;
  int32_t ids[CAPACITY];
  require(heddle_beam_search_get(search, 0, &best, ids, &error));
  for (int64_t i = 0; i < best.length; ++i)
    printf("%d%c", ids[i], i + 1 == best.length ? '\n' : ' ');
}

int main(int argc, char **argv) {
  const heddle_entry *decode = heddle_find_entry(&model_model, "decode");
  const int64_t sizes[] = {ROWS, CAPACITY, SOURCE};
  const int32_t end = END;
  int32_t parents[ROWS], ids[ROWS];
  heddle_beam_search *searches[SEARCHES];
  require(argc == 2 ? HEDDLE_OK : HEDDLE_INVALID_ARGUMENT);
  require(
      heddle_weights_open(&model_model, argv[1], 0, NULL, &weights, &error));
  cache = allocate(CACHE_ARGUMENT);
  fresh_cache = allocate(CACHE_ARGUMENT);
  cross = allocate(CACHE_ARGUMENT + 1);
  workspace = aligned_alloc(HEDDLE_ALIGNMENT, workspace_size);
  encode();
  fill(ids, BEGIN);
  append(ids);
  const heddle_beam_options options = {.width = WIDTH,
                                       .vocabulary = MODEL_VOCABULARY,
                                       .maximum_length = CAPACITY,
                                       .end_ids = &end,
                                       .end_count = 1,
                                       .length_penalty = 1};
  for (int s = 0; s < SEARCHES; ++s)
    require(heddle_beam_search_create(&options, NULL, &searches[s], &error));
  int moved = 0;
  check_logits();
  while (step(searches, parents, ids)) {
    for (int row = 0; row < ROWS; ++row)
      moved += parents[row] != row;
    require(heddle_reorder_cache(decode, CACHE_ARGUMENT, sizes, cache, parents,
                                 &error));
    require(heddle_reorder_rows(rows, ROWS, sizeof(rows[0]), parents, &error));
    append(ids);
    check_logits();
  }
  printf("rows that changed: %d\nlargest difference of a logit: %.2e\n", moved,
         largest_difference);
  for (int s = 0; s < SEARCHES; ++s) {
    print_best(searches[s]);
    heddle_beam_search_destroy(searches[s]);
  }
  heddle_weights_close(weights);
  free(cache);
  free(fresh_cache);
  free(cross);
  free(workspace);
  return 0;
}
