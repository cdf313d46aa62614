/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The values of ids, lengths and starts, which kernels index memory with. */
#include "Call.h"

/* The sequence lengths, once they are checked; null where there are none. */
typedef struct checked_lengths {
  const heddle_argument *argument;
  const int32_t *values;
} checked_lengths;

static heddle_status fail_value(const heddle_call *call,
                                const heddle_argument *argument, int64_t row,
                                int64_t column, int32_t value, int64_t low,
                                int64_t high, int64_t length) {
  char place[48], note[96] = "";
  snprintf(place, sizeof(place),
           argument->rank == 2 ? "[%" PRId64 "][%" PRId64 "]" : "[%" PRId64 "]",
           row, column);
  if (argument->rule == HEDDLE_RULE_LENGTH && argument->limit >= 0)
    snprintf(note, sizeof(note), " (%s)",
             call->entry->symbols[argument->limit].name);
  else if (argument->rule == HEDDLE_RULE_START)
    snprintf(note, sizeof(note), " (capacity %" PRId64 " - length %" PRId64 ")",
             high + length, length);
  return heddle_call_fail(call, HEDDLE_OUT_OF_RANGE,
                          "argument '%s'%s is %" PRId32 ", expected %" PRId64
                          " to %" PRId64 "%s",
                          argument->name, place, value, low, high, note);
}

/* That of the smallest cache; negative where there is none. */
static int64_t find_capacity(const heddle_call *call) {
  int64_t smallest = -1;
  for (uint32_t a = 0; a < call->entry->argument_count; ++a) {
    const heddle_argument *argument = &call->entry->arguments[a];
    if (argument->kind != HEDDLE_ARGUMENT_CACHE)
      continue;
    int64_t capacity = heddle_call_extent(call, argument->extent[1]);
    if (smallest < 0 || capacity < smallest)
      smallest = capacity;
  }
  return smallest;
}

static heddle_status check_values(const heddle_call *call,
                                  const checked_lengths *checked,
                                  const heddle_argument *argument,
                                  const int32_t *values) {
  size_t bytes = 0;
  int64_t capacity = find_capacity(call);
  int64_t columns =
      argument->rank == 2 ? heddle_call_extent(call, argument->extent[1]) : 1;
  /* Is row i the sequence with lengths[i]? */
  const heddle_argument *lengths = checked->argument;
  bool has_length = lengths && lengths->rank == 1 && argument->rank >= 1 &&
                    argument->rank <= 2 &&
                    argument->extent[0] == lengths->extent[0];
  /* Then what follows it in the row is padding, and free. */
  bool padded = has_length && argument->rank == 2 && lengths->limit >= 0 &&
                argument->extent[1] == -1 - lengths->limit;
  if (argument->rule == HEDDLE_RULE_START &&
      (capacity < 0 || (lengths && !has_length)))
    return heddle_call_fail(
        call, HEDDLE_INTERNAL_ERROR,
        "argument '%s' lacks a cache or lengths of its shape", argument->name);
  heddle_status status = heddle_measure_argument(call, argument, &bytes);
  if (status != HEDDLE_OK)
    return status;
  for (int64_t i = 0; i < (int64_t)(bytes / sizeof(*values)); ++i) {
    int64_t length = has_length ? checked->values[i / columns] : 1;
    int64_t low = 0, high = argument->limit - 1;
    if (argument->rule == HEDDLE_RULE_LENGTH) {
      low = 1;
      high =
          argument->limit < 0 ? -argument->limit : call->sizes[argument->limit];
    } else if (argument->rule == HEDDLE_RULE_START) {
      high = capacity - length;
    } else if (padded && i % columns >= length) {
      continue;
    }
    if (values[i] < low || values[i] > high)
      return fail_value(call, argument, i / columns, i % columns, values[i],
                        low, high, length);
  }
  return HEDDLE_OK;
}

/* Lengths first: the other rules rely on them. */
heddle_status heddle_check_values(const heddle_call *call,
                                  void *const *buffers) {
  checked_lengths checked = {NULL, NULL};
  for (int pass = 0; pass < 2; ++pass)
    for (uint32_t a = 0; a < call->entry->argument_count; ++a) {
      const heddle_argument *argument = &call->entry->arguments[a];
      bool is_length = argument->rule == HEDDLE_RULE_LENGTH;
      if (argument->kind != HEDDLE_ARGUMENT_INPUT ||
          argument->type != HEDDLE_TYPE_I32 ||
          argument->rule == HEDDLE_RULE_NONE || is_length != (pass == 0))
        continue;
      heddle_status status = check_values(call, &checked, argument, buffers[a]);
      if (status != HEDDLE_OK)
        return status;
      if (is_length && !checked.argument)
        checked = (checked_lengths){argument, buffers[a]};
    }
  return HEDDLE_OK;
}
