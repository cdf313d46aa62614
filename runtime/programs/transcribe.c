/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The program around a model that listens, which `heddlec --emit=exe` makes:
 *
 *   PROGRAM WEIGHTS [-l LANGUAGE] [-t TASK] FILE.wav
 *
 * prints what the recording says: 16-bit integers, 16,000 samples a second.
 * Where the model has its weights inside, there is no argument WEIGHTS.
 */
#include "text.h"

typedef struct run {
  program program;
  heddle_speech_options speech;
  const char *path;
  float *samples;
  size_t count;
  heddle_generator *generator;
} run;

static int read_arguments(run *r, int argc, char **argv) {
  for (int option; (option = getopt(argc, argv, "l:t:")) != -1;) {
    if (option == 'l')
      r->speech.language = optarg;
    else if (option == 't')
      r->speech.task = optarg;
    else
      return 0; /* getopt has said why */
  }
  int next = optind;
  int has_weights = take_weights(&r->program, argc, argv, &next);
  r->path = next < argc ? argv[next++] : NULL;
  return next == argc && has_weights && r->path;
}

static heddle_status transcribe(run *r) {
  program *p = &r->program;
  heddle_generator_options options = HEDDLE_GENERATOR_OPTIONS;
  if (heddle_recording_read(r->path, HEDDLE_RECORDING_RATE, &r->samples,
                            &r->count, &p->error) ||
      open_tokenizer(p) || open_model(&p->model, p->weights_path, &p->error) ||
      heddle_generator_default_options(&MODEL, p->tokenizer, &options,
                                       &p->error) ||
      heddle_generator_create(&MODEL, p->model.weights, &p->model.context,
                              p->tokenizer, &options, &r->generator,
                              &p->error) ||
      heddle_generator_listen(r->generator, p->tokenizer, r->samples, r->count,
                              &r->speech, &p->error))
    return p->error.status;
  return show_answer(p, r->generator);
}

static void print_usage(FILE *stream, const char *name) {
  fprintf(stream, "usage: %s%s [-l LANGUAGE] [-t TASK] FILE.wav\n", name,
          weights_usage());
}

static int print_help(const char *name) {
  print_usage(stdout, name);
  printf("\nPrints what a recording says, by the model '%s'.\n\n%s"
         "  -l LANGUAGE      that is spoken, such as en (default: what the "
         "model hears)\n"
         "  -t TASK          transcribe (default), or translate into English\n"
         "  FILE.wav         16-bit integers, %d samples a second\n"
         "  -h, --help       print this, and end\n",
         MODEL.name, weights_help(), HEDDLE_RECORDING_RATE);
  return fflush(stdout) == 0 ? 0 : 1;
}

int main(int argc, char **argv) {
  run r = {.program = {.name = argv[0]}};
  if (asks_for_help(argc, argv))
    return print_help(argv[0]);
  if (!read_arguments(&r, argc, argv)) {
    print_usage(stderr, argv[0]);
    return 2;
  }
  heddle_status status = transcribe(&r);
  heddle_generator_destroy(r.generator);
  heddle_text_free(r.samples);
  return close_program(&r.program, status);
}
