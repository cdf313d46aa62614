// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Perturbation.h"

#include "compiler/Reference/Deviation.h"
#include "compiler/Reference/FloatRange.h"
#include "test/Reference/ReferenceTesting.h"

#include "gmock/gmock.h"

#include <random>

namespace heddle::reference {
namespace {

constexpr double u = 0x1p-24;

bool all(size_t) { return true; }

class PerturbationTest : public EvaluatorTest {
protected:
  /// The first result of @f.
  std::vector<double> exact(const std::string &text,
                            llvm::ArrayRef<Value> arguments) {
    observer = {};
    return run(text, arguments)[0].tensor()->data;
  }

  std::vector<double> perturbed(const std::string &text,
                                llvm::ArrayRef<Value> arguments,
                                unsigned seed = 1,
                                Directions directions = Directions::OfResults) {
    Perturbation perturbation(seed, directions);
    observer = [&](mlir::Operation *op, llvm::ArrayRef<Value>,
                   llvm::MutableArrayRef<Value> results,
                   const Environment &environment) {
      perturbation.follow(op, results, environment);
    };
    return run(text, arguments)[0].tensor()->data;
  }

  /// As single precision without fusion has it.
  std::vector<double> rounded(const std::string &text,
                              llvm::ArrayRef<Value> arguments) {
    observer = [&](mlir::Operation *, llvm::ArrayRef<Value>,
                   llvm::MutableArrayRef<Value> results,
                   const Environment &environment) {
      if (!results[0].isTensor())
        return;
      Tensor tensor = *results[0].tensor();
      for (double &element : tensor.data)
        element = float(element);
      results[0] = tensor;
    };
    return run(text, arguments)[0].tensor()->data;
  }

  Tensor random(std::initializer_list<int64_t> shape, double scale = 1) {
    Tensor tensor = Tensor::zeros(shape);
    std::normal_distribution<float> normal;
    for (double &element : tensor.data)
      element = float(scale * normal(generator));
    return tensor;
  }

  std::mt19937 generator{1};
};

TEST_F(PerturbationTest, AnOpMovesByItsOwnBound) {
  const char *text = R"(
    func.func @f(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
      %z = arith.addf %x, %y : tensor<2xf32>
      return %z : tensor<2xf32>
    })";
  auto z = perturbed(text, {tensor({2}, {2, 4}), tensor({2}, {3, 4})});
  EXPECT_DOUBLE_EQ(std::abs(z[0] - 5), 5 * u);
  EXPECT_DOUBLE_EQ(std::abs(z[1] - 8), 8 * u);
}

// Of activations that are made integers one of each group becomes the next one,
// and is off by a scale.
TEST_F(PerturbationTest, AnIntegerOfEachGroupMoves) {
  const char *text = R"(
    func.func @f(%x: tensor<1x64xf32>) -> tensor<1x64xf32> {
      %q, %s = heddle.quantize %x axis(1) group(16) : tensor<1x64xf32> -> tensor<1x64xi8>, tensor<1x4xf32>
      %y = heddle.dequantize %q, %s axis(1) : tensor<1x64xi8>, tensor<1x4xf32> -> tensor<1x64xf32>
      return %y : tensor<1x64xf32>
    })";
  Tensor x = random({1, 64});
  auto before = exact(text, {x}), after = perturbed(text, {x});
  for (size_t group = 0; group < 4; ++group) {
    double largest = 0;
    for (size_t i = 0; i < 16; ++i)
      largest = std::max(largest, std::abs(x.data[16 * group + i]));
    int moved = 0;
    for (size_t i = 16 * group; i < 16 * (group + 1); ++i)
      if (double off = std::abs(after[i] - before[i]); off > largest / 1000) {
        EXPECT_NEAR(off, largest / 127, largest / 1e4);
        ++moved;
      }
    EXPECT_EQ(moved, 1);
  }
}

