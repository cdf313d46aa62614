/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Written dates to ISO dates: all that a program needs to run a compiled model.
 *
 *   heddlec model -o dates.o          makes dates.o, dates.h and dates.weights
 *   cc main.c dates.o -lheddle_runtime -pthread -o dates    (and -I, -L
 * folders)
 *   ./dates dates.weights "3rd of March, 2021"              prints 2021-03-03
 *
 * With heddlec --embed-weights there is neither dates.weights nor an argument
 * for it. Without dates the program reads them from standard input, one a line.
 * Answers go to standard output, the speed to standard error.
 */
#include "characters.h"
#include "dates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What one conversation with the model needs. All memory is the program's. */
typedef struct session {
  heddle_error error;
  heddle_context context;
  heddle_weights *weights; /* immutable: may be shared by many sessions */
  heddle_threads *threads;
  void *cache;     /* keys and values of DATES_POSITIONS positions */
  void *workspace; /* scratch of a call */
  size_t workspace_size;
  long tokens; /* that calls have worked on so far */
} session;

/* A status of zero is success; the message of a failure is in s->error. */
static heddle_status open_session(session *s, const char *weights_path) {
  size_t cache_size = 0, prefill_size = 0, decode_size = 0;
  /* Sizes for a batch of one and the longest text; smaller calls need less. */
  if (heddle_weights_open(&dates_model, weights_path, 0, NULL, &s->weights,
                          &s->error) ||
      heddle_threads_create(0, NULL, &s->threads, &s->error) ||
      dates_cache_size(1, DATES_POSITIONS, &cache_size, &s->error) ||
      dates_prefill_workspace_size(1, DATES_POSITIONS, DATES_POSITIONS,
                                   &prefill_size, &s->error) ||
      dates_decode_workspace_size(1, DATES_POSITIONS, &decode_size, &s->error))
    return s->error.status;
  s->context.parallel_for = heddle_threads_parallel_for;
  s->context.parallel_for_data = s->threads;
  s->context.error = &s->error;
  s->workspace_size = prefill_size > decode_size ? prefill_size : decode_size;
  s->cache = aligned_alloc(HEDDLE_ALIGNMENT, cache_size);
  s->workspace = aligned_alloc(HEDDLE_ALIGNMENT, s->workspace_size);
  return s->cache && s->workspace ? HEDDLE_OK : HEDDLE_OUT_OF_MEMORY;
}

static void close_session(session *s) {
  free(s->workspace);
  free(s->cache);
  heddle_threads_destroy(s->threads);
  heddle_weights_close(s->weights);
}

/* Writes the model's answer to `date` into `answer`. Of a date that is too long
 * for the model only the beginning is read. */
static heddle_status ask(session *s, const char *date,
                         char answer[DATES_POSITIONS]) {
  int32_t ids[DATES_POSITIONS] = {ID_BEGIN};
  int32_t start = 0, length = 1;
  float logits[DATES_VOCABULARY];
  size_t written = 0;
  while (*date && *date != '\n' && length < DATES_POSITIONS - 1)
    ids[length++] = id_of(*date++);
  ids[length++] = id_of('\n');

  /* Prefill reads the whole question at once; decode goes on id by id. */
  heddle_status status = dates_prefill(
      &s->context, s->weights, ids, &start, &length, s->cache, logits, 1,
      length, DATES_POSITIONS, s->workspace, s->workspace_size);
  start = length;
  length = 1;
  while (status == HEDDLE_OK) {
    int32_t id = likeliest(logits, DATES_VOCABULARY);
    if (id == ID_END || start == DATES_POSITIONS)
      break;
    answer[written++] = character_of(id);
    status = dates_decode(&s->context, s->weights, &id, &start, &length,
                          s->cache, logits, 1, DATES_POSITIONS, s->workspace,
                          s->workspace_size);
    ++start;
  }
  answer[written] = '\0';
  s->tokens += start;
  return status;
}

static double seconds(void) {
  struct timespec time;
  timespec_get(&time, TIME_UTC);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The next line of standard input, or NULL. Of one that is too long for `line`
 * the beginning, as for the model; the rest is not the next line. */
static const char *read_line(char *line, size_t size, int number) {
  size_t length = 0;
  int c;
  while ((c = getchar()) != EOF && c != '\n')
    if (++length < size)
      line[length - 1] = (char)c;
  if (c == EOF && length == 0)
    return NULL;
  if (length >= size) {
    length = size - 1;
    fprintf(stderr,
            "line %d is longer than %zu characters: only its beginning is "
            "read\n",
            number, length);
  }
  line[length] = '\0';
  return line;
}

int main(int argc, char **argv) {
  session s = {0};
  char line[255], answer[DATES_POSITIONS];
  double spent = 0;
  /* A null path stands for the weights inside the object. */
  int has_file = dates_model.embedded_weights == NULL;
  if (has_file && argc < 2) {
    fprintf(stderr, "usage: %s WEIGHTS [DATE...]\n", argv[0]);
    return 2;
  }
  heddle_status status = open_session(&s, has_file ? argv[1] : NULL);
  int first = has_file ? 2 : 1;
  for (int i = 0; status == HEDDLE_OK; ++i) {
    const char *date =
        argc > first ? argv[first + i] : read_line(line, sizeof(line), i + 1);
    if (!date)
      break;
    spent -= seconds();
    status = ask(&s, date, answer);
    spent += seconds();
    if (status == HEDDLE_OK)
      puts(answer);
  }
  if (status == HEDDLE_OK && s.tokens > 0)
    fprintf(stderr, "%ld tokens in %.1f ms: %.0f tokens/s\n", s.tokens,
            1e3 * spent, (double)s.tokens / spent);
  else if (status != HEDDLE_OK)
    fprintf(stderr, "%s: %s: %s\n", argv[0], heddle_status_name(status),
            s.error.message);
  close_session(&s);
  return status == HEDDLE_OK ? 0 : 1;
}
