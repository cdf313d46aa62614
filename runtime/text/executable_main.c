/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The program around a model and its tokenizer that `heddlec --emit=exe` makes:
 *
 *   PROGRAM WEIGHTS [-n TOKENS] [-t TEMPERATURE] [-s SEED] [-c] [TEXT]
 *
 * continues TEXT, or else standard input, and prints what follows it, or what
 * an encoder-decoder answers. With -c TEXT is the message of a user, written as
 * the model's chat template does. What is not given is as the model's folder
 * wants it (model->generation). Where the model has its weights inside, there
 * is no argument WEIGHTS. It knows its model by -DMODEL=<prefix>_model, and the
 * tokenizer's files by -DFILES=<prefix>_files and -DFILE_COUNT=<count>.
 */
#include "../executable_model.h"
#include "heddle_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const heddle_file FILES[];

enum { LARGEST_INPUT = 16 << 20 }; /* bytes, with the zero behind them */

typedef struct run {
  heddle_error error;
  const char *program;
  const char *weights_path; /* null where they are inside */
  const char *text;         /* null for standard input */
  int is_chat;
  heddle_generator_options options;
  char *input, *chat;
  int32_t *ids;
  size_t count;
  heddle_tokenizer *tokenizer;
  executable_model model;
  heddle_generator *generator;
} run;

/* ---- The command line ---------------------------------------------------- */

/* Fails where not all of the option's value is a number of that range. */
static int read_integer(const run *r, int option, uint64_t least, uint64_t most,
                        uint64_t *number) {
  char *end = NULL;
  errno = 0;
  *number = strtoull(optarg, &end, 10);
  if (*optarg >= '0' && *optarg <= '9' && !*end && !errno && *number >= least &&
      *number <= most)
    return 1;
  fprintf(stderr, "%s: -%c is '%s', expected %" PRIu64 " to %" PRIu64 "\n",
          r->program, option, optarg, least, most);
  return 0;
}

static int read_temperature(run *r) {
  char *end = NULL;
  r->options.sampling.temperature = strtof(optarg, &end);
  r->options.beams = 0; /* a search draws no ids */
  if (end != optarg && !*end && r->options.sampling.temperature >= 0)
    return 1;
  fprintf(stderr, "%s: -t is '%s', expected a number from 0 on\n", r->program,
          optarg);
  return 0;
}

static int read_arguments(run *r, int argc, char **argv) {
  uint64_t number;
  for (int option; (option = getopt(argc, argv, "n:t:s:c")) != -1;) {
    if (option == 'c') {
      r->is_chat = 1;
    } else if (option == 't') {
      if (!read_temperature(r))
        return 0;
    } else if (option == 'n') {
      if (!read_integer(r, option, 1, INT32_MAX, &number))
        return 0;
      r->options.limit = (int64_t)number;
      r->options.maximum_length = 0;
    } else if (option == 's') {
      if (!read_integer(r, option, 0, UINT64_MAX, &r->options.seed))
        return 0;
    } else {
      return 0; /* getopt has said why */
    }
  }
  if (!MODEL.embedded_weights)
    r->weights_path = optind < argc ? argv[optind++] : NULL;
  r->text = optind < argc ? argv[optind++] : NULL;
  return optind == argc && (r->weights_path || MODEL.embedded_weights);
}

/* ---- The prompt ---------------------------------------------------------- */

static heddle_status fail(run *r, heddle_status status, const char *message) {
  r->error.status = status;
  snprintf(r->error.message, sizeof(r->error.message), "%s", message);
  return status;
}

static heddle_status read_input(run *r, size_t *size) {
  r->input = malloc(LARGEST_INPUT);
  if (!r->input)
    return fail(r, HEDDLE_OUT_OF_MEMORY, "out of memory");
  *size = fread(r->input, 1, LARGEST_INPUT, stdin);
  if (ferror(stdin))
    return fail(r, HEDDLE_IO_ERROR, "cannot read standard input");
  if (*size == LARGEST_INPUT)
    return fail(r, HEDDLE_OUT_OF_RANGE,
                "standard input has 16 MiB or more, expected a prompt");
  r->input[*size] = '\0';
  r->text = r->input;
  return HEDDLE_OK;
}

/* Fills `ids`. */
static heddle_status read_prompt(run *r) {
  size_t size = r->text ? strlen(r->text) : 0;
  if (!r->text && read_input(r, &size))
    return r->error.status;
  const char *text = r->text;
  if (r->is_chat) {
    if (strlen(text) != size)
      return fail(r, HEDDLE_INVALID_ARGUMENT, "the message has a zero byte");
    heddle_message message = {"user", text};
    if (heddle_tokenizer_apply_chat(r->tokenizer, &message, 1, 1, &r->chat,
                                    &size, &r->error))
      return r->error.status;
    text = r->chat;
  }
  if (heddle_tokenizer_encode(r->tokenizer, text, size, !r->is_chat, &r->ids,
                              &r->count, &r->error))
    return r->error.status;
  return r->count ? HEDDLE_OK
                  : fail(r, HEDDLE_INVALID_ARGUMENT, "the prompt has no token");
}

