/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Chooses the next id of a sequence from its logits.
 *
 * Of many candidates top-k and top-p keep few: heaps find the least of these,
 * of n candidates in n + k log(n) steps where k are kept. Then the candidates
 * from that value on are taken in the order of their ids once more, in which
 * one is drawn.
 */
#include "Logits.h"
#include "Rules.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
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
  heddle_status status = heddle_check_answer(sampling->answer, error);
  return status == HEDDLE_OK ? heddle_succeed(error) : status;
}

heddle_status heddle_default_sampling(const heddle_model *model,
                                      heddle_sampling *sampling,
                                      heddle_error *error) {
  static const heddle_sampling greedy = HEDDLE_GREEDY;
  heddle_status status = heddle_check_model(model, error);
  if (status == HEDDLE_OK && !sampling)
    status = heddle_fail(error, HEDDLE_INVALID_ARGUMENT, "sampling is null");
  if (status != HEDDLE_OK)
    return status;
  const heddle_generation_defaults *defaults = model->generation;
  *sampling = greedy;
  if (defaults && defaults->beams == 0)
    *sampling =
        (heddle_sampling){.temperature = defaults->temperature,
                          .top_p = defaults->top_p,
                          .min_p = defaults->min_p,
                          .repetition_penalty = defaults->repetition_penalty,
                          .top_k = defaults->top_k};
  return heddle_succeed(error);
}

/* ---- The candidates ----------------------------------------------------- */

/* What an id is chosen by. */
typedef struct request {
  const heddle_sampling *sampling;
  const float *logits; /* [vocabulary] */
  int64_t vocabulary;
  const int32_t *ids; /* [id_count]: of the sequence */
  int64_t id_count;
  const int32_t *penalised; /* [penalised_count]: the last of them */
  int64_t penalised_count;
  bool has_rules;
} request;

static heddle_status find_penalised(request *r, heddle_error *error) {
  const int32_t *ids = r->ids;
  int64_t count = r->id_count;
  int64_t window = r->sampling->repetition_window;
  int64_t first = window > 0 && window < count ? count - window : 0;
  if (r->sampling->repetition_penalty == 1)
    return HEDDLE_OK;
  for (int64_t i = first; i < count; ++i)
    if (ids[i] < 0 || ids[i] >= r->vocabulary)
      return heddle_fail(error, HEDDLE_OUT_OF_RANGE,
                         "ids[%" PRId64 "] is %" PRId32
                         ", expected 0 to %" PRId64,
                         i, ids[i], r->vocabulary - 1);
  r->penalised = count > first ? ids + first : NULL;
  r->penalised_count = count - first;
  return HEDDLE_OK;
}

static void forbid(void *candidates, int32_t id) {
  ((heddle_candidate *)candidates)[id].value = -INFINITY;
}

/* Makes candidates of the ids in their order: those whose logit, penalised, is
 * at least `least`. The result is how many there are. */
static int64_t fill(const request *r, double least,
                    heddle_candidate *candidates) {
  double penalty = (double)r->sampling->repetition_penalty;
  for (int64_t i = 0; i < r->vocabulary; ++i)
    candidates[i] = (heddle_candidate){(double)r->logits[i], (int32_t)i, false};
  for (int64_t i = 0; i < r->penalised_count; ++i) {
    heddle_candidate *candidate = &candidates[r->penalised[i]];
    if (candidate->is_penalised)
      continue;
    candidate->is_penalised = true;
    candidate->value = candidate->value > 0 ? candidate->value / penalty
                                            : candidate->value * penalty;
  }
  if (r->has_rules)
    heddle_visit_forbidden(r->sampling->answer, r->ids, r->id_count,
                           r->vocabulary, forbid, candidates);
  int64_t count = 0;
  for (int64_t i = 0; i < r->vocabulary; ++i)
    if (candidates[i].value >= least)
      candidates[count++] = candidates[i];
  return count;
}

static const heddle_candidate *find_largest(const heddle_candidate *candidates,
                                            int64_t count) {
  const heddle_candidate *largest = candidates;
  for (int64_t i = 1; i < count; ++i)
    if (candidates[i].value > largest->value)
      largest = &candidates[i];
  return largest;
}

/* ---- The candidates as a heap, the largest first ------------------------ */

static void swap(heddle_candidate *a, heddle_candidate *b) {
  heddle_candidate other = *a;
  *a = *b;
  *b = other;
}

/* Makes a heap of `place` and what is below it, which are heaps already. */
static void sift_down(heddle_candidate *heap, int64_t count, int64_t place) {
  for (int64_t child; (child = 2 * place + 1) < count; place = child) {
    if (child + 1 < count && heap[child + 1].value > heap[child].value)
      ++child;
    if (!(heap[child].value > heap[place].value))
      return;
    swap(&heap[child], &heap[place]);
  }
}

static void make_heap(heddle_candidate *heap, int64_t count) {
  for (int64_t place = count / 2; place-- > 0;)
    sift_down(heap, count, place);
}