TEST_F(PerturbationTest, ALoopAddsNothingToWhatItsOpsAdd) {
  const char *text = R"(
    func.func @f(%x: tensor<1xf32>, %n: index) -> tensor<1xf32> {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %z = scf.for %i = %zero to %n step %one iter_args(%y = %x) -> tensor<1xf32> {
        %next = arith.addf %y, %y : tensor<1xf32>
        scf.yield %next : tensor<1xf32>
      }
      return %z : tensor<1xf32>
    })";
  EXPECT_EQ(perturbed(text, {tensor({1}, {3}), tensor({}, {0})})[0], 3);
  auto z = perturbed(text, {tensor({1}, {3}), tensor({}, {1})});
  EXPECT_DOUBLE_EQ(std::abs(z[0] - 6), 6 * u);
}

constexpr int kSteps = 100;

/// x + y, kSteps times.
const std::string loopOfSums = R"(
    func.func @f(%x: tensor<1xf32>, %y: tensor<1xf32>) -> tensor<1xf32> {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %n = arith.constant )" + std::to_string(kSteps) +
                               R"( : index
      %z = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> tensor<1xf32> {
        %next = arith.addf %a, %y : tensor<1xf32>
        scf.yield %next : tensor<1xf32>
      }
      return %z : tensor<1xf32>
    })";

std::string chainOfSums() {
  std::string text =
      "func.func @f(%x: tensor<1xf32>, %y: tensor<1xf32>) -> tensor<1xf32> {\n"
      "  %z0 = arith.addf %x, %y : tensor<1xf32>\n";
  for (int i = 1; i < kSteps; ++i)
    text += "  %z" + std::to_string(i) + " = arith.addf %z" +
            std::to_string(i - 1) + ", %y : tensor<1xf32>\n";
  return text + "  return %z" + std::to_string(kSteps - 1) +
         " : tensor<1xf32>\n}";
}

// 1 + y is 1 in single precision, however often.
TEST_F(PerturbationTest, RoundingsOfALoopHaveOneSign) {
  double y = 0x0.fp-24;
  auto z = perturbed(loopOfSums, {tensor({1}, {1}), tensor({1}, {y})});
  double moved = std::abs(z[0] - (1 + kSteps * y));
  EXPECT_NEAR(moved, kSteps * u, 0.01 * u);
}

// What two iterations differ by is off by the rounding of each.
TEST_F(PerturbationTest, ExecutionsMoveApart) {
  const char *text = R"(
    func.func @f(%x: tensor<64xf32>) -> tensor<64xf32> {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %two = arith.constant 2 : index
      %a, %b = scf.for %i = %zero to %two step %one iter_args(%last = %x, %now = %x)
          -> (tensor<64xf32>, tensor<64xf32>) {
        %next = arith.mulf %x, %x : tensor<64xf32>
        scf.yield %now, %next : tensor<64xf32>, tensor<64xf32>
      }
      %difference = arith.subf %b, %a : tensor<64xf32>
      return %difference : tensor<64xf32>
    })";
  Tensor x = random({64});
  auto moved = [&](Directions directions) {
    return llvm::count_if(perturbed(text, {x}, 1, directions),
                          [](double z) { return std::abs(z) > u / 1000; });
  };
  EXPECT_GT(moved(Directions::OfExecutions), 16);
  EXPECT_EQ(moved(Directions::OfResults), 0);
}

TEST_F(PerturbationTest, ChainsOfEqualOpsMoveAsElements) {
  double y = 0x0.fp-24;
  auto moved = [&](Directions directions) {
    return std::abs(perturbed(chainOfSums(),
                              {tensor({1}, {1}), tensor({1}, {y})}, 1,
                              directions)[0] -
                    (1 + kSteps * y));
  };
  EXPECT_NEAR(moved(Directions::OfElements), kSteps * u, 0.01 * u);
  EXPECT_LT(moved(Directions::OfResults), kSteps / 2 * u);
}

