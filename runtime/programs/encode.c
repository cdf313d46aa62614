/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The program around an encoder of texts that `heddlec --emit=exe` makes:
 *
 *   PROGRAM WEIGHTS [-v] TEXT...
 *
 * prints how alike the first text and each other are, the cosine of their
 * vectors; or with -v, and of one text, the vectors. That of a classifier,
 * compiled with -DLABELS=1,
 *
 *   PROGRAM WEIGHTS [-s SECOND] TEXT...
 *
 * prints the labels of each text, or of each pair of one and SECOND, the
 * likeliest first; or of each of its tokens, a line each. Without a TEXT, the
 * lines of standard input are texts. Where the model has its weights inside,
 * there is no argument WEIGHTS.
 */
#include "text.h"

#include <inttypes.h>
#include <math.h>

#ifndef LABELS
#define LABELS 0
#endif

typedef struct run {
  program program;
  int shows_vectors;
  const char *second; /* null for none */
  char *input;        /* null where texts are arguments */
  heddle_text_pair *texts;
  size_t count;
  heddle_encoder *encoder;
  float *rows; /* [count, columns] */
  int64_t columns;
  double *shares;          /* [columns] */
  unsigned char *is_shown; /* [columns] */
} run;

enum { SHOWN_LABELS = 10 }; /* of more only the likeliest */

/* ---- Texts --------------------------------------------------------------- */

static int read_arguments(run *r, int argc, char **argv) {
  for (int option; (option = getopt(argc, argv, LABELS ? "s:" : "v")) != -1;) {
    if (option == 'v')
      r->shows_vectors = 1;
    else if (option == 's')
      r->second = optarg;
    else
      return 0; /* getopt has said why */
  }
  int next = optind;
  if (!take_weights(&r->program, argc, argv, &next))
    return 0;
  r->count = (size_t)(argc - next);
  r->texts = calloc(r->count + 1, sizeof(*r->texts));
  for (size_t i = 0; r->texts && i < r->count; ++i)
    r->texts[i] = (heddle_text_pair){argv[next + (int)i],
                                     strlen(argv[next + (int)i]), NULL, 0};
  return 1;
}

static heddle_status read_lines(run *r) {
  program *p = &r->program;
  size_t size = 0, lines = 1;
  r->input = read_input(p, &size);
  if (!r->input)
    return p->error.status;
  for (size_t i = 0; i < size; ++i)
    lines += r->input[i] == '\n';
  free(r->texts);
  r->texts = calloc(lines, sizeof(*r->texts));
  if (!r->texts)
    return fail(p, HEDDLE_OUT_OF_MEMORY, "out of memory");
  for (const char *line = r->input, *end = r->input + size; line < end;) {
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    stop = stop ? stop : end;
    r->texts[r->count++] =
        (heddle_text_pair){line, (size_t)(stop - line), NULL, 0};
    line = stop + 1;
  }
  return HEDDLE_OK;
}

/* ---- Results ------------------------------------------------------------- */

static double product(const float *x, const float *y, int64_t columns) {
  double sum = 0;
  for (int64_t i = 0; i < columns; ++i)
    sum += (double)x[i] * (double)y[i];
  return sum;
}

static void show_vector(const float *row, int64_t columns) {
  for (int64_t i = 0; i < columns; ++i)
    printf("%s%.8g", i ? " " : "", (double)row[i]);
  putchar('\n');
}

static void show_cosines(const run *r) {
  int is_terminal = isatty(STDOUT_FILENO);
  const float *first = r->rows;
  for (size_t i = 1; i < r->count; ++i) {
    const float *row = r->rows + (int64_t)i * r->columns;
    printf("%.4f  ", product(first, row, r->columns) /
                         sqrt(product(first, first, r->columns) *
                              product(row, row, r->columns)));
    show(r->texts[i].first, r->texts[i].first_size, is_terminal);
    putchar('\n');
  }
}

/* Special tokens, and unknown words, have no text. */
static heddle_status show_id(run *r, int32_t id) {
  program *p = &r->program;
  char *text = NULL;
  size_t size = 0;
  if (heddle_tokenizer_decode(p->tokenizer, &id, 1, &text, &size, &p->error))
    return p->error.status;
  if (size)
    show(text, size, isatty(STDOUT_FILENO));
  else
    printf("[%" PRId32 "]", id);
  heddle_text_free(text);
  return HEDDLE_OK;
}

static heddle_status show_label(run *r, size_t label) {
  const heddle_tokenizer *tokenizer = r->program.tokenizer;
  if (heddle_tokenizer_problem(tokenizer) == HEDDLE_PROBLEM_IDS)
    return show_id(r, (int32_t)label);
  const char *name = heddle_tokenizer_label(tokenizer, label);
  if (name)
    show(name, strlen(name), isatty(STDOUT_FILENO));
  else
    printf("%zu", label);
  return HEDDLE_OK;
}

/* Of those that are not shown yet; what is no number comes last. */
static size_t find_likeliest(const run *r) {
  const size_t count = (size_t)r->columns;
  size_t best = count;
  for (size_t i = 0; i < count; ++i)
    if (!r->is_shown[i] && (best == count || r->shares[i] > r->shares[best] ||
                            (isnan(r->shares[best]) && !isnan(r->shares[i]))))
      best = i;
  return best;
}

