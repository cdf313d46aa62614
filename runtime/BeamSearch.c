/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Beam search: which beams go on, and which continuations were found.
 *
 * Beams hold no ids. Each step writes one row of `steps`: which beam of the
 * step before a beam extends, and by which id. Continuations are read backwards
 * from there, so no step copies them.
 */
#include "Logits.h"
#include "Rules.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

enum { MAX_WIDTH = 4096, MAX_ENDS = 4096, MAX_PENALTY = 16 };

/* A beam of a step: one of the step before, and its id. */
typedef struct extension {
  double sum; /* of log p */
  int32_t parent;
  int32_t id;
} extension;

typedef struct kept_hypothesis {
  heddle_hypothesis result;
  extension last;
} kept_hypothesis;

typedef struct step {
  int32_t parent;
  int32_t id;
} step;

struct heddle_beam_search {
  heddle_allocator allocator;
  heddle_beam_options options; /* end_ids are in this object's memory */
  bool is_finished;
  int64_t length; /* of all beams */
  int64_t beam_count;
  int64_t hypothesis_count;
  double *sums;       /* [width]: of the beams */
  double *log_totals; /* [width]: logarithms of the sums of exp(x - largest) */
  float *largest;     /* [width]: logits */
  extension *extensions;       /* [extension_limit], the largest first */
  kept_hypothesis *hypotheses; /* [width], best first */
  step *steps;                 /* [maximum_length, width] */
  /* Where there are rules, without which they are null: */
  heddle_answer answer;
  int32_t *sequence;  /* [answer.maximum_length]: the ids of a beam */
  uint8_t *forbidden; /* [vocabulary]: 1 of ids that may not follow it */
};

/* How many of the largest extensions a step looks at. At most end_count of each
 * beam's extensions end it, so that `width` of these do not end. */
static int64_t extension_limit(const heddle_beam_options *options) {
  return options->width * (1 + options->end_count);
}

/* ---- Creation ----------------------------------------------------------- */

static heddle_status check_range(const char *name, int64_t value, int64_t low,
                                 int64_t high, heddle_error *error) {
  return value >= low && value <= high
             ? HEDDLE_OK
             : heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                           "%s is %" PRId64 ", expected %" PRId64
                           " to %" PRId64,
                           name, value, low, high);
}

static heddle_status check_options(const heddle_beam_options *options,
                                   heddle_error *error) {
  heddle_status status =
      check_range("width", options->width, 1, MAX_WIDTH, error);
  if (status == HEDDLE_OK)
    status =
        check_range("vocabulary", options->vocabulary, 1, INT32_MAX, error);
  if (status == HEDDLE_OK)
    status = check_range("maximum_length", options->maximum_length, 1,
                         INT32_MAX, error);
  if (status == HEDDLE_OK)
    status = check_range("end_count", options->end_count, 0, MAX_ENDS, error);
  if (status == HEDDLE_OK)
    status =
        check_range("early_stopping", options->early_stopping, 0, 1, error);
  if (status == HEDDLE_OK)
    status =
        check_range("prompt_count", options->prompt_count, 0, INT32_MAX, error);
  if (status != HEDDLE_OK)
    return status;
  /* False of NaN, too. */
  if (!(options->length_penalty >= -MAX_PENALTY &&
        options->length_penalty <= MAX_PENALTY))
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                       "length_penalty is %g, expected %d to %d",
                       (double)options->length_penalty, -MAX_PENALTY,
                       MAX_PENALTY);
  if (options->prompt_count > 0 && !options->prompt_ids)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT, "prompt_ids is null");
  if (options->end_count > 0 && !options->end_ids)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT, "end_ids is null");
  for (int64_t i = 0; i < options->end_count; ++i)
    if (options->end_ids[i] < 0 || options->end_ids[i] >= options->vocabulary)
      return heddle_fail(error, HEDDLE_OUT_OF_RANGE,
                         "end_ids[%" PRId64 "] is %" PRId32
                         ", expected 0 to %" PRId64,
                         i, options->end_ids[i], options->vocabulary - 1);
  return HEDDLE_OK;
}

static heddle_answer answer_of(const heddle_beam_options *options) {
  return (heddle_answer){.rules = options->rules,
                         .end_ids = options->end_ids,
                         .end_count = options->end_count,
                         .prompt_count = options->prompt_count,
                         .maximum_length =
                             options->prompt_count + options->maximum_length};
}

