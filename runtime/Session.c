/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Sequences that a model continues, with all memory that its calls need.
 */
#include "Session.h"

/* Bytes that a session allocates, but for its cache and workspace. */
typedef struct memory_sizes {
  size_t logits, history, parameters, candidates, ids, numbers, sources;
} memory_sizes;

/* A piece of the memory of a session. */
typedef struct session_memory {
  void **memory;
  size_t size;
  bool is_models;     /* where the model runs */
  bool is_of_sources; /* and of no other models */
} session_memory;

/* All of them, to allocate and to release them in one loop. */
enum { MEMORY_COUNT = 15 };
static session_memory memory_of(heddle_session *s, const memory_sizes *size,
                                int index) {
  const session_memory all[MEMORY_COUNT] = {
      {&s->cache, s->cache_size, true, false},
      {&s->workspace, s->workspace_size, true, false},
      /* What has no size yet heddle_session_encode makes as large as needed. */
      {&s->cross, 0, true, true},
      {&s->results, 0, true, true},
      {&s->device_logits, s->device ? size->logits : 0, true, false},
      {(void **)&s->logits, size->logits, false, false},
      {(void **)&s->history, size->history, false, false},
      {&s->parameters, size->parameters, false, false},
      {(void **)&s->scratch, size->candidates, false, false},
      {&s->ids, size->ids, false, false},
      {&s->starts, size->numbers, false, false},
      {&s->lengths, size->numbers, false, false},
      {&s->input, 0, false, true},
      {(void **)&s->source_lengths, size->sources, false, true},
      {(void **)&s->same_source, size->sources, false, true}};
  return all[index];
}

void *heddle_session_step_logits(const heddle_session *s) {
  return s->device ? s->device_logits : s->logits;
}

uint64_t heddle_session_on_device(const heddle_session *s, uint32_t argument) {
  return s->device ? UINT64_C(1) << argument : 0;
}

static void sizes_of(const heddle_session *s, const heddle_step *step,
                     int64_t length, int64_t sizes[HEDDLE_STEP_SIZES]) {
  heddle_step_sizes(step, s->batch, length, s->capacity,
                    s->source ? s->source : 1, sizes);
}

heddle_status heddle_session_measure(heddle_session *s, const heddle_step *step,
                                     int64_t length, heddle_error *error) {
  int64_t sizes[HEDDLE_STEP_SIZES];
  size_t workspace = 0, cache = 0;
  sizes_of(s, step, length, sizes);
  heddle_status status = heddle_device_workspace_size(
      step->entry, sizes, heddle_session_on_device(s, step->logits), &workspace,
      error);
  if (status == HEDDLE_OK)
    status =
        heddle_argument_size(step->entry, step->cache, sizes, &cache, error);
  if (workspace > s->workspace_size)
    s->workspace_size = workspace;
  if (cache > s->cache_size)
    s->cache_size = cache;
  return status;
}

/* What a call needs nothing of is still given a pointer. */
heddle_status heddle_session_allocate(const heddle_session *s, size_t size,
                                      bool is_models, void **memory,
                                      heddle_error *error) {
  size = size ? size : 1;
  if (is_models && s->device)
    return heddle_device_allocate(s->device, size, memory, error);
  *memory = heddle_allocate_for(&s->allocator, size, "a session", error);
  return *memory ? HEDDLE_OK : HEDDLE_OUT_OF_MEMORY;
}

void heddle_session_release(const heddle_session *s, bool is_models,
                            void *memory) {
  if (is_models && s->device)
    heddle_device_release(s->device, memory);
  else if (memory)
    heddle_release(&s->allocator, memory);
}

/* *bytes = a * b * c, if that is a size. */
static bool multiply(int64_t a, int64_t b, size_t c, size_t *bytes) {
  return !__builtin_mul_overflow(a, b, bytes) &&
         !__builtin_mul_overflow(*bytes, c, bytes);
}

static heddle_status allocate(heddle_session *s, heddle_error *error) {
  const int64_t vocabulary = s->decoder.prefill.vocabulary;
  memory_sizes size = {0};
  if (!multiply(s->batch, vocabulary, sizeof(float), &size.logits) ||
      !multiply(s->batch, s->length, sizeof(int64_t), &size.ids) ||
      !multiply(s->batch, s->capacity, sizeof(int32_t), &size.history) ||
      !multiply(s->batch, HEDDLE_SAMPLER_PARAMETERS, sizeof(float),
                &size.parameters) ||
      !multiply(s->batch, 1, sizeof(int64_t), &size.numbers) ||
      !multiply(s->batch, 1, sizeof(int32_t), &size.sources) ||
      !multiply(vocabulary, 1, sizeof(heddle_candidate), &size.candidates))
    return heddle_fail(error, HEDDLE_OUT_OF_MEMORY,
                       "%" PRId64 " sequences of %" PRId64
                       " ids: the size in bytes is out of range",
                       s->batch, s->capacity);
  for (int i = 0; i < MEMORY_COUNT; ++i) {
    session_memory m = memory_of(s, &size, i);
    if (m.is_of_sources && !s->decoder.encode.entry)
      continue;
    heddle_status status =
        heddle_session_allocate(s, m.size, m.is_models, m.memory, error);
    if (status != HEDDLE_OK)
      return status;
  }
  return HEDDLE_OK;
}

