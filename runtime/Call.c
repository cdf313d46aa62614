/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Entry points: the checked call. */
#include "Call.h"
#include "device/DeviceCall.h"
#include "device/StagedArguments.h"

heddle_status heddle_call_fail(const heddle_call *call, heddle_status status,
                               const char *format, ...) {
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

/* What the address of an argument is a multiple of. The host's inputs and
 * outputs are read and written element by element, or copied. */
static size_t alignment_of(const heddle_call *call, uint32_t a) {
  const heddle_argument *argument = &call->entry->arguments[a];
  if (argument->kind == HEDDLE_ARGUMENT_CACHE)
    return HEDDLE_ALIGNMENT;
  return heddle_is_here(call, a)
             ? 1
             : heddle_type_size((heddle_type)argument->type);
}

/* Has argument `a` the memory that the call needs, as far as `bytes`, of all
 * arguments or null, tells? Without elements it needs none. */
static heddle_status check_bytes(const heddle_call *call, uint32_t a,
                                 const void *buffer, const size_t *bytes) {
  heddle_measurement measured;
  heddle_status status = heddle_measure_argument(call, a, &measured);
  if (status == HEDDLE_OK && !buffer && measured.bytes > 0)
    return heddle_call_fail(call, HEDDLE_INVALID_ARGUMENT,
                            "argument '%s' is null",
                            call->entry->arguments[a].name);
  if (status != HEDDLE_OK || !bytes || bytes[a] >= (size_t)measured.bytes)
    return status;
  return heddle_call_fail(
      call, HEDDLE_INVALID_ARGUMENT,
      "argument '%s' has %zu bytes, expected %" PRId64 " for these sizes",
      call->entry->arguments[a].name, bytes[a], measured.bytes);
}

static heddle_status check_memory(const heddle_call *call, void *const *buffers,
                                  const size_t *bytes, const void *workspace,
                                  size_t size) {
  size_t needed = 0;
  if (!buffers && call->entry->argument_count > 0)
    return heddle_call_fail(call, HEDDLE_INVALID_ARGUMENT, "buffers is null");
  heddle_status status = HEDDLE_OK;
  for (uint32_t a = 0; a < call->entry->argument_count && !status; ++a)
    status = check_bytes(call, a, buffers[a], bytes);
  if (status == HEDDLE_OK)
    status = heddle_measure_workspace(call, &needed);
  if (status != HEDDLE_OK)
    return status;
  for (uint32_t a = 0; a < call->entry->argument_count; ++a)
    if ((uintptr_t)buffers[a] % alignment_of(call, a) != 0)
      return heddle_call_fail(
          call, HEDDLE_INVALID_ARGUMENT,
          "argument '%s' is at %p, expected a multiple of %zu",
          call->entry->arguments[a].name, buffers[a], alignment_of(call, a));
  if ((uintptr_t)workspace % HEDDLE_ALIGNMENT != 0 || (needed && !workspace))
    return heddle_call_fail(
        call, HEDDLE_INVALID_ARGUMENT,
        "workspace is at %p, expected %zu bytes at a multiple of %d", workspace,
        needed, HEDDLE_ALIGNMENT);
  if (size < needed)
    return heddle_call_fail(call, HEDDLE_WORKSPACE_TOO_SMALL,
                            "workspace has %zu bytes, expected %zu", size,
                            needed);
  return HEDDLE_OK;
}

static heddle_status check_call(const heddle_call *call,
                                const heddle_context *context,
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
    return heddle_call_fail(call, HEDDLE_INVALID_ARGUMENT, "weights is null");
  /* By what they say, not where they are: a program that is linked with a
   * shared library may hold its own copy of the library's constant. */
  if (weights->model != model &&
      weights->model->fingerprint != model->fingerprint)
    return heddle_call_fail(call, HEDDLE_INVALID_ARGUMENT,
                            "weights are bound to another model: '%s'",
                            weights->model->name);
  heddle_status status = heddle_check_device(call, context, weights);
  if (status == HEDDLE_OK)
    status = heddle_check_sizes(call);
  if (status == HEDDLE_OK)
    status =
        check_memory(call, buffers, context ? context->argument_bytes : NULL,
                     workspace, workspace_size);
  return status == HEDDLE_OK ? heddle_check_values(call, buffers) : status;
}

const heddle_model *heddle_model_for(const heddle_model *model,
                                     heddle_device_kind kind) {
  if (heddle_check_model(model, NULL) != HEDDLE_OK)
    return NULL;
  /* By their kinds, as a program may have a copy of the first one. */
  const uint32_t first = model->device_kind;
  do {
    if (model->device_kind == (uint32_t)kind)
      return model;
    model = model->next_target;
  } while (model && model->device_kind != first);
  return NULL;
}

/* The target that `weights` are for, if the object has it. */
static void choose_target(const heddle_weights *weights,
                          const heddle_model **model,
                          const heddle_entry **entry) {
  const heddle_model *other = NULL;
  if (weights && *entry && heddle_find_entry(*model, (*entry)->name) == *entry)
    other = heddle_model_for(*model,
                             (heddle_device_kind)weights->model->device_kind);
  if (!other)
    return;
  *entry = heddle_find_entry(other, (*entry)->name);
  *model = other;
}

heddle_status heddle_invoke(const heddle_model *model,
                            const heddle_entry *entry,
                            const heddle_context *context,
                            const heddle_weights *weights, void *const *buffers,
                            const int64_t *sizes, void *workspace,
                            size_t workspace_size) {
  static const heddle_context no_context = {0};
  heddle_error *error = context ? context->error : NULL;
  heddle_status status = heddle_check_model(model, error);
  if (status != HEDDLE_OK)
    return status;
  choose_target(weights, &model, &entry);
  const heddle_call call = {model, entry, sizes, error,
                            context ? context->device_arguments : 0};
  status =
      check_call(&call, context, weights, buffers, workspace, workspace_size);
  if (status != HEDDLE_OK)
    return status;
  const heddle_frame frame = {context ? context : &no_context,
                              weights->data,
                              buffers,
                              sizes,
                              (uint8_t *)workspace,
                              NULL,
                              NULL,
                              NULL};
  int result = HEDDLE_OK;
  if (model->device_kind == HEDDLE_DEVICE_NONE)
    result = entry->run(&frame);
  else
    status = heddle_run_on_device(&call, weights, frame, &result);
  if (status != HEDDLE_OK)
    return status;
  if (result == HEDDLE_BROKEN_PROMISE)
    return heddle_call_fail(&call, HEDDLE_INTERNAL_ERROR,
                            "what a schedule from a file promises does not "
                            "hold for these sizes; results are incomplete");
  if (result != 0)
    return heddle_call_fail(&call, HEDDLE_INTERNAL_ERROR,
                            "the compiled code returned %d, expected 0",
                            result);
  return heddle_succeed(error);
}

uint32_t heddle_find_symbol(const heddle_entry *entry, const char *name) {
  const uint32_t count = entry ? entry->symbol_count : 0;
  for (uint32_t s = 0; s < count; ++s)
    if (name && strcmp(entry->symbols[s].name, name) == 0)
      return s;
  return count;
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
      "HEDDLE_NO_DEVICE",
      "HEDDLE_DEVICE_ERROR",
  };
  unsigned index = (unsigned)status;
  return index < sizeof(names) / sizeof(names[0]) ? names[index]
                                                  : "an unknown status";
}
