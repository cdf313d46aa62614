/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Entry points: sizes of what the caller provides, and the checked call. */
#include "Internal.h"

#include <inttypes.h>
#include <stdbool.h>

/* The call that a message is about, and its sizes. */
typedef struct heddle_call {
  const heddle_model *model; /* null where only the entry point is known */
  const heddle_entry *entry;
  const int64_t *sizes;
  heddle_error *error;
  /* The sequence lengths, once they are checked; null where there are none. */
  const heddle_argument *lengths;
  const int32_t *length_values;
} heddle_call;

/* heddle_fail with "<model>.<entry>: " in front. */
__attribute__((format(printf, 3, 4))) static heddle_status
fail(const heddle_call *call, heddle_status status, const char *format, ...) {
  char text[sizeof(call->error->message)];
  va_list arguments;
  if (!call->error)
    return status;
  va_start(arguments, format);
  vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  return heddle_fail(call->error, status, "%s%s%s: %s",
                     call->model ? call->model->name : "",
                     call->model ? "." : "", call->entry->name, text);
}

/* ---- Sizes -------------------------------------------------------------- */

static int64_t resolve(const heddle_call *call, int64_t extent) {
  return extent < 0 ? call->sizes[-1 - extent] : extent;
}

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

static heddle_status check_sizes(const heddle_call *call) {
  if (!call->sizes && call->entry->symbol_count > 0)
    return fail(call, HEDDLE_INVALID_ARGUMENT, "sizes is null");
  for (uint32_t s = 0; s < call->entry->symbol_count; ++s) {
    const heddle_symbol *symbol = &call->entry->symbols[s];
    if (call->sizes[s] < symbol->minimum || call->sizes[s] > symbol->maximum)
      return fail(call, HEDDLE_INVALID_ARGUMENT,
                  "size '%s' is %" PRId64 ", expected %" PRId64 " to %" PRId64,
                  symbol->name, call->sizes[s], symbol->minimum,
                  symbol->maximum);
  }
  return HEDDLE_OK;
}

static heddle_status workspace_size(const heddle_call *call, size_t *bytes) {
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
      return fail(call, HEDDLE_INVALID_ARGUMENT,
                  "the workspace for these sizes is larger than memory can be");
  }
  *bytes = (size_t)total;
  return HEDDLE_OK;
}

static heddle_status argument_size(const heddle_call *call,
                                   const heddle_argument *argument,
                                   size_t *bytes) {
  bool cache = argument->kind == HEDDLE_ARGUMENT_CACHE;
  bool half =
      argument->type == HEDDLE_TYPE_BF16 || argument->type == HEDDLE_TYPE_F16;
  int64_t size = cache ? 1 : half ? 2 : 4;
  bool fits = true;
  for (uint32_t axis = 0; axis < argument->rank; ++axis) {
    int64_t extent = resolve(call, argument->extent[axis]);
    if (cache && axis == 1) /* the capacity */
      fits = fits && scale(&extent, HEDDLE_CACHE_BLOCK, 1);
    fits = fits && scale(&size, 1, extent);
  }
  if (!fits || (uint64_t)size > SIZE_MAX)
    return fail(call, HEDDLE_INVALID_ARGUMENT,
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
  return check_sizes(call);
}

heddle_status heddle_workspace_size(const heddle_entry *entry,
                                    const int64_t *sizes, size_t *bytes,
                                    heddle_error *error) {
  const heddle_call call = {NULL, entry, sizes, error, NULL, NULL};
  heddle_status status = check_question(&call, bytes);
  if (status == HEDDLE_OK)
    status = workspace_size(&call, bytes);
  return status == HEDDLE_OK ? heddle_succeed(error) : status;
}

heddle_status heddle_argument_size(const heddle_entry *entry, uint32_t argument,
                                   const int64_t *sizes, size_t *bytes,
                                   heddle_error *error) {
  const heddle_call call = {NULL, entry, sizes, error, NULL, NULL};
  heddle_status status = check_question(&call, bytes);
  if (status == HEDDLE_OK && argument >= entry->argument_count)
    status = fail(&call, HEDDLE_INVALID_ARGUMENT,
                  "argument is %" PRIu32 ", expected less than %" PRIu32,
                  argument, entry->argument_count);
  if (status == HEDDLE_OK)
    status = argument_size(&call, &entry->arguments[argument], bytes);
  return status == HEDDLE_OK ? heddle_succeed(error) : status;
}

/* ---- Values ------------------------------------------------------------- */

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
  return fail(call, HEDDLE_OUT_OF_RANGE,
              "argument '%s'%s is %" PRId32 ", expected %" PRId64 " to %" PRId64
              "%s",
              argument->name, place, value, low, high, note);
}

