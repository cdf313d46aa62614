/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The values of ids, lengths and starts, which kernels index memory with. */
#include "Call.h"

static heddle_status fail_value(const heddle_call *call,
                                const heddle_argument *argument, int64_t row,
                                int64_t column, int32_t value, int64_t low,
                                int64_t high, int64_t length) {
  char place[48], note[96] = "";
  snprintf(place, sizeof(place),
           argument->rank == 2 ? "[%" PRId64 "][%" PRId64 "]" : "[%" PRId64 "]",
           row, column);
  /* Then no value is right: the sizes are wrong. */
  if (high < low)
    return heddle_call_fail(
        call, HEDDLE_OUT_OF_RANGE,
        "length %" PRId64 " exceeds %s %" PRId64 " (argument '%s'%s)", length,
        argument->rule == HEDDLE_RULE_START ? "capacity" : "positions",
        high + length, argument->name, place);
  if (argument->rule == HEDDLE_RULE_LENGTH && argument->limit >= 0)
    snprintf(note, sizeof(note), " (%s)",
             call->entry->symbols[argument->limit].name);
  else if (argument->rule == HEDDLE_RULE_START)
    snprintf(note, sizeof(note), " (capacity %" PRId64 " - length %" PRId64 ")",
             high + length, length);
  else if (argument->rule == HEDDLE_RULE_POSITION)
    snprintf(note, sizeof(note),
             " (positions %" PRId64 " - length %" PRId64 ")", argument->limit,
             length);
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

/* The argument with the lengths of the sequences that `argument` is about;
 * the number of arguments where there is none. */
static uint32_t find_lengths(const heddle_call *call,
                             const heddle_argument *argument) {
  const heddle_entry *entry = call->entry;
  uint32_t a = 0;
  if (argument->rule == HEDDLE_RULE_START)
    a = (uint64_t)argument->tokens < entry->argument_count
            ? (uint32_t)argument->tokens
            : entry->argument_count;
  else
    while (a < entry->argument_count &&
           entry->arguments[a].rule != HEDDLE_RULE_LENGTH)
      ++a;
  bool fits = a < entry->argument_count &&
              entry->arguments[a].rule == HEDDLE_RULE_LENGTH &&
              entry->arguments[a].rank == 1 && argument->rank >= 1 &&
              argument->rank <= 2 &&
              argument->extent[0] == entry->arguments[a].extent[0];
  return fits ? a : entry->argument_count;
}

static heddle_status check_values(const heddle_call *call,
                                  const heddle_argument *argument,
                                  void *const *buffers) {
  const heddle_entry *entry = call->entry;
  const int32_t *values = buffers[argument - entry->arguments];
  size_t bytes = 0;
  int64_t capacity = find_capacity(call);
  int64_t columns =
      argument->rank == 2 ? heddle_call_extent(call, argument->extent[1]) : 1;
  uint32_t lengths = find_lengths(call, argument);
  bool has_length = lengths < entry->argument_count;
  /* What follows a sequence in its row of ids is padding, and free. */
  bool padded = has_length && argument->rank == 2 &&
                entry->arguments[lengths].limit >= 0 &&
                argument->extent[1] == -1 - entry->arguments[lengths].limit;
  if (argument->rule == HEDDLE_RULE_START && (capacity < 0 || !has_length))
    return heddle_call_fail(
        call, HEDDLE_INTERNAL_ERROR,
        "argument '%s' lacks a cache or lengths of its shape", argument->name);
  heddle_status status = heddle_measure_argument(call, argument, &bytes);
  if (status != HEDDLE_OK)
    return status;
  for (int64_t i = 0; i < (int64_t)(bytes / sizeof(*values)); ++i) {
    int64_t length =
        has_length ? ((const int32_t *)buffers[lengths])[i / columns] : 1;
    int64_t low = 0, high = argument->limit - 1;
    if (argument->rule == HEDDLE_RULE_LENGTH) {
      low = 1;
      high =
          argument->limit < 0 ? -argument->limit : call->sizes[argument->limit];
    } else if (argument->rule == HEDDLE_RULE_START) {
      high = capacity - length;
    } else if (argument->rule == HEDDLE_RULE_POSITION) {
      length = heddle_call_extent(call, argument->tokens);
      high = argument->limit - length;
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
  for (int pass = 0; pass < 2; ++pass)
    for (uint32_t a = 0; a < call->entry->argument_count; ++a) {
      const heddle_argument *argument = &call->entry->arguments[a];
      bool is_length = argument->rule == HEDDLE_RULE_LENGTH;
      if (argument->kind != HEDDLE_ARGUMENT_INPUT ||
          argument->type != HEDDLE_TYPE_I32 ||
          argument->rule == HEDDLE_RULE_NONE || is_length != (pass == 0))
        continue;
      heddle_status status = check_values(call, argument, buffers);
      if (status != HEDDLE_OK)
        return status;
    }
  return HEDDLE_OK;
}
