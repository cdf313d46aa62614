/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Rules of answers: which ids may follow a sequence. What each means is said by
 * the class of Hugging Face transformers that is named beside it
 * (generation/logits_process.py).
 */
#include "Rules.h"

#include <inttypes.h>

/* ---- Checks ------------------------------------------------------------- */

bool heddle_has_rules(const heddle_answer *answer) {
  if (!answer)
    return false;
  const heddle_rules *rules = answer->rules;
  return rules->suppressed_count || rules->suppressed_first_count ||
         rules->forced_first || rules->forced_last || rules->minimum_length ||
         rules->minimum_new || rules->unique_run;
}

static heddle_status check_list(const char *name, const int32_t *ids,
                                int64_t count, heddle_error *error) {
  if (count < 0 || (count > 0 && !ids))
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                       "%s has %" PRId64 " ids%s, expected %s", name, count,
                       ids ? "" : " and is null",
                       count < 0 ? "at least 0" : "a list of them");
  return HEDDLE_OK;
}

heddle_status heddle_check_answer(const heddle_answer *answer,
                                  heddle_error *error) {
  if (!answer)
    return HEDDLE_OK;
  const heddle_rules *rules = answer->rules;
  if (!rules)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT, "rules is null");
  const struct {
    const char *name;
    int64_t value;
  } counts[] = {{"prompt_count", answer->prompt_count},
                {"maximum_length", answer->maximum_length},
                {"minimum_length", rules->minimum_length},
                {"minimum_new", rules->minimum_new},
                {"unique_run", rules->unique_run}};
  for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); ++i)
    if (counts[i].value < 0)
      return heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                         "%s is %" PRId64 ", expected at least 0",
                         counts[i].name, counts[i].value);
  heddle_status status =
      check_list("end_ids", answer->end_ids, answer->end_count, error);
  if (status == HEDDLE_OK)
    status = check_list("suppressed_ids", rules->suppressed_ids,
                        rules->suppressed_count, error);
  if (status == HEDDLE_OK)
    status = check_list("suppressed_first", rules->suppressed_first,
                        rules->suppressed_first_count, error);
  return status;
}

heddle_status heddle_default_rules(const heddle_model *model,
                                   heddle_rules *rules, heddle_error *error) {
  static const heddle_rules none = HEDDLE_NO_RULES;
  heddle_status status = heddle_check_model(model, error);
  if (status == HEDDLE_OK && !rules)
    status = heddle_fail(error, HEDDLE_INVALID_ARGUMENT, "rules is null");
  if (status != HEDDLE_OK)
    return status;
  *rules = model->generation ? model->generation->rules : none;
  return heddle_succeed(error);
}

/* ---- Ids ---------------------------------------------------------------- */

/* ForcedBOSTokenLogitsProcessor and ForcedEOSTokenLogitsProcessor, of which the
 * latter has the last word. */
heddle_status heddle_find_forced(const heddle_answer *answer, int64_t id_count,
                                 int64_t vocabulary, int32_t *id,
                                 heddle_error *error) {
  const heddle_rules *rules = answer->rules;
  const int32_t *forced = NULL;
  if (id_count == answer->prompt_count && id_count == 1)
    forced = rules->forced_first;
  if (rules->forced_last && answer->maximum_length > 0 &&
      id_count == answer->maximum_length - 1)
    forced = rules->forced_last;
  *id = forced ? *forced : -1;
  return !forced || (*forced >= 0 && *forced < vocabulary)
             ? HEDDLE_OK
             : heddle_fail(error, HEDDLE_OUT_OF_RANGE,
                           "the forced id is %" PRId32
                           ", expected 0 to %" PRId64,
                           *forced, vocabulary - 1);
}

/* What visit is called with. */
typedef struct visitor {
  int64_t vocabulary;
  void (*visit)(void *data, int32_t id);
  void *data;
} visitor;

static void visit_id(const visitor *v, int32_t id) {
  if (id >= 0 && id < v->vocabulary)
    v->visit(v->data, id);
}

static void visit_list(const visitor *v, const int32_t *ids, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    visit_id(v, ids[i]);
}

/* What followed the last run - 1 ids where the sequence has had them before:
 * NoRepeatNGramLogitsProcessor. */
static void visit_repeating(const visitor *v, const int32_t *ids, int64_t count,
                            int64_t run) {
  const int64_t before = run - 1;
  if (run == 0 || count < run)
    return;
  const int32_t *last = ids + count - before;
  for (int64_t first = 0; first + before < count; ++first)
    if (memcmp(ids + first, last, (size_t)before * sizeof(*ids)) == 0)
      visit_id(v, ids[first + before]);
}

void heddle_visit_forbidden(const heddle_answer *answer, const int32_t *ids,
                            int64_t id_count, int64_t vocabulary,
                            void (*visit)(void *data, int32_t id), void *data) {
  const heddle_rules *rules = answer->rules;
  const visitor v = {vocabulary, visit, data};
  /* SuppressTokensLogitsProcessor, NoBadWordsLogitsProcessor */
  visit_list(&v, rules->suppressed_ids, rules->suppressed_count);
  /* SuppressTokensAtBeginLogitsProcessor, which counts no forced id. */
  const bool is_forced = rules->forced_first && answer->prompt_count == 1;
  if (id_count == answer->prompt_count + is_forced)
    visit_list(&v, rules->suppressed_first, rules->suppressed_first_count);
  /* MinLengthLogitsProcessor, MinNewTokensLengthLogitsProcessor */
  if (id_count < rules->minimum_length ||
      id_count - answer->prompt_count < rules->minimum_new)
    visit_list(&v, answer->end_ids, answer->end_count);
  visit_repeating(&v, ids, id_count, rules->unique_run);
}
