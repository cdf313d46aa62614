/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Chooses the next id of a sequence from its logits.
 *
 * The candidates become a heap where an order is needed, so that finding the k
 * largest of n takes n + k log(n) steps: top-k and top-p keep few of many.
 */
#include "Logits.h"

#include <float.h>
#include <inttypes.h>
#include <stdbool.h>

/* ---- Options ------------------------------------------------------------ */

static heddle_status fail_option(heddle_error *error, const char *name,
                                 float value, const char *expected) {
  return heddle_fail(error, HEDDLE_INVALID_ARGUMENT, "%s is %g, expected %s",
                     name, (double)value, expected);
}

static heddle_status fail_count(heddle_error *error, const char *name,
                                int64_t value) {
  return heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                     "%s is %" PRId64 ", expected at least 0", name, value);
}

/* The comparisons are false of NaN. */
heddle_status heddle_check_sampling(const heddle_sampling *sampling,
                                    heddle_error *error) {
  if (!sampling)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT, "sampling is null");
  if (!(sampling->temperature >= 0 && sampling->temperature <= FLT_MAX))
    return fail_option(error, "temperature", sampling->temperature,
                       "a finite number of at least 0");
  if (!(sampling->top_p > 0 && sampling->top_p <= 1))
    return fail_option(error, "top_p", sampling->top_p, "above 0 and up to 1");
  if (!(sampling->min_p >= 0 && sampling->min_p <= 1))
    return fail_option(error, "min_p", sampling->min_p, "0 to 1");
  if (!(sampling->repetition_penalty > 0 &&
        sampling->repetition_penalty <= FLT_MAX))
    return fail_option(error, "repetition_penalty",
                       sampling->repetition_penalty, "a finite number above 0");
  if (sampling->top_k < 0)
    return fail_count(error, "top_k", sampling->top_k);
  if (sampling->repetition_window < 0)
    return fail_count(error, "repetition_window", sampling->repetition_window);
  return heddle_succeed(error);
}

/* ---- The candidates as a heap, the largest first ------------------------ */

static bool is_larger(const heddle_candidate *a, const heddle_candidate *b) {
  return a->value != b->value ? a->value > b->value : a->id < b->id;
}

static void swap(heddle_candidate *a, heddle_candidate *b) {
  heddle_candidate other = *a;
  *a = *b;
  *b = other;
}

/* Makes a heap of `place` and what is below it, which are heaps already. */
static void sift_down(heddle_candidate *heap, int64_t count, int64_t place) {
  for (int64_t child; (child = 2 * place + 1) < count; place = child) {
    if (child + 1 < count && is_larger(&heap[child + 1], &heap[child]))
      ++child;
    if (!is_larger(&heap[child], &heap[place]))
      return;
    swap(&heap[child], &heap[place]);
  }
}

static void make_heap(heddle_candidate *heap, int64_t count) {
  for (int64_t place = count / 2; place-- > 0;)
    sift_down(heap, count, place);
}

/* Moves the largest behind the others, to heap[count - 1]. */
static void pop(heddle_candidate *heap, int64_t count) {
  swap(&heap[0], &heap[count - 1]);
  sift_down(heap, count - 1, 0);
}

/* ---- Steps -------------------------------------------------------------- */

static heddle_status penalise(const heddle_sampling *sampling,
                              heddle_candidate *candidates, int64_t vocabulary,
                              const int32_t *ids, int64_t count,
                              heddle_error *error) {
  double penalty = (double)sampling->repetition_penalty;
  int64_t window = sampling->repetition_window;
  if (penalty == 1)
    return HEDDLE_OK;
  for (int64_t i = window > 0 && window < count ? count - window : 0; i < count;
       ++i) {
    if (ids[i] < 0 || ids[i] >= vocabulary)
      return heddle_fail(error, HEDDLE_OUT_OF_RANGE,
                         "ids[%" PRId64 "] is %" PRId32
                         ", expected 0 to %" PRId64,
                         i, ids[i], vocabulary - 1);
    heddle_candidate *candidate = &candidates[ids[i]];
    if (candidate->is_penalised)
      continue;
    candidate->is_penalised = true;
    candidate->value = candidate->value > 0 ? candidate->value / penalty
                                            : candidate->value * penalty;
  }
  return HEDDLE_OK;
}

static const heddle_candidate *find_largest(const heddle_candidate *candidates,
                                            int64_t count) {
  const heddle_candidate *largest = candidates;
  for (int64_t i = 1; i < count; ++i)
    if (is_larger(&candidates[i], largest))
      largest = &candidates[i];
  return largest;
}

