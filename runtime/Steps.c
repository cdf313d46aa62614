/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Calls that continue sequences or read their sources: which argument and which
 * size is which.
 */
#include "Steps.h"

enum role { IDS, STARTS, LENGTHS, CACHE, LOGITS, CROSS, CROSS_LENGTHS, ROLES };

static const char *const role_names[ROLES] = {"token ids",
                                              "positions in the cache",
                                              "lengths",
                                              "a cache",
                                              "logits",
                                              "a cross cache",
                                              "lengths in the cross cache"};

/* What `argument` is, as the model declares it; ROLES if none of them. */
static enum role role_of(const heddle_argument *argument) {
  switch (argument->role) {
  case HEDDLE_ROLE_IDS:
    return IDS;
  case HEDDLE_ROLE_STARTS:
    return STARTS;
  case HEDDLE_ROLE_LENGTHS:
    return LENGTHS;
  case HEDDLE_ROLE_LOGITS:
    return LOGITS;
  case HEDDLE_ROLE_CROSS:
    return CROSS;
  case HEDDLE_ROLE_CROSS_LENGTHS:
    return CROSS_LENGTHS;
  default:
    return argument->kind == HEDDLE_ARGUMENT_CACHE ? CACHE : ROLES;
  }
}

int64_t heddle_extent_number(const char *extent) {
  char *end = NULL;
  long long number = strtoll(extent, &end, 10);
  return *end || number < 0 ? 0 : (int64_t)number;
}

/* The shape that each role has to have. A decode step takes one id. */
static const char *expected_shape(enum role role, bool one_id) {
  switch (role) {
  case IDS:
    return one_id ? "i32 or i64 [batch, 1]" : "i32 or i64 [batch, length]";
  case CACHE:
    return "[batch, capacity, bytes]";
  case CROSS:
    return "[batch, source, bytes]";
  case LOGITS:
    return "f32 [batch, vocabulary]";
  default:
    return "i32 or i64 [batch]";
  }
}

/* "i32 [batch, length]", with the entry point's own names. */
static void describe(const heddle_argument *argument, char *text, size_t size) {
  const char *type = argument->kind == HEDDLE_ARGUMENT_CACHE
                         ? "a cache"
                         : heddle_type_name((heddle_type)argument->type);
  size_t used = (size_t)snprintf(text, size, "%s [", type);
  for (uint32_t axis = 0; axis < argument->rank && used < size; ++axis)
    used += (size_t)snprintf(text + used, size - used, "%s%s", axis ? ", " : "",
                             argument->extent[axis]);
  if (used < size)
    snprintf(text + used, size - used, "]");
}

static heddle_status fail_argument(const heddle_call *call,
                                   const heddle_argument *argument,
                                   const char *expected, const char *shape) {
  char text[160];
  describe(argument, text, sizeof(text));
  return heddle_call_fail(
      call, HEDDLE_INVALID_ARGUMENT, "argument '%s' is %s, expected %s%s%s",
      argument->name, text, expected, shape ? " as " : "", shape ? shape : "");
}

static bool has_type(const heddle_argument *argument, enum role role) {
  switch (role) {
  case CACHE:
  case CROSS:
    return argument->kind == HEDDLE_ARGUMENT_CACHE;
  case LOGITS:
    return argument->type == HEDDLE_TYPE_F32;
  default:
    return heddle_is_index(argument);
  }
}

static uint32_t rank_of(enum role role) {
  switch (role) {
  case IDS:
  case LOGITS:
    return 2;
  case CACHE:
  case CROSS:
    return 3;
  default:
    return 1;
  }
}

/* Is `extent` a size of its own, and none of these? */
static bool is_size(const heddle_entry *entry, const char *extent,
                    const char *batch, const char *other) {
  return heddle_find_symbol(entry, extent) < entry->symbol_count &&
         strcmp(extent, batch) != 0 && (!other || strcmp(extent, other) != 0);
}

