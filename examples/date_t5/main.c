/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Written dates to ISO dates, many at once, by an encoder-decoder:
 *
 *   heddlec model --prefix=dates -o dates.o
 *   cc -I../dates main.c dates.o -lheddle_runtime -pthread -o dates
 *   ./dates dates.weights "3rd of March, 2021" 20371231
 *
 * A session has a sequence for each date. The encoder reads all dates, of which
 * the shorter ones are padded, and the decoder answers all of them, a character
 * of each at a time. Without dates the program reads them from standard input,
 * one a line.
 */
#include "characters.h"
#include "dates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  LONGEST = 64, /* characters of a date, with the end */
  ANSWER = 12,  /* of an answer, with what it begins with and its end */
  AT_ONCE = 64, /* dates */
  UNKNOWN = 1   /* T5 pads with 0 */
};

typedef struct batch {
  int32_t ids[AT_ONCE][LONGEST]; /* of the dates */
  int32_t lengths[AT_ONCE];
  char answers[AT_ONCE][ANSWER];
  int32_t count;
} batch;

/* Of a date that is too long the beginning counts. */
static void add_date(batch *dates, const char *date) {
  int32_t *ids = dates->ids[dates->count], length = 0;
  while (*date && length < LONGEST - 1) {
    int32_t id = id_of(*date++);
    ids[length++] = id == ID_UNKNOWN ? UNKNOWN : id;
  }
  ids[length++] = ID_END;
  dates->lengths[dates->count++] = length;
}

/* Writes the next character of each answer that has not ended. The result is
 * how many go on. */
static int32_t write_characters(batch *dates, const int32_t *ids,
                                int32_t *ended) {
  int32_t open = 0;
  for (int32_t b = 0; b < dates->count; ++b) {
    size_t length = strlen(dates->answers[b]);
    ended[b] |= ids[b] == ID_END || length + 1 == ANSWER;
    if (ended[b])
      continue;
    dates->answers[b][length] = character_of(ids[b]);
    ++open;
  }
  return open;
}

static heddle_status answer(batch *dates, const heddle_weights *weights,
                            const heddle_context *context,
                            heddle_error *error) {
  heddle_session *session = NULL;
  heddle_sampling likeliest_id = HEDDLE_GREEDY;
  int32_t ids[AT_ONCE] = {0}; /* answers begin with padding */
  int32_t ended[AT_ONCE] = {0};
  memset(dates->answers, 0, sizeof(dates->answers));
  heddle_status status =
      heddle_session_create(&dates_model, weights, context, dates->count, 1,
                            ANSWER, NULL, &session, error);
  if (!status) /* rows are LONGEST long, and lengths say what of them counts */
    status = heddle_session_encode(session, dates->ids[0], dates->lengths,
                                   LONGEST, error);
  for (int32_t open = 1; !status && open > 0;) {
    status = heddle_session_append(session, ids, 1, error);
    if (!status)
      status = heddle_session_sample(session, &likeliest_id, NULL, ids, error);
    if (!status)
      open = write_characters(dates, ids, ended);
  }
  heddle_session_destroy(session);
  for (int32_t b = 0; b < dates->count && !status; ++b)
    puts(dates->answers[b]);
  dates->count = 0;
  return status;
}

/* The next line of standard input, or NULL. Of a long one the beginning. */
static const char *read_line(void) {
  static char line[LONGEST];
  size_t length = 0;
  int c;
  while ((c = getchar()) != EOF && c != '\n')
    if (length + 1 < sizeof(line))
      line[length++] = (char)c;
  line[length] = '\0';
  return c == EOF && length == 0 ? NULL : line;
}

int main(int argc, char **argv) {
  static batch dates;
  heddle_error error = {0};
  heddle_weights *weights = NULL;
  heddle_threads *threads = NULL;
  if (argc < 2) {
    fprintf(stderr, "usage: %s WEIGHTS [DATE...]\n", argv[0]);
    return 2;
  }
  heddle_status status =
      heddle_weights_open(&dates_model, argv[1], 0, NULL, &weights, &error);
  if (!status)
    status = heddle_threads_create(0, NULL, &threads, &error);
  const heddle_context context = {.parallel_for = heddle_threads_parallel_for,
                                  .parallel_for_data = threads};
  for (int i = 2; !status; ++i) {
    const char *date = argc > 2 ? argv[i] : read_line();
    if (date)
      add_date(&dates, date);
    if (dates.count == AT_ONCE || (!date && dates.count > 0))
      status = answer(&dates, weights, &context, &error);
    if (!date)
      break;
  }
  if (status)
    fprintf(stderr, "%s: %s: %s\n", argv[0], heddle_status_name(status),
            error.message);
  else if (fflush(stdout) != 0) {
    fprintf(stderr, "%s: cannot write to standard output\n", argv[0]);
    status = HEDDLE_IO_ERROR;
  }
  heddle_threads_destroy(threads);
  heddle_weights_close(weights);
  return status ? 1 : 0;
}
