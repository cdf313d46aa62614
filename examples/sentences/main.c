/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Finds the sentence that means the same: all that a program needs to search
 * by vectors of a compiled encoder.
 *
 *   heddlec model -o sentences.o   makes sentences.o, .h and .weights
 *   cc main.c sentences.o $(pkg-config --cflags --libs heddle_text) \
 *      -o sentences
 *   ./sentences sentences.weights model FILE
 *
 * For each line of standard input it prints the nearest line of FILE, and the
 * cosine of the two. Of a line with a tab the part before it counts.
 *
 *   ./sentences sentences.weights model --judge heldout.txt
 *
 * counts how often the part behind the tab finds the part before it.
 */
#include "heddle_text.h"
#include "sentences.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct search {
  heddle_error error;
  heddle_context context;
  heddle_weights *weights;
  heddle_threads *threads;
  heddle_tokenizer *tokenizer;
  heddle_encoder *encoder;
  size_t columns; /* numbers of a vector */
} search;

/* Sentences of a file and their vectors. */
typedef struct list {
  char *text;             /* the file's contents */
  heddle_text_pair *rows; /* [count]: parts of the text */
  float *vectors;         /* [count, columns]; each has length 1 */
  size_t count;
} list;

static heddle_status fail(search *s, heddle_status status, const char *message,
                          const char *name) {
  s->error.status = status;
  snprintf(s->error.message, sizeof(s->error.message), "%s: %s", name, message);
  return status;
}

/* A status of zero is success; the message of a failure is in s->error. */
static heddle_status open_search(search *s, const char *weights_path,
                                 const char *tokenizer_folder) {
  if (heddle_weights_open(&sentences_model, weights_path, 0, NULL, &s->weights,
                          &s->error) ||
      heddle_threads_create(0, NULL, &s->threads, &s->error) ||
      heddle_tokenizer_open(tokenizer_folder, &s->tokenizer, &s->error))
    return s->error.status;
  s->context.parallel_for = heddle_threads_parallel_for;
  s->context.parallel_for_data = s->threads;
  s->context.error = &s->error;
  if (heddle_encoder_create(&sentences_model, s->weights, &s->context,
                            s->tokenizer, HEDDLE_ROLE_EMBEDDING, &s->encoder,
                            &s->error))
    return s->error.status;
  s->columns = (size_t)heddle_encoder_columns(s->encoder);
  return HEDDLE_OK;
}

static void close_search(search *s) {
  heddle_encoder_destroy(s->encoder);
  heddle_tokenizer_close(s->tokenizer);
  heddle_threads_destroy(s->threads);
  heddle_weights_close(s->weights);
}

static void free_list(list *l) {
  free(l->text);
  free(l->rows);
  free(l->vectors);
}

/* The contents of a file with a zero behind them, or NULL. */
static char *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  long size = -1;
  char *text = NULL;
  if (file && fseek(file, 0, SEEK_END) == 0)
    size = ftell(file);
  if (size >= 0 && size < LONG_MAX && fseek(file, 0, SEEK_SET) == 0)
    text = calloc((size_t)size + 1, 1);
  if (text && fread(text, 1, (size_t)size, file) != (size_t)size) {
    free(text);
    text = NULL;
  }
  if (file)
    fclose(file);
  return text;
}

