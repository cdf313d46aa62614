/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Sizes at and past the limits of limits.mlir. */
#include "limits.h"

#include "session.h"

static void measure(int64_t batch, int64_t capacity) {
  heddle_error error;
  size_t bytes = 0;
  heddle_status status = limits_cache_size(batch, capacity, &bytes, &error);
  printf("%d %d: ", (int)batch, (int)capacity);
  if (status == HEDDLE_OK)
    printf("%zu bytes\n", bytes);
  else
    printf("%s: %s\n", heddle_status_name(status), error.message);
}

/* Of a matrix of two vectors. */
static void measure_outer(int64_t rows, int64_t columns) {
  heddle_error error;
  size_t bytes = 0;
  heddle_status status =
      limits_outer_workspace_size(rows, columns, &bytes, &error);
  printf("%d by %d: %s: %s\n", (int)rows, (int)columns,
         heddle_status_name(status), status ? error.message : "");
}

typedef heddle_status workspace_of_rows(int64_t rows, size_t *bytes,
                                        heddle_error *error);

static void measure_rows(const char *what, workspace_of_rows *workspace_size,
                         int64_t rows) {
  heddle_error error;
  size_t bytes = 0;
  heddle_status status = workspace_size(rows, &bytes, &error);
  printf("%s of %d: %s: %s\n", what, (int)rows, heddle_status_name(status),
         status ? error.message : "");
}

/* Sizes are checked before any of the buffers. */
static void call(const heddle_weights *weights, int64_t batch,
                 int64_t capacity) {
  heddle_error error;
  const heddle_context context = {.error = &error};
  const float key = 0;
  const int32_t start = 0, length = 1;
  heddle_status status = limits_append(&context, weights, &key, &start, &length,
                                       NULL, batch, 1, capacity, NULL, 0);
  printf("call of %d %d: %s: %s\n", (int)batch, (int)capacity,
         heddle_status_name(status), error.message);
}

/* Calls that fail before they touch their buffers, which are much smaller. */
static void report(const char *what, heddle_status status,
                   const heddle_error *error) {
  printf("%s: %s: %s\n", what, heddle_status_name(status), error->message);
}

static void call_together(const heddle_weights *weights) {
  static _Alignas(HEDDLE_ALIGNMENT) float x[1024], y[1024], workspace[1024];
  heddle_error error;
  const heddle_context context = {.error = &error};
  report("2^32 rows",
         limits_rows(&context, weights, x, y, 65536, 65536, 1, workspace,
                     SIZE_MAX),
         &error);
  report("2^32 rows of three",
         limits_rows(&context, weights, x, y, 2048, 1024, 2048, workspace,
                     SIZE_MAX),
         &error);
  /* 2^21 * 1024, of which rows alone are few enough. */
  report("2^31 queries of heads of many",
         limits_heads(&context, weights, x, y, 1024, 2048, workspace, SIZE_MAX),
         &error);
  report("2^31 queries of heads",
         limits_heads(&context, weights, x, y, 1, 2097152, workspace, SIZE_MAX),
         &error);
  report("one row",
         limits_rows(&context, weights, x, y, 1, 1, 1, workspace, SIZE_MAX),
         &error);
}

static void call_with_few(const heddle_weights *weights) {
  static _Alignas(HEDDLE_ALIGNMENT) char workspace[1 << 16];
  heddle_error error;
  const heddle_context context = {.error = &error};
  const int8_t bytes[1] = {0};
  int8_t copied[1];
  report("2^31 numbered elements",
         limits_renumbered(&context, weights, bytes, copied, 65536, 40000,
                           workspace, SIZE_MAX),
         &error);
  const float x[14] = {1};
  const int32_t ids[4] = {0};
  float y[28];
  report("no row to read of",
         limits_others(&context, weights, x, ids, y, 1, workspace, SIZE_MAX),
         &error);
  report("one row to read of",
         limits_others(&context, weights, x, ids, y, 2, workspace, SIZE_MAX),
         &error);
  /* Nothing reads the part of n - 4 elements. */
  report("a part past the end",
         limits_first_four(&context, weights, x, y, 1, workspace, SIZE_MAX),
         &error);
  report("a whole part",
         limits_first_four(&context, weights, x, y, 4, workspace, SIZE_MAX),
         &error);
  /* (n - 4) * (m - 4) = 4 elements, of a negative number of rows. */
  report("negative rows",
         limits_reshaped(&context, weights, x, copied, y, 2, 2, workspace,
                         SIZE_MAX),
         &error);
  /* The dividends of coordinates reach below -2^31, and not above 0. */
  report("2^31 negative numbers",
         limits_backwards(&context, weights, bytes, copied, 60000, 50,
                          workspace, SIZE_MAX),
         &error);
  int32_t numbers[2];
  report("a negative number",
         limits_shifted(&context, weights, x, numbers, 2, workspace, SIZE_MAX),
         &error);
  printf("numbers from %d to %d\n", (int)numbers[0], (int)numbers[1]);
}

int main(void) {
  measure(3, 1048544);
  measure(1025, 1048544);
  measure(3, 1048545);
  measure_outer(46340, 46340);
  measure_outer(46400, 46400);
  measure_rows("all", limits_all_workspace_size, 5592319);
  measure_rows("all", limits_all_workspace_size, 5592406);
  measure_rows("logits", limits_logits_workspace_size, 20000);
  heddle_weights *weights = open_weights(&limits_model, "limits.weights");
  call(weights, 1025, 1);
  call(weights, 1, 1048545);
  call_together(weights);
  call_with_few(weights);
  heddle_weights_close(weights);
  return 0;
}
