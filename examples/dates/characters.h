/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The ids of characters, as written_dates.py has them: three special tokens,
 * then the characters of the table in its order. */
#ifndef CHARACTERS_H
#define CHARACTERS_H

#include <stdint.h>
#include <string.h>

static const char characters[] = "\n ',-./0123456789"
                                 "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz";
enum { ID_UNKNOWN = 0, ID_BEGIN = 1, ID_END = 2, ID_FIRST_CHARACTER = 3 };

static inline int32_t id_of(char character) {
  const char *place = character ? strchr(characters, character) : NULL;
  return place ? (int32_t)(place - characters) + ID_FIRST_CHARACTER
               : ID_UNKNOWN;
}

static inline char character_of(int32_t id) {
  return id < ID_FIRST_CHARACTER ? '?' : characters[id - ID_FIRST_CHARACTER];
}

/* The likeliest of `count` ids. */
static inline int32_t likeliest(const float *logits, int32_t count) {
  int32_t best = 0;
  for (int32_t id = 1; id < count; ++id)
    if (logits[id] > logits[best])
      best = id;
  return best;
}

#endif /* CHARACTERS_H */
