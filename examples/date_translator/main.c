/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Written dates to ISO dates by beam search, with the model of model.mlir:
 *
 *   ./translator WEIGHTS DATE...              prints each answer
 *   ./translator WEIGHTS --all DATE...        prints every hypothesis
 *   ./translator WEIGHTS --svg FILE DATE      draws what the answer attends to
 */
#include "../dates/characters.h"
#include "../heat_map/heat_map.h"
#include "translator.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum {
  BEAMS = 4,
  CHANNELS = 64,
  SOURCE = 64, /* characters of a date that the model reads at most */
  LENGTH = 15  /* characters of an answer at most, the end included */
};

typedef struct translator {
  heddle_error error;
  heddle_context context;
  heddle_weights *weights;
  heddle_beam_search *search;
  void *workspace;
  size_t workspace_size;
  float memory[BEAMS * SOURCE * CHANNELS]; /* [beams, source, channels] */
  float attended[BEAMS * LENGTH * SOURCE]; /* [beams, length, source] */
} translator;

static heddle_status open_translator(translator *t, const char *path) {
  static const int32_t end = ID_END;
  const heddle_beam_options options = {.width = BEAMS,
                                       .vocabulary = TRANSLATOR_VOCABULARY,
                                       .maximum_length = LENGTH,
                                       .end_ids = &end,
                                       .end_count = 1};
  size_t encode = 0, next = 0;
  t->context.error = &t->error;
  if (heddle_weights_open(&translator_model, path, 0, NULL, &t->weights,
                          &t->error) ||
      heddle_beam_search_create(&options, NULL, &t->search, &t->error) ||
      translator_encode_workspace_size(1, SOURCE, &encode, &t->error) ||
      translator_next_workspace_size(BEAMS, LENGTH, SOURCE, &next, &t->error))
    return t->error.status;
  t->workspace_size = encode > next ? encode : next;
  t->workspace = aligned_alloc(HEDDLE_ALIGNMENT, t->workspace_size);
  return t->workspace ? HEDDLE_OK : HEDDLE_OUT_OF_MEMORY;
}

static void close_translator(translator *t) {
  free(t->workspace);
  heddle_beam_search_destroy(t->search);
  heddle_weights_close(t->weights);
}

/* Encodes a date once. All beams attend to the same, each in a row of its own.
 */
static heddle_status encode(translator *t, const char *date, int32_t length) {
  int32_t ids[SOURCE];
  for (int32_t i = 0; i < length; ++i)
    ids[i] = id_of(date[i]);
  heddle_status status =
      translator_encode(&t->context, t->weights, ids, &length, t->memory, 1,
                        length, t->workspace, t->workspace_size);
  size_t row = (size_t)length * CHANNELS;
  for (size_t beam = 1; beam < BEAMS; ++beam)
    memcpy(t->memory + beam * row, t->memory, row * sizeof(float));
  return status;
}

/* What follows each of the first `beams` rows, which hold `length` ids. The
 * decoder has no cache: it reads them all again, which costs little for eleven
 * characters. */
static heddle_status next(translator *t, int32_t rows[BEAMS][LENGTH],
                          int64_t beams, int64_t length, int32_t source,
                          float *logits) {
  int32_t ids[BEAMS * LENGTH], lengths[BEAMS];
  for (int64_t beam = 0; beam < beams; ++beam) {
    memcpy(ids + beam * length, rows[beam], (size_t)length * sizeof(int32_t));
    lengths[beam] = source;
  }
  return translator_next(&t->context, t->weights, ids, t->memory, lengths,
                         logits, t->attended, beams, length, source,
                         t->workspace, t->workspace_size);
}

/* Searches for the likeliest answers, which t->search has then. */
static heddle_status search(translator *t, const char *date, int32_t source) {
  int32_t rows[BEAMS][LENGTH], parents[BEAMS], ids[BEAMS];
  float logits[BEAMS * TRANSLATOR_VOCABULARY];
  for (int beam = 0; beam < BEAMS; ++beam)
    rows[beam][0] = ID_BEGIN;
  heddle_beam_search_restart(t->search);
  heddle_status status = encode(t, date, source);
  for (int64_t length = 1; !status; ++length) {
    status = next(t, rows, BEAMS, length, source, logits);
    if (!status)
      status =
          heddle_beam_search_step(t->search, logits, parents, ids, &t->error);
    if (status || heddle_beam_search_is_finished(t->search))
      break;
    status =
        heddle_reorder_rows(rows, BEAMS, sizeof(rows[0]), parents, &t->error);
    for (int beam = 0; beam < BEAMS; ++beam)
      rows[beam][length] = ids[beam];
  }
  return status;
}

