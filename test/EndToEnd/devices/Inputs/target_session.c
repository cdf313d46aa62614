/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Sessions of one model, whose weights say where each runs, read the same ids.
 */
#include "dates.h"

#include "require.h"

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

int main(int argc, char **argv) {
  const heddle_model *opencl =
      heddle_model_for(&dates_model, HEDDLE_DEVICE_OPENCL);
  const heddle_device_options options = {.kind = HEDDLE_DEVICE_OPENCL,
                                         .compiler_options =
                                             getenv("HEDDLE_OPENCL_OPTIONS")};
  heddle_weights *weights, *file, *uploaded;
  heddle_device *device;
  heddle_stream *stream;
  if (argc != 3)
    return 2;
  require(
      heddle_weights_open(&dates_model, argv[1], 0, NULL, &weights, &error));
  require(heddle_weights_open(opencl, argv[2], 0, NULL, &file, &error));
  require(heddle_device_open(&options, NULL, &device, &error));
  require(heddle_stream_create(device, NULL, NULL, &stream, &error));
  require(heddle_weights_upload(file, stream, NULL, &uploaded, &error));
  /* Each by the other target's model. */
  heddle_session *here = read_ids(opencl, weights, NULL);
  heddle_session *there = read_ids(&dates_model, uploaded, stream);
  for (int i = 0; i < DATES_VOCABULARY; ++i) {
    double x = heddle_session_logits(here)[i];
    double y = heddle_session_logits(there)[i];
    if (!(fabs(x - y) < 1e-3)) {
      printf("logit %d is %g here and %g there\n", i, x, y);
      return 1;
    }
  }
  puts("both sessions agree");
  heddle_session_destroy(there);
  heddle_session_destroy(here);
  heddle_weights_close(uploaded);
  heddle_weights_close(file);
  heddle_weights_close(weights);
  heddle_stream_destroy(stream);
  heddle_device_close(device);
  return 0;
}