/* ---- The answer ---------------------------------------------------------- */

static heddle_status prepare(run *r) {
  heddle_decoder decoder;
  if (heddle_tokenizer_open_files(FILES, FILE_COUNT, &r->tokenizer,
                                  &r->error) ||
      read_prompt(r) || heddle_find_decoder(&MODEL, &decoder, &r->error) ||
      open_model(&r->model, r->weights_path, &r->error))
    return r->error.status;
  /* No more memory than the answer takes, or the model has positions for. */
  int64_t positions =
      decoder.prefill.entry->symbols[decoder.prefill.capacity].maximum;
  int64_t wanted = (int64_t)r->count + r->options.limit;
  if (!decoder.encode.entry)
    r->options.capacity = wanted < positions ? wanted : positions;
  size_t end_count = 0;
  const int32_t *end_ids = heddle_tokenizer_end_ids(r->tokenizer, &end_count);
  if (end_count) {
    r->options.end_ids = end_ids;
    r->options.end_count = end_count;
  }
  if (heddle_generator_create(&MODEL, r->model.weights, &r->model.context,
                              r->tokenizer, &r->options, &r->generator,
                              &r->error))
    return r->error.status;
  return heddle_generator_prompt(r->generator, r->ids, r->count, &r->error);
}

/* A terminal does not obey what the model says: control characters other than
 * newlines and tabs are spelt out. U+0080 to U+009F are C2 80 to C2 9F. */
static void show(const char *text, size_t size, int is_terminal) {
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

static heddle_status answer(run *r) {
  int is_terminal = isatty(STDOUT_FILENO);
  heddle_piece piece = {0};
  while (piece.finish == HEDDLE_FINISH_NONE && !ferror(stdout)) {
    if (heddle_generator_next(r->generator, &piece, &r->error))
      return r->error.status;
    show(piece.text, piece.size, is_terminal);
    fflush(stdout);
  }
  putchar('\n');
  if (fflush(stdout) != 0 || ferror(stdout))
    return fail(r, HEDDLE_IO_ERROR, "cannot write to standard output");
  if (piece.finish == HEDDLE_FINISH_FULL)
    fprintf(stderr, "%s: the model's positions are full\n", r->program);
  return HEDDLE_OK;
}

static void print_usage(FILE *stream, const char *program) {
  fprintf(stream,
          "usage: %s%s [-n TOKENS] [-t TEMPERATURE] [-s SEED] [-c] [TEXT]\n",
          program, MODEL.embedded_weights ? "" : " WEIGHTS");
}

static int print_help(const run *r) {
  print_usage(stdout, r->program);
  printf("\nContinues TEXT, or else standard input, by the model '%s'.\n\n%s"
         "  -n TOKENS        how many tokens at most (default: %" PRId64 ")\n"
         "  -t TEMPERATURE   0 chooses the most likely token (default: %g)\n"
         "  -s SEED          of what a temperature draws (default: %" PRIu64
         ")\n"
         "  -c               TEXT is a message to a model that chats\n"
         "  -h, --help       print this, and end\n"
         "  --               what follows is TEXT, whatever it begins with\n",
         MODEL.name,
         MODEL.embedded_weights
             ? ""
             : "  WEIGHTS          the model's file of weights\n",
         r->options.limit, (double)r->options.sampling.temperature,
         r->options.seed);
  return fflush(stdout) == 0 ? 0 : 1;
}

int main(int argc, char **argv) {
  run r = {.program = argv[0], .options = HEDDLE_GENERATOR_OPTIONS};
  heddle_status status =
      heddle_generator_default_options(&MODEL, NULL, &r.options, &r.error);
  if (!status && asks_for_help(argc, argv))
    return print_help(&r);
  if (!status && !read_arguments(&r, argc, argv)) {
    print_usage(stderr, argv[0]);
    return 2;
  }
  if (!status)
    status = prepare(&r);
  if (!status)
    status = answer(&r);
  if (status)
    fprintf(stderr, "%s: %s: %s\n", argv[0], heddle_status_name(status),
            r.error.message);
  heddle_generator_destroy(r.generator);
  close_model(&r.model);
  heddle_tokenizer_close(r.tokenizer);
  heddle_text_free(r.ids);
  heddle_text_free(r.chat);
  free(r.input);
  return status ? 1 : 0;
}
