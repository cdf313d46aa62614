/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Written dates to ISO dates with the recurrent model of model.mlir, which
 * decodes greedily:
 *
 *   ./aligner WEIGHTS DATE...              prints each answer
 *   ./aligner WEIGHTS --svg FILE DATE      draws what it is aligned with
 */
#include "../dates/characters.h"
#include "../heat_map/heat_map.h"
#include "aligner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum {
  MEMORY = 96, /* channels of the encoder, of its keys and of the decoder */
  KEYS = 48,
  STATE = 96,
  SOURCE = 64, /* characters of a date that the model reads at most */
  LENGTH = 15  /* characters of an answer at most */
};

typedef struct aligner {
  heddle_error error;
  heddle_context context;
  heddle_weights *weights;
  void *workspace;
  size_t workspace_size;
  char answer[LENGTH + 1];
  float attended[LENGTH * SOURCE]; /* [answer, source] */
} aligner;

static heddle_status open_aligner(aligner *a, const char *path) {
  size_t encode = 0, next = 0;
  a->context.error = &a->error;
  if (heddle_weights_open(&aligner_model, path, 0, NULL, &a->weights,
                          &a->error) ||
      aligner_encode_workspace_size(1, SOURCE, &encode, &a->error) ||
      aligner_next_workspace_size(1, SOURCE, &next, &a->error))
    return a->error.status;
  a->workspace_size = encode > next ? encode : next;
  a->workspace = aligned_alloc(HEDDLE_ALIGNMENT, a->workspace_size);
  return a->workspace ? HEDDLE_OK : HEDDLE_OUT_OF_MEMORY;
}

static void close_aligner(aligner *a) {
  free(a->workspace);
  heddle_weights_close(a->weights);
}

/* Reads a date once, and writes a->answer with a step for each character. */
static heddle_status align(aligner *a, const char *date, int32_t length) {
  int32_t ids[SOURCE], id = ID_BEGIN;
  float memory[SOURCE * MEMORY], keys[SOURCE * KEYS], states[2][STATE];
  float logits[ALIGNER_VOCABULARY];
  for (int32_t i = 0; i < length; ++i)
    ids[i] = id_of(date[i]);
  heddle_status status =
      aligner_encode(&a->context, a->weights, ids, &length, memory, keys,
                     states[0], 1, length, a->workspace, a->workspace_size);
  int written = 0;
  for (; !status && written < LENGTH; ++written) {
    /* A step reads one of the states and writes the other. */
    status =
        aligner_next(&a->context, a->weights, &id, states[written % 2], memory,
                     keys, &length, logits, states[(written + 1) % 2],
                     a->attended + written * length, 1, length, a->workspace,
                     a->workspace_size);
    id = likeliest(logits, ALIGNER_VOCABULARY);
    if (status || id == ID_END)
      break;
    a->answer[written] = character_of(id);
  }
  a->answer[written] = '\0';
  return status;
}

static int draw(const aligner *a, const char *date, const char *path) {
  const heat_map map = {.subtitle = "additive attention of the decoder's state "
                                    "to what the encoder read",
                        .columns = date,
                        .rows = a->answer,
                        .across = "written date",
                        .down = "ISO date",
                        .weights = a->attended};
  if (!heat_map_write(&map, path))
    return 0;
  fprintf(stderr, "cannot write '%s': %s\n", path, strerror(errno));
  return 1;
}

int main(int argc, char **argv) {
  static aligner a;
  int failed = 0;
  int draws = argc > 2 && !strcmp(argv[2], "--svg");
  const char *svg = draws && argc > 3 ? argv[3] : NULL;
  int first = draws ? 4 : 2;
  if (argc <= first || (draws && argc != first + 1)) {
    fprintf(stderr, "usage: %s WEIGHTS [--svg FILE] DATE...\n", argv[0]);
    return 2;
  }
  heddle_status status = open_aligner(&a, argv[1]);
  for (int i = first; i < argc && !status && !failed; ++i) {
    size_t length = strlen(argv[i]);
    if (length < 1 || length > SOURCE) {
      fprintf(stderr, "expected a date of 1 to %d characters, got %zu\n",
              SOURCE, length);
      failed = 1;
      break;
    }
    status = align(&a, argv[i], (int32_t)length);
    if (!status) {
      puts(a.answer);
      failed = svg && draw(&a, argv[i], svg);
    }
  }
  if (status)
    fprintf(stderr, "%s: %s: %s\n", argv[0], heddle_status_name(status),
            a.error.message);
  close_aligner(&a);
  return status != HEDDLE_OK || failed;
}
