/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The next ids of a session: chosen by the model's own entry point, where the
 * model is compiled for a device, so that the logits stay there.
 */
#include "Logits.h"
#include "Session.h"

/* ---- The entry point ---------------------------------------------------- */

enum { LOGITS, TEMPERATURE, MIN_P, UNIFORM, IDS, ARGUMENTS };

static bool has_shape(const heddle_argument *argument, const char *name,
                      uint32_t kind, uint32_t type, uint32_t rank) {
  return strcmp(argument->name, name) == 0 && argument->kind == kind &&
         argument->type == type && argument->rank == rank;
}

const heddle_entry *heddle_find_sampler(const heddle_session *session) {
  static const char *const names[] = {"temperature", "min_p", "uniform"};
  const heddle_entry *entry = heddle_find_entry(session->model, "sample");
  char vocabulary[32];
  snprintf(vocabulary, sizeof(vocabulary), "%" PRId64,
           session->decoder.prefill.vocabulary);
  if (!entry || entry->symbol_count != 1 || entry->argument_count != ARGUMENTS)
    return NULL;
  const heddle_argument *arguments = entry->arguments;
  if (!has_shape(&arguments[LOGITS], "logits", HEDDLE_ARGUMENT_INPUT,
                 HEDDLE_TYPE_F32, 2) ||
      strcmp(arguments[LOGITS].extent[1], vocabulary) != 0 ||
      !has_shape(&arguments[IDS], "ids", HEDDLE_ARGUMENT_OUTPUT,
                 HEDDLE_TYPE_I32, 1))
    return NULL;
  for (int a = TEMPERATURE; a <= UNIFORM; ++a)
    if (!has_shape(&arguments[a], names[a - TEMPERATURE], HEDDLE_ARGUMENT_INPUT,
                   HEDDLE_TYPE_F32, 1))
      return NULL;
  return entry;
}

heddle_status heddle_measure_sampler(const heddle_session *session,
                                     size_t *workspace, heddle_error *error) {
  return heddle_device_workspace_size(session->sampler, &session->batch,
                                      heddle_session_on_device(session, LOGITS),
                                      workspace, error);
}

/* ---- Choices ------------------------------------------------------------ */

/* Whether the entry point knows all of it. */
static bool is_compiled(const heddle_session *s,
                        const heddle_sampling *sampling) {
  return s->sampler && sampling->top_k == 0 && sampling->top_p == 1 &&
         sampling->repetition_penalty == 1;
}

static heddle_status call_sampler(heddle_session *s,
                                  const heddle_sampling *sampling,
                                  heddle_random *random, int32_t *ids,
                                  heddle_error *error) {
  float *temperature = s->parameters, *min_p = temperature + s->batch,
        *uniform = min_p + s->batch;
  for (int64_t b = 0; b < s->batch; ++b) {
    temperature[b] = sampling->temperature;
    min_p[b] = sampling->min_p;
    uniform[b] =
        sampling->temperature > 0 ? (float)heddle_draw_number(&random[b]) : 0;
  }
  void *buffers[ARGUMENTS];
  buffers[LOGITS] = heddle_session_step_logits(s);
  buffers[TEMPERATURE] = temperature;
  buffers[MIN_P] = min_p;
  buffers[UNIFORM] = uniform;
  buffers[IDS] = ids;
  heddle_context context = s->context;
  context.device_arguments = heddle_session_on_device(s, LOGITS);
  context.error = error;
  return heddle_invoke(s->model, s->sampler, &context, s->weights, buffers,
                       &s->batch, s->workspace, s->workspace_size);
}

/* Says which logits are no numbers, for which no id was chosen. */
static heddle_status explain(heddle_session *s, const int32_t *ids,
                             heddle_error *error) {
  const int64_t vocabulary = s->decoder.prefill.vocabulary;
  const float *logits;
  float largest;
  for (int64_t b = 0; b < s->batch; ++b) {
    if (ids[b] >= 0)
      continue;
    heddle_status status = heddle_session_logits(s, &logits, error);
    if (status == HEDDLE_OK)
      status = heddle_largest_logit(logits + b * vocabulary, vocabulary, b,
                                    &largest, error);
    return status != HEDDLE_OK
               ? status
               : heddle_fail(error, HEDDLE_OUT_OF_RANGE,
                             "the model has chosen %" PRId32
                             " by logits[%" PRId64 "], expected an id",
                             ids[b], b);
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
  for (int64_t b = 0; b < s->batch && status == HEDDLE_OK; ++b)
    status = heddle_largest_logit(logits + b * vocabulary, vocabulary, b,
                                  &largest, error);
  for (int64_t b = 0; b < s->batch && status == HEDDLE_OK; ++b) {
    status = heddle_choose_id(sampling, logits + b * vocabulary, vocabulary,
                              s->history + b * s->capacity, s->filled,
                              random ? &random[b] : NULL, s->scratch, &ids[b],
                              error);
    *drawn += status == HEDDLE_OK;
  }
  return status;
}

heddle_status heddle_session_sample(heddle_session *s,
                                    const heddle_sampling *sampling,
                                    heddle_random *random, int32_t *ids,
                                    heddle_error *error) {
  heddle_status status = heddle_check_sampling(sampling, error);
  if (status != HEDDLE_OK)
    return status;
  bool needs_random = sampling->temperature > 0;
  if (!ids || (!random && needs_random))
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT, "%s is null",
                       !ids ? "ids" : "random");
  if (s->filled == 0)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                       "the sequences are empty, expected ids to be appended");
  int64_t drawn = 0;
  if (is_compiled(s, sampling)) {
    status = call_sampler(s, sampling, random, ids, error);
    if (status == HEDDLE_OK)
      status = explain(s, ids, error);
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