static heddle_status check_values(const heddle_call *call,
                                  const heddle_argument *argument,
                                  const int32_t *values) {
  size_t bytes = 0;
  int64_t capacity = -1;
  int64_t columns =
      argument->rank == 2 ? resolve(call, argument->extent[1]) : 1;
  /* Is row i the sequence with lengths[i]? */
  const heddle_argument *lengths = call->lengths;
  bool has_length = lengths && lengths->rank == 1 && argument->rank >= 1 &&
                    argument->rank <= 2 &&
                    argument->extent[0] == lengths->extent[0];
  /* Then what follows it in the row is padding, and free. */
  bool padded = has_length && argument->rank == 2 &&
                argument->extent[1] == -1 - lengths->limit;
  for (uint32_t s = 0; s < call->entry->symbol_count; ++s)
    if (strcmp(call->entry->symbols[s].name, "capacity") == 0)
      capacity = call->sizes[s];
  if (argument->rule == HEDDLE_RULE_START &&
      (capacity < 0 || (lengths && !has_length)))
    return fail(call, HEDDLE_INTERNAL_ERROR,
                "argument '%s' lacks a size 'capacity' or lengths of its shape",
                argument->name);
  heddle_status status = argument_size(call, argument, &bytes);
  if (status != HEDDLE_OK)
    return status;
  for (int64_t i = 0; i < (int64_t)(bytes / sizeof(*values)); ++i) {
    int64_t length = has_length ? call->length_values[i / columns] : 1;
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
static heddle_status check_rules(heddle_call *call, void *const *buffers) {
  for (int pass = 0; pass < 2; ++pass)
    for (uint32_t a = 0; a < call->entry->argument_count; ++a) {
      const heddle_argument *argument = &call->entry->arguments[a];
      bool is_length = argument->rule == HEDDLE_RULE_LENGTH;
      if (argument->kind != HEDDLE_ARGUMENT_INPUT ||
          argument->type != HEDDLE_TYPE_I32 ||
          argument->rule == HEDDLE_RULE_NONE || is_length != (pass == 0))
        continue;
      heddle_status status = check_values(call, argument, buffers[a]);
      if (status != HEDDLE_OK)
        return status;
      if (is_length && !call->lengths) {
        call->lengths = argument;
        call->length_values = buffers[a];
      }
    }
  return HEDDLE_OK;
}

/* ---- Calls -------------------------------------------------------------- */

static heddle_status check_memory(const heddle_call *call, void *const *buffers,
                                  const void *workspace, size_t size) {
  size_t needed = 0;
  if (!buffers && call->entry->argument_count > 0)
    return fail(call, HEDDLE_INVALID_ARGUMENT, "buffers is null");
  for (uint32_t a = 0; a < call->entry->argument_count; ++a)
    if (!buffers[a])
      return fail(call, HEDDLE_INVALID_ARGUMENT, "argument '%s' is null",
                  call->entry->arguments[a].name);
  heddle_status status = workspace_size(call, &needed);
  if (status != HEDDLE_OK)
    return status;
  for (uint32_t a = 0; a < call->entry->argument_count; ++a)
    if (call->entry->arguments[a].kind == HEDDLE_ARGUMENT_CACHE &&
        (uintptr_t)buffers[a] % HEDDLE_ALIGNMENT != 0)
      return fail(call, HEDDLE_INVALID_ARGUMENT,
                  "argument '%s' is at %p, expected a multiple of %d",
                  call->entry->arguments[a].name, buffers[a], HEDDLE_ALIGNMENT);
  if ((uintptr_t)workspace % HEDDLE_ALIGNMENT != 0 || (needed && !workspace))
    return fail(call, HEDDLE_INVALID_ARGUMENT,
                "workspace is at %p, expected %zu bytes at a multiple of %d",
                workspace, needed, HEDDLE_ALIGNMENT);
  if (size < needed)
    return fail(call, HEDDLE_WORKSPACE_TOO_SMALL,
                "workspace has %zu bytes, expected %zu", size, needed);
  return HEDDLE_OK;
}

static heddle_status check_call(heddle_call *call,
                                const heddle_weights *weights,
                                void *const *buffers, const void *workspace,
                                size_t workspace_size) {
  const heddle_model *model = call->model;
  if (!call->entry ||
      heddle_find_entry(model, call->entry->name) != call->entry)
    return heddle_fail(call->error, HEDDLE_INVALID_ARGUMENT,
                       "entry is not an entry point of model '%s'",
                       model->name);
  if (!weights)
    return fail(call, HEDDLE_INVALID_ARGUMENT, "weights is null");
  /* By what they say, not where they are: a program that is linked with a
   * shared library may hold its own copy of the library's constant. */
  if (weights->model != model &&
      weights->model->fingerprint != model->fingerprint)
    return fail(call, HEDDLE_INVALID_ARGUMENT,
                "weights are bound to another model: '%s'",
                weights->model->name);
  heddle_status status = check_sizes(call);
  if (status == HEDDLE_OK)
    status = check_memory(call, buffers, workspace, workspace_size);
  return status == HEDDLE_OK ? check_rules(call, buffers) : status;
}

heddle_status heddle_invoke(const heddle_model *model,
                            const heddle_entry *entry,
                            const heddle_context *context,
                            const heddle_weights *weights, void *const *buffers,
                            const int64_t *sizes, void *workspace,
                            size_t workspace_size) {
  static const heddle_context no_context = {0};
  heddle_error *error = context ? context->error : NULL;
  heddle_call call = {model, entry, sizes, error, NULL, NULL};
  heddle_status status = heddle_check_model(model, error);
  if (status == HEDDLE_OK)
    status = check_call(&call, weights, buffers, workspace, workspace_size);
  if (status != HEDDLE_OK)
    return status;
  const heddle_frame frame = {context ? context : &no_context, weights->data,
                              buffers, sizes, (uint8_t *)workspace};
  int result = entry->run(&frame);
  if (result != 0)
    return fail(&call, HEDDLE_INTERNAL_ERROR,
                "the compiled code returned %d, expected 0", result);
  return heddle_succeed(error);
}

const heddle_entry *heddle_find_entry(const heddle_model *model,
                                      const char *name) {
  if (heddle_check_model(model, NULL) != HEDDLE_OK || !name)
    return NULL;
  for (uint32_t e = 0; e < model->entry_count; ++e)
    if (strcmp(model->entries[e]->name, name) == 0)
      return model->entries[e];
  return NULL;
}

const char *heddle_status_name(heddle_status status) {
  static const char *const names[] = {
      "HEDDLE_OK",
      "HEDDLE_INVALID_ARGUMENT",
      "HEDDLE_OUT_OF_RANGE",
      "HEDDLE_WORKSPACE_TOO_SMALL",
      "HEDDLE_IO_ERROR",
      "HEDDLE_BAD_WEIGHTS",
      "HEDDLE_UNSUPPORTED_CPU",
      "HEDDLE_OUT_OF_MEMORY",
      "HEDDLE_ABI_MISMATCH",
      "HEDDLE_INTERNAL_ERROR",
  };
  unsigned index = (unsigned)status;
  return index < sizeof(names) / sizeof(names[0]) ? names[index]
                                                  : "an unknown status";
}