/* Has `argument` the shape of its role, in sizes that are those of the ids? */
static bool fits(const heddle_entry *entry, const heddle_argument *argument,
                 enum role role, const heddle_argument *ids, bool one_id) {
  const char *batch = ids->rank ? ids->extent[0] : "";
  const char *length = ids->rank > 1 ? ids->extent[1] : NULL;
  if (argument->rank != rank_of(role) || !has_type(argument, role) ||
      heddle_find_symbol(entry, batch) == entry->symbol_count ||
      strcmp(argument->extent[0], batch) != 0)
    return false;
  if (argument->rank == 1)
    return true;
  const char *second = argument->extent[1];
  switch (role) {
  case LOGITS:
    return heddle_extent_number(second) > 0;
  case IDS:
    return one_id ? heddle_extent_number(second) == 1
                  : is_size(entry, second, batch, NULL);
  case CROSS:
    return heddle_extent_number(second) > 0 ||
           is_size(entry, second, batch, length);
  default:
    return is_size(entry, second, batch, length);
  }
}

static bool is_optional(enum role role) {
  return role == CROSS || role == CROSS_LENGTHS;
}

/* Fills in which argument has which role: each one, in its shape, and no other
 * arguments. */
static heddle_status find_roles(const heddle_call *call, bool one_id,
                                const heddle_argument *found[ROLES]) {
  const heddle_entry *entry = call->entry;
  const heddle_argument *other = NULL;
  for (uint32_t a = 0; a < entry->argument_count; ++a) {
    const heddle_argument *argument = &entry->arguments[a];
    enum role role = role_of(argument);
    if (role != ROLES && !found[role])
      found[role] = argument;
    else if (!other)
      other = argument;
  }
  for (int r = 0; r < ROLES; ++r) {
    enum role role = (enum role)r;
    const char *shape = expected_shape(role, one_id);
    if (!found[r] && is_optional(role) &&
        (role == CROSS_LENGTHS || !found[CROSS_LENGTHS]))
      continue;
    /* Where one is missing, one without a role is likely meant to be it. */
    if (!found[r] && (!other || role_of(other) != ROLES))
      return heddle_call_fail(call, HEDDLE_INVALID_ARGUMENT,
                              "expected %s as %s, found no such argument",
                              role_names[r], shape);
    /* Only its module says that something is logits. */
    if (!found[r] && role == LOGITS)
      shape = "f32 [batch, vocabulary] with heddle.role = #heddle.role<logits>";
    if (!found[r] || !fits(entry, found[r], role, found[IDS], one_id))
      return fail_argument(call, found[r] ? found[r] : other, role_names[r],
                           shape);
  }
  return other ? fail_argument(call, other, "no more arguments", NULL)
               : HEDDLE_OK;
}

static uint32_t number_of_argument(const heddle_entry *entry,
                                   const heddle_argument *argument) {
  return argument ? (uint32_t)(argument - entry->arguments)
                  : HEDDLE_NO_ARGUMENT;
}

/* Fails where the entry point has sizes besides those. */
static heddle_status check_symbols(const heddle_call *call,
                                   const uint32_t *symbols, int count) {
  uint32_t known = 0;
  for (int i = 0; i < count; ++i)
    known += symbols[i] < call->entry->symbol_count;
  return known == call->entry->symbol_count
             ? HEDDLE_OK
             : heddle_call_fail(call, HEDDLE_INVALID_ARGUMENT,
                                "has %" PRIu32 " sizes, expected %" PRIu32,
                                call->entry->symbol_count, known);
}

