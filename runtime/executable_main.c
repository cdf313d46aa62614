/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The program around a model that `heddlec --emit=exe` makes:
 *
 *   PROGRAM WEIGHTS ID... [-n TOKENS]
 *
 * reads the ids and prints the ids of their greedy continuation. Where the
 * model has its weights inside, there is no argument WEIGHTS. It knows its
 * model by -DMODEL=<prefix>_model alone.
 */
#include "executable_model.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_TOKENS = 32 };

typedef struct run {
  heddle_error error;
  executable_model model;
  heddle_session *session;
  int32_t *ids;
  int32_t prompt, total; /* ids given; and with the continuation */
} run;

static int read_arguments(run *r, int argc, char **argv, int first) {
  long tokens = DEFAULT_TOKENS;
  r->ids = calloc((size_t)argc + 1, sizeof(*r->ids));
  for (int i = first; i < argc && r->ids; ++i) {
    int is_option = strcmp(argv[i], "-n") == 0;
    const char *text = argv[i += is_option];
    char *end = NULL;
    long value = text ? strtol(text, &end, 10) : -1;
    if (value < 0 || value > INT32_MAX / 2 || end == text || *end)
      return 0;
    if (is_option)
      tokens = value;
    else
      r->ids[r->prompt++] = (int32_t)value;
  }
  r->total = r->prompt + (int32_t)tokens;
  return r->prompt > 0;
}

static heddle_status prepare(run *r, const char *weights_path) {
  heddle_status status = open_model(&r->model, weights_path, &r->error);
  return status ? status
                : heddle_session_create(&MODEL, r->model.weights,
                                        &r->model.context, 1, r->prompt,
                                        r->total, NULL, &r->session, &r->error);
}

int main(int argc, char **argv) {
  run r = {0};
  bool is_embedded = MODEL.embedded_weights != NULL;
  if (!read_arguments(&r, argc, argv, is_embedded ? 1 : 2)) {
    fprintf(stderr, "usage: %s%s ID... [-n TOKENS]\n", argv[0],
            is_embedded ? "" : " WEIGHTS");
    free(r.ids);
    return 2;
  }
  const heddle_sampling greedy = HEDDLE_GREEDY;
  heddle_status status = prepare(&r, is_embedded ? NULL : argv[1]);
  for (int32_t n = r.prompt, best = 0; n < r.total && !status; ++n) {
    bool is_prompt = n == r.prompt;
    status = heddle_session_append(r.session, is_prompt ? r.ids : &best,
                                   is_prompt ? n : 1, &r.error);
    if (!status)
      status = heddle_session_sample(r.session, &greedy, NULL, &best, &r.error);
    if (!status)
      printf("%d%c", best, n + 1 == r.total ? '\n' : ' ');
  }
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
