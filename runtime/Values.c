/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The values of ids, lengths and starts, which kernels index memory with. */
#include "device/StagedArguments.h"

bool heddle_is_index(const heddle_argument *argument) {
  return argument->type == HEDDLE_TYPE_I32 || argument->type == HEDDLE_TYPE_I64;
}

/* At any address. */
static int64_t integer_at(const heddle_argument *argument, const void *values,
                          int64_t index) {
  int64_t wide;
  int32_t narrow;
  if (argument->type == HEDDLE_TYPE_I64)
    memcpy(&wide, (const char *)values + index * 8, sizeof(wide));
  else
    memcpy(&narrow, (const char *)values + index * 4, sizeof(narrow));
  return argument->type == HEDDLE_TYPE_I64 ? wide : narrow;
}

/* a - b, or the number that is nearest to it. */
static int64_t difference(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_sub_overflow(a, b, &result))
    return b < 0 ? INT64_MAX : INT64_MIN;
  return result;
}

/* One value of an argument, and what it may be. */
typedef struct checked_value {
  const heddle_argument *argument;
  int64_t row, column; /* -1 each, where there is no such dimension */
  int64_t low, high;
  int64_t maximum, added; /* high is their difference */
} checked_value;

/* "capacity 32", or of a number that number alone. */
static void describe_limit(const checked_value *value, char *text,
                           size_t size) {
  const char *maximum = value->argument->maximum;
  bool is_number = strspn(maximum, "-0123456789") == strlen(maximum);
  snprintf(text, size, is_number ? "%s" : "%s %" PRId64, maximum,
           value->maximum);
}

static heddle_status fail_value(const heddle_call *call,
                                const checked_value *value, int64_t found) {
  const heddle_argument *argument = value->argument;
  /* Lengths of sequences are counts as the size of all is. */
  const char *added = argument->added ? argument->added : "length";
  char place[48] = "", limit[96], note[192] = "";
  if (value->row >= 0)
    snprintf(place, sizeof(place),
             value->column < 0 ? "[%" PRId64 "]" : "[%" PRId64 "][%" PRId64 "]",
             value->row, value->column);
  describe_limit(value, limit, sizeof(limit));
  bool has_added = argument->added || argument->lengths != HEDDLE_NO_ARGUMENT;
  /* Then no value is right: the sizes are wrong. */
  if (value->high < value->low && has_added)
    return heddle_call_fail(call, HEDDLE_OUT_OF_RANGE,
                            "%s %" PRId64 " exceeds %s (argument '%s'%s)",
                            added, value->added, limit, argument->name, place);
  if (has_added)
    snprintf(note, sizeof(note), " (%s - %s %" PRId64 ")", limit, added,
             value->added);
  else if (strchr(limit, ' '))
    snprintf(note, sizeof(note), " (%s)", argument->maximum);
  return heddle_call_fail(
      call, HEDDLE_OUT_OF_RANGE,
      "argument '%s'%s is %" PRId64 ", expected %" PRId64 " to %" PRId64 "%s",
      argument->name, place, found, value->low, value->high, note);
}

/* The value for sequence `row` of an argument that has one for each. */
static int64_t length_at(const heddle_call *call, uint32_t argument,
                         void *const *buffers, int64_t row) {
  return integer_at(&call->entry->arguments[argument], buffers[argument], row);
}

/* Does argument `other`, if there is one, have a value for each of `rows`
 * sequences? */
static heddle_status check_lengths(const heddle_call *call, uint32_t index,
                                   uint32_t other, int64_t rows) {
  const heddle_entry *entry = call->entry;
  heddle_measurement lengths = {0};
  if (other == HEDDLE_NO_ARGUMENT)
    return HEDDLE_OK;
  bool fits = other < entry->argument_count &&
              heddle_is_index(&entry->arguments[other]) &&
              entry->arguments[other].rank == 1 &&
              heddle_measure_argument(call, other, &lengths) == HEDDLE_OK &&
              lengths.extent[0] == rows;
  return fits ? HEDDLE_OK
              : heddle_call_fail(call, HEDDLE_INTERNAL_ERROR,
                                 "argument '%s' lacks lengths of its shape",
                                 entry->arguments[index].name);
}

static heddle_status check_values(const heddle_call *call, uint32_t index,
                                  void *const *buffers) {
  const heddle_argument *argument = &call->entry->arguments[index];
  heddle_measurement measured;
  heddle_status status = heddle_measure_argument(call, index, &measured);
  int64_t rows = argument->rank > 0 ? measured.extent[0] : 1;
  if (status == HEDDLE_OK)
    status = check_lengths(call, index, argument->lengths, rows);
  if (status == HEDDLE_OK)
    status = check_lengths(call, index, argument->padding, rows);
  if (status != HEDDLE_OK)
    return status;
  int64_t count =
      measured.bytes / (int64_t)heddle_type_size((heddle_type)argument->type);
  if (count == 0)
    return HEDDLE_OK;
  int64_t columns = count / rows;
  int64_t tokens = argument->rank > 1 ? measured.extent[1] : 1;
  for (int64_t i = 0; i < count; ++i) {
    int64_t row = i / columns, column = i % columns;
    if (argument->padding != HEDDLE_NO_ARGUMENT &&
        column / (columns / tokens) >=
            length_at(call, argument->padding, buffers, row))
      continue;
    int64_t added = measured.added;
    if (argument->lengths != HEDDLE_NO_ARGUMENT)
      added = length_at(call, argument->lengths, buffers, row);
    checked_value value = {argument,
                           argument->rank > 0 ? row : -1,
                           argument->rank > 1 ? column : -1,
                           argument->minimum,
                           difference(measured.maximum, added),
                           measured.maximum,
                           added};
    int64_t found = integer_at(argument, buffers[index], i);
    if (found < value.low || found > value.high)
      return fail_value(call, &value, found);
  }
  return HEDDLE_OK;
}

/* Lengths first: the other rules rely on them. */
heddle_status heddle_check_values(const heddle_call *call,
                                  void *const *buffers) {
  for (int pass = 0; pass < 2; ++pass)
    for (uint32_t a = 0; a < call->entry->argument_count; ++a) {
      const heddle_argument *argument = &call->entry->arguments[a];
      bool is_length = argument->role == HEDDLE_ROLE_LENGTHS;
      if (argument->kind != HEDDLE_ARGUMENT_INPUT ||
          !heddle_is_index(argument) || !argument->maximum ||
          is_length != (pass == 0) || !heddle_is_here(call, a) ||
          !heddle_is_here(call, argument->lengths) ||
          !heddle_is_here(call, argument->padding))
        continue;
      heddle_status status = check_values(call, a, buffers);
      if (status != HEDDLE_OK)
        return status;
    }
  return HEDDLE_OK;
}
