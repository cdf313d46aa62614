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
 * is no argument WEIGHTS.
 */
#include "text.h"

#include <errno.h>
#include <inttypes.h>

typedef struct run {
  program program;
  const char *text; /* null for standard input */
  int is_chat;
  heddle_generator_options options;
  heddle_decoder decoder;
  char *input, *chat;
  int32_t *ids;
  size_t count;
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
          r->program.name, option, optarg, least, most);
  return 0;
}

static int read_temperature(run *r) {
  char *end = NULL;
  r->options.sampling.temperature = strtof(optarg, &end);
  r->options.beams = 0; /* a search draws no ids */
  if (end != optarg && !*end && r->options.sampling.temperature >= 0)
    return 1;
  fprintf(stderr, "%s: -t is '%s', expected a number from 0 on\n",
          r->program.name, optarg);
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
  int next = optind;
  int has_weights = take_weights(&r->program, argc, argv, &next);
  r->text = next < argc ? argv[next++] : NULL;
  return next == argc && has_weights;
}

/* ---- The prompt ---------------------------------------------------------- */

/* Fills `ids`. */
static heddle_status read_prompt(run *r) {
  program *p = &r->program;
  size_t size = r->text ? strlen(r->text) : 0;
  if (!r->text) {
    r->text = r->input = read_input(p, &size);
    if (!r->text)
      return p->error.status;
    /* The newline behind a text is none of it, unless it may be continued. */
    if (r->decoder.encode.entry && size > 0 && r->input[size - 1] == '\n')
      r->input[--size] = '\0';
  }
  const char *text = r->text;
  if (r->is_chat) {
    if (strlen(text) != size)
      return fail(p, HEDDLE_INVALID_ARGUMENT, "the message has a zero byte");
    heddle_message message = {"user", text};
    if (heddle_tokenizer_apply_chat(p->tokenizer, &message, 1, 1, &r->chat,
                                    &size, &p->error))
      return p->error.status;
    text = r->chat;
  }
  if (heddle_tokenizer_encode(p->tokenizer, text, size, !r->is_chat, &r->ids,
                              &r->count, &p->error))
    return p->error.status;
  return r->count ? HEDDLE_OK
                  : fail(p, HEDDLE_INVALID_ARGUMENT, "the prompt has no token");
}

/* ---- The answer ---------------------------------------------------------- */

static heddle_status prepare(run *r) {
  program *p = &r->program;
  if (heddle_find_decoder(&MODEL, &r->decoder, &p->error) || read_prompt(r) ||
      open_model(&p->model, p->weights_path, &p->error))
    return p->error.status;
  /* No more memory than the answer takes, or the model has positions for. */
  const heddle_step *prefill = &r->decoder.prefill;
  int64_t positions = prefill->entry->symbols[prefill->capacity].maximum;
  int64_t wanted = (int64_t)r->count + r->options.limit;
  if (!r->decoder.encode.entry)
    r->options.capacity = wanted < positions ? wanted : positions;
  if (heddle_generator_create(&MODEL, p->model.weights, &p->model.context,
                              p->tokenizer, &r->options, &r->generator,
                              &p->error))
    return p->error.status;
  return heddle_generator_prompt(r->generator, r->ids, r->count, &p->error);
}

static void print_usage(FILE *stream, const char *name) {
  fprintf(stream,
          "usage: %s%s [-n TOKENS] [-t TEMPERATURE] [-s SEED] [-c] [TEXT]\n",
          name, weights_usage());
}

static int print_help(const run *r) {
  print_usage(stdout, r->program.name);
  printf("\nContinues or answers TEXT, or else standard input, by the model "
         "'%s'.\n\n%s"
         "  -n TOKENS        how many tokens at most (default: %" PRId64 ")\n"
         "  -t TEMPERATURE   0 chooses the most likely token (default: %g)\n"
         "  -s SEED          of what a temperature draws (default: %" PRIu64
         ")\n"
         "  -c               TEXT is a message to a model that chats\n"
         "  -h, --help       print this, and end\n"
         "  --               what follows is TEXT, whatever it begins with\n",
         MODEL.name, weights_help(), r->options.limit,
         (double)r->options.sampling.temperature, r->options.seed);
  return fflush(stdout) == 0 ? 0 : 1;
}

int main(int argc, char **argv) {
  run r = {.program = {.name = argv[0]}, .options = HEDDLE_GENERATOR_OPTIONS};
  heddle_status status = open_tokenizer(&r.program);
  if (!status)
    status = heddle_generator_default_options(&MODEL, r.program.tokenizer,
                                              &r.options, &r.program.error);
  if (!status && asks_for_help(argc, argv))
    return print_help(&r) | close_program(&r.program, HEDDLE_OK);
  if (!status && !read_arguments(&r, argc, argv)) {
    print_usage(stderr, argv[0]);
    close_program(&r.program, HEDDLE_OK);
    return 2;
  }
  if (!status)
    status = prepare(&r);
  if (!status)
    status = show_answer(&r.program, r.generator);
  heddle_generator_destroy(r.generator);
  heddle_text_free(r.ids);
  heddle_text_free(r.chat);
  free(r.input);
  return close_program(&r.program, status);
}
