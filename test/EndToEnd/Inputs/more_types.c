/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* What more_types.mlir makes of bytes, doubles, floats of eight bits and
 * scalars, worked out here. */
#include "more_types.h"

#include "session.h"

#include <math.h>

enum { MOST = 70 };

static _Alignas(HEDDLE_ALIGNMENT) uint8_t workspace[1 << 14];

static void check_image(const heddle_context *context,
                        const heddle_weights *weights, int64_t n) {
  static const uint8_t levels[] = {0, 7, 200, 255};
  uint8_t x[MOST], most = 0, brightest = 0, chosen = 0;
  float y[MOST], limit = 2.0F, doubled = 0;
  for (int64_t i = 0; i < n; ++i) {
    x[i] = (uint8_t)(i * 37 + 120);
    most = x[i] > most ? x[i] : most;
  }
  for (int64_t level = 0; level < 4; ++level) {
    check_call(more_types_image(context, weights, x, &limit, &level, y,
                                &brightest, &chosen, &doubled, n, workspace,
                                sizeof(workspace)),
               context->error);
    if (chosen != levels[level])
      die("chosen is %d", chosen);
  }
  for (int64_t i = 0; i < n; ++i)
    if (y[i] != (float)x[i] * (limit / 255.0F))
      die("image: element %d is %.9g", (int)i, (double)y[i]);
  if (brightest != most || doubled != 4.0F)
    die("brightest is %d, doubled %g", brightest, (double)doubled);
}

static void check_precise(const heddle_context *context,
                          const heddle_weights *weights, int64_t n) {
  double x[MOST], y[MOST], sum, expected = 0, small = 0;
  for (int64_t i = 0; i < n; ++i) {
    x[i] = (double)i * 0x1p-40;
    expected += exp(x[i]);
    small = fmax(small, exp(x[i]) - 1);
  }
  check_call(more_types_precise(context, weights, x, y, &sum, n, workspace,
                                sizeof(workspace)),
             context->error);
  for (int64_t i = 0; i < n; ++i)
    if (fabs(y[i] - exp(x[i])) > 0x1p-51)
      die("precise: element %d is %.17g", (int)i, y[i]);
  if (fabs(sum - expected) > (double)n * 0x1p-52 * expected)
    die("the sum is %.17g, expected %.17g", sum, expected);
}

static void check_stored(const heddle_context *context,
                         const heddle_weights *weights) {
  /* 0, the least number, 1, -2, 57344, infinity, NaN */
  static const uint8_t x[] = {0x00, 0x01, 0x3c, 0xc0, 0x7b, 0x7c, 0x7f};
  static const float expected[] = {0, 0x1p-16F, 1, -2, 57344.0F, INFINITY, NAN};
  /* Of E4M3 2^-16 is 0, and what is too large is NaN. */
  static const uint8_t narrowed[] = {0x00, 0x00, 0x38, 0xc0, 0x7f, 0x7f, 0x7f};
  static const uint8_t packed[] = {0x38, 0xfe, 0x01};
  float y[7];
  uint8_t narrow[7], scales[3];
  check_call(more_types_stored(context, weights, x, y, narrow, scales, 7,
                               workspace, sizeof(workspace)),
             context->error);
  for (int i = 0; i < 7; ++i)
    if ((y[i] != expected[i] && !(isnan(y[i]) && isnan(expected[i]))) ||
        narrow[i] != narrowed[i])
      die("stored: element %d is %g, 0x%x", i, (double)y[i], narrow[i]);
  if (memcmp(scales, packed, sizeof(packed)) != 0)
    die("scales: 0x%x 0x%x 0x%x", scales[0], scales[1], scales[2]);
}

static void check_largest(const heddle_context *context,
                          const heddle_weights *weights) {
  static const uint64_t x[] = {1, UINT64_MAX - 1, INT64_MAX, 7, UINT64_MAX - 2};
  static const int16_t s[] = {-1, 0, INT16_MAX, INT16_MIN, 5};
  static const uint16_t bits[] = {65535, 0, 32767, 32768, 5};
  uint64_t most = 0;
  int32_t place = 0;
  uint16_t same[5];
  check_call(more_types_largest(context, weights, x, s, &most, &place, same, 5,
                                workspace, sizeof(workspace)),
             context->error);
  if (most != UINT64_MAX - 1 || place != 1 ||
      memcmp(same, bits, sizeof(bits)) != 0)
    die("the largest is %llu at %d", (unsigned long long)most, (int)place);
}

int main(void) {
  heddle_error error;
  heddle_weights *weights =
      open_weights(&more_types_model, "more_types.weights");
  const heddle_context context = {.error = &error};
  static const int64_t counts[] = {1, 2, 15, 16, 17, 63, 64, MOST};
  for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); ++i) {
    check_image(&context, weights, counts[i]);
    check_precise(&context, weights, counts[i]);
  }
  check_stored(&context, weights);
  check_largest(&context, weights);
  heddle_weights_close(weights);
  puts("all elements are right");
  return 0;
}