/* Reads column 0 or 1 of the lines of a file, and makes their vectors. */
static heddle_status read_list(search *s, const char *path, int column,
                               list *l) {
  l->text = read_file(path);
  if (!l->text)
    return fail(s, HEDDLE_IO_ERROR, "cannot read the file", path);
  size_t lines = 1;
  for (const char *c = l->text; *c; ++c)
    lines += *c == '\n';
  l->rows = calloc(lines, sizeof(*l->rows));
  l->vectors = calloc(lines * s->columns, sizeof(*l->vectors));
  if (!l->rows || !l->vectors)
    return fail(s, HEDDLE_OUT_OF_MEMORY, "not enough memory", path);
  for (const char *line = l->text; *line;) {
    const char *end = line + strcspn(line, "\n");
    const char *tab = line + strcspn(line, "\t\n");
    if (column == 1 && *tab != '\t')
      return fail(s, HEDDLE_INVALID_ARGUMENT, "expected a tab in each line",
                  path);
    heddle_text_pair *row = &l->rows[l->count++];
    row->first = column == 0 ? line : tab + 1;
    row->first_size = (size_t)((column == 0 ? tab : end) - row->first);
    line = *end ? end + 1 : end;
  }
  if (l->count == 0)
    return fail(s, HEDDLE_INVALID_ARGUMENT, "expected at least one line", path);
  return heddle_encoder_run(s->encoder, l->rows, l->count, l->vectors,
                            &s->error);
}

/* The row of `l` whose vector has the largest product with this one. As both
 * have length 1, the product is the cosine. */
static size_t nearest(const search *s, const list *l, const float *vector,
                      float *cosine) {
  size_t best = 0;
  for (size_t row = 0; row < l->count; ++row) {
    float product = 0;
    for (size_t i = 0; i < s->columns; ++i)
      product += vector[i] * l->vectors[row * s->columns + i];
    if (row == 0 || product > *cosine) {
      best = row;
      *cosine = product;
    }
  }
  return best;
}

/* Answers each line of standard input; of very long ones, the beginning. */
static heddle_status answer(search *s, const char *path) {
  list l = {0};
  char line[1024];
  float cosine;
  heddle_status status = read_list(s, path, 0, &l);
  float *vector = calloc(s->columns, sizeof(*vector));
  if (status == HEDDLE_OK && !vector)
    status = fail(s, HEDDLE_OUT_OF_MEMORY, "not enough memory", path);
  while (status == HEDDLE_OK && fgets(line, sizeof(line), stdin)) {
    heddle_text_pair text = {line, strcspn(line, "\n"), NULL, 0};
    if (!line[text.first_size])
      for (int c = 0; c != EOF && c != '\n';)
        c = getchar();
    status = heddle_encoder_run(s->encoder, &text, 1, vector, &s->error);
    if (status == HEDDLE_OK) {
      const heddle_text_pair *row = &l.rows[nearest(s, &l, vector, &cosine)];
      printf("%.4f  %.*s\n", (double)cosine, (int)row->first_size, row->first);
    }
  }
  free(vector);
  free_list(&l);
  return status;
}

/* Counts the sentences that find their other wording. */
static heddle_status judge(search *s, const char *path) {
  list first = {0}, second = {0};
  size_t right = 0;
  float cosine;
  heddle_status status = read_list(s, path, 0, &first);
  if (status == HEDDLE_OK)
    status = read_list(s, path, 1, &second);
  if (status == HEDDLE_OK) {
    for (size_t row = 0; row < second.count; ++row)
      right +=
          nearest(s, &first, &second.vectors[row * s->columns], &cosine) == row;
    printf("%zu of %zu\n", right, second.count);
  }
  free_list(&first);
  free_list(&second);
  return status;
}

int main(int argc, char **argv) {
  search s = {0};
  int judges = argc == 5 && strcmp(argv[3], "--judge") == 0;
  if (argc != 4 && !judges) {
    fprintf(stderr, "usage: %s WEIGHTS TOKENIZER_FOLDER [--judge] FILE\n",
            argv[0]);
    return 2;
  }
  heddle_status status = open_search(&s, argv[1], argv[2]);
  if (status == HEDDLE_OK)
    status = judges ? judge(&s, argv[4]) : answer(&s, argv[3]);
  if (status != HEDDLE_OK)
    fprintf(stderr, "%s: %s: %s\n", argv[0], heddle_status_name(status),
            s.error.message);
  close_search(&s);
  return status == HEDDLE_OK ? 0 : 1;
}
