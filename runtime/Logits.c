/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Exponentials and logarithms, and whether logits are numbers. */
#include "Logits.h"

#include <inttypes.h>
#include <math.h>

/* ln(2) in two parts. The upper one has 21 zero bits at its end, so that its
 * products with exponents are exact. */
static const double ln2_upper = 0x1.62e42fee00000p-1;
static const double ln2_lower = 0x1.a39ef35793c76p-33;

/* 2^exponent, for that of a normal number. */
static double power_of_two(int64_t exponent) {
  uint64_t bits = (uint64_t)(exponent + 1023) << 52;
  double result;
  memcpy(&result, &bits, sizeof(result));
  return result;
}

/* e^x = 2^n e^r with |r| <= ln(2) / 2, and e^r = 1 + r + r^2/2! + ... +
 * r^13/13! where what is left out is below 2^-57. */
double heddle_exponential(double x) {
  static const double inverse_factorials[] = {1.0,
                                              1.0,
                                              1.0 / 2,
                                              1.0 / 6,
                                              1.0 / 24,
                                              1.0 / 120,
                                              1.0 / 720,
                                              1.0 / 5040,
                                              1.0 / 40320,
                                              1.0 / 362880,
                                              1.0 / 3628800,
                                              1.0 / 39916800,
                                              1.0 / 479001600,
                                              1.0 / 6227020800};
  if (x < -700)
    return 0;
  double quotient = x * 0x1.71547652b82fep+0; /* 1 / ln(2) */
  int64_t n = (int64_t)(quotient + (quotient < 0 ? -0.5 : 0.5));
  double r = (x - (double)n * ln2_upper) - (double)n * ln2_lower;
  double sum = inverse_factorials[13];
  for (int power = 12; power >= 0; --power)
    sum = sum * r + inverse_factorials[power];
  return sum * power_of_two(n);
}

/* log(x) = n ln(2) + log(m) with m in [sqrt(1/2), sqrt(2)), and log(m) =
 * 2 (s + s^3/3 + ... + s^21/21) with s = (m - 1) / (m + 1), where what is left
 * out is below 2^-57 of it. */
double heddle_logarithm(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof(bits));
  int64_t n = (int64_t)(bits >> 52) - 1023;
  double m;
  bits = (bits & UINT64_C(0xfffffffffffff)) | UINT64_C(1023) << 52;
  memcpy(&m, &bits, sizeof(m));
  if (m > 0x1.6a09e667f3bcdp+0) { /* sqrt(2) */
    m /= 2;
    ++n;
  }
  double s = (m - 1) / (m + 1);
  double square = s * s;
  double sum = 0;
  for (int power = 21; power > 1; power -= 2)
    sum = (sum + 1.0 / power) * square;
  return (double)n * ln2_upper + (2 * (s + s * sum) + (double)n * ln2_lower);
}

heddle_status heddle_largest_logit(const float *logits, int64_t vocabulary,
                                   int64_t row, float *largest,
                                   heddle_error *error) {
  char place[32] = "";
  float best = -INFINITY;
  if (row >= 0)
    snprintf(place, sizeof(place), "[%" PRId64 "]", row);
  for (int64_t id = 0; id < vocabulary; ++id) {
    /* The comparison is false of NaN, too. */
    if (!(logits[id] < INFINITY))
      return heddle_fail(error, HEDDLE_OUT_OF_RANGE,
                         "logits%s[%" PRId64
                         "] is %s, expected a number below infinity",
                         place, id, isnan(logits[id]) ? "nan" : "inf");
    best = logits[id] > best ? logits[id] : best;
  }
  if (best == -INFINITY)
    return heddle_fail(error, HEDDLE_OUT_OF_RANGE,
                       "all of logits%s are -inf, expected a larger one",
                       place);
  *largest = best;
  return HEDDLE_OK;
}
