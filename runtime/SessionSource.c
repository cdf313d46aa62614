/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The sources of a session's sequences: what an encoder-decoder reads once, and
 * its decoder attends to in each call.
 */
#include "Session.h"
#include "Steps.h"

/* ---- Memory ------------------------------------------------------------- */

/* Makes *memory at least `size` bytes large; its contents go where it grows. */
static heddle_status grow(const heddle_session *s, size_t size, bool is_models,
                          void **memory, size_t *held, heddle_error *error) {
  void *grown = NULL;
  if (size <= *held)
    return HEDDLE_OK;
  heddle_status status =
      heddle_session_allocate(s, size, is_models, &grown, error);
  if (status != HEDDLE_OK)
    return status;
  if (is_models && s->device) /* which may still use it */
    heddle_stream_wait(s->context.stream, NULL);
  heddle_session_release(s, is_models, *memory);
  *memory = grown;
  *held = size;
  return HEDDLE_OK;
}

static void sizes_of(const heddle_session *s, int64_t batch, int64_t length,
                     int64_t sizes[HEDDLE_STEP_SIZES]) {
  const heddle_source_step *encode = &s->decoder.encode;
  sizes[encode->batch] = batch;
  sizes[encode->length] = length;
  sizes[encode->source] = s->source;
}

/* Where the results of encode are in `results`, in the order of arguments, and
 * the bytes of all. */
static heddle_status place_results(const heddle_session *s,
                                   const int64_t *sizes,
                                   size_t offsets[HEDDLE_SOURCE_ARGUMENTS],
                                   size_t *bytes, heddle_error *error) {
  const heddle_entry *entry = s->decoder.encode.entry;
  *bytes = 0;
  for (uint32_t a = 0; a < entry->argument_count; ++a) {
    size_t size = 0;
    offsets[a] = *bytes;
    if (entry->arguments[a].kind != HEDDLE_ARGUMENT_OUTPUT)
      continue;
    heddle_status status = heddle_argument_size(entry, a, sizes, &size, error);
    if (status != HEDDLE_OK)
      return status;
    *bytes +=
        (size + HEDDLE_ALIGNMENT - 1) / HEDDLE_ALIGNMENT * HEDDLE_ALIGNMENT;
  }
  return HEDDLE_OK;
}

/* A bit for each result: they stay where the model runs. */
static uint64_t results_on_device(const heddle_session *s) {
  const heddle_entry *entry = s->decoder.encode.entry;
  uint64_t bits = 0;
  for (uint32_t a = 0; a < entry->argument_count; ++a)
    if (entry->arguments[a].kind == HEDDLE_ARGUMENT_OUTPUT)
      bits |= heddle_session_on_device(s, a);
  return bits;
}

/* Gives all memory the size that sources of this length need. */
static heddle_status make_room(heddle_session *s, int64_t length,
                               heddle_error *error) {
  const heddle_source_step *encode = &s->decoder.encode;
  int64_t sizes[HEDDLE_STEP_SIZES];
  size_t offsets[HEDDLE_SOURCE_ARGUMENTS];
  size_t workspace = 0, cross = 0, results = 0, input = 0;
  const size_t held = s->workspace_size;
  sizes_of(s, s->batch, length, sizes);
  heddle_status status = heddle_device_workspace_size(
      encode->entry, sizes, results_on_device(s), &workspace, error);
  if (status == HEDDLE_OK)
    status = heddle_argument_size(encode->entry, encode->cross, sizes, &cross,
                                  error);
  s->cross_row = cross / (size_t)s->batch;
  if (status == HEDDLE_OK)
    status = place_results(s, sizes, offsets, &results, error);
  if (status == HEDDLE_OK &&
      (__builtin_mul_overflow(s->batch, length + 1, &input) ||
       __builtin_mul_overflow(input, sizeof(int64_t), &input)))
    status = heddle_fail(error, HEDDLE_OUT_OF_MEMORY,
                         "%" PRId64 " sources of %" PRId64
                         " ids: the size in bytes is out of range",
                         s->batch, length);
  if (status == HEDDLE_OK)
    status = heddle_session_measure(s, &s->decoder.prefill, s->length, error);
  if (status == HEDDLE_OK)
    status = heddle_session_measure(s, &s->decoder.decode, 1, error);
  if (s->workspace_size > workspace)
    workspace = s->workspace_size;
  s->workspace_size = held;
  if (status == HEDDLE_OK)
    status = grow(s, workspace, true, &s->workspace, &s->workspace_size, error);
  if (status == HEDDLE_OK)
    status = grow(s, cross, true, &s->cross, &s->cross_size, error);
  if (status == HEDDLE_OK)
    status = grow(s, results, true, &s->results, &s->results_size, error);
  if (status == HEDDLE_OK)
    status = grow(s, input, false, &s->input, &s->input_size, error);
  return status;
}

