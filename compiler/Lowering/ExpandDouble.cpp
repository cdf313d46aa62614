// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// math.exp of an f64 -> a call of the C library's exp. Few models have f64, and
// only for what must be exact: here it is not fast.

#include "compiler/Lowering/LibraryFunctions.h"
#include "compiler/Lowering/MathExpansions.h"

#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;
using namespace heddle;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The function of the C library that an op is; empty where it is none.
static StringRef functionOf(Operation *op) {
  const auto *known =
      llvm::find_if(kLibraryFunctions, [&](const LibraryFunction &function) {
        return function.op == op->getName().getStringRef();
      });
  return known == std::end(kLibraryFunctions) ? StringRef()
                                              : StringRef(known->name);
}

static Double copySign(Double magnitude, Double sign) {
  return asFloat((bits(magnitude) & INT64_MAX) | (bits(sign) & INT64_MIN));
}

// |x|^n, which is negative where x is and n is odd.
static Double expandPower(ImplicitLocOpBuilder &b, math::FPowIOp op) {
  Type type = op.getRhs().getType();
  Value one = arith::ConstantIntOp::create(b, type, 1);
  Value zero = arith::ConstantIntOp::create(b, type, 0);
  Value isOdd =
      strict<arith::CmpIOp>(b, arith::CmpIPredicate::ne,
                            strict<arith::AndIOp>(b, op.getRhs(), one), zero);
  Double x(b, op.getLhs());
  Value n = strict<arith::SIToFPOp>(b, b.getF64Type(), op.getRhs());
  Double magnitude(b, halide::CallOp::create(b, b.getF64Type(), "pow",
                                             ValueRange{abs(x).value(), n}));
  return select(Bool(b, isOdd), copySign(magnitude, x), magnitude);
}

Value heddle::expandDouble(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  auto x = [&](unsigned operand = 0) {
    return Double(b, op->getOperand(operand));
  };
  if (auto power = dyn_cast<math::FPowIOp>(op))
    return expandPower(b, power).value();
  if (StringRef function = functionOf(op); !function.empty())
    return halide::CallOp::create(b, b.getF64Type(), function,
                                  op->getOperands());
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::RsqrtOp) { return (1.0 / sqrt(x())).value(); })
      .Case([&](math::CopySignOp) { return copySign(x(0), x(1)).value(); })
      .Case([&](math::FmaOp) { return (x(0) * x(1) + x(2)).value(); })
      .Case([&](math::ClampFOp) {
        Double atLeast = apply<arith::MaximumFOp>(x(0), x(1));
        return apply<arith::MinimumFOp>(atLeast, x(2)).value();
      })
      .Case([&](math::IsNaNOp) { return (!(x() == x())).value(); })
      .Case([&](math::IsInfOp) { return (abs(x()) == kInfinity).value(); })
      .Case([&](math::IsFiniteOp) { return (abs(x()) < kInfinity).value(); })
      .Case([&](math::IsNormalOp) {
        Double a = abs(x());
        return ((a >= std::numeric_limits<double>::min()) & (a < kInfinity))
            .value();
      })
      .Default(Value());
}
