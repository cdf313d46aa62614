/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Models that continue sequences: entry points that go on with each other's
 * caches.
 */
#include "Steps.h"

/* Can calls of both go on with the same cache? */
static heddle_status check_caches(const heddle_model *model,
                                  const heddle_entry *entry, uint32_t argument,
                                  const heddle_entry *other,
                                  uint32_t other_argument,
                                  heddle_error *error) {
  const heddle_call call = {model, entry, NULL, error, 0};
  const heddle_argument *cache = &entry->arguments[argument];
  const heddle_argument *theirs = &other->arguments[other_argument];
  if (strcmp(cache->extent[2], theirs->extent[2]) != 0)
    return heddle_call_fail(&call, HEDDLE_INVALID_ARGUMENT,
                            "argument '%s' has %s bytes a position, expected "
                            "%s as in %s",
                            cache->name, cache->extent[2], theirs->extent[2],
                            other->name);
  if (cache->layout != theirs->layout)
    return heddle_call_fail(&call, HEDDLE_INVALID_ARGUMENT,
                            "argument '%s' has another layout than in %s, "
                            "expected the same heads of the same types",
                            cache->name, other->name);
  return HEDDLE_OK;
}

/* The same of the cross caches of decode and encode, if there are. */
static heddle_status check_cross(const heddle_model *model,
                                 const heddle_decoder *decoder,
                                 heddle_error *error) {
  const heddle_step *prefill = &decoder->prefill, *decode = &decoder->decode;
  const heddle_source_step *encode = &decoder->encode;
  const heddle_call call = {model, decode->entry, NULL, error, 0};
  if ((decode->cross == HEDDLE_NO_ARGUMENT) !=
          (prefill->cross == HEDDLE_NO_ARGUMENT) ||
      (decode->cross_lengths == HEDDLE_NO_ARGUMENT) !=
          (prefill->cross_lengths == HEDDLE_NO_ARGUMENT))
    return heddle_call_fail(&call, HEDDLE_INVALID_ARGUMENT,
                            "expected a cross cache and its lengths where "
                            "prefill has them");
  if (prefill->cross == HEDDLE_NO_ARGUMENT)
    return HEDDLE_OK;
  const struct {
    const heddle_entry *entry;
    uint32_t cross;
  } others[] = {{decode->entry, decode->cross}, {encode->entry, encode->cross}};
  const char *source = prefill->entry->arguments[prefill->cross].extent[1];
  for (int i = 0; i < 2; ++i) {
    const heddle_argument *cross = &others[i].entry->arguments[others[i].cross];
    if (heddle_extent_number(cross->extent[1]) !=
        heddle_extent_number(source)) {
      const heddle_call other = {model, others[i].entry, NULL, error, 0};
      return heddle_call_fail(&other, HEDDLE_INVALID_ARGUMENT,
                              "argument '%s' has %s positions, expected %s as "
                              "in prefill",
                              cross->name, cross->extent[1], source);
    }
    heddle_status status = check_caches(model, others[i].entry, others[i].cross,
                                        prefill->entry, prefill->cross, error);
    if (status != HEDDLE_OK)
      return status;
  }
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
    status = heddle_find_step(model, "prefill", &found.prefill, error);
  if (status == HEDDLE_OK)
    status = heddle_find_step(model, "decode", &found.decode, error);
  found.encode = (heddle_source_step){NULL};
  if (status == HEDDLE_OK && found.prefill.cross != HEDDLE_NO_ARGUMENT)
    status = heddle_find_source_step(model, &found.encode, error);
  /* What one call leaves the others go on with. */
  if (status == HEDDLE_OK)
    status = check_caches(model, found.decode.entry, found.decode.cache,
                          found.prefill.entry, found.prefill.cache, error);
  if (status == HEDDLE_OK)
    status = check_cross(model, &found, error);
  if (status != HEDDLE_OK)
    return status;
  const heddle_call call = {model, found.decode.entry, NULL, error, 0};
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
                       int64_t capacity, int64_t source,
                       int64_t sizes[HEDDLE_STEP_SIZES]) {
  if (!step || !sizes)
    return;
  sizes[step->batch] = batch;
  sizes[step->length] = length;
  sizes[step->capacity] = capacity;
  sizes[step->source] = source;
}
