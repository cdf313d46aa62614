/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The program around a model that `heddlec --emit=exe` makes:
 *
 *   PROGRAM WEIGHTS ID... [-n TOKENS]
 *
 * reads the ids and prints the ids of their continuation, or of the answer of
 * an encoder-decoder, as the model's folder wants them chosen
 * (model->generation), up to an end id. Where the model has its weights inside,
 * there is no argument WEIGHTS. It knows its model by -DMODEL=<prefix>_model
 * alone.
 */
#include "model.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_TOKENS = 32 };

typedef struct run {
  heddle_error error;
  executable_model model;
  heddle_decoder decoder;
  heddle_session *session;
  int32_t *ids;
  int32_t prompt; /* ids given */
  /* What the sequence begins with, [first_count]: these ids, or those that an
   * encoder-decoder's answers to them begin with. */
  const int32_t *first;
  int32_t first_count, total; /* and with the continuation */
  int32_t tokens;             /* of an option; -1 without one */
} run;

static bool is_end(int32_t id) {
  const heddle_generation_defaults *defaults = MODEL.generation;
  for (uint32_t i = 0; defaults && i < defaults->end_count; ++i)
    if (defaults->end_ids[i] == id)
      return true;
  return false;
}

/* How many ids follow the prompt where no option says so: what the folder says,
 * as far as there are positions. Of a prompt that fills all of them, the
 * session says so. */
static heddle_status find_total(run *r) {
  const heddle_generation_defaults *defaults = MODEL.generation;
  int64_t tokens = DEFAULT_TOKENS;
  if (defaults && (defaults->limit || defaults->maximum_length)) {
    const heddle_step *prefill = &r->decoder.prefill;
    int64_t room =
        prefill->entry->symbols[prefill->capacity].maximum - r->first_count;
    tokens = defaults->limit ? defaults->limit
                             : defaults->maximum_length - r->first_count;
    if (tokens < 1) {
      r->error.status = HEDDLE_INVALID_ARGUMENT;
      snprintf(r->error.message, sizeof(r->error.message),
               "the prompt has %" PRId32 " ids, expected fewer than "
               "maximum_length, %" PRId64,
               r->first_count, defaults->maximum_length);
      return r->error.status;
    }
    room = room < 1 ? 1 : room;
    tokens = tokens > room ? room : tokens;
  }
  r->total = r->first_count + (int32_t)tokens;
  return HEDDLE_OK;
}

static heddle_status find_first(run *r) {
  const heddle_generation_defaults *defaults = MODEL.generation;
  heddle_status status = heddle_find_decoder(&MODEL, &r->decoder, &r->error);
  if (status)
    return status;
  r->first = r->ids;
  r->first_count = r->prompt;
  if (!r->decoder.encode.entry)
    return HEDDLE_OK;
  r->first = defaults ? defaults->start_ids : NULL;
  r->first_count = defaults ? (int32_t)defaults->start_count : 0;
  if (r->first_count > 0)
    return HEDDLE_OK;
  r->error.status = HEDDLE_INVALID_ARGUMENT;
  snprintf(r->error.message, sizeof(r->error.message),
           "the model does not say which ids answers begin with");
  return HEDDLE_INVALID_ARGUMENT;
}

static int read_arguments(run *r, int argc, char **argv, int first) {
  r->ids = calloc((size_t)argc + 1, sizeof(*r->ids));
  for (int i = first; i < argc && r->ids; ++i) {
    int is_option = strcmp(argv[i], "-n") == 0;
    const char *text = argv[i += is_option];
    char *end = NULL;
    long value = text ? strtol(text, &end, 10) : -1;
    if (value < 0 || value > INT32_MAX / 2 || end == text || *end)
      return 0;
    if (is_option)
      r->tokens = (int32_t)value;
    else
      r->ids[r->prompt++] = (int32_t)value;
  }
  return r->prompt > 0;
}

static heddle_status prepare(run *r, const char *weights_path) {
  heddle_status status = find_first(r);
  if (!status && r->tokens < 0)
    status = find_total(r);
  else
    r->total = r->first_count + r->tokens;
  /* Nobody asks what follows the last id. */
  int32_t capacity = r->total > r->first_count ? r->total - 1 : r->first_count;
  if (!status)
    status = open_model(&r->model, weights_path, &r->error);
  if (!status)
    status = heddle_session_create(&MODEL, r->model.weights, &r->model.context,
                                   1, r->first_count, capacity, NULL,
                                   &r->session, &r->error);
  if (!status && r->decoder.encode.entry)
    status =
        heddle_session_encode(r->session, r->ids, NULL, r->prompt, &r->error);
  return status;
}