heddle_status heddle_find_step(const heddle_model *model, const char *name,
                               heddle_step *step, heddle_error *error) {
  const heddle_call call = {model, heddle_find_entry(model, name), NULL, error,
                            0};
  const heddle_entry *entry = call.entry;
  const heddle_argument *found[ROLES] = {NULL};
  bool one_id = strcmp(name, "decode") == 0;
  if (!entry)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                       "model '%s' does not continue sequences: it has no "
                       "entry point '%s'",
                       model->name, name);
  heddle_status status = find_roles(&call, one_id, found);
  if (status != HEDDLE_OK)
    return status;
  *step = (heddle_step){
      .entry = entry,
      .ids = number_of_argument(entry, found[IDS]),
      .starts = number_of_argument(entry, found[STARTS]),
      .lengths = number_of_argument(entry, found[LENGTHS]),
      .cache = number_of_argument(entry, found[CACHE]),
      .logits = number_of_argument(entry, found[LOGITS]),
      .cross = number_of_argument(entry, found[CROSS]),
      .cross_lengths = number_of_argument(entry, found[CROSS_LENGTHS]),
      .batch = heddle_find_symbol(entry, found[IDS]->extent[0]),
      .length = heddle_find_symbol(entry, found[IDS]->extent[1]),
      .capacity = heddle_find_symbol(entry, found[CACHE]->extent[1]),
      .source = found[CROSS]
                    ? heddle_find_symbol(entry, found[CROSS]->extent[1])
                    : entry->symbol_count,
      .vocabulary = heddle_extent_number(found[LOGITS]->extent[1])};
  const uint32_t symbols[] = {step->batch, step->length, step->capacity,
                              step->source};
  return check_symbols(&call, symbols, 4);
}

/* Its input is the argument that is neither the lengths, nor the cross cache,
 * nor an output. */
heddle_status heddle_find_source_step(const heddle_model *model,
                                      heddle_source_step *encode,
                                      heddle_error *error) {
  const heddle_call call = {model, heddle_find_entry(model, "encode"), NULL,
                            error, 0};
  const heddle_entry *entry = call.entry;
  const heddle_argument *found[ROLES] = {NULL}, *input = NULL;
  if (!entry)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                       "model '%s' reads a cross cache, and has no entry point "
                       "'encode' that fills it",
                       model->name);
  for (uint32_t a = 0; a < entry->argument_count; ++a) {
    const heddle_argument *argument = &entry->arguments[a];
    enum role role = role_of(argument);
    if (argument->kind == HEDDLE_ARGUMENT_OUTPUT)
      continue;
    if ((role == LENGTHS || role == CROSS) && !found[role])
      found[role] = argument;
    else if (!input)
      input = argument;
    else
      return fail_argument(&call, argument, "no more arguments", NULL);
  }
  const bool is_text = input && role_of(input) == IDS;
  if (!found[CROSS] || !input || (is_text && !found[LENGTHS]))
    return heddle_call_fail(&call, HEDDLE_INVALID_ARGUMENT,
                            "expected %s, found no such argument",
                            !found[CROSS] ? role_names[CROSS]
                            : !input      ? "ids or a tensor"
                                          : role_names[LENGTHS]);
  if (!is_text && found[LENGTHS])
    return fail_argument(&call, found[LENGTHS], "no lengths without ids", NULL);
  found[IDS] = input;
  if (is_text && !fits(entry, input, IDS, input, /*one_id=*/false))
    return fail_argument(&call, input, role_names[IDS],
                         expected_shape(IDS, false));
  const enum role others[] = {CROSS, LENGTHS};
  for (int i = 0; i < 2; ++i)
    if (found[others[i]] &&
        !fits(entry, found[others[i]], others[i], input, false))
      return fail_argument(&call, found[others[i]], role_names[others[i]],
                           expected_shape(others[i], false));
  if (entry->argument_count > HEDDLE_SOURCE_ARGUMENTS)
    return heddle_call_fail(&call, HEDDLE_INVALID_ARGUMENT,
                            "has %" PRIu32 " arguments, expected at most %d",
                            entry->argument_count, HEDDLE_SOURCE_ARGUMENTS);
  *encode = (heddle_source_step){
      .entry = entry,
      .input = number_of_argument(entry, input),
      .lengths = number_of_argument(entry, found[LENGTHS]),
      .cross = number_of_argument(entry, found[CROSS]),
      .batch = heddle_find_symbol(entry, input->extent[0]),
      .length = is_text ? heddle_find_symbol(entry, input->extent[1])
                        : entry->symbol_count,
      .source = heddle_find_symbol(entry, found[CROSS]->extent[1])};
  const uint32_t symbols[] = {encode->batch, encode->length, encode->source};
  return check_symbols(&call, symbols, 3);
}
