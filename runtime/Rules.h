/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* What Sampler.c and BeamSearch.c share of rules. Not installed. */
#ifndef HEDDLE_RULES_H
#define HEDDLE_RULES_H

#include "Internal.h"

#include <stdbool.h>

/* Is there a rule in `answer`, which may be null? */
bool heddle_has_rules(const heddle_answer *answer);

/* Fails where a list is null that has elements, or a number is negative. */
heddle_status heddle_check_answer(const heddle_answer *answer,
                                  heddle_error *error);

/* The id that a sequence of `id_count` ids has to be continued with, in *id, or
 * -1. Fails where the model does not have it. */
heddle_status heddle_find_forced(const heddle_answer *answer, int64_t id_count,
                                 int64_t vocabulary, int32_t *id,
                                 heddle_error *error);

/* Calls visit(data, id) for each id below `vocabulary` that may not follow
 * `ids` [id_count]; for some of them several times. */
void heddle_visit_forbidden(const heddle_answer *answer, const int32_t *ids,
                            int64_t id_count, int64_t vocabulary,
                            void (*visit)(void *data, int32_t id), void *data);

#endif /* HEDDLE_RULES_H */