/* Chooses the id that follows. */
static heddle_status choose(run *r, heddle_sampling *sampling,
                            heddle_random *random, int32_t *id) {
  const heddle_generation_defaults *defaults = MODEL.generation;
  heddle_rules rules;
  heddle_answer answer = {.rules = &rules,
                          .prompt_count = r->first_count,
                          .maximum_length = r->total};
  if (defaults) {
    answer.end_ids = defaults->end_ids;
    answer.end_count = defaults->end_count;
  }
  heddle_status status = heddle_default_rules(&MODEL, &rules, &r->error);
  sampling->answer = &answer;
  if (!status)
    status = heddle_session_sample(r->session, sampling, random, id, &r->error);
  sampling->answer = NULL;
  return status;
}

static void print_usage(FILE *stream, const char *program, bool is_embedded) {
  fprintf(stream, "usage: %s%s ID... [-n TOKENS]\n", program,
          is_embedded ? "" : " WEIGHTS");
}

static int print_help(const char *program, bool is_embedded) {
  const heddle_generation_defaults *defaults = MODEL.generation;
  char usual[64];
  if (defaults && !defaults->limit && defaults->maximum_length)
    snprintf(usual, sizeof(usual), "up to %" PRId64 " with those of the prompt",
             defaults->maximum_length);
  else
    snprintf(usual, sizeof(usual), "%" PRId64,
             defaults && defaults->limit ? defaults->limit
                                         : (int64_t)DEFAULT_TOKENS);
  print_usage(stdout, program, is_embedded);
  printf("\nPrints the ids of the continuation of ID..., by the model "
         "'%s'.\n\n%s"
         "  ID...        the ids of a prompt's tokens\n"
         "  -n TOKENS    how many ids to print, at most (default: %s)\n"
         "  -h, --help   print this, and end\n",
         MODEL.name,
         is_embedded ? "" : "  WEIGHTS      the model's file of weights\n",
         usual);
  return fflush(stdout) == 0 ? 0 : 1;
}

int main(int argc, char **argv) {
  run r = {.tokens = -1};
  bool is_embedded = MODEL.embedded_weights != NULL;
  if (asks_for_help(argc, argv))
    return print_help(argv[0], is_embedded);
  if (!read_arguments(&r, argc, argv, is_embedded ? 1 : 2)) {
    print_usage(stderr, argv[0], is_embedded);
    free(r.ids);
    return 2;
  }
  heddle_sampling sampling = HEDDLE_GREEDY;
  heddle_random random = {0, 0};
  heddle_status status = prepare(&r, is_embedded ? NULL : argv[1]);
  if (!status)
    status = heddle_default_sampling(&MODEL, &sampling, &r.error);
  if (!status && MODEL.generation && MODEL.generation->beams)
    fprintf(stderr,
            "%s: the model's folder asks for a search of %" PRIu32
            " beams, and this program takes the likeliest ids\n",
            argv[0], MODEL.generation->beams);
  for (int32_t n = r.first_count, best = 0; n < r.total && !status; ++n) {
    bool is_first = n == r.first_count;
    status = heddle_session_append(r.session, is_first ? r.first : &best,
                                   is_first ? n : 1, &r.error);
    if (!status)
      status = choose(&r, &sampling, &random, &best);
    if (status || is_end(best))
      break;
    printf("%s%d", is_first ? "" : " ", best);
  }
  if (!status && r.total > r.first_count)
    putchar('\n');
  if (status)
    fprintf(stderr, "%s: %s: %s\n", argv[0], heddle_status_name(status),
            r.error.message);
  /* What is printed may be kept back until here. */
  int is_printed = !ferror(stdout) && fflush(stdout) == 0;
  if (!status && !is_printed)
    fprintf(stderr, "%s: cannot write to standard output\n", argv[0]);
  heddle_session_destroy(r.session);
  close_model(&r.model);
  free(r.ids);
  return status || !is_printed ? 1 : 0;
}
