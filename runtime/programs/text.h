/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* What programs of `heddlec --emit=exe` have in common that take texts or
 * recordings. They know their model by -DMODEL=<prefix>_model, and the
 * tokenizer's files by -DFILES=<prefix>_files and -DFILE_COUNT=<count>.
 */
#ifndef HEDDLE_PROGRAMS_TEXT_H
#define HEDDLE_PROGRAMS_TEXT_H

#include "heddle_text.h"
#include "model.h"

#include <stdio.h>
#include <unistd.h>

extern const heddle_file FILES[];

enum { LARGEST_INPUT = 16 << 20 }; /* bytes, with the zero behind them */

typedef struct program {
  heddle_error error;
  const char *name;
  const char *weights_path; /* null where they are inside */
  heddle_tokenizer *tokenizer;
  executable_model model;
} program;

static inline heddle_status fail(program *p, heddle_status status,
                                 const char *message) {
  p->error.status = status;
  snprintf(p->error.message, sizeof(p->error.message), "%s", message);
  return status;
}

/* Takes the argument WEIGHTS, unless they are inside. 0 where there is none. */
static inline int take_weights(program *p, int argc, char **argv, int *next) {
  if (MODEL.embedded_weights)
    return 1;
  p->weights_path = *next < argc ? argv[(*next)++] : NULL;
  return p->weights_path != NULL;
}

/* " WEIGHTS", and what help says of it. */
static inline const char *weights_usage(void) {
  return MODEL.embedded_weights ? "" : " WEIGHTS";
}
static inline const char *weights_help(void) {
  return MODEL.embedded_weights
             ? ""
             : "  WEIGHTS          the model's file of weights\n";
}

static inline heddle_status open_tokenizer(program *p) {
  return heddle_tokenizer_open_files(FILES, FILE_COUNT, &p->tokenizer,
                                     &p->error);
}

/* Standard input, *size bytes with a zero behind them, which the caller frees.
 * Null where it cannot be read. */
static inline char *read_input(program *p, size_t *size) {
  char *input = malloc(LARGEST_INPUT);
  if (!input) {
    fail(p, HEDDLE_OUT_OF_MEMORY, "out of memory");
    return NULL;
  }
  *size = fread(input, 1, LARGEST_INPUT, stdin);
  if (!ferror(stdin) && *size < LARGEST_INPUT) {
    input[*size] = '\0';
    return input;
  }
  if (ferror(stdin))
    fail(p, HEDDLE_IO_ERROR, "cannot read standard input");
  else
    fail(p, HEDDLE_OUT_OF_RANGE,
         "standard input has 16 MiB or more, expected less");
  free(input);
  return NULL;
}

/* A terminal does not obey what the model says: control characters other than
 * newlines and tabs are spelt out. U+0080 to U+009F are C2 80 to C2 9F. */
static inline void show(const char *text, size_t size, int is_terminal) {
  for (size_t i = 0; i < size; ++i) {
    unsigned char byte = (unsigned char)text[i];
    int is_control = (byte < 0x20 && byte != '\n' && byte != '\t') ||
                     byte == 0x7f ||
                     (byte >= 0x80 && byte < 0xa0 && i > 0 &&
                      (unsigned char)text[i - 1] == 0xc2);
    if (is_terminal && is_control)
      printf("\\x%02X", byte);
    else
      putchar(byte);
  }
}

static inline heddle_status flush_output(program *p) {
  return fflush(stdout) == 0 && !ferror(stdout)
             ? HEDDLE_OK
             : fail(p, HEDDLE_IO_ERROR, "cannot write to standard output");
}

/* Shows the pieces of an answer as they come. */
static inline heddle_status show_answer(program *p,
                                        heddle_generator *generator) {
  int is_terminal = isatty(STDOUT_FILENO);
  heddle_piece piece = {0};
  while (piece.finish == HEDDLE_FINISH_NONE && !ferror(stdout)) {
    if (heddle_generator_next(generator, &piece, &p->error))
      return p->error.status;
    show(piece.text, piece.size, is_terminal);
    fflush(stdout);
  }
  putchar('\n');
  if (flush_output(p))
    return p->error.status;
  if (piece.finish == HEDDLE_FINISH_FULL)
    fprintf(stderr, "%s: the model's positions are full\n", p->name);
  return HEDDLE_OK;
}

/* Ends the program, and says what has failed. */
static inline int close_program(program *p, heddle_status status) {
  if (status)
    fprintf(stderr, "%s: %s: %s\n", p->name, heddle_status_name(status),
            p->error.message);
  close_model(&p->model);
  heddle_tokenizer_close(p->tokenizer);
  return status ? 1 : 0;
}

#endif /* HEDDLE_PROGRAMS_TEXT_H */