/* Values become exp((x - largest x) / temperature), which are proportional to
 * the probabilities; their sum is the result. */
static double weigh(heddle_candidate *candidates, int64_t count, double largest,
                    double temperature) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    candidates[i].value =
        heddle_exponential((candidates[i].value - largest) / temperature);
    sum += candidates[i].value;
  }
  return sum;
}

/* The candidates that are kept: an array within another. */
typedef struct selection {
  heddle_candidate *first;
  int64_t count;
} selection;

/* Temperatures keep the order, so it may be that of values without them. What
 * was popped lies behind the rest: the largest last. */
static selection keep_top_k(selection all, int64_t k) {
  if (k == 0 || k >= all.count)
    return all;
  make_heap(all.first, all.count);
  for (int64_t popped = 0; popped < k; ++popped)
    pop(all.first, all.count - popped);
  return (selection){all.first + (all.count - k), k};
}

/* Of weights that add up to `sum`. */
static selection keep_top_p(selection all, double sum, double top_p) {
  if (top_p == 1)
    return all;
  make_heap(all.first, all.count);
  double kept = 0;
  int64_t count = 0;
  while (count < all.count && !(count > 0 && kept >= top_p * sum)) {
    pop(all.first, all.count - count);
    ++count;
    kept += all.first[all.count - count].value;
  }
  return (selection){all.first + (all.count - count), count};
}

/* Of weights of which the largest is 1. */
static selection keep_min_p(selection all, double min_p) {
  int64_t count = 0;
  for (int64_t i = 0; i < all.count; ++i)
    if (all.first[i].value >= min_p)
      all.first[count++] = all.first[i];
  return (selection){all.first, count};
}

/* ---- Chance ------------------------------------------------------------- */

double heddle_draw_number(heddle_random *random) {
  uint64_t bits = random->seed + ++random->drawn * UINT64_C(0x9e3779b97f4a7c15);
  bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
  bits ^= bits >> 31;
  return (double)(bits >> 11) * 0x1p-53;
}

static int32_t draw(selection kept, heddle_random *random) {
  double sum = 0;
  for (int64_t i = 0; i < kept.count; ++i)
    sum += kept.first[i].value;
  double target = heddle_draw_number(random) * sum;
  int64_t i = 0;
  for (sum = kept.first[0].value; i + 1 < kept.count && sum <= target;)
    sum += kept.first[++i].value;
  return kept.first[i].id;
}

static int32_t draw_id(const heddle_sampling *sampling,
                       heddle_candidate *candidates, int64_t vocabulary,
                       double largest, heddle_random *random) {
  selection kept = {candidates, vocabulary};
  kept = keep_top_k(kept, sampling->top_k);
  double sum =
      weigh(kept.first, kept.count, largest, (double)sampling->temperature);
  kept = keep_top_p(kept, sum, (double)sampling->top_p);
  kept = keep_min_p(kept, (double)sampling->min_p);
  return draw(kept, random);
}

heddle_status heddle_choose_id(const heddle_sampling *sampling,
                               const float *logits, int64_t vocabulary,
                               const int32_t *ids, int64_t id_count,
                               heddle_random *random, heddle_candidate *scratch,
                               int32_t *id, heddle_error *error) {
  float largest_logit;
  heddle_status status = heddle_check_sampling(sampling, error);
  if (status != HEDDLE_OK)
    return status;
  bool needs_random = sampling->temperature > 0;
  if (!logits || !scratch || !id || (!ids && id_count > 0) ||
      (!random && needs_random))
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT, "%s is null",
                       !logits                ? "logits"
                       : !scratch             ? "scratch"
                       : !id                  ? "id"
                       : !ids && id_count > 0 ? "ids"
                                              : "random");
  if (vocabulary < 1 || vocabulary > INT32_MAX)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                       "vocabulary is %" PRId64 ", expected 1 to %" PRId32,
                       vocabulary, INT32_MAX);
  if (id_count < 0)
    return fail_count(error, "id_count", id_count);
  status = heddle_largest_logit(logits, vocabulary, -1, &largest_logit, error);
  if (status != HEDDLE_OK)
    return status;
  for (int64_t i = 0; i < vocabulary; ++i)
    scratch[i] = (heddle_candidate){(double)logits[i], (int32_t)i, false};
  status = penalise(sampling, scratch, vocabulary, ids, id_count, error);
  if (status != HEDDLE_OK)
    return status;
  const heddle_candidate *largest = find_largest(scratch, vocabulary);
  *id = sampling->temperature == 0
            ? largest->id
            : draw_id(sampling, scratch, vocabulary, largest->value, random);
  return heddle_succeed(error);
}
