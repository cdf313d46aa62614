/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Arguments and results without dimensions are pointers to one element. */
#include "scalars.h"

#include "session.h"

enum { COUNT = 17 };

static _Alignas(HEDDLE_ALIGNMENT) uint8_t workspace[1 << 12];

static void check_scale(const heddle_context *context,
                        const heddle_weights *weights) {
  const float factor = 0.5F;
  float x[COUNT], y[COUNT];
  float *total = allocate_guarded(sizeof(*total));
  float *same = allocate_guarded(sizeof(*same));
  for (int i = 0; i < COUNT; ++i)
    x[i] = (float)(i - 3);
  check_call(scalars_scale(context, weights, x, &factor, y, total, same, COUNT,
                           workspace, sizeof(workspace)),
             context->error);
  for (int i = 0; i < COUNT; ++i)
    if (y[i] != x[i] * factor)
      die("y[%d] is %g", i, y[i]);
  printf("total %g, same %g\n", *total, *same);
  check_guard(total, sizeof(*total), "total");
  check_guard(same, sizeof(*same), "same");
  free(total);
  free(same);
}

static void check_double(const heddle_context *context,
                         const heddle_weights *weights, int32_t often,
                         uint8_t negates) {
  const uint16_t x = 0x4040; /* 3 */
  uint16_t *y = allocate_guarded(sizeof(*y));
  int64_t *rounded = allocate_guarded(sizeof(*rounded));
  int8_t *narrow = allocate_guarded(sizeof(*narrow));
  uint8_t *is_large = allocate_guarded(sizeof(*is_large));
  check_call(scalars_double(context, weights, &x, &often, &negates, y, rounded,
                            narrow, is_large, workspace, sizeof(workspace)),
             context->error);
  printf("y %#x, rounded %d, narrow %d, is_large %d\n", *y, (int)*rounded,
         *narrow, *is_large);
  check_guard(y, sizeof(*y), "y");
  check_guard(rounded, sizeof(*rounded), "rounded");
  check_guard(narrow, sizeof(*narrow), "narrow");
  check_guard(is_large, sizeof(*is_large), "is_large");
  free(y);
  free(rounded);
  free(narrow);
  free(is_large);
}

static void check_find(const heddle_context *context,
                       const heddle_weights *weights) {
  float row[2] = {0};
  int64_t id = 2;
  check_call(
      scalars_find(context, weights, &id, row, workspace, sizeof(workspace)),
      context->error);
  printf("row %g %g\n", row[0], row[1]);
  id = 3;
  heddle_status status =
      scalars_find(context, weights, &id, row, workspace, sizeof(workspace));
  printf("%s: %s\n", heddle_status_name(status), context->error->message);
}

int main(void) {
  heddle_error error;
  const heddle_context context = {.error = &error};
  heddle_weights *weights = open_weights(&scalars_model, "scalars.weights");
  check_scale(&context, weights);
  check_double(&context, weights, 0, 0);
  check_double(&context, weights, 6, 0);
  check_double(&context, weights, 6, 1);
  check_find(&context, weights);
  heddle_weights_close(weights);
  return 0;
}
