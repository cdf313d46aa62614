/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Buffers of every element type, and what element_types.mlir makes of them,
 * worked out here. Outputs are all ones before, and guarded behind. */
#include "element_types.h"

#include "session.h"

#include <stdbool.h>

enum { MOST = 131 };

typedef struct memory {
  void *data;
  size_t size;
} memory;

static memory allocate(size_t size) {
  return (memory){allocate_guarded(size), size};
}

static void release(memory output, const char *what) {
  check_guard(output.data, output.size, what);
  free(output.data);
}

static float from_bf16(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof(value));
  return value;
}

/* To the nearest, of two the even one. No NaN comes here. */
static uint16_t to_bf16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static void expect(bool holds, const char *what, int64_t n, int64_t element) {
  if (!holds)
    die("%s of %d: element %d is wrong", what, (int)n, (int)element);
}

static void check_square(const heddle_context *context,
                         const heddle_weights *weights, int64_t n) {
  static const float bias[] = {1.0F, -2.0F, 0.5F, 0.25F, 3.0F};
  static _Alignas(HEDDLE_ALIGNMENT) uint8_t workspace[1 << 16];
  uint16_t x[MOST * 5] = {0};
  memory y = allocate(n * 5 * sizeof(uint16_t)), above = allocate(n * 5);
  for (int64_t i = 0; i < n * 5; ++i)
    x[i] = to_bf16((float)((i * 7919) % 1024 - 512) / 96.0F);
  check_call(element_types_square(context, weights, x, y.data, above.data, n,
                                  workspace, sizeof(workspace)),
             context->error);
  for (int64_t i = 0; i < n * 5; ++i) {
    float value = from_bf16(x[i]), square = from_bf16(to_bf16(value * value));
    uint16_t sum = to_bf16(square + bias[i % 5]);
    expect(((uint16_t *)y.data)[i] == sum, "square", n, i);
    expect(((uint8_t *)above.data)[i] == (from_bf16(sum) > value), "above", n,
           i);
  }
  release(y, "square");
  release(above, "above");
}

/* Small integers: each sum is one of f16, whatever its order. */
static void check_sums(const heddle_context *context,
                       const heddle_weights *weights, int64_t n) {
  static _Alignas(HEDDLE_ALIGNMENT) uint8_t workspace[1 << 16];
  static const uint16_t numbers[] = {0x0000, 0x3c00, 0x4000,
                                     0xc200}; /* 0 1 2 -3 */
  static const int values[] = {0, 1, 2, -3};
  uint16_t x[MOST * 70] = {0};
  memory y = allocate(n * sizeof(uint16_t));
  for (int64_t i = 0; i < n * 70; ++i)
    x[i] = numbers[i * i / 7 % 4];
  check_call(element_types_sums(context, weights, x, y.data, n, workspace,
                                sizeof(workspace)),
             context->error);
  for (int64_t row = 0; row < n; ++row) {
    int sum = 0;
    for (int64_t i = row * 70; i < (row + 1) * 70; ++i)
      sum += values[i * i / 7 % 4];
    uint16_t bits = ((uint16_t *)y.data)[row];
    int magnitude = bits & 0x7fff ? (1024 + (bits & 0x3ff)) : 0;
    int exponent = (bits >> 10 & 31) - 25; /* of the last place */
    double found = ldexp(bits & 0x8000 ? -magnitude : magnitude, exponent);
    expect(found == sum, "sums", n, row);
  }
  release(y, "sums");
}

static void check_choose(const heddle_context *context,
                         const heddle_weights *weights, int64_t n) {
  static _Alignas(HEDDLE_ALIGNMENT) uint8_t workspace[1 << 12];
  uint8_t c[MOST] = {0};
  int8_t a[MOST] = {0}, b[MOST] = {0};
  memory y = allocate(n), other = allocate(n);
  for (int64_t i = 0; i < n; ++i) {
    c[i] = i * i % 3 == 1;
    a[i] = (int8_t)(i * 37 - 128);
    b[i] = (int8_t)(127 - i * 11);
  }
  check_call(element_types_choose(context, weights, c, a, b, y.data, other.data,
                                  n, workspace, sizeof(workspace)),
             context->error);
  for (int64_t i = 0; i < n; ++i) {
    int8_t product = (int8_t)(a[i] * b[i]);
    expect(((int8_t *)y.data)[i] == (c[i] ? product : b[i]), "choose", n, i);
    expect(((uint8_t *)other.data)[i] == !c[i], "other", n, i);
  }
  release(y, "choose");
  release(other, "other");
}