static heddle_status prepare(heddle_session *s, heddle_error *error) {
  const heddle_step *prefill = &s->decoder.prefill;
  heddle_status status = heddle_find_decoder(s->model, &s->decoder, error);
  if (status != HEDDLE_OK)
    return status;
  const heddle_symbol *positions = &prefill->entry->symbols[prefill->capacity];
  if (s->length < 1 || s->capacity < s->length)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                       "length is %" PRId64 ", expected 1 to the capacity, "
                       "%" PRId64,
                       s->length, s->capacity);
  if (s->capacity > positions->maximum)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                       "capacity is %" PRId64 ", and model '%s' has %" PRId64
                       " positions",
                       s->capacity, s->model->name, positions->maximum);
  const heddle_call call = {s->model, prefill->entry, NULL, error, 0};
  status = heddle_check_device(&call, &s->context, s->weights);
  if (status == HEDDLE_OK)
    status = heddle_session_measure(s, prefill, s->length, error);
  if (status == HEDDLE_OK)
    status = heddle_session_measure(s, &s->decoder.decode, 1, error);
  s->samplers = heddle_find_samplers(s);
  if (status == HEDDLE_OK)
    status = heddle_measure_samplers(s, &s->workspace_size, error);
  return status == HEDDLE_OK ? allocate(s, error) : status;
}

heddle_status
heddle_session_create(const heddle_model *model, const heddle_weights *weights,
                      const heddle_context *context, int64_t batch,
                      int64_t length, int64_t capacity,
                      const heddle_allocator *allocator,
                      heddle_session **session, heddle_error *error) {
  if (!session)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT, "session is null");
  *session = NULL;
  heddle_status status = heddle_check_allocator(allocator, error);
  if (status == HEDDLE_OK)
    status = heddle_check_model(model, error);
  if (status == HEDDLE_OK && !weights)
    status = heddle_fail(error, HEDDLE_INVALID_ARGUMENT, "weights is null");
  /* Entry points may take no sequences. */
  if (status == HEDDLE_OK && batch < 1)
    status = heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                         "batch is %" PRId64 ", expected at least 1", batch);
  if (status != HEDDLE_OK)
    return status;
  heddle_session *s = (heddle_session *)heddle_allocate_for(
      allocator, sizeof(*s), "a session", error);
  if (!s)
    return HEDDLE_OUT_OF_MEMORY;
  s->model =
      heddle_model_for(model, (heddle_device_kind)weights->model->device_kind);
  if (!s->model)
    s->model = model; /* whose calls say what is wrong */
  s->weights = weights;
  s->device = weights->device;
  if (context)
    s->context = *context;
  if (allocator)
    s->allocator = *allocator;
  s->batch = batch;
  s->length = length;
  s->capacity = capacity;
  status = prepare(s, error);
  if (status != HEDDLE_OK) {
    heddle_session_destroy(s);
    return status;
  }
  *session = s;
  return heddle_succeed(error);
}

void heddle_session_destroy(heddle_session *session) {
  if (!session)
    return;
  heddle_allocator allocator = session->allocator;
  if (session->device) /* which may still use the memory */
    heddle_stream_wait(session->context.stream, NULL);
  const memory_sizes none = {0};
  for (int i = 0; i < MEMORY_COUNT; ++i) {
    session_memory m = memory_of(session, &none, i);
    heddle_session_release(session, m.is_models, *m.memory);
  }
  heddle_release(&allocator, session);
}

void heddle_session_restart(heddle_session *session) {
  if (!session)
    return;
  session->filled = 0;
  session->has_logits = false;
}

void heddle_store_index(const heddle_entry *entry, uint32_t argument,
                        void *elements, int64_t index, int64_t value) {
  if (entry->arguments[argument].type == HEDDLE_TYPE_I64)
    ((int64_t *)elements)[index] = value;
  else
    ((int32_t *)elements)[index] = (int32_t)value;
}

/* The lengths of sources, as the step takes them, in memory of encode's. */
static void *cross_lengths_of(heddle_session *s, const heddle_step *step) {
  for (int64_t b = 0; b < s->batch; ++b)
    heddle_store_index(step->entry, step->cross_lengths, s->input, b,
                       s->source_lengths[b]);
  return s->input;
}

/* One call: of each sequence the `count` ids that begin at `first` of `length`.
 */