TEST_F(PerturbationTest, WhatMayOverflowIsNoNumber) {
  const char *text = R"(
    func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
      %y = math.exp %x : tensor<3xf32>
      return %y : tensor<3xf32>
    })";
  double logarithm = std::log(kOverflow);
  auto y = perturbed(text, {tensor({3}, {1, logarithm, 100})});
  EXPECT_THAT(y, testing::ElementsAre(testing::DoubleNear(std::exp(1.0), 1e-6),
                                      testing::IsNan(), infinity));
}

TEST_F(PerturbationTest, CopiesStay) {
  const char *text = R"(
    heddle.weight @t = dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32>
    func.func @f(%i: tensor<2xi32>) -> tensor<2x1xf32> {
      %t = heddle.weight_ref @t : tensor<3x1xf32>
      %x = heddle.embedding %i, %t : tensor<2xi32>, tensor<3x1xf32>
      return %x : tensor<2x1xf32>
    })";
  EXPECT_THAT(perturbed(text, {tensor({2}, {1, 2})}),
              testing::ElementsAre(2, 3));
}

TEST_F(PerturbationTest, EqualSeedsMoveEqually) {
  const char *text = R"(
    func.func @f(%x: tensor<64xf32>) -> tensor<64xf32> {
      %y = arith.addf %x, %x : tensor<64xf32>
      return %y : tensor<64xf32>
    })";
  Value x = random({64});
  EXPECT_EQ(perturbed(text, {x}, 1), perturbed(text, {x}, 1));
  EXPECT_NE(perturbed(text, {x}, 1), perturbed(text, {x}, 2));
}

//===-- A layer -----------------------------------------------------------===//

/// A decoder's layer for one sequence of 6 tokens.
std::string layer(const std::string &query, const std::string &key,
                  const std::string &residual) {
  return R"(
    func.func @f(%x: tensor<1x6x32xf32>, %n: tensor<32xf32>, %s: tensor<1xi32>,
                 %wq: tensor<32x32xf32>, %wk: tensor<32x32xf32>,
                 %wv: tensor<32x32xf32>, %gate: tensor<80x32xf32>,
                 %up: tensor<80x32xf32>, %down: tensor<32x80xf32>)
        -> tensor<1x6x32xf32> {
      %h = heddle.rms_norm %x, %n epsilon(1.0e-5)
         : tensor<1x6x32xf32>, tensor<32xf32>
      %q = heddle.linear %h, %wq : tensor<1x6x32xf32>, tensor<32x32xf32>
      %k = heddle.linear %h, %wk : tensor<1x6x32xf32>, tensor<32x32xf32>
      %v = heddle.linear %h, %wv : tensor<1x6x32xf32>, tensor<32x32xf32>
      %rq = heddle.rotary %q at(%s : tensor<1xi32>) heads(2) positions(64) base(1.0e4)
         : tensor<1x6x32xf32>
      %rk = heddle.rotary %k at(%s : tensor<1xi32>) heads(2) positions(64) base(1.0e4)
         : tensor<1x6x32xf32>
      %mask = heddle.mask.causal align(top_left)
      %o = heddle.attention )" +
         query + ", " + key + R"(, %v mask(%mask) heads(2, kv = 2) scale(0.25)
         : tensor<1x6x32xf32>, tensor<1x6x32xf32>, tensor<1x6x32xf32>
      %a = arith.addf )" +
         residual + R"(, %o : tensor<1x6x32xf32>
      %y = heddle.gated_feed_forward silu %a, %gate, %up, %down
         : tensor<1x6x32xf32>, tensor<80x32xf32>, tensor<80x32xf32>, tensor<32x80xf32>
      return %y : tensor<1x6x32xf32>
    })";
}