/* Hypothesis number `index`, without its end, as ids and as text. */
static heddle_status get(translator *t, int64_t index, heddle_hypothesis *found,
                         int32_t ids[LENGTH], char answer[LENGTH + 1]) {
  heddle_status status =
      heddle_beam_search_get(t->search, index, found, ids, &t->error);
  if (status)
    return status;
  found->length -= found->has_end;
  for (int64_t i = 0; i < found->length; ++i)
    answer[i] = character_of(ids[i]);
  answer[found->length] = '\0';
  return HEDDLE_OK;
}

/* Draws what each character of the best answer took of the date's. */
static heddle_status draw(translator *t, const char *date, int32_t source,
                          const char *path) {
  int32_t ids[LENGTH], rows[BEAMS][LENGTH];
  float logits[TRANSLATOR_VOCABULARY];
  heddle_hypothesis best;
  char answer[LENGTH + 1];
  heddle_status status = get(t, 0, &best, ids, answer);
  if (status)
    return status;
  /* The weights of position i are those that the character after it had. */
  rows[0][0] = ID_BEGIN;
  for (int64_t i = 1; i < best.length; ++i)
    rows[0][i] = ids[i - 1];
  status = next(t, rows, 1, best.length, source, logits);
  if (status)
    return status;
  const heat_map map = {
      .subtitle =
          "cross attention of the last decoder layer, mean of its heads",
      .columns = date,
      .rows = answer,
      .across = "written date",
      .down = "ISO date",
      .weights = t->attended};
  if (heat_map_write(&map, path)) {
    fprintf(stderr, "cannot write '%s': %s\n", path, strerror(errno));
    exit(1);
  }
  return HEDDLE_OK;
}

/* Prints the best answer, or all of them with the logarithms of their
 * probabilities. */
static heddle_status print_answers(translator *t, int all) {
  int64_t count = all ? heddle_beam_search_count(t->search) : 1;
  for (int64_t i = 0; i < count; ++i) {
    heddle_hypothesis found;
    int32_t ids[LENGTH];
    char answer[LENGTH + 1];
    heddle_status status = get(t, i, &found, ids, answer);
    if (status)
      return status;
    if (all)
      printf("%s  %9.4f\n", answer, found.log_probability);
    else
      puts(answer);
  }
  return HEDDLE_OK;
}

int main(int argc, char **argv) {
  static translator t;
  int all = argc > 2 && !strcmp(argv[2], "--all");
  int draws = argc > 2 && !strcmp(argv[2], "--svg");
  const char *svg = draws && argc > 3 ? argv[3] : NULL;
  int first = 2 + all + 2 * draws;
  if (argc <= first || (draws && argc != first + 1)) {
    fprintf(stderr,
            "usage: %s WEIGHTS [--all] DATE...\n"
            "       %s WEIGHTS --svg FILE DATE\n",
            argv[0], argv[0]);
    return 2;
  }
  heddle_status status = open_translator(&t, argv[1]);
  for (int i = first; i < argc && !status; ++i) {
    size_t length = strlen(argv[i]);
    if (length < 1 || length > SOURCE) {
      fprintf(stderr, "expected a date of 1 to %d characters, got %zu\n",
              SOURCE, length);
      close_translator(&t);
      return 1;
    }
    status = search(&t, argv[i], (int32_t)length);
    if (!status)
      status = print_answers(&t, all);
    if (!status && svg)
      status = draw(&t, argv[i], (int32_t)length, svg);
  }
  if (status)
    fprintf(stderr, "%s: %s: %s\n", argv[0], heddle_status_name(status),
            t.error.message);
  close_translator(&t);
  return status != HEDDLE_OK;
}