/* Moves the largest behind the others; its value is the result. */
static double pop(heddle_candidate *heap, int64_t count) {
  swap(&heap[0], &heap[count - 1]);
  sift_down(heap, count - 1, 0);
  return heap[count - 1].value;
}

/* ---- Steps -------------------------------------------------------------- */

/* What probabilities are proportional to: 1 of the largest. */
static double weigh(const request *r, double value, double largest) {
  return heddle_exponential((value - largest) /
                            (double)r->sampling->temperature);
}

/* The least value that top_k keeps, of more candidates than that. Temperatures
 * keep the order, so it is that of values without them. The first k candidates
 * hold the k largest so far, negated: what heads that heap is the least of
 * these. */
static double find_top_k(const request *r, heddle_candidate *candidates) {
  int64_t k = r->sampling->top_k;
  for (int64_t i = 0; i < k; ++i)
    candidates[i].value = -candidates[i].value;
  make_heap(candidates, k);
  for (int64_t i = k; i < r->vocabulary; ++i)
    if (candidates[i].value > -candidates[0].value) {
      candidates[0].value = -candidates[i].value;
      sift_down(candidates, k, 0);
    }
  return -candidates[0].value;
}

/* The least value that top_p keeps. */
static double find_top_p(const request *r, heddle_candidate *candidates,
                         int64_t count, double largest) {
  double sum = 0, kept = 0, value = -INFINITY;
  for (int64_t i = 0; i < count; ++i)
    sum += weigh(r, candidates[i].value, largest);
  make_heap(candidates, count);
  double target = (double)r->sampling->top_p * sum;
  for (int64_t popped = 0; popped < count && !(popped > 0 && kept >= target);
       ++popped) {
    value = pop(candidates, count - popped);
    kept += weigh(r, value, largest);
  }
  return value;
}

/* Values become weights; the result is how many are at least min_p. */
static int64_t keep_min_p(const request *r, heddle_candidate *candidates,
                          int64_t count, double largest) {
  int64_t kept = 0;
  for (int64_t i = 0; i < count; ++i) {
    candidates[i].value = weigh(r, candidates[i].value, largest);
    if (candidates[i].value >= (double)r->sampling->min_p)
      candidates[kept++] = candidates[i];
  }
  return kept;
}

/* ---- Chance ------------------------------------------------------------- */

double heddle_draw_number(heddle_random *random) {
  uint64_t bits = random->seed + ++random->drawn * UINT64_C(0x9e3779b97f4a7c15);
  bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
  bits ^= bits >> 31;
  return (double)(bits >> 11) * 0x1p-53;
}

static int32_t draw(const heddle_candidate *candidates, int64_t count,
                    heddle_random *random) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += candidates[i].value;
  double target = heddle_draw_number(random) * sum;
  int64_t i = 0;
  for (sum = candidates[0].value; i + 1 < count && sum <= target;)
    sum += candidates[++i].value;
  return candidates[i].id;
}

/* `candidates` are all. Those that a heap has moved are filled in anew. */
static int32_t draw_id(const request *r, heddle_candidate *candidates,
                       double largest, heddle_random *random) {
  int64_t count = r->vocabulary;
  if (r->sampling->top_k > 0 && r->sampling->top_k < count)
    count = fill(r, find_top_k(r, candidates), candidates);
  if (r->sampling->top_p < 1)
    count = fill(r, find_top_p(r, candidates, count, largest), candidates);
  count = keep_min_p(r, candidates, count, largest);
  return draw(candidates, count, random);
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
  request r = {.sampling = sampling,
               .logits = logits,
               .vocabulary = vocabulary,
               .ids = ids,
               .id_count = id_count,
               .has_rules = heddle_has_rules(sampling->answer)};
  int32_t forced = -1;
  status = heddle_largest_logit(logits, vocabulary, -1, &largest_logit, error);
  if (status == HEDDLE_OK)
    status = find_penalised(&r, error);
  if (status == HEDDLE_OK && r.has_rules)
    status = heddle_find_forced(sampling->answer, id_count, vocabulary, &forced,
                                error);
  if (status != HEDDLE_OK)
    return status;
  if (forced >= 0) {
    if (needs_random)
      heddle_draw_number(random);
    *id = forced;
    return heddle_succeed(error);
  }
  if (!needs_random && r.penalised_count == 0 && !r.has_rules) {
    for (*id = 0; logits[*id] < largest_logit;)
      ++*id;
    return heddle_succeed(error);
  }
  fill(&r, -INFINITY, scratch);
  const heddle_candidate *largest = find_largest(scratch, vocabulary);
  if (largest->value == -INFINITY)
    return heddle_fail(error, HEDDLE_OUT_OF_RANGE,
                       "the rules of the answer forbid all ids");
  *id =
      needs_random ? draw_id(&r, scratch, largest->value, random) : largest->id;
  return heddle_succeed(error);
}
