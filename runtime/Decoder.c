/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Models that continue sequences: which argument and which size is which. */
#include "Call.h"

enum role { IDS, STARTS, LENGTHS, CACHE, LOGITS, ROLES };

static const char *const role_names[ROLES] = {
    "token ids", "positions in the cache", "lengths", "a cache", "logits"};

/* What `argument` is, as the model declares it; ROLES if none of them. */
static enum role role_of(const heddle_argument *argument) {
  if (argument->kind == HEDDLE_ARGUMENT_CACHE)
    return CACHE;
  switch (argument->role) {
  case HEDDLE_ROLE_IDS:
    return IDS;
  case HEDDLE_ROLE_STARTS:
    return STARTS;
  case HEDDLE_ROLE_LENGTHS:
    return LENGTHS;
  case HEDDLE_ROLE_LOGITS:
    return LOGITS;
  default:
    return ROLES;
  }
}

/* The number of the symbol that is the size `extent`; that of all symbols where
 * it is an expression. */
static uint32_t find_symbol(const heddle_entry *entry, const char *extent) {
  uint32_t s = 0;
  while (s < entry->symbol_count && strcmp(entry->symbols[s].name, extent) != 0)
    ++s;
  return s;
}

/* The size `extent` where it is a number of at least 1, else 0. */
static int64_t number_of(const char *extent) {
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
    return true;
  case LOGITS:
    return argument->type == HEDDLE_TYPE_F32;
  default:
    return heddle_is_index(argument);
  }
}

/* Has `argument` the shape of its role, in sizes that are those of the ids? */
static bool fits(const heddle_entry *entry, const heddle_argument *argument,
                 enum role role, const heddle_argument *ids, bool one_id) {
  uint32_t rank = role == IDS || role == LOGITS ? 2 : role == CACHE ? 3 : 1;
  const char *batch = ids->rank ? ids->extent[0] : "";
  if (argument->rank != rank || !has_type(argument, role) ||
      find_symbol(entry, batch) == entry->symbol_count ||
      strcmp(argument->extent[0], batch) != 0)
    return false;
  if (rank == 1)
    return true;
  const char *second = argument->extent[1];
  if (role == LOGITS)
    return number_of(second) > 0;
  if (role == IDS && one_id)
    return number_of(second) == 1;
  return find_symbol(entry, second) < entry->symbol_count &&
         strcmp(second, batch) != 0 &&
         (role == IDS || ids->rank < 2 || strcmp(second, ids->extent[1]) != 0);
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
    /* Where one is missing, one without a role is likely meant to be it. */
    if (!found[r] && (!other || role_of(other) != ROLES))
      return heddle_call_fail(call, HEDDLE_INVALID_ARGUMENT,
                              "expected %s as %s, found no such argument",
                              role_names[r], shape);
    if (!found[r] || !fits(entry, found[r], role, found[IDS], one_id))
      return fail_argument(call, found[r] ? found[r] : other, role_names[r],
                           shape);
  }
  return other ? fail_argument(call, other, "no more arguments", NULL)
               : HEDDLE_OK;
}

static heddle_status find_step(const heddle_model *model, const char *name,
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
  uint32_t symbols = one_id ? 2 : 3; /* that the shapes above use */
  if (entry->symbol_count != symbols)
    return heddle_call_fail(&call, HEDDLE_INVALID_ARGUMENT,
                            "has %" PRIu32 " sizes, expected %" PRIu32,
                            entry->symbol_count, symbols);
  *step = (heddle_step){
      .entry = entry,
      .ids = (uint32_t)(found[IDS] - entry->arguments),
      .starts = (uint32_t)(found[STARTS] - entry->arguments),
      .lengths = (uint32_t)(found[LENGTHS] - entry->arguments),
      .cache = (uint32_t)(found[CACHE] - entry->arguments),
      .logits = (uint32_t)(found[LOGITS] - entry->arguments),
      .batch = find_symbol(entry, found[IDS]->extent[0]),
      .length = one_id ? symbols : find_symbol(entry, found[IDS]->extent[1]),
      .capacity = find_symbol(entry, found[CACHE]->extent[1]),
      .vocabulary = number_of(found[LOGITS]->extent[1])};
  return HEDDLE_OK;
}

heddle_status heddle_find_decoder(const heddle_model *model,
                                  heddle_decoder *decoder,
                                  heddle_error *error) {
  heddle_decoder found;
  heddle_status status = heddle_check_model(model, error);
  if (status == HEDDLE_OK && !decoder)
    status = heddle_fail(error, HEDDLE_INVALID_ARGUMENT, "decoder is null");
  if (status == HEDDLE_OK)
    status = find_step(model, "prefill", &found.prefill, error);
  if (status == HEDDLE_OK)
    status = find_step(model, "decode", &found.decode, error);
  if (status != HEDDLE_OK)
    return status;
  /* What one call leaves the other goes on with. */
  const heddle_call call = {model, found.decode.entry, NULL, error, 0};
  const heddle_argument *theirs =
      &found.prefill.entry->arguments[found.prefill.cache];
  const heddle_argument *cache =
      &found.decode.entry->arguments[found.decode.cache];
  if (strcmp(cache->extent[2], theirs->extent[2]) != 0)
    return heddle_call_fail(&call, HEDDLE_INVALID_ARGUMENT,
                            "argument '%s' has %s bytes a position, expected "
                            "%s as in prefill",
                            cache->name, cache->extent[2], theirs->extent[2]);
  if (cache->layout != theirs->layout)
    return heddle_call_fail(&call, HEDDLE_INVALID_ARGUMENT,
                            "argument '%s' has another layout than in prefill, "
                            "expected the same heads of the same types",
                            cache->name);
  if (found.decode.vocabulary != found.prefill.vocabulary)
    return heddle_call_fail(
        &call, HEDDLE_INVALID_ARGUMENT,
        "argument '%s' has %" PRId64 " columns, expected %" PRId64
        " as in prefill",
        found.decode.entry->arguments[found.decode.logits].name,
        found.decode.vocabulary, found.prefill.vocabulary);
  *decoder = found;
  return heddle_succeed(error);
}

void heddle_step_sizes(const heddle_step *step, int64_t batch, int64_t length,
                       int64_t capacity, int64_t sizes[HEDDLE_STEP_SIZES]) {
  if (!step || !sizes)
    return;
  sizes[step->batch] = batch;
  sizes[step->length] = length;
  sizes[step->capacity] = capacity;
}
