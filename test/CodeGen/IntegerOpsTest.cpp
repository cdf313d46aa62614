// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compiled ops on integers give where Halide's or the CPU's rules differ
// from the dialect's.

#include "test/CodeGen/KernelTesting.h"

#include <cmath>

using namespace heddle;

static constexpr int32_t kMin = INT32_MIN, kMax = INT32_MAX;

static void expectInts(const std::string &op,
                       const std::function<int32_t(int32_t, int32_t)> &f) {
  expectPairs<int32_t, int32_t>(
      "%r = arith." + op + " %x, %y {halide.strict} : i32", "i32", "i32",
      {0, 1, -1, 2, -2, 3, 7, -7, 8, -8, 31, 100, kMin, kMin + 1, kMax,
       kMax - 1},
      f);
}

static int32_t wrap(int64_t value) { return int32_t(uint32_t(value)); }

TEST(IntegerOpsTest, IntegersWrapAround) {
  expectInts("addi", [](int64_t a, int64_t b) { return wrap(a + b); });
  expectInts("subi", [](int64_t a, int64_t b) { return wrap(a - b); });
  expectInts("muli", [](int64_t a, int64_t b) { return wrap(a * b); });
}

TEST(IntegerOpsTest, SignedDivisionRoundsTowardsZero) {
  expectInts("divsi", [](int64_t a, int64_t b) { return b ? wrap(a / b) : 0; });
  expectInts("remsi", [](int64_t a, int64_t b) { return b ? wrap(a % b) : 0; });
  expectInts("floordivsi", [](int64_t a, int64_t b) {
    return b ? wrap(int64_t(std::floor(double(a) / double(b)))) : 0;
  });
  expectInts("ceildivsi", [](int64_t a, int64_t b) {
    return b ? wrap(int64_t(std::ceil(double(a) / double(b)))) : 0;
  });
}

// Halide folds sums and differences of constants, which overflow.
template <typename Int>
static void expectConstants(const std::string &type,
                            const std::vector<Int> &constants) {
  std::vector<Int> numbers = {0, 1, -1, 2, -2, 7, -7, 100, -100};
  for (Int constant : constants)
    for (int less : {0, 1, 2})
      numbers.push_back(constant > 0 ? constant - less : constant + less);
  for (Int constant : constants)
    for (bool isDivisor : {false, true})
      for (const std::string op : {"divsi", "floordivsi", "ceildivsi", "remsi"})
        expectPairs<Int, Int>(
            "%c = arith.constant " + std::to_string(constant) + " : " + type +
                "\n%r = arith." + op + (isDivisor ? " %x, %c" : " %c, %x") +
                " {halide.strict} : " + type,
            type, type, numbers, [&](Int x, Int) {
              Int a = isDivisor ? x : constant, b = isDivisor ? constant : x;
              if (b == 0)
                return Int(0);
              if (b == -1)
                return op == "remsi" ? Int(0)
                                     : Int(0 - std::make_unsigned_t<Int>(a));
              Int quotient = a / b, rest = a % b;
              if (op == "floordivsi")
                quotient -= rest != 0 && (rest < 0) != (b < 0);
              if (op == "ceildivsi")
                quotient += rest != 0 && (rest < 0) == (b < 0);
              return op == "remsi" ? rest : quotient;
            });
}

TEST(IntegerOpsTest, ConstantsDivideAndAreDivided) {
  expectConstants<int8_t>("i8",
                          {INT8_MIN, INT8_MIN + 1, INT8_MAX, 65, 64, -64});
  expectConstants<int32_t>("i32", {kMin, kMin + 1, kMax, 1 << 30, -(1 << 30)});
  constexpr int64_t half = int64_t(1) << 62;
  expectConstants<int64_t>("i64", {INT64_MIN, INT64_MIN + 1, INT64_MAX,
                                   INT64_MAX - 1, half, half + 1, -half});
}

TEST(IntegerOpsTest, UnsignedDivision) {
  expectInts("divui",
             [](uint32_t a, uint32_t b) { return b ? int32_t(a / b) : 0; });
  expectInts("remui",
             [](uint32_t a, uint32_t b) { return b ? int32_t(a % b) : 0; });
  expectInts("ceildivui", [](uint32_t a, uint32_t b) {
    return b ? int32_t(a / b + (a % b != 0)) : 0;
  });
}

TEST(IntegerOpsTest, BitsAndShifts) {
  expectInts("andi", [](int32_t a, int32_t b) { return a & b; });
  expectInts("ori", [](int32_t a, int32_t b) { return a | b; });
  expectInts("xori", [](int32_t a, int32_t b) { return a ^ b; });
  expectInts("shli",
             [](uint32_t a, uint32_t b) { return b < 32 ? a << b : 0; });
  expectInts("shrui",
             [](uint32_t a, uint32_t b) { return b < 32 ? a >> b : 0; });
  expectInts("shrsi", [](int32_t a, uint32_t b) {
    return a >> std::min<uint32_t>(b, 31);
  });
}