static heddle_status call(heddle_session *s, const int32_t *ids, int64_t length,
                          int64_t first, int64_t count, heddle_error *error) {
  const heddle_step *step =
      count == 1 ? &s->decoder.decode : &s->decoder.prefill;
  const heddle_entry *entry = step->entry;
  for (int64_t b = 0; b < s->batch; ++b) {
    for (int64_t i = 0; i < count; ++i)
      heddle_store_index(entry, step->ids, s->ids, b * count + i,
                         ids[b * length + first + i]);
    heddle_store_index(entry, step->starts, s->starts, b, s->filled);
    heddle_store_index(entry, step->lengths, s->lengths, b, count);
  }
  void *buffers[HEDDLE_STEP_ARGUMENTS];
  int64_t sizes[HEDDLE_STEP_SIZES];
  sizes_of(s, step, count, sizes);
  buffers[step->ids] = s->ids;
  buffers[step->starts] = s->starts;
  buffers[step->lengths] = s->lengths;
  buffers[step->cache] = s->cache;
  buffers[step->logits] = heddle_session_step_logits(s);
  if (step->cross != HEDDLE_NO_ARGUMENT)
    buffers[step->cross] = s->cross;
  if (step->cross_lengths != HEDDLE_NO_ARGUMENT)
    buffers[step->cross_lengths] = cross_lengths_of(s, step);
  heddle_context context = s->context;
  context.device_arguments = heddle_session_on_device(s, step->logits);
  context.argument_bytes = NULL; /* the memory is the session's own */
  context.error = error;
  heddle_status status =
      heddle_invoke(s->model, step->entry, &context, s->weights, buffers, sizes,
                    s->workspace, s->workspace_size);
  if (status == HEDDLE_OK)
    s->filled += count;
  return status;
}

heddle_status heddle_session_append(heddle_session *session, const int32_t *ids,
                                    int64_t length, heddle_error *error) {
  if (!session || !ids)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT, "%s is null",
                       session ? "ids" : "session");
  if (length < 1)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                       "length is %" PRId64 ", expected 1 or more", length);
  if (session->decoder.encode.entry && session->source == 0)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                       "the sequences have no sources, expected "
                       "heddle_session_encode before");
  int64_t room = session->capacity - session->filled;
  if (length > room)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                       "length is %" PRId64 ", and %" PRId64 " of %" PRId64
                       " positions are free",
                       length, room, session->capacity);
  const int64_t before = session->filled;
  session->has_logits = session->are_logits_here = false;
  for (int64_t first = 0; first < length;) {
    int64_t count = length - first;
    if (count > session->length)
      count = session->length;
    heddle_status status = call(session, ids, length, first, count, error);
    if (status != HEDDLE_OK) {
      session->filled = before; /* what was appended is appended anew */
      return status;
    }
    first += count;
  }
  for (int64_t b = 0; b < session->batch; ++b)
    memcpy(session->history + b * session->capacity + before, ids + b * length,
           (size_t)length * sizeof(*ids));
  session->has_logits = true;
  return heddle_succeed(error);
}

heddle_status heddle_session_reorder_cache(heddle_session *s,
                                           const heddle_step *step,
                                           uint32_t argument, void *cache,
                                           const int32_t *parents,
                                           heddle_error *error) {
  int64_t sizes[HEDDLE_STEP_SIZES];
  sizes_of(s, step, 1, sizes);
  return s->device ? heddle_stream_reorder_cache(
                         s->context.stream, step->entry, argument, sizes, cache,
                         parents, s->workspace, s->workspace_size, error)
                   : heddle_reorder_cache(step->entry, argument, sizes, cache,
                                          parents, error);
}

heddle_status heddle_session_reorder(heddle_session *session,
                                     const int32_t *parents,
                                     heddle_error *error) {
  if (!session || !parents)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT, "%s is null",
                       session ? "parents" : "session");
  const heddle_step *step = &session->decoder.decode;
  heddle_status status = heddle_session_reorder_cache(
      session, step, step->cache, session->cache, parents, error);
  if (status == HEDDLE_OK)
    status = heddle_session_reorder_sources(session, parents, error);
  return status == HEDDLE_OK
             ? heddle_reorder_rows(session->history, session->batch,
                                   (size_t)session->capacity * sizeof(int32_t),
                                   parents, error)
             : status;
}

heddle_status heddle_check_appended(const heddle_session *session,
                                    heddle_error *error) {
  if (session->has_logits)
    return HEDDLE_OK;
  return heddle_fail(
      error, HEDDLE_INVALID_ARGUMENT,
      session->filled == 0
          ? "the sequences are empty, expected ids to be appended"
          : "the last ids were not appended, expected them to be");
}

heddle_status heddle_session_logits(heddle_session *session,
                                    const float **logits, heddle_error *error) {
  if (!logits)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT, "logits is null");
  *logits = NULL;
  if (!session)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT, "session is null");
  heddle_status status = heddle_check_appended(session, error);
  if (status != HEDDLE_OK)
    return status;
  if (session->device && !session->are_logits_here) {
    heddle_stream *stream = session->context.stream;
    const size_t size =
        (size_t)(session->batch * session->decoder.prefill.vocabulary) *
        sizeof(float);
    status = heddle_stream_download(stream, session->logits,
                                    session->device_logits, size, error);
    if (status == HEDDLE_OK)
      status = heddle_stream_wait(stream, error);
    if (status != HEDDLE_OK)
      return status;
  }
  session->are_logits_here = true;
  *logits = session->logits;
  return heddle_succeed(error);
}

int64_t heddle_session_filled(const heddle_session *session) {
  return session ? session->filled : 0;
}

int64_t heddle_session_vocabulary(const heddle_session *session) {
  return session ? session->decoder.prefill.vocabulary : 0;
}