class PerturbedLayerTest : public PerturbationTest {
protected:
  const std::string right = layer("%rq", "%rk", "%x");
  const std::vector<Value> arguments = {
      random({1, 6, 32}),     random({32}),           tensor({1}, {0}),
      random({32, 32}, 0.18), random({32, 32}, 0.18), random({32, 32}, 0.18),
      random({80, 32}, 0.18), random({80, 32}, 0.18), random({32, 80}, 0.11)};

  /// The worst error of `got` in tolerances.
  double ratio(llvm::ArrayRef<double> got) {
    std::vector<double> want = exact(right, arguments);
    return findWorst(
               got, want,
               tolerancesOf(want, perturbed(right, arguments), kOverflow, all),
               all)
        ->ratio();
  }
};

TEST_F(PerturbedLayerTest, SinglePrecisionIsWithinTheTolerance) {
  double found = ratio(rounded(right, arguments));
  EXPECT_GT(found, 0);
  EXPECT_LT(found, 0.5);
}

TEST_F(PerturbedLayerTest, QueriesAndKeysThatAreSwappedAreFound) {
  EXPECT_GT(ratio(exact(layer("%rk", "%rq", "%x"), arguments)), 1000);
}

TEST_F(PerturbedLayerTest, AQueryThatIsNotRotatedIsFound) {
  EXPECT_GT(ratio(exact(layer("%q", "%rk", "%x"), arguments)), 1000);
}

TEST_F(PerturbedLayerTest, AResidualThatIsTheNormalisedInputIsFound) {
  EXPECT_GT(ratio(exact(layer("%rq", "%rk", "%h"), arguments)), 1000);
}

//===-- tolerancesOf ------------------------------------------------------===//

TEST(TolerancesOfTest, TheLargestDifferenceCountsFourTimes) {
  EXPECT_THAT(tolerancesOf({1, 2, 3}, {1.25, 1.5, 3}, kOverflow, all),
              testing::ElementsAre(2, 2, 2));
}

TEST(TolerancesOfTest, WhatIsNotComparedDoesNotCount) {
  EXPECT_EQ(tolerancesOf({1, 9}, {1.25, 5}, kOverflow,
                         [](size_t i) { return i == 0; })[0],
            1);
}

TEST(TolerancesOfTest, WhatMayOverflowMayBeAnything) {
  EXPECT_THAT(
      tolerancesOf({1, 2, infinity, -infinity, kOverflow - 0x1p100},
                   {1.25, nan, 3, -infinity, kOverflow - 0x1p101}, kOverflow,
                   all),
      testing::ElementsAre(0x1p102, infinity, infinity, 0x1p102, infinity));
}

// Whose sign may be either.
TEST(TolerancesOfTest, ZerosOfOtherSignsDiffer) {
  EXPECT_EQ(tolerancesOf({0.0}, {0.0}, kOverflow, all)[0], 0);
  EXPECT_EQ(tolerancesOf({0.0}, {-0.0}, kOverflow, all)[0], 4 * kEitherSign);
}