/* ---- The call ----------------------------------------------------------- */

static heddle_status call(heddle_session *s, int64_t batch, const void *input,
                          void *lengths, int64_t length, heddle_error *error) {
  const heddle_source_step *encode = &s->decoder.encode;
  int64_t sizes[HEDDLE_STEP_SIZES];
  size_t offsets[HEDDLE_SOURCE_ARGUMENTS], bytes = 0;
  void *buffers[HEDDLE_SOURCE_ARGUMENTS];
  sizes_of(s, batch, length, sizes);
  heddle_status status = place_results(s, sizes, offsets, &bytes, error);
  if (status != HEDDLE_OK)
    return status;
  for (uint32_t a = 0; a < encode->entry->argument_count; ++a)
    buffers[a] = (uint8_t *)s->results + offsets[a];
  buffers[encode->input] = (void *)input; /* which is only read */
  buffers[encode->cross] = s->cross;
  if (encode->lengths != HEDDLE_NO_ARGUMENT)
    buffers[encode->lengths] = lengths;
  heddle_context context = s->context;
  context.device_arguments = results_on_device(s);
  context.argument_bytes = NULL; /* the memory is the session's own */
  context.error = error;
  return heddle_invoke(s->model, encode->entry, &context, s->weights, buffers,
                       sizes, s->workspace, s->workspace_size);
}

/* Makes the source of the first sequence that of all. The parts of the cache
 * move away from its begin, so the last one does first. */
static void repeat_first(heddle_session *s) {
  const heddle_source_step *encode = &s->decoder.encode;
  const heddle_argument *cross = &encode->entry->arguments[encode->cross];
  const size_t batch = (size_t)s->batch;
  size_t bytes = 0; /* of a position */
  for (uint32_t p = 0; p < cross->parts; ++p)
    bytes += (size_t)cross->part_bytes[p];
  const size_t positions = s->cross_row / bytes;
  size_t begin = s->cross_row;
  for (uint32_t p = cross->parts; p-- > 0;) {
    const size_t row = positions * (size_t)cross->part_bytes[p];
    begin -= row;
    uint8_t *part = (uint8_t *)s->cross + batch * begin;
    memmove(part, (uint8_t *)s->cross + begin, row);
    for (size_t b = 1; b < batch; ++b)
      memcpy(part + b * row, part, row);
  }
}

/* One call for all sequences, or for one of them where all have the same
 * source, as those of a search do. */
static heddle_status encode_all(heddle_session *s, const void *input,
                                void *lengths, int64_t length,
                                heddle_error *error) {
  bool is_one = !s->device && s->batch > 1;
  for (int64_t b = 0; b < s->batch; ++b)
    is_one &= s->same_source[b] == 0;
  heddle_status status =
      call(s, is_one ? 1 : s->batch, input, lengths, length, error);
  if (status == HEDDLE_OK && is_one)
    repeat_first(s);
  return status;
}

/* Begins with sources of `length` ids, or of tensors. */
static heddle_status begin(heddle_session *s, int64_t length,
                           heddle_error *error) {
  const heddle_source_step *encode = &s->decoder.encode;
  if (!encode->entry)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                       "model '%s' reads no sources: it has no cross cache",
                       s->model->name);
  const char *positions = encode->entry->arguments[encode->cross].extent[1];
  int64_t number = heddle_extent_number(positions);
  heddle_session_restart(s);
  s->source = number ? number : length;
  return make_room(s, length, error);
}

static heddle_status end(heddle_session *s, heddle_status status,
                         heddle_error *error) {
  if (status == HEDDLE_OK)
    return heddle_succeed(error);
  s->source = 0;
  return status;
}

