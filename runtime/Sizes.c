/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* What the caller provides: the sizes of a call, and bytes that follow from
 * them. */
#include "device/StagedArguments.h"

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

const char *heddle_type_name(heddle_type type) {
  static const char *const names[] = {
      NULL,  "f32", "bf16", "f16", "i32", "i8",  "i64",    "i1",
      "f64", "i16", "u8",   "u16", "u32", "u64", "f8e4m3", "f8e5m2"};
  unsigned index = (unsigned)type;
  return index > 0 && index < sizeof(names) / sizeof(names[0])
             ? names[index]
             : "an unknown type";
}

size_t heddle_type_size(heddle_type type) {
  static const uint8_t sizes[] = {0, 4, 2, 2, 4, 1, 8, 1,
                                  8, 2, 1, 2, 4, 8, 1, 1};
  unsigned index = (unsigned)type;
  return index < sizeof(sizes) ? sizes[index] : 0;
}

/* "sizes rows = 65536, keys = 65536 are too large ..." */
static heddle_status fail_sizes(const heddle_call *call, const char *how) {
  char text[256] = "";
  size_t used = 0;
  for (uint32_t s = 0; s < call->entry->symbol_count && used < sizeof(text);
       ++s)
    used += (size_t)snprintf(text + used, sizeof(text) - used,
                             "%s%s = %" PRId64, s ? ", " : "",
                             call->entry->symbols[s].name, call->sizes[s]);
  return heddle_call_fail(call, HEDDLE_INVALID_ARGUMENT, "sizes %s %s", text,
                          how);
}

heddle_status heddle_measure_workspace(const heddle_call *call, size_t *bytes) {
  heddle_measurement result = {0};
  int status =
      call->entry->measure(call->sizes, call->entry->argument_count, &result);
  if (status == HEDDLE_MEASURED_UNCOUNTABLE)
    return fail_sizes(call, "are too large together: what kernels count of "
                            "them does not fit 32 bits");
  if (status == HEDDLE_MEASURED_TOO_SMALL)
    return fail_sizes(call, "do not fit together: a tensor inside of the "
                            "model would have no element where one is read, or "
                            "fewer than none");
  if (status == HEDDLE_MEASURED_NOT_BROADCAST) {
    char how[128];
    snprintf(how, sizeof(how),
             "cannot be broadcast together: expected equal sizes or 1, found "
             "%" PRId64 " and %" PRId64,
             result.extent[0], result.extent[1]);
    return fail_sizes(call, how);
  }
  if (status != HEDDLE_MEASURED || (uint64_t)result.bytes > SIZE_MAX)
    return heddle_call_fail(
        call, HEDDLE_INVALID_ARGUMENT,
        "the workspace for these sizes is larger than memory can be");
  *bytes = (size_t)result.bytes;
  return call->entry->device_kind == HEDDLE_DEVICE_NONE
             ? HEDDLE_OK
             : heddle_measure_staged(call, bytes);
}

heddle_status heddle_measure_argument(const heddle_call *call, uint32_t index,
                                      heddle_measurement *result) {
  const heddle_argument *argument = &call->entry->arguments[index];
  *result = (heddle_measurement){0};
  int status = call->entry->measure(call->sizes, index, result);
  if (status != HEDDLE_MEASURED || (uint64_t)result->bytes > SIZE_MAX)
    return heddle_call_fail(
        call, HEDDLE_INVALID_ARGUMENT,
        "argument '%s' with these sizes is larger than memory can be",
        argument->name);
  for (uint32_t axis = 0; axis < argument->rank; ++axis)
    if (result->extent[axis] < 0)
      return heddle_call_fail(
          call, HEDDLE_INVALID_ARGUMENT,
          "dimension %" PRIu32 " of argument '%s', %s, is %" PRId64
          ", expected at least 0",
          axis, argument->name, argument->extent[axis], result->extent[axis]);
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
  return heddle_device_workspace_size(entry, sizes, /*device_arguments=*/0,
                                      bytes, error);
}

heddle_status heddle_device_workspace_size(const heddle_entry *entry,
                                           const int64_t *sizes,
                                           uint64_t device_arguments,
                                           size_t *bytes, heddle_error *error) {
  const heddle_call call = {NULL, entry, sizes, error, device_arguments};
  heddle_status status = check_question(&call, bytes);
  if (status == HEDDLE_OK)
    status = heddle_measure_workspace(&call, bytes);
  return status == HEDDLE_OK ? heddle_succeed(error) : status;
}

heddle_status heddle_largest_workspace_size(const heddle_entry *entry,
                                            const int64_t *sizes, size_t *bytes,
                                            heddle_error *error) {
  heddle_status status = heddle_workspace_size(entry, sizes, bytes, error);
  if (!entry || !bytes)
    return status;
  const uint32_t first = entry->device_kind;
  for (entry = entry->next_target; entry && entry->device_kind != first;
       entry = entry->next_target) {
    size_t other = 0;
    /* A target without room for these sizes says so when it is called. */
    if (heddle_workspace_size(entry, sizes, &other, NULL) != HEDDLE_OK)
      continue;
    if (other > *bytes)
      *bytes = other;
    status = heddle_succeed(error);
  }
  return status;
}

heddle_status heddle_argument_size(const heddle_entry *entry, uint32_t argument,
                                   const int64_t *sizes, size_t *bytes,
                                   heddle_error *error) {
  const heddle_call call = {NULL, entry, sizes, error, 0};
  heddle_status status = check_question(&call, bytes);
  if (status == HEDDLE_OK && argument >= entry->argument_count)
    status =
        heddle_call_fail(&call, HEDDLE_INVALID_ARGUMENT,
                         "argument is %" PRIu32 ", expected less than %" PRIu32,
                         argument, entry->argument_count);
  heddle_measurement result;
  if (status == HEDDLE_OK)
    status = heddle_measure_argument(&call, argument, &result);
  if (status == HEDDLE_OK)
    *bytes = (size_t)result.bytes;
  return status == HEDDLE_OK ? heddle_succeed(error) : status;
}