// Layers of several steps: far less than the results, and not nothing.
TEST_F(PerturbationTest, LayersMoveByTheirSteps) {
  auto expectMoved = [&](const std::string &text,
                         llvm::ArrayRef<Value> arguments) {
    double largest = 0, value = 0;
    for (auto [was, is] :
         llvm::zip(exact(text, arguments), perturbed(text, arguments))) {
      largest = std::max(largest, std::abs(is - was));
      value = std::max(value, std::abs(was));
    }
    EXPECT_GT(largest, u * value);
    EXPECT_LT(largest, 1e-4 * value);
  };
  expectMoved(
      R"(
    func.func @f(%q: tensor<1x2x40x8xf32>, %v: tensor<1x2x40x8xf32>, %g: tensor<1x2x40xf32>)
        -> tensor<1x2x40x8xf32> {
      %o = heddle.linear_attention %q, %q, %v gates(%g : tensor<1x2x40xf32>) chunk(16)
         : tensor<1x2x40x8xf32>, tensor<1x2x40x8xf32>, tensor<1x2x40x8xf32>
         -> tensor<1x2x40x8xf32>
      return %o : tensor<1x2x40x8xf32> })",
      {random({1, 2, 40, 8}), random({1, 2, 40, 8}), random({1, 2, 40}, 0.01)});
  expectMoved(R"(
    func.func @f(%q: tensor<1x2x40x8xf32>, %v: tensor<1x2x40x8xf32>, %b: tensor<1x2x40xf32>)
        -> tensor<1x2x40x8xf32> {
      %o = heddle.gated_delta_rule %q, %q, %v strengths(%b)
         : tensor<1x2x40x8xf32>, tensor<1x2x40x8xf32>, tensor<1x2x40x8xf32>, tensor<1x2x40xf32>
         -> tensor<1x2x40x8xf32>
      return %o : tensor<1x2x40x8xf32> })",
              {random({1, 2, 40, 8}, 0.3), random({1, 2, 40, 8}),
               Tensor({1, 2, 40}, std::vector<double>(80, 0.5))});
  expectMoved(R"(
    func.func @f(%x: tensor<1x9x16xf32>, %w: tensor<48x16xf32>, %o: tensor<16x16xf32>)
        -> tensor<1x9x16xf32> {
      %y = heddle.multi_head_attention %x, %x, %x heads(2, kv = 2)
           combined(%w : tensor<48x16xf32>) output(%o : tensor<16x16xf32>)
         : tensor<1x9x16xf32>, tensor<1x9x16xf32>, tensor<1x9x16xf32>
      return %y : tensor<1x9x16xf32> })",
              {random({1, 9, 16}), random({48, 16}, 0.2), random({16, 16})});
  expectMoved(R"(
    func.func @f(%x: tensor<9x16xf32>, %r: tensor<3x16xf32>, %g: tensor<3x8x16xf32>,
                 %d: tensor<3x16x8xf32>) -> tensor<9x16xf32> {
      %y = heddle.mixture_of_experts silu %x router(%r) experts(%g, %g, %d) top(2)
         : tensor<9x16xf32>, tensor<3x16xf32>, tensor<3x8x16xf32>, tensor<3x8x16xf32>,
           tensor<3x16x8xf32>
      return %y : tensor<9x16xf32> })",
              {random({9, 16}), random({3, 16}), random({3, 8, 16}),
               random({3, 16, 8})});
}

// The scores of a score region are off by their products already.
TEST_F(PerturbationTest, ChangesOfScoresFollowTheErrorsOfScores) {
  const char *text = R"(
    func.func @f(%q: tensor<1x1x1xf32>, %k: tensor<1x2x1xf32>, %v: tensor<1x2x1xf32>)
        -> tensor<1x1x1x2xf32> {
      %p = heddle.attention %q, %k, %v heads(1, kv = 1) scale(1.0) results(changed_scores) score {
      ^bb0(%s: tensor<1x1x1x2xf32>):
        %y = heddle.softcap %s cap(1024.0) : tensor<1x1x1x2xf32>
        heddle.yield %y : tensor<1x1x1x2xf32>
      } : tensor<1x1x1xf32>, tensor<1x2x1xf32>, tensor<1x2x1xf32>
      return %p : tensor<1x1x1x2xf32> })";
  // Without a change a score of 1 is off by gamma(1 + 3) = 4u; of softcap come
  // the products and the 6 units of tanh.
  auto z = perturbed(text, {tensor({1, 1, 1}, {1}), tensor({1, 2, 1}, {1, 2}),
                            tensor({1, 2, 1}, {0, 0})});
  double moved = std::abs(z[0] - 1024 * std::tanh(1 / 1024.0));
  EXPECT_GT(moved, 10 * u);
  EXPECT_LT(moved, 14 * u);
}

} // namespace
} // namespace heddle::reference
