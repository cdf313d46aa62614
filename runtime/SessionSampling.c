/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The next ids of a session: chosen by the model's own entry points, where the
 * model is compiled for a device, so that the logits stay there.
 */
#include "Logits.h"
#include "Rules.h"
#include "Session.h"

/* ---- The entry points --------------------------------------------------- */

/* Those of SampleOp and KeepLikelyOp in heddlec's dialect. */
enum parameter { TEMPERATURE, MIN_P, UNIFORM, TOP_K, TOP_P };
static const struct {
  const char *name;
  uint32_t type;
} parameters[HEDDLE_SAMPLER_PARAMETERS] = {{"temperature", HEDDLE_TYPE_F32},
                                           {"min_p", HEDDLE_TYPE_F32},
                                           {"uniform", HEDDLE_TYPE_F32},
                                           {"top_k", HEDDLE_TYPE_I32},
                                           {"top_p", HEDDLE_TYPE_F32}};

/* Arguments are the logits, these parameters, and the ids. */
typedef struct signature {
  const char *name;
  uint32_t count;
  enum parameter order[HEDDLE_SAMPLER_PARAMETERS];
} signature;
static const signature of_all = {"sample", 3, {TEMPERATURE, MIN_P, UNIFORM}};
static const signature of_likely = {
    "sample_likely", 5, {TEMPERATURE, TOP_K, TOP_P, MIN_P, UNIFORM}};

/* And is its first dimension the entry point's only size? */
static bool has_shape(const heddle_entry *entry, uint32_t index,
                      const char *name, uint32_t kind, uint32_t type,
                      uint32_t rank) {
  const heddle_argument *argument = &entry->arguments[index];
  return strcmp(argument->name, name) == 0 && argument->kind == kind &&
         argument->type == type && argument->rank == rank &&
         strcmp(argument->extent[0], entry->symbols[0].name) == 0;
}

static const heddle_entry *find(const heddle_session *session,
                                const signature *expected) {
  const heddle_entry *entry = heddle_find_entry(session->model, expected->name);
  char vocabulary[32];
  snprintf(vocabulary, sizeof(vocabulary), "%" PRId64,
           session->decoder.prefill.vocabulary);
  if (!entry || entry->symbol_count != 1 ||
      entry->argument_count != expected->count + 2 ||
      session->batch < entry->symbols[0].minimum ||
      session->batch > entry->symbols[0].maximum)
    return NULL;
  if (!has_shape(entry, 0, "logits", HEDDLE_ARGUMENT_INPUT, HEDDLE_TYPE_F32,
                 2) ||
      strcmp(entry->arguments[0].extent[1], vocabulary) != 0 ||
      !has_shape(entry, expected->count + 1, "ids", HEDDLE_ARGUMENT_OUTPUT,
                 HEDDLE_TYPE_I32, 1))
    return NULL;
  for (uint32_t i = 0; i < expected->count; ++i) {
    enum parameter parameter = expected->order[i];
    if (!has_shape(entry, i + 1, parameters[parameter].name,
                   HEDDLE_ARGUMENT_INPUT, parameters[parameter].type, 1))
      return NULL;
  }
  return entry;
}

/* A CPU's are of no use: the host has the logits, and is faster. */
heddle_samplers heddle_find_samplers(const heddle_session *session) {
  if (!session->device)
    return (heddle_samplers){NULL, NULL};
  return (heddle_samplers){find(session, &of_all), find(session, &of_likely)};
}

static heddle_status measure(const heddle_session *session,
                             const heddle_entry *entry, size_t *workspace,
                             heddle_error *error) {
  size_t bytes = 0;
  if (!entry)
    return HEDDLE_OK;
  heddle_status status = heddle_device_workspace_size(
      entry, &session->batch, heddle_session_on_device(session, 0), &bytes,
      error);
  if (bytes > *workspace)
    *workspace = bytes;
  return status;
}

heddle_status heddle_measure_samplers(const heddle_session *session,
                                      size_t *workspace, heddle_error *error) {
  heddle_status status =
      measure(session, session->samplers.of_all, workspace, error);
  return status == HEDDLE_OK
             ? measure(session, session->samplers.of_likely, workspace, error)
             : status;
}

/* ---- Choices ------------------------------------------------------------ */

/* Neither top_k nor top_p leaves anything out. */
static bool is_of_all(const heddle_session *s,
                      const heddle_sampling *sampling) {
  bool keeps_all =
      sampling->top_k == 0 || sampling->top_k >= s->decoder.prefill.vocabulary;
  return sampling->temperature == 0 || (keeps_all && sampling->top_p == 1);
}

/* The entry point that does it all, or null. */
static const heddle_entry *choose_sampler(const heddle_session *s,
                                          const heddle_sampling *sampling) {
  if (sampling->repetition_penalty != 1 || heddle_has_rules(sampling->answer))
    return NULL;
  return is_of_all(s, sampling) ? s->samplers.of_all : s->samplers.of_likely;
}

