/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Sequences of a batch change places, in caches and other memory.
 *
 * All rows are moved together, a chunk of each at a time: chunks are collected
 * before any is written, so it does not matter which rows need which. They stay
 * in the CPU's cache in between, so main memory is read once and written once.
 */
#include "Reorder.h"

enum { COLLECTED_BYTES = 16384 };

static heddle_status check_parents(int64_t count, const int32_t *parents,
                                   heddle_error *error) {
  if (count < 0 || count > HEDDLE_MOST_ROWS)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                       "count is %" PRId64 ", expected 0 to %d", count,
                       HEDDLE_MOST_ROWS);
  for (int64_t b = 0; b < count; ++b)
    if (parents[b] < 0 || parents[b] >= count)
      return heddle_fail(error, HEDDLE_OUT_OF_RANGE,
                         "parents[%" PRId64 "] is %" PRId32
                         ", expected 0 to %" PRId64,
                         b, parents[b], count - 1);
  return HEDDLE_OK;
}

static void reorder(uint8_t *rows, int64_t count, size_t row_bytes,
                    const int32_t *parents) {
  if (count == 0)
    return;
  uint8_t collected[COLLECTED_BYTES];
  const size_t chunk = COLLECTED_BYTES / (size_t)count;
  for (size_t offset = 0; offset < row_bytes; offset += chunk) {
    size_t rest = row_bytes - offset;
    size_t bytes = rest < chunk ? rest : chunk;
    for (int64_t b = 0; b < count; ++b)
      if (parents[b] != b)
        memcpy(collected + (size_t)b * chunk,
               rows + (size_t)parents[b] * row_bytes + offset, bytes);
    for (int64_t b = 0; b < count; ++b)
      if (parents[b] != b)
        memcpy(rows + (size_t)b * row_bytes + offset,
               collected + (size_t)b * chunk, bytes);
  }
}

heddle_status heddle_reorder_rows(void *rows, int64_t count, size_t row_bytes,
                                  const int32_t *parents, heddle_error *error) {
  if (!rows || !parents)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT, "%s is null",
                       rows ? "parents" : "rows");
  heddle_status status = check_parents(count, parents, error);
  if (status != HEDDLE_OK)
    return status;
  reorder((uint8_t *)rows, count, row_bytes, parents);
  return heddle_succeed(error);
}

heddle_status heddle_find_rows(const heddle_entry *entry, uint32_t argument,
                               const int64_t *sizes, const void *cache,
                               const int32_t *parents, heddle_cache_rows *rows,
                               heddle_error *error) {
  size_t bytes = 0;
  heddle_measurement measured = {0};
  heddle_status status =
      heddle_argument_size(entry, argument, sizes, &bytes, error);
  if (status != HEDDLE_OK)
    return status;
  const heddle_call call = {NULL, entry, sizes, error, 0};
  const heddle_argument *description = &entry->arguments[argument];
  if (description->kind != HEDDLE_ARGUMENT_CACHE || description->parts == 0)
    return heddle_call_fail(&call, HEDDLE_INVALID_ARGUMENT,
                            "argument '%s' is no cache", description->name);
  if (description->role == HEDDLE_ROLE_POOL)
    return heddle_call_fail(&call, HEDDLE_INVALID_ARGUMENT,
                            "argument '%s' has pages, expected a cache of "
                            "sequences; reorder the rows of its table",
                            description->name);
  status = heddle_measure_argument(&call, argument, &measured);
  if (status == HEDDLE_OK && measured.extent[0] > 0 && (!cache || !parents))
    return heddle_call_fail(&call, HEDDLE_INVALID_ARGUMENT, "%s is null",
                            cache ? "parents" : "cache");
  if (status == HEDDLE_OK)
    status = check_parents(measured.extent[0], parents, error);
  if (status != HEDDLE_OK)
    return status;
  const size_t column_bytes =
      (size_t)measured.extent[2] * (size_t)measured.extent[0];
  *rows =
      (heddle_cache_rows){.count = measured.extent[0],
                          .positions = column_bytes ? bytes / column_bytes : 0,
                          .parts = description->parts,
                          .part_bytes = description->part_bytes};
  return HEDDLE_OK;
}

heddle_status heddle_reorder_cache(const heddle_entry *entry, uint32_t argument,
                                   const int64_t *sizes, void *cache,
                                   const int32_t *parents,
                                   heddle_error *error) {
  heddle_cache_rows rows;
  heddle_status status =
      heddle_find_rows(entry, argument, sizes, cache, parents, &rows, error);
  if (status != HEDDLE_OK)
    return status;
  uint8_t *part = (uint8_t *)cache;
  for (uint32_t p = 0; p < rows.parts; ++p) {
    size_t row_bytes = rows.positions * (size_t)rows.part_bytes[p];
    reorder(part, rows.count, row_bytes, parents);
    part += row_bytes * (size_t)rows.count;
  }
  return heddle_succeed(error);
}