/* The likeliest first. */
static heddle_status show_labels(run *r, const float *logits) {
  program *p = &r->program;
  const size_t count = (size_t)r->columns;
  if (heddle_tokenizer_probabilities(p->tokenizer, logits, count, r->shares,
                                     &p->error))
    return p->error.status;
  memset(r->is_shown, 0, count);
  for (size_t shown = 0; shown < count && shown < SHOWN_LABELS; ++shown) {
    size_t label = find_likeliest(r);
    printf("%s", shown ? ", " : "");
    if (show_label(r, label))
      return p->error.status;
    printf(" %.4f", r->shares[label]);
    r->is_shown[label] = 1;
  }
  putchar('\n');
  return HEDDLE_OK;
}

/* A line for each token. */
static heddle_status show_tokens(run *r, const heddle_text_pair *text) {
  program *p = &r->program;
  int32_t *ids = NULL;
  float *values = NULL;
  size_t count = 0;
  if (heddle_encoder_run_tokens(r->encoder, text, &ids, &values, &count,
                                &p->error))
    return p->error.status;
  heddle_status status = HEDDLE_OK;
  for (size_t token = 0; token < count && !status; ++token) {
    status = show_id(r, ids[token]);
    if (status)
      break;
    printf("  ");
    status = show_labels(r, values + (int64_t)token * r->columns);
  }
  heddle_text_free(ids);
  heddle_text_free(values);
  return status;
}

static heddle_status show_results(run *r) {
  program *p = &r->program;
  int is_of_tokens = heddle_encoder_is_of_tokens(r->encoder);
  if (!LABELS && !r->shows_vectors && r->count > 1) {
    show_cosines(r);
    return flush_output(p);
  }
  heddle_status status = HEDDLE_OK;
  for (size_t i = 0; i < r->count && !status; ++i) {
    if (is_of_tokens) {
      printf("%s", i ? "\n" : "");
      status = show_tokens(r, &r->texts[i]);
      continue;
    }
    const float *row = r->rows + (int64_t)i * r->columns;
    if (LABELS)
      status = show_labels(r, row);
    else
      show_vector(row, r->columns);
  }
  return status ? status : flush_output(p);
}

/* ---- The program --------------------------------------------------------- */

static heddle_status read_rows(run *r) {
  program *p = &r->program;
  r->rows = calloc(r->count * (size_t)r->columns + 1, sizeof(*r->rows));
  if (!r->rows)
    return fail(p, HEDDLE_OUT_OF_MEMORY, "out of memory");
  return heddle_encoder_run(r->encoder, r->texts, r->count, r->rows, &p->error);
}

static heddle_status encode(run *r) {
  program *p = &r->program;
  if (!r->texts)
    return fail(p, HEDDLE_OUT_OF_MEMORY, "out of memory");
  if (r->count == 0 && read_lines(r))
    return p->error.status;
  for (size_t i = 0; r->second && i < r->count; ++i) {
    r->texts[i].second = r->second;
    r->texts[i].second_size = strlen(r->second);
  }
  heddle_role result = LABELS ? HEDDLE_ROLE_LOGITS : HEDDLE_ROLE_EMBEDDING;
  if (open_tokenizer(p) || open_model(&p->model, p->weights_path, &p->error) ||
      heddle_encoder_create(&MODEL, p->model.weights, &p->model.context,
                            p->tokenizer, result, &r->encoder, &p->error))
    return p->error.status;
  r->columns = heddle_encoder_columns(r->encoder);
  r->shares = calloc((size_t)r->columns, sizeof(*r->shares));
  r->is_shown = calloc((size_t)r->columns, 1);
  if (!r->shares || !r->is_shown)
    return fail(p, HEDDLE_OUT_OF_MEMORY, "out of memory");
  /* Those of tokens are read text by text. */
  if (!heddle_encoder_is_of_tokens(r->encoder) && read_rows(r))
    return p->error.status;
  return show_results(r);
}

static void print_usage(FILE *stream, const char *name) {
  fprintf(stream, "usage: %s%s %s [TEXT...]\n", name, weights_usage(),
          LABELS ? "[-s SECOND]" : "[-v]");
}

static int print_help(const char *name) {
  print_usage(stdout, name);
  printf(
      "\n%s, by the model '%s'. Without a TEXT,\n"
      "lines of standard input are texts.\n\n%s%s"
      "  -h, --help       print this, and end\n"
      "  --               what follows are texts, whatever they begin with\n",
      LABELS ? "Prints labels of texts or tokens, ten at most"
             : "Prints how alike the first text and others are",
      MODEL.name, weights_help(),
      LABELS ? "  -s SECOND        the second text of each pair\n"
             : "  -v               print the vector of each text\n");
  return fflush(stdout) == 0 ? 0 : 1;
}

int main(int argc, char **argv) {
  run r = {.program = {.name = argv[0]}};
  if (asks_for_help(argc, argv))
    return print_help(argv[0]);
  if (!read_arguments(&r, argc, argv)) {
    print_usage(stderr, argv[0]);
    free(r.texts);
    return 2;
  }
  heddle_status status = encode(&r);
  heddle_encoder_destroy(r.encoder);
  free(r.rows);
  free(r.shares);
  free(r.is_shown);
  free(r.texts);
  free(r.input);
  return close_program(&r.program, status);
}