static heddle_status call_sampler(heddle_session *s, const heddle_entry *entry,
                                  const heddle_sampling *sampling,
                                  heddle_random *random, int32_t *ids,
                                  heddle_error *error) {
  const signature *signature =
      entry == s->samplers.of_all ? &of_all : &of_likely;
  float *numbers = (float *)s->parameters;
  int32_t *top_k = (int32_t *)s->parameters + TOP_K * s->batch;
  for (int64_t b = 0; b < s->batch; ++b) {
    numbers[TEMPERATURE * s->batch + b] = sampling->temperature;
    numbers[MIN_P * s->batch + b] = sampling->min_p;
    numbers[UNIFORM * s->batch + b] =
        sampling->temperature > 0 ? (float)heddle_draw_number(&random[b]) : 0;
    numbers[TOP_P * s->batch + b] = sampling->top_p;
    top_k[b] =
        sampling->top_k < INT32_MAX ? (int32_t)sampling->top_k : INT32_MAX;
  }
  void *buffers[HEDDLE_SAMPLER_PARAMETERS + 2];
  buffers[0] = heddle_session_step_logits(s);
  for (uint32_t i = 0; i < signature->count; ++i)
    buffers[i + 1] = numbers + signature->order[i] * s->batch;
  buffers[signature->count + 1] = ids;
  heddle_context context = s->context;
  context.device_arguments = heddle_session_on_device(s, 0);
  context.argument_bytes = NULL; /* the memory is the session's own */
  context.error = error;
  return heddle_invoke(s->model, entry, &context, s->weights, buffers,
                       &s->batch, s->workspace, s->workspace_size);
}

/* Fails where the model has chosen no id: because of logits that are no
 * numbers, which the error names. */
static heddle_status check_ids(heddle_session *s, const int32_t *ids,
                               heddle_error *error) {
  const int64_t vocabulary = s->decoder.prefill.vocabulary;
  const float *logits;
  float largest;
  for (int64_t b = 0; b < s->batch; ++b) {
    if (ids[b] >= 0 && ids[b] < vocabulary)
      continue;
    heddle_status status = heddle_session_logits(s, &logits, error);
    if (status == HEDDLE_OK)
      status = heddle_largest_logit(logits + b * vocabulary, vocabulary, b,
                                    &largest, error);
    return status != HEDDLE_OK
               ? status
               : heddle_fail(error, HEDDLE_OUT_OF_RANGE,
                             "the model has chosen %" PRId32
                             " by logits[%" PRId64 "], expected 0 to %" PRId64,
                             ids[b], b, vocabulary - 1);
  }
  return HEDDLE_OK;
}

/* *drawn counts sequences that have drawn a number. */
static heddle_status choose_here(heddle_session *s,
                                 const heddle_sampling *sampling,
                                 heddle_random *random, int32_t *ids,
                                 int64_t *drawn, heddle_error *error) {
  const int64_t vocabulary = s->decoder.prefill.vocabulary;
  const float *logits;
  float largest;
  heddle_status status = heddle_session_logits(s, &logits, error);
  for (int64_t b = 0; b < s->batch && status == HEDDLE_OK; ++b) {
    const float *row = logits + b * vocabulary;
    status = heddle_choose_id(
        sampling, row, vocabulary, s->history + b * s->capacity, s->filled,
        random ? &random[b] : NULL, s->scratch, &ids[b], error);
    if (status == HEDDLE_OK)
      ++*drawn;
    else /* and where it is for its logits, whose */
      heddle_largest_logit(row, vocabulary, b, &largest, error);
  }
  return status;
}

heddle_status heddle_session_sample(heddle_session *s,
                                    const heddle_sampling *sampling,
                                    heddle_random *random, int32_t *ids,
                                    heddle_error *error) {
  if (!s)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT, "session is null");
  heddle_status status = heddle_check_sampling(sampling, error);
  if (status != HEDDLE_OK)
    return status;
  bool needs_random = sampling->temperature > 0;
  if (!ids || (!random && needs_random))
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT, "%s is null",
                       !ids ? "ids" : "random");
  status = heddle_check_appended(s, error);
  if (status != HEDDLE_OK)
    return status;
  int64_t drawn = 0;
  const heddle_entry *sampler = choose_sampler(s, sampling);
  if (sampler) {
    status = call_sampler(s, sampler, sampling, random, ids, error);
    if (status == HEDDLE_OK)
      status = check_ids(s, ids, error);
    drawn = s->batch;
  } else {
    status = choose_here(s, sampling, random, ids, &drawn, error);
  }
  if (status == HEDDLE_OK)
    return heddle_succeed(error);
  while (needs_random && drawn-- > 0) /* the same numbers are drawn anew */
    --random[drawn].drawn;
  return status;
}