heddle_status heddle_beam_search_create(const heddle_beam_options *options,
                                        const heddle_allocator *allocator,
                                        heddle_beam_search **search,
                                        heddle_error *error) {
  if (search)
    *search = NULL;
  if (!options || !search)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT, "%s is null",
                       options ? "search" : "options");
  heddle_status status = check_options(options, error);
  if (status == HEDDLE_OK)
    status = heddle_check_allocator(allocator, error);
  if (status != HEDDLE_OK)
    return status;
  const heddle_answer answer = answer_of(options);
  if (options->rules)
    status = heddle_check_answer(&answer, error);
  if (status != HEDDLE_OK)
    return status;
  /* One piece of memory, the strictest alignments first. The limits above keep
   * its size far below 64 bits. */
  uint64_t width = (uint64_t)options->width;
  uint64_t extensions = (uint64_t)extension_limit(options);
  uint64_t steps = width * (uint64_t)options->maximum_length;
  uint64_t size = sizeof(heddle_beam_search) +
                  width * (sizeof(kept_hypothesis) + 2 * sizeof(double)) +
                  extensions * sizeof(extension) + steps * sizeof(step) +
                  width * sizeof(float) +
                  (uint64_t)options->end_count * sizeof(int32_t);
  const bool has_rules = options->rules && heddle_has_rules(&answer);
  if (has_rules)
    size += (uint64_t)answer.maximum_length * sizeof(int32_t) +
            (uint64_t)options->vocabulary;
  heddle_beam_search *made =
      size > SIZE_MAX / 2
          ? NULL
          : (heddle_beam_search *)heddle_allocate(allocator, (size_t)size);
  if (!made)
    return heddle_fail(error, HEDDLE_OUT_OF_MEMORY,
                       "cannot allocate %" PRIu64
                       " bytes for a search of %" PRId64 " beams",
                       size, options->width);
  if (allocator)
    made->allocator = *allocator;
  made->options = *options;
  made->hypotheses = (kept_hypothesis *)(made + 1);
  made->sums = (double *)(made->hypotheses + width);
  made->log_totals = made->sums + width;
  made->extensions = (extension *)(made->log_totals + width);
  made->steps = (step *)(made->extensions + extensions);
  made->largest = (float *)(made->steps + steps);
  int32_t *end_ids = (int32_t *)(made->largest + width);
  for (int64_t i = 0; i < options->end_count; ++i)
    end_ids[i] = options->end_ids[i];
  made->options.end_ids = end_ids;
  if (has_rules) {
    made->answer = answer;
    made->answer.end_ids = end_ids;
    made->sequence = end_ids + options->end_count;
    for (int64_t i = 0; i < options->prompt_count; ++i)
      made->sequence[i] = options->prompt_ids[i];
    made->forbidden = (uint8_t *)(made->sequence + answer.maximum_length);
  }
  made->options.prompt_ids = NULL; /* those of the caller */
  heddle_beam_search_restart(made);
  *search = made;
  return heddle_succeed(error);
}

void heddle_beam_search_destroy(heddle_beam_search *search) {
  if (search) {
    heddle_allocator allocator = search->allocator;
    heddle_release(&allocator, search);
  }
}

/* The first beam is the sequence itself, of which nothing is appended yet. */
void heddle_beam_search_restart(heddle_beam_search *search) {
  if (!search)
    return;
  search->is_finished = false;
  search->length = 0;
  search->beam_count = 1;
  search->hypothesis_count = 0;
  search->sums[0] = 0;
}

/* ---- A step ------------------------------------------------------------- */

/* Writes what log p follows from, and nothing else that a later step reads. */
static heddle_status measure_logits(heddle_beam_search *search,
                                    const float *logits, heddle_error *error) {
  int64_t vocabulary = search->options.vocabulary;
  for (int64_t b = 0; b < search->beam_count; ++b) {
    const float *row = logits + b * vocabulary;
    float largest;
    heddle_status status =
        heddle_largest_logit(row, vocabulary, b, &largest, error);
    if (status != HEDDLE_OK)
      return status;
    double total = 0;
    for (int64_t id = 0; id < vocabulary; ++id)
      total += heddle_exponential((double)row[id] - (double)largest);
    search->largest[b] = largest;
    search->log_totals[b] = heddle_logarithm(total);
  }
  return HEDDLE_OK;
}

