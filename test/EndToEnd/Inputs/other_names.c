/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Calls of other_names.mlir that must be refused: other_names WEIGHTS */
#include "other.h"

#include "session.h"

enum { STREAMS = 2, STEPS = 4, ROOM = 33 };

/* A right call, of which each case changes something. */
typedef struct call {
  int32_t words[STREAMS * STEPS], used[STREAMS], fresh[STREAMS];
  int64_t streams, steps, room;
} call;

static heddle_error error;
static const heddle_context context = {.error = &error};
static heddle_weights *weights;
static char *cache, *workspace;
static size_t cache_size, workspace_size;
static float scores[STREAMS * OTHER_VOCABULARY];

static void report(const char *what, heddle_status status) {
  printf("%s: %s: %s\n", what, heddle_status_name(status), error.message);
}

static void prefill(const char *what, const call *c) {
  report(what, other_prefill(&context, weights, c->words, c->used, c->fresh,
                             cache, scores, c->streams, c->steps, c->room,
                             workspace, workspace_size));
  check_guard(cache, cache_size, "cache");
  check_guard(workspace, workspace_size, "workspace");
}

static const call right = {.words = {1, 2, 3, 4, 5, 6, 7, 0},
                           .fresh = {STEPS, STEPS},
                           .streams = STREAMS,
                           .steps = STEPS,
                           .room = ROOM};

/* Runs prefill with `change` made to a copy of the right call. */
#define REFUSED(change)                                                        \
  do {                                                                         \
    call c = right;                                                            \
    change;                                                                    \
    prefill(#change, &c);                                                      \
    check_untouched();                                                         \
  } while (0)

static void check_untouched(void) {
  const unsigned char *bytes = (const unsigned char *)scores;
  const size_t size = sizeof(scores);
  for (size_t i = 0; i < size; ++i)
    if (bytes[i] != 0xff)
      die("the output was written");
}

static void decode(const char *what, int32_t used, int32_t fresh) {
  const int32_t word = 1;
  report(what, other_decode(&context, weights, &word, &used, &fresh, cache,
                            scores, 1, ROOM, workspace, workspace_size));
  check_untouched();
}

int main(int argc, char **argv) {
  if (argc != 2)
    die("usage: other_names WEIGHTS");
  weights = open_weights(&other_model, argv[1]);
  size_t prefill_size = 0, decode_size = 0;
  if (other_cache_size(STREAMS, ROOM, &cache_size, &error) ||
      other_prefill_workspace_size(STREAMS, STEPS, ROOM, &prefill_size,
                                   &error) ||
      other_decode_workspace_size(1, ROOM, &decode_size, &error))
    die("%s", error.message);
  workspace_size = prefill_size > decode_size ? prefill_size : decode_size;
  cache = allocate_guarded(cache_size);
  workspace = allocate_guarded(workspace_size);
  prefill("right", &right);
  for (size_t i = 0; i < sizeof(scores) / sizeof(*scores); ++i)
    if (isnan(scores[i]))
      die("scores[%zu] is not a number", i);
  call last = right;
  last.used[1] = ROOM - STEPS;
  prefill("last positions", &last);

  memset(scores, 0xff, sizeof(scores));
  REFUSED(c.streams = 1025);
  REFUSED(c.room = 65);
  REFUSED(c.words[1] = 8);
  REFUSED(c.words[STEPS] = -1);
  REFUSED(c.fresh[1] = 0);
  REFUSED(c.fresh[1] = 5);
  REFUSED(c.used[0] = -1);
  REFUSED(c.used[1] = 30);
  decode("decode, full", ROOM, 1);
  decode("decode, two words", 0, 2);
  free(workspace);
  free(cache);
  heddle_weights_close(weights);
  return 0;
}
