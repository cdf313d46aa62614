/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Calls one function on the CPU and on a device, by its weights, and makes the
 * mistakes that two targets allow.
 */
#include "two.h"

#include "opened_model.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { BATCH = 2, KEYS = 300, IN = 64, KV = 32, OUT = 96 };

static float x[BATCH * IN], k[BATCH * KEYS * KV], v[BATCH * KEYS * KV];

static void fill(float *numbers, int count, int seed) {
  for (int i = 0; i < count; ++i)
    numbers[i] = sinf((float)(i * 7 + seed));
}

/* On `device`, or the CPU where that is null; by a model of either target. */
static heddle_status attend(heddle_device *device, heddle_stream *stream,
                            const heddle_weights *weights, float *y) {
  const heddle_context context = {.error = &error, .stream = stream};
  size_t size = 0;
  void *workspace = NULL;
  memset(y, 0xff, BATCH * OUT * sizeof(*y));
  require(two_attend_workspace_size(BATCH, KEYS, &size, &error));
  if (device)
    require(heddle_device_allocate(device, size, &workspace, &error));
  else
    workspace = aligned_alloc(HEDDLE_ALIGNMENT, (size + 63) / 64 * 64);
  heddle_status status =
      two_attend(&context, weights, x, k, v, y, BATCH, KEYS, workspace, size);
  /* The same from the other target's side. */
  const heddle_model *other = heddle_model_for(
      &two_model, device ? HEDDLE_DEVICE_NONE : HEDDLE_DEVICE_OPENCL);
  void *buffers[] = {x, k, v, y};
  const int64_t sizes[] = {BATCH, KEYS};
  if (status == HEDDLE_OK)
    status = heddle_invoke(other, heddle_find_entry(other, "attend"), &context,
                           weights, buffers, sizes, workspace, size);
  if (device)
    heddle_device_release(device, workspace);
  else
    free(workspace);
  return status;
}

static bool are_equal(const char *first, const char *second) {
  FILE *files[] = {fopen(first, "rb"), fopen(second, "rb")};
  int bytes[] = {0, 0};
  if (!files[0] || !files[1])
    exit(2);
  while (bytes[0] == bytes[1] && bytes[0] != EOF)
    for (int i = 0; i < 2; ++i)
      bytes[i] = getc(files[i]);
  fclose(files[0]);
  fclose(files[1]);
  return bytes[0] == bytes[1];
}

int main(int argc, char **argv) {
  static float here[BATCH * OUT], there[BATCH * OUT];
  const heddle_model *opencl =
      heddle_model_for(&two_model, HEDDLE_DEVICE_OPENCL);
  heddle_weights *weights, *wrong;
  if (argc != 3)
    return 2;
  fill(x, BATCH * IN, 1);
  fill(k, BATCH * KEYS * KV, 2);
  fill(v, BATCH * KEYS * KV, 3);
  require(heddle_weights_open(&two_model, argv[1], 0, NULL, &weights, &error));
  opened_model m = open_model(opencl, argv[2]);
  require(attend(NULL, NULL, weights, here));
  require(attend(m.device, m.stream, m.weights, there));
  /* Weights alone decide: a stream may be there for others. */
  float again[BATCH * OUT];
  require(attend(NULL, m.stream, weights, again));
  for (int i = 0; i < BATCH * OUT; ++i)
    if (!(fabsf(here[i] - there[i]) < 1e-4f) || again[i] != here[i]) {
      printf("element %d is %g here, %g there and %g again\n", i,
             (double)here[i], (double)there[i], (double)again[i]);
      return 1;
    }
  puts("the CPU and a device agree");
  puts(heddle_model_for(&two_model, HEDDLE_DEVICE_CUDA) ? "a target of CUDA"
                                                        : "no target of CUDA");
  for (int kind = HEDDLE_DEVICE_NONE; kind <= HEDDLE_DEVICE_CUDA; ++kind)
    if (heddle_model_for(opencl, (heddle_device_kind)kind) !=
        heddle_model_for(&two_model, (heddle_device_kind)kind))
      return 1;
  size_t own = 0, theirs = 0, any = 0;
  const int64_t sizes[] = {BATCH, KEYS};
  require(heddle_workspace_size(heddle_find_entry(&two_model, "attend"), sizes,
                                &own, &error));
  require(heddle_workspace_size(heddle_find_entry(opencl, "attend"), sizes,
                                &theirs, &error));
  require(two_attend_workspace_size(BATCH, KEYS, &any, &error));
  if (own >= theirs || any != theirs)
    return 1;
  puts("from each target all are found");
  /* Panels of AVX2 are as wide as the device's: there the files are one. */
  bool isOpened = heddle_weights_open(&two_model, argv[2], 0, NULL, &wrong,
                                      &error) == HEDDLE_OK;
  if (isOpened != are_equal(argv[1], argv[2]) ||
      (!isOpened &&
       !strstr(error.message, "belongs to another model or target")))
    return 1;
  puts("weights of the other target are refused if they are others");
  if (isOpened)
    heddle_weights_close(wrong);
  const heddle_context context = {.error = &error, .stream = m.stream};
  heddle_invoke(opencl, heddle_find_entry(opencl, "attend"), &context, m.file,
                NULL, NULL, NULL, 0);
  puts(strstr(error.message, "weights are not on the device"));
  heddle_weights_close(weights);
  close_model(&m);
  return 0;
}
