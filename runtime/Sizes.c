/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* What the caller provides: the sizes of a call, and bytes that follow from
 * them. */
#include "Call.h"

/* *value = round_up(*value, multiple) * factor; false on overflow. */
static bool scale(int64_t *value, int64_t multiple, int64_t factor) {
  int64_t raised = *value;
  if (multiple > 1) {
    if (__builtin_add_overflow(raised, multiple - 1, &raised))
      return false;
    raised -= raised % multiple;
  }
  return !__builtin_mul_overflow(raised, factor, value);
}

heddle_status heddle_check_sizes(const heddle_call *call) {
  if (!call->sizes && call->entry->symbol_count > 0)
    return heddle_call_fail(call, HEDDLE_INVALID_ARGUMENT, "sizes is null");
  for (uint32_t s = 0; s < call->entry->symbol_count; ++s) {
    const heddle_symbol *symbol = &call->entry->symbols[s];
    if (call->sizes[s] < symbol->minimum || call->sizes[s] > symbol->maximum)
      return heddle_call_fail(
          call, HEDDLE_INVALID_ARGUMENT,
          "size '%s' is %" PRId64 ", expected %" PRId64 " to %" PRId64,
          symbol->name, call->sizes[s], symbol->minimum, symbol->maximum);
  }
  return HEDDLE_OK;
}

heddle_status heddle_measure_workspace(const heddle_call *call, size_t *bytes) {
  int64_t total = 0;
  for (uint32_t a = 0; a < call->entry->arena_count; ++a) {
    const heddle_arena *arena = &call->entry->arenas[a];
    int64_t size = 1;
    bool fits = true;
    for (uint32_t s = 0; s < arena->symbol_count; ++s)
      fits = fits && scale(&size, 1, call->sizes[arena->symbols[s]]);
    fits = fits && scale(&size, arena->unit_multiple, arena->bytes_per_unit) &&
           scale(&size, HEDDLE_ALIGNMENT, 1) &&
           !__builtin_add_overflow(total, size, &total);
    if (!fits || (uint64_t)total > SIZE_MAX)
      return heddle_call_fail(
          call, HEDDLE_INVALID_ARGUMENT,
          "the workspace for these sizes is larger than memory can be");
  }
  *bytes = (size_t)total;
  return HEDDLE_OK;
}

heddle_status heddle_measure_argument(const heddle_call *call,
                                      const heddle_argument *argument,
                                      size_t *bytes) {
  bool cache = argument->kind == HEDDLE_ARGUMENT_CACHE;
  bool half =
      argument->type == HEDDLE_TYPE_BF16 || argument->type == HEDDLE_TYPE_F16;
  int64_t size = cache ? 1 : half ? 2 : 4;
  bool fits = true;
  for (uint32_t axis = 0; axis < argument->rank; ++axis) {
    int64_t extent = heddle_call_extent(call, argument->extent[axis]);
    if (cache && axis == 1) /* the capacity */
      fits = fits && scale(&extent, HEDDLE_CACHE_BLOCK, 1);
    fits = fits && scale(&size, 1, extent);
  }
  if (!fits || (uint64_t)size > SIZE_MAX)
    return heddle_call_fail(
        call, HEDDLE_INVALID_ARGUMENT,
        "argument '%s' with these sizes is larger than memory can be",
        argument->name);
  *bytes = (size_t)size;
  return HEDDLE_OK;
}

/* What both questions for a size check first. */
static heddle_status check_question(const heddle_call *call, size_t *bytes) {
  if (bytes)
    *bytes = 0;
  if (!call->entry || !bytes)
    return heddle_fail(call->error, HEDDLE_INVALID_ARGUMENT, "%s is null",
                       call->entry ? "bytes" : "entry");
  return heddle_check_sizes(call);
}

heddle_status heddle_workspace_size(const heddle_entry *entry,
                                    const int64_t *sizes, size_t *bytes,
                                    heddle_error *error) {
  const heddle_call call = {NULL, entry, sizes, error};
  heddle_status status = check_question(&call, bytes);
  if (status == HEDDLE_OK)
    status = heddle_measure_workspace(&call, bytes);
  return status == HEDDLE_OK ? heddle_succeed(error) : status;
}

heddle_status heddle_argument_size(const heddle_entry *entry, uint32_t argument,
                                   const int64_t *sizes, size_t *bytes,
                                   heddle_error *error) {
  const heddle_call call = {NULL, entry, sizes, error};
  heddle_status status = check_question(&call, bytes);
  if (status == HEDDLE_OK && argument >= entry->argument_count)
    status =
        heddle_call_fail(&call, HEDDLE_INVALID_ARGUMENT,
                         "argument is %" PRIu32 ", expected less than %" PRIu32,
                         argument, entry->argument_count);
  if (status == HEDDLE_OK)
    status = heddle_measure_argument(&call, &entry->arguments[argument], bytes);
  return status == HEDDLE_OK ? heddle_succeed(error) : status;
}