/* Finds sequences of the same source, `bytes` bytes each. */
static void compare_sources(heddle_session *s, const void *input,
                            size_t bytes) {
  const uint8_t *rows = (const uint8_t *)input;
  for (int64_t b = 0; b < s->batch; ++b) {
    int64_t same = 0;
    while (same < b && (s->source_lengths[same] != s->source_lengths[b] ||
                        memcmp(rows + (size_t)same * bytes,
                               rows + (size_t)b * bytes, bytes) != 0))
      ++same;
    s->same_source[b] = (int32_t)same;
  }
}

heddle_status heddle_session_encode(heddle_session *s, const int32_t *ids,
                                    const int32_t *lengths, int64_t length,
                                    heddle_error *error) {
  if (!s || !ids)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT, "%s is null",
                       s ? "ids" : "session");
  if (length < 1 || length > INT32_MAX)
    return end(s,
               heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                           "length is %" PRId64 ", expected 1 to %" PRId32,
                           length, INT32_MAX),
               error);
  const heddle_source_step *encode = &s->decoder.encode;
  if (encode->entry && encode->lengths == HEDDLE_NO_ARGUMENT)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                       "model '%s' reads sources that are no ids, expected "
                       "heddle_session_encode_tensor",
                       s->model->name);
  heddle_status status = begin(s, length, error);
  if (status != HEDDLE_OK)
    return end(s, status, error);
  for (int64_t b = 0; b < s->batch; ++b) {
    s->source_lengths[b] = lengths ? lengths[b] : (int32_t)length;
    heddle_store_index(encode->entry, encode->lengths, s->lengths, b,
                       s->source_lengths[b]);
    /* Padding may be any number. Whether lengths are right the model says. */
    for (int64_t i = 0; i < length; ++i)
      heddle_store_index(encode->entry, encode->input, s->input, b * length + i,
                         i < s->source_lengths[b] ? ids[b * length + i] : 0);
  }
  compare_sources(s, ids, (size_t)length * sizeof(*ids));
  return end(s, encode_all(s, s->input, s->lengths, length, error), error);
}

heddle_status heddle_session_encode_tensor(heddle_session *s, const void *input,
                                           heddle_error *error) {
  if (!s || !input)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT, "%s is null",
                       s ? "input" : "session");
  const heddle_source_step *encode = &s->decoder.encode;
  int64_t sizes[HEDDLE_STEP_SIZES];
  size_t bytes = 0;
  if (encode->entry && encode->lengths != HEDDLE_NO_ARGUMENT)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                       "model '%s' reads sources that are ids, expected "
                       "heddle_session_encode",
                       s->model->name);
  heddle_status status = begin(s, 1, error);
  if (status == HEDDLE_OK) {
    sizes_of(s, s->batch, 1, sizes);
    status = heddle_argument_size(encode->entry, encode->input, sizes, &bytes,
                                  error);
  }
  if (status != HEDDLE_OK)
    return end(s, status, error);
  for (int64_t b = 0; b < s->batch; ++b)
    s->source_lengths[b] = (int32_t)s->source;
  compare_sources(s, input, bytes / (size_t)s->batch);
  return end(s, encode_all(s, input, NULL, 1, error), error);
}

/* ---- Sequences that change places --------------------------------------- */

heddle_status heddle_session_reorder_sources(heddle_session *s,
                                             const int32_t *parents,
                                             heddle_error *error) {
  const heddle_step *step = &s->decoder.decode;
  bool moves = false;
  if (s->source == 0)
    return HEDDLE_OK;
  for (int64_t b = 0; b < s->batch; ++b) /* reordering has checked parents */
    moves |= s->same_source[parents[b]] != s->same_source[b];
  if (!moves)
    return HEDDLE_OK;
  heddle_status status = heddle_session_reorder_cache(s, step, step->cross,
                                                      s->cross, parents, error);
  if (status == HEDDLE_OK)
    status = heddle_reorder_rows(s->source_lengths, s->batch, sizeof(int32_t),
                                 parents, error);
  return status == HEDDLE_OK
             ? heddle_reorder_rows(s->same_source, s->batch, sizeof(int32_t),
                                   parents, error)
             : status;
}