static void check_wide(const heddle_context *context,
                       const heddle_weights *weights, int64_t n) {
  static _Alignas(HEDDLE_ALIGNMENT) uint8_t workspace[1 << 14];
  static const int8_t codes[4][3] = {
      {1, -2, 3}, {-4, 5, -6}, {7, -8, 127}, {-128, 0, 1}};
  static const uint64_t constant[] = {4294967296, -5};
  int64_t x[MOST * 2] = {0};
  memory y = allocate(n * 2 * sizeof(int64_t)), rows = allocate(n * 6);
  for (int64_t i = 0; i < n * 2; ++i)
    x[i] = (int64_t)((uint64_t)i * 0x9e3779b97f4a7c15u);
  check_call(element_types_wide(context, weights, x, y.data, rows.data, n,
                                workspace, sizeof(workspace)),
             context->error);
  for (int64_t i = 0; i < n * 2; ++i) {
    int64_t sum = (int64_t)((uint64_t)x[i] * 3 + constant[i % 2]);
    expect(((int64_t *)y.data)[i] == sum, "wide", n, i);
    expect(memcmp((int8_t *)rows.data + i * 3, codes[sum & 3], 3) == 0, "rows",
           n, i);
  }
  release(y, "wide");
  release(rows, "rows");
}

static void check_find(const heddle_context *context,
                       const heddle_weights *weights) {
  static _Alignas(HEDDLE_ALIGNMENT) uint8_t workspace[1 << 12];
  static const float table[3][2] = {{0.5F, 1.0F}, {2.0F, -4.0F}, {8.0F, 16.0F}};
  const int64_t at[] = {0, -1, 2, 3, INT64_MIN, INT64_MAX, 1LL << 32, 1};
  static const int nearest[] = {0, 0, 2, 2, 0, 2, 2, 1};
  int64_t ids[] = {2, 1, 0, 1, 2, 2, 1, 0};
  memory near = allocate(sizeof(float) * 16),
         rows = allocate(sizeof(float) * 16);
  check_call(element_types_find(context, weights, at, ids, near.data, rows.data,
                                8, workspace, sizeof(workspace)),
             context->error);
  for (int i = 0; i < 8; ++i) {
    expect(memcmp((float *)near.data + i * 2, table[nearest[i]], 8) == 0,
           "nearest", 8, i);
    expect(memcmp((float *)rows.data + i * 2, table[ids[i]], 8) == 0, "rows", 8,
           i);
  }
  const int64_t wrong[] = {3, -1, (1LL << 32) + 1, INT64_MIN};
  for (int i = 0; i < 4; ++i) {
    ids[5] = wrong[i];
    heddle_status status =
        element_types_find(context, weights, at, ids, near.data, rows.data, 8,
                           workspace, sizeof(workspace));
    printf("%s: %s\n", heddle_status_name(status), context->error->message);
  }
  release(near, "nearest");
  release(rows, "rows");
}

int main(void) {
  heddle_error error;
  heddle_threads *threads = NULL;
  heddle_weights *weights = NULL;
  check_call(heddle_threads_create(2, NULL, &threads, &error), &error);
  check_call(heddle_weights_open(&element_types_model, "element_types.weights",
                                 HEDDLE_WEIGHTS_VERIFY, NULL, &weights, &error),
             &error);
  const heddle_context context = {.parallel_for = heddle_threads_parallel_for,
                                  .parallel_for_data = threads,
                                  .error = &error};
  static const int64_t counts[] = {1, 2, 7, 8, 16, 31, 64, 65, 100, MOST};
  for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); ++i) {
    check_square(&context, weights, counts[i]);
    check_sums(&context, weights, counts[i]);
    check_choose(&context, weights, counts[i]);
    check_wide(&context, weights, counts[i]);
  }
  check_find(&context, weights);
  heddle_weights_close(weights);
  heddle_threads_destroy(threads);
  puts("all elements are right");
  return 0;
}
