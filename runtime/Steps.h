/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* What Decoder.c knows of each entry point alone. Not installed. */
#ifndef HEDDLE_STEPS_H
#define HEDDLE_STEPS_H

#include "Call.h"

/* An entry point that reads sources has at most so many arguments. */
enum { HEDDLE_SOURCE_ARGUMENTS = 64 };

/* The size `extent` where it is a number of at least 1, else 0. */
int64_t heddle_extent_number(const char *extent);

/* Finds the entry point "prefill" or "decode". */
heddle_status heddle_find_step(const heddle_model *model, const char *name,
                               heddle_step *step, heddle_error *error);

/* Finds the entry point "encode". */
heddle_status heddle_find_source_step(const heddle_model *model,
                                      heddle_source_step *encode,
                                      heddle_error *error);

#endif /* HEDDLE_STEPS_H */
