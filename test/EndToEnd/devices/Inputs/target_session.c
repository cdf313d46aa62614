/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Sessions of one model, whose weights say where each runs, read the same ids
 * and choose the same ones after them.
 */
#include "dates.h"

#include "opened_model.h"

#include <math.h>

enum { LENGTH = 7 };

static heddle_session *read_ids(const heddle_model *model,
                                const heddle_weights *weights,
                                heddle_stream *stream) {
  static const int32_t ids[LENGTH] = {1, 20, 8, 33, 5, 61, 2};
  const heddle_context context = {.stream = stream};
  heddle_session *session;
  require(heddle_session_create(model, weights, &context, 1, LENGTH,
                                DATES_POSITIONS, NULL, &session, &error));
  require(heddle_session_append(session, ids, LENGTH, &error));
  require(heddle_session_append(session, ids, 1, &error));
  return session;
}

/* Each session's model draws, and so does the host by `logits`. */
static void compare_samples(heddle_session *here, heddle_session *there,
                            const float *logits) {
  static const heddle_sampling ways[] = {
      {0, 1, 0, 1, 0, 0},      {0.7f, 1, 0, 1, 0, 0}, {1, 1, 0.05f, 1, 0, 0},
      {20, 1, 0.3f, 1, 0, 0},  {2, 1, 0, 1, 3, 0}, /* none of these: top_k */
      {1.5f, 0.8f, 0, 1, 0, 0}};
  enum { WAYS = sizeof(ways) / sizeof(*ways), DRAWS = 16 };
  heddle_candidate scratch[DATES_VOCABULARY];
  int32_t seen[DATES_VOCABULARY] = {0}, different = 0;
  for (int w = 0; w < WAYS; ++w) {
    heddle_random random[3] = {{7, 0}, {7, 0}, {7, 0}};
    for (int draw = 0; draw < DRAWS; ++draw) {
      int32_t ids[3];
      require(
          heddle_session_sample(here, &ways[w], &random[0], &ids[0], &error));
      require(
          heddle_session_sample(there, &ways[w], &random[1], &ids[1], &error));
      require(heddle_choose_id(&ways[w], logits, DATES_VOCABULARY, NULL, 0,
                               &random[2], scratch, &ids[2], &error));
      if (ids[0] != ids[2] || ids[1] != ids[2] ||
          random[0].drawn != random[2].drawn ||
          random[1].drawn != random[2].drawn) {
        printf("way %d, draw %d: %d here, %d there, expected %d\n", w, draw,
               ids[0], ids[1], ids[2]);
        exit(1);
      }
      different += !seen[ids[2]]++;
    }
  }
  printf("both sessions choose %s\n", different > 10 ? "many ids" : "few ids");
}

int main(int argc, char **argv) {
  const heddle_model *opencl =
      heddle_model_for(&dates_model, HEDDLE_DEVICE_OPENCL);
  heddle_weights *weights;
  if (argc != 3)
    return 2;
  require(
      heddle_weights_open(&dates_model, argv[1], 0, NULL, &weights, &error));
  opened_model on_device = open_model(opencl, argv[2]);
  /* Each by the other target's model. */
  heddle_session *here = read_ids(opencl, weights, NULL);
  heddle_session *there =
      read_ids(&dates_model, on_device.weights, on_device.stream);
  const float *logits_here, *logits_there;
  require(heddle_session_logits(here, &logits_here, &error));
  require(heddle_session_logits(there, &logits_there, &error));
  for (int i = 0; i < DATES_VOCABULARY; ++i) {
    double x = logits_here[i], y = logits_there[i];
    if (!(fabs(x - y) < 1e-3)) {
      printf("logit %d is %g here and %g there\n", i, x, y);
      return 1;
    }
  }
  puts("both sessions agree");
  compare_samples(here, there, logits_here);
  heddle_session_destroy(there);
  heddle_session_destroy(here);
  heddle_weights_close(weights);
  close_model(&on_device);
  return 0;
}
