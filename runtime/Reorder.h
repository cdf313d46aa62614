/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* What caches in the memory of a host and of a device have in common whose
 * sequences change places. Not installed. */
#ifndef HEDDLE_REORDER_H
#define HEDDLE_REORDER_H

#include "Call.h"

enum { HEDDLE_MOST_ROWS = 4096 };

/* The parts of a cache follow each other, each [count][positions][bytes]. */
typedef struct heddle_cache_rows {
  int64_t count;
  size_t positions;
  uint32_t parts;
  const int64_t *part_bytes; /* of a position, in each part */
} heddle_cache_rows;

/* Checks all arguments of heddle_reorder_cache. */
heddle_status heddle_find_rows(const heddle_entry *entry, uint32_t argument,
                               const int64_t *sizes, const void *cache,
                               const int32_t *parents, heddle_cache_rows *rows,
                               heddle_error *error);

#endif /* HEDDLE_REORDER_H */
