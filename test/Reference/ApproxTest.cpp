// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Approx.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"

#include "gtest/gtest.h"

#include <limits>

namespace heddle::reference {
namespace {

constexpr double u = 0x1p-24;

void expectApprox(Approx found, double value, double error) {
  EXPECT_DOUBLE_EQ(found.value, value);
  EXPECT_NEAR(found.error, error, 1e-6 * error + 1e-40);
}

TEST(Approx, operationsRoundTheirResults) {
  expectApprox(Approx(3) + Approx(4), 7, 7 * u);
  expectApprox(Approx(3) - Approx(4), -1, u);
  expectApprox(Approx(3) * Approx(-4), -12, 12 * u);
  expectApprox(Approx(3) / Approx(4), 0.75, 0.75 * u);
}

TEST(Approx, errorsOfOperandsAreFollowed) {
  double e = 0x1p-10, f = 0x1p-12;
  expectApprox(Approx(3, e) + Approx(4, f), 7, e + f + 7 * u);
  expectApprox(Approx(3, e) * Approx(4, f), 12, 4 * e + 3 * f + e * f + 12 * u);
  expectApprox(Approx(3, e) / Approx(4, f), 0.75,
               e / 4 + 3 * f / 16 + 0.75 * u);
  expectApprox(maximum(Approx(3, e), Approx(4, f)), 4, e);
}

TEST(Approx, functionsAreMovedByErrors) {
  double e = 0x1p-10;
  expectApprox(exp(Approx(0, e)), 1, std::expm1(e) + 1.5 * u);
  expectApprox(sqrt(Approx(4)), 2, 2 * u);
}

TEST(Approx, termsOfASumCountAndNotTheSum) {
  Sum sum;
  for (double term : {1, -2, 3, -2})
    sum.add(term);
  expectApprox(sum.result(), 0, 8 * 5 * u);
}

TEST(Approx, constantsAreRounded) {
  EXPECT_EQ(Approx::constant(0.5).error, 0);
  EXPECT_EQ(Approx::constant(0.1).error, double(0.1f) - 0.1);
}

TEST(Approx, infinitiesAreExact) {
  double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ((Approx(1, 0.5) / Approx(0)).error, 0);
  EXPECT_EQ((Approx(-infinity) - Approx(3, 1)).error, 0);
  expectApprox(exp(Approx(-infinity)), 0, 0);
}

TEST(Approx, shortFloatsAreFollowedThroughTheirRounding) {
  mlir::MLIRContext context;
  mlir::Type bf16 = mlir::BFloat16Type::get(&context);
  // Numbers of bf16 near 1 are 2^-7 apart.
  Approx exact = storeAs(bf16, 1.015625, Rounding::ToEither);
  expectApprox(exact, 1.015625, 0);
  Approx near =
      storeAs(bf16, {1 + 0x1p-8 - 0x1p-20, 0x1p-10}, Rounding::Exactly);
  expectApprox(near, 1, 0x1p-7);
  Approx clear = storeAs(bf16, {1 + 0x1p-10, 0x1p-12}, Rounding::Exactly);
  expectApprox(clear, 1, 0);
  expectApprox(storeAs(bf16, {1 + 0x1p-10, 0x1p-12}, Rounding::ToEither), 1,
               0x1p-8);
}

TEST(Approx, softmax) {
  Approx x[] = {0.0, std::log(3.0)};
  softmax(x);
  EXPECT_DOUBLE_EQ(x[0].value, 0.25);
  EXPECT_DOUBLE_EQ(x[1].value, 0.75);
  EXPECT_LT(x[1].error, 10 * u);
  EXPECT_GT(x[1].error, 2 * u);
}

} // namespace
} // namespace heddle::reference