/* Writes the ids of a beam behind `ids`, from its last one on. */
static void read_ids(const heddle_beam_search *search, step last,
                     int64_t length, int32_t *ids) {
  for (int64_t place = length; place-- > 0;) {
    ids[place] = last.id;
    if (place > 0)
      last = search->steps[(place - 1) * search->options.width + last.parent];
  }
}

static void forbid(void *forbidden, int32_t id) {
  ((uint8_t *)forbidden)[id] = 1;
}

/* Finds which ids may follow beam b, or the one that has to. */
static heddle_status apply_rules(heddle_beam_search *search, int64_t b,
                                 int32_t *forced, heddle_error *error) {
  const heddle_beam_options *options = &search->options;
  const int64_t count = options->prompt_count + search->length;
  if (search->length > 0)
    read_ids(search, search->steps[(search->length - 1) * options->width + b],
             search->length, search->sequence + options->prompt_count);
  memset(search->forbidden, 0, (size_t)options->vocabulary);
  heddle_visit_forbidden(&search->answer, search->sequence, count,
                         options->vocabulary, forbid, search->forbidden);
  return heddle_find_forced(&search->answer, count, options->vocabulary, forced,
                            error);
}

/* Lets log p of beam b be that of ids that may follow it. */
static void sum_allowed(heddle_beam_search *search, const float *row,
                        int64_t b) {
  double total = 0;
  for (int64_t id = 0; id < search->options.vocabulary; ++id)
    if (!search->forbidden[id])
      total += heddle_exponential((double)row[id] - (double)search->largest[b]);
  if (total > 0) /* else there is none, or none that counts */
    search->log_totals[b] = heddle_logarithm(total);
}

/* Puts `e` where it belongs among the `count` largest so far, behind those that
 * it equals. The result is how many there are then. */
static int64_t insert(heddle_beam_search *search, extension e, int64_t count) {
  const int64_t limit = extension_limit(&search->options);
  extension *found = search->extensions;
  if (count == limit && !(e.sum > found[count - 1].sum))
    return count;
  int64_t place = count < limit ? count++ : count - 1;
  for (; place > 0 && found[place - 1].sum < e.sum; --place)
    found[place] = found[place - 1];
  found[place] = e;
  return count;
}

/* Finds the *count largest extensions. They come in the order of beams and ids.
 */
static heddle_status find_extensions(heddle_beam_search *search,
                                     const float *logits, int64_t *count,
                                     heddle_error *error) {
  const int64_t vocabulary = search->options.vocabulary;
  *count = 0;
  for (int64_t b = 0; b < search->beam_count; ++b) {
    const float *row = logits + b * vocabulary;
    int32_t forced = -1;
    heddle_status status =
        search->forbidden ? apply_rules(search, b, &forced, error) : HEDDLE_OK;
    if (status != HEDDLE_OK)
      return status;
    if (forced >= 0) {
      *count = insert(search, (extension){search->sums[b], (int32_t)b, forced},
                      *count);
      continue;
    }
    if (search->forbidden && search->answer.rules->renormalizes)
      sum_allowed(search, row, b);
    for (int64_t id = 0; id < vocabulary; ++id) {
      if (row[id] == -INFINITY || (search->forbidden && search->forbidden[id]))
        continue;
      /* The difference first: it is exact where logits are large. */
      double sum = ((double)row[id] - (double)search->largest[b]) -
                   search->log_totals[b] + search->sums[b];
      *count =
          insert(search, (extension){sum, (int32_t)b, (int32_t)id}, *count);
    }
  }
  return *count > 0 ? HEDDLE_OK
                    : heddle_fail(error, HEDDLE_OUT_OF_RANGE,
                                  "the rules of the answer forbid all ids");
}

static bool is_end(const heddle_beam_search *search, int32_t id) {
  for (int64_t i = 0; i < search->options.end_count; ++i)
    if (search->options.end_ids[i] == id)
      return true;
  return false;
}

/* sum / length^p */
static double score_of(const heddle_beam_search *search, double sum,
                       int64_t length) {
  double penalty = (double)search->options.length_penalty;
  return sum / heddle_exponential(penalty * heddle_logarithm((double)length));
}

