/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Sequences of a batch change places in a cache on a device.
 *
 * A row is overwritten once all rows that it is the parent of have been. Where
 * only cycles are left, one row of each is kept in the scratch memory, a chunk
 * at a time.
 */
#include "../Reorder.h"
#include "Driver.h"

/* Rows that change places, with the same chunk of each. */
typedef struct exchange {
  heddle_stream *stream;
  uint8_t *chunk; /* of row 0 */
  size_t row_bytes, bytes;
  heddle_error *error;
} exchange;

static heddle_status copy(const exchange *e, void *to, const void *from) {
  return e->stream->device->driver->copy(e->stream, to, from, e->bytes,
                                         HEDDLE_ON_DEVICE, e->error);
}

static uint8_t *row(const exchange *e, int64_t number) {
  return e->chunk + (size_t)number * e->row_bytes;
}

/* Goes from row b, which no other row needs, to its parent and on as long as
 * the one before was the last that needed it. `source` replaces row `end`. */
static heddle_status follow(const exchange *e, const int32_t *parents,
                            uint16_t *needed, int64_t b, int64_t end,
                            void *source) {
  heddle_status status = HEDDLE_OK;
  while (status == HEDDLE_OK && parents[b] != b && needed[b] == 0) {
    int64_t parent = parents[b];
    needed[b] = UINT16_MAX; /* done */
    status = copy(e, row(e, b), parent == end ? source : row(e, parent));
    if (parent == end || --needed[parent] > 0)
      break;
    b = parent;
  }
  return status;
}

static heddle_status exchange_chunk(const exchange *e, int64_t count,
                                    const int32_t *parents, void *scratch) {
  /* How many other rows a row is still the parent of. */
  uint16_t needed[HEDDLE_MOST_ROWS] = {0};
  heddle_status status = HEDDLE_OK;
  for (int64_t b = 0; b < count; ++b)
    if (parents[b] != b)
      ++needed[parents[b]];
  for (int64_t b = 0; b < count && status == HEDDLE_OK; ++b)
    status = follow(e, parents, needed, b, -1, NULL);
  for (int64_t b = 0; b < count && status == HEDDLE_OK; ++b) {
    if (parents[b] == b || needed[b] == UINT16_MAX)
      continue;
    /* Of a cycle, in which each row is needed once. */
    status = copy(e, scratch, row(e, b));
    needed[b] = 0;
    if (status == HEDDLE_OK)
      status = follow(e, parents, needed, b, b, scratch);
  }
  return status;
}

heddle_status
heddle_stream_reorder_cache(heddle_stream *stream, const heddle_entry *entry,
                            uint32_t argument, const int64_t *sizes,
                            void *cache, const int32_t *parents, void *scratch,
                            size_t scratch_size, heddle_error *error) {
  heddle_cache_rows rows;
  if (!stream)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT, "stream is null");
  heddle_status status =
      heddle_find_rows(entry, argument, sizes, cache, parents, &rows, error);
  if (status != HEDDLE_OK)
    return status;
  if (rows.count > 0 && (!scratch || scratch_size == 0))
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT, "%s",
                       scratch ? "scratch_size is 0" : "scratch is null");
  uint8_t *part = (uint8_t *)cache;
  for (uint32_t p = 0; p < rows.parts; ++p) {
    size_t row_bytes = rows.positions * (size_t)rows.part_bytes[p];
    for (size_t offset = 0; offset < row_bytes; offset += scratch_size) {
      size_t rest = row_bytes - offset;
      const exchange e = {stream, part + offset, row_bytes,
                          rest < scratch_size ? rest : scratch_size, error};
      status = exchange_chunk(&e, rows.count, parents, scratch);
      if (status != HEDDLE_OK)
        return status;
    }
    part += row_bytes * (size_t)rows.count;
  }
  return heddle_succeed(error);
}
