/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* What Sampler.c and BeamSearch.c share. Not installed.
 *
 * The functions are the runtime's own, because libm's round differently from
 * system to system, and programs would have to be linked with it. They add,
 * multiply and divide doubles only, which every machine rounds alike: the same
 * logits give the same ids everywhere.
 */
#ifndef HEDDLE_LOGITS_H
#define HEDDLE_LOGITS_H

#include "Internal.h"

#ifdef __cplusplus
extern "C" {
#endif

/* e^x for x <= 700, within 2 units in the last place; 0 for x < -700. */
double heddle_exponential(double x);

/* The natural logarithm of a normal number x > 0, within 3 units in the last
 * place. */
double heddle_logarithm(double x);

/* The next number of *random, in [0, 1): a multiple of 2^-53. */
double heddle_draw_number(heddle_random *random);

/* Finds the largest of `logits` [vocabulary]. Fails where one is NaN or
 * +infinity, and where all are -infinity. Messages name `row`, unless it is
 * negative. */
heddle_status heddle_largest_logit(const float *logits, int64_t vocabulary,
                                   int64_t row, float *largest,
                                   heddle_error *error);

#ifdef __cplusplus
}
#endif
#endif /* HEDDLE_LOGITS_H */