/* Keeps the `width` best, of equal ones the earlier. */
static void add_hypothesis(heddle_beam_search *search, extension last,
                           int64_t length, bool has_end) {
  double score = score_of(search, last.sum, length);
  kept_hypothesis *found = search->hypotheses;
  int64_t width = search->options.width, count = search->hypothesis_count;
  if (count == width && !(score > found[count - 1].result.score))
    return;
  int64_t place = count < width ? count++ : count - 1;
  for (; place > 0 && found[place - 1].result.score < score; --place)
    found[place] = found[place - 1];
  found[place] = (kept_hypothesis){{length, has_end, 0, last.sum, score}, last};
  search->hypothesis_count = count;
}

/* The best score that the best beam may still get. Sums never grow: they become
 * better by being divided by more, or by being multiplied with less. */
static double best_possible_score(const heddle_beam_search *search) {
  return score_of(search, search->sums[0],
                  search->options.length_penalty > 0
                      ? search->options.maximum_length
                      : search->length + 1);
}

/* Does the search end here, of which the beams have been extended? */
static bool should_finish(const heddle_beam_search *search) {
  int64_t width = search->options.width;
  if (search->beam_count == 0 ||
      search->length == search->options.maximum_length)
    return true;
  if (search->hypothesis_count < width)
    return false;
  return search->options.early_stopping ||
         search->hypotheses[width - 1].result.score >=
             best_possible_score(search);
}

/* Makes beams and hypotheses of the largest extensions. */
static void extend(heddle_beam_search *search, int64_t extension_count) {
  int64_t width = search->options.width, length = search->length + 1;
  step *steps = search->steps + search->length * width;
  bool is_last = length == search->options.maximum_length;
  int64_t beams = 0;
  for (int64_t i = 0; i < extension_count && beams < width; ++i) {
    extension e = search->extensions[i];
    bool ends = is_end(search, e.id);
    if (!ends) {
      steps[beams] = (step){e.parent, e.id};
      search->sums[beams++] = e.sum;
    }
    if (ends ? i < width : is_last)
      add_hypothesis(search, e, length, ends);
  }
  search->length = length;
  search->beam_count = beams;
  search->is_finished = should_finish(search);
}

heddle_status heddle_beam_search_step(heddle_beam_search *search,
                                      const float *logits, int32_t *parents,
                                      int32_t *ids, heddle_error *error) {
  if (!search || !logits || !parents || !ids)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT, "%s is null",
                       !search    ? "search"
                       : !logits  ? "logits"
                       : !parents ? "parents"
                                  : "ids");
  if (!search->is_finished) {
    int64_t count = 0;
    heddle_status status = measure_logits(search, logits, error);
    if (status == HEDDLE_OK)
      status = find_extensions(search, logits, &count, error);
    if (status != HEDDLE_OK)
      return status;
    extend(search, count);
  }
  int64_t width = search->options.width;
  int64_t beams = search->is_finished ? 0 : search->beam_count;
  const step *steps = search->steps + (search->length - 1) * width;
  for (int64_t b = 0; b < width; ++b) {
    parents[b] = b < beams ? steps[b].parent : (int32_t)b;
    ids[b] = b < beams ? steps[b].id : 0;
  }
  return heddle_succeed(error);
}

/* ---- Results ------------------------------------------------------------ */

int heddle_beam_search_is_finished(const heddle_beam_search *search) {
  return !search || search->is_finished;
}

int64_t heddle_beam_search_count(const heddle_beam_search *search) {
  return search ? search->hypothesis_count : 0;
}

heddle_status heddle_beam_search_get(const heddle_beam_search *search,
                                     int64_t index,
                                     heddle_hypothesis *hypothesis,
                                     int32_t *ids, heddle_error *error) {
  if (!search || !hypothesis || !ids)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT, "%s is null",
                       !search       ? "search"
                       : !hypothesis ? "hypothesis"
                                     : "ids");
  if (search->hypothesis_count == 0)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                       "the search has no hypothesis yet");
  heddle_status status =
      check_range("index", index, 0, search->hypothesis_count - 1, error);
  if (status != HEDDLE_OK)
    return status;
  const kept_hypothesis *found = &search->hypotheses[index];
  read_ids(search, (step){found->last.parent, found->last.id},
           found->result.length, ids);
  *hypothesis = found->result;
  return heddle_succeed(error);
}