TEST(IntegerOpsTest, MinimaAndMaxima) {
  expectInts("maxsi", [](int32_t a, int32_t b) { return std::max(a, b); });
  expectInts("minsi", [](int32_t a, int32_t b) { return std::min(a, b); });
  expectInts("maxui", [](uint32_t a, uint32_t b) { return std::max(a, b); });
  expectInts("minui", [](uint32_t a, uint32_t b) { return std::min(a, b); });
}

TEST(IntegerOpsTest, NarrowAndWideIntegersWrapAroundAndDivide) {
  expectPairs<int8_t, int8_t>(
      "%r = arith.divsi %x, %y {halide.strict} : i8", "i8", "i8",
      {0, 1, -1, 5, -5, 127, -128},
      [](int a, int b) { return int8_t(b ? a / b : 0); });
  expectPairs<int8_t, int8_t>("%r = arith.muli %x, %y {halide.strict} : i8",
                              "i8", "i8", {0, 1, -1, 5, -5, 127, -128},
                              [](int a, int b) { return int8_t(a * b); });
  expectPairs<int64_t, int64_t>(
      "%r = arith.divsi %x, %y {halide.strict} : i64", "i64", "i64",
      {0, 1, -1, 5, -5, INT64_MAX, INT64_MIN}, [](int64_t a, int64_t b) {
        if (b == -1)
          return int64_t(-uint64_t(a));
        return b ? a / b : 0;
      });
}

TEST(IntegerOpsTest, AnI1IsMinus1OrUnsigned1) {
  auto expect = [](const std::string &op, auto f) {
    std::string body = "%a = arith.trunci %x : i8 to i1\n"
                       "%b = arith.trunci %y : i8 to i1\n"
                       "%c = arith." +
                       op +
                       ", %a, %b : i1\n"
                       "%r = arith.extui %c : i1 to i8";
    expectPairs<int8_t, int8_t>(body, "i8", "i8", {0, 1}, f);
  };
  expect("cmpi slt", [](int a, int b) { return -a < -b; });
  expect("cmpi ult", [](int a, int b) { return a < b; });
  expect("cmpi eq", [](int a, int b) { return a == b; });
  expectPairs<int8_t, float>("%a = arith.trunci %x : i8 to i1\n"
                             "%r = arith.sitofp %a : i1 to f32",
                             "i8", "f32", {0, 1},
                             [](int a, int) { return float(-a); });
}

//===-- Bits and integer powers -------------------------------------------===//

TEST(IntegerOpsTest, BitsAreCounted) {
  auto expect = [](const std::string &op, auto f) {
    expectPairs<int32_t, int32_t>("%r = math." + op + " %x : i32", "i32", "i32",
                                  {0, 1, -1, 12, kMin, kMax}, f);
  };
  expect("ctlz", [](uint32_t x, int) { return x ? __builtin_clz(x) : 32; });
  expect("cttz", [](uint32_t x, int) { return x ? __builtin_ctz(x) : 32; });
  expect("ctpop", [](uint32_t x, int) { return __builtin_popcount(x); });
  expect("absi", [](int32_t x, int) { return x < 0 ? wrap(-int64_t(x)) : x; });
}

TEST(IntegerOpsTest, IntegerPowers) {
  expectPairs<int32_t, int32_t>(
      "%r = math.ipowi %x, %y : i32", "i32", "i32",
      {0, 1, -1, 2, -2, 3, 5, 31, -3, kMin, kMax},
      [](int32_t x, int32_t n) -> int32_t {
        if (n < 0)
          return x == 1 ? 1 : x == -1 ? (n % 2 ? -1 : 1) : 0;
        uint32_t power = 1, square = x;
        for (; n; n >>= 1, square *= square)
          power *= n & 1 ? square : 1;
        return power;
      });
}

//===-- What is not in the table ------------------------------------------===//

TEST(IntegerOpsTest, OthersAreErrorsAtTheOp) {
  mlir::MLIRContext context;
  context.loadDialect<halide::HalideDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    halide.pipeline @kernel {
      halide.func @out(%i) : i32 {
        %sum, %carry = arith.addui_extended %i, %i : i32, i1
        halide.yield %sum : i32
      }
      halide.output @out [4096]
    })",
                                                        &context);
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &error) {
    message = error.str();
    return mlir::success();
  });
  auto pipelines = llvm::to_vector(module->getOps<halide::PipelineOp>());
  MachineModel machine = llvm::cantFail(MachineModel::forCpu("x86-64-v3"));
  EXPECT_TRUE(failed(compileKernels(pipelines, machine, KernelCache(),
                                    [](size_t, size_t, llvm::StringRef) {})));
  EXPECT_EQ(message,
            "'arith.addui_extended' op cannot be translated to Halide");
}
