/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* One call and its checks, shared by Sizes.c, Values.c and Call.c. Not
 * installed. */
#ifndef HEDDLE_CALL_H
#define HEDDLE_CALL_H

#include "Internal.h"

#include <inttypes.h>
#include <stdbool.h>

/* The call that a message is about, and its sizes. */
typedef struct heddle_call {
  const heddle_model *model; /* null where only the entry point is known */
  const heddle_entry *entry;
  const int64_t *sizes;
  heddle_error *error;
  uint64_t device_arguments; /* as a context has them */
} heddle_call;

/* heddle_fail with "<model>.<entry>: " in front. */
__attribute__((format(printf, 3, 4))) heddle_status heddle_call_fail(
    const heddle_call *call, heddle_status status, const char *format, ...);

/* ---- Sizes.c ------------------------------------------------------------ */

/* Is each size in its range? The two below rely on it. */
heddle_status heddle_check_sizes(const heddle_call *call);
heddle_status heddle_measure_workspace(const heddle_call *call, size_t *bytes);
heddle_status heddle_measure_argument(const heddle_call *call,
                                      uint32_t argument,
                                      heddle_measurement *result);

/* ---- Values.c ----------------------------------------------------------- */

/* Has `argument` elements of a type that ids, lengths and starts may have? */
bool heddle_is_index(const heddle_argument *argument);

/* Do the values of all inputs satisfy their rules? Those on a device are taken
 * as they are. */
heddle_status heddle_check_values(const heddle_call *call,
                                  void *const *buffers);

#endif /* HEDDLE_CALL_H */
