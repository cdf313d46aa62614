// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// math.exp of a scalar  ->  arith ops on f32

#include "compiler/Lowering/ExpandMath.h"

#include "compiler/Lowering/MathExpansions.h"
#include "compiler/Lowering/Passes.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace heddle {
#define GEN_PASS_DEF_EXPANDMATH
#include "compiler/Lowering/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {
/// An op's operands as f32 and integers.
class Expansion {
public:
  explicit Expansion(Operation *op) : op(op), b(op->getLoc(), op) {}

  /// The op's result; null where there is no expansion.
  Value run();

private:
  Float x(unsigned operand = 0) {
    Value value = op->getOperand(operand);
    if (!value.getType().isF32())
      value = strict<arith::ExtFOp>(b, b.getF32Type(), value);
    return {b, value};
  }

  Value narrowed(Float y) {
    Type type = getElementTypeOrSelf(op->getResult(0).getType());
    return type.isF32() ? y.value()
                        : strict<arith::TruncFOp>(b, type, y.value());
  }

  Value expandFpowi(math::FPowIOp op);
  Value expandIpowi(math::IPowIOp op);
  Float expandPowf();

  Operation *op;
  ImplicitLocOpBuilder b;
};
} // namespace

// x^n of constant n from 1 to 4 is a product. Others take their logarithm.
Float Expansion::expandPowf() {
  FloatAttr exponent;
  Float base = x(0);
  if (!matchPattern(op->getOperand(1), m_Constant(&exponent)))
    return expandPow(base, x(1));
  double n = exponent.getValueAsDouble();
  if (n == 1)
    return base;
  if (n == 2)
    return base * base;
  if (n == 3)
    return base * base * base;
  if (n == 4) {
    Float square = base * base;
    return square * square;
  }
  return expandPow(base, x(1));
}

// i64 exponents are rounded: they change the power by no more than other
// roundings do.
Value Expansion::expandFpowi(math::FPowIOp op) {
  Value n = op.getRhs();
  Type type = n.getType();
  Value one = arith::ConstantIntOp::create(b, type, 1);
  Value zero = arith::ConstantIntOp::create(b, type, 0);
  Value odd = strict<arith::CmpIOp>(b, arith::CmpIPredicate::ne,
                                    strict<arith::AndIOp>(b, n, one), zero);
  Value y = strict<arith::SIToFPOp>(b, b.getF64Type(), n);
  return narrowed(expandIntegerPow(x(0), Double(b, y), Bool(b, odd)));
}

// Squares of the base, multiplied where the exponent has a bit. Of negative
// exponents only 1 and -1 have integers as powers; others round to 0, and so
// does what 0 would be divided by.
Value Expansion::expandIpowi(math::IPowIOp op) {
  Value base = op.getLhs(), n = op.getRhs();
  Type type = base.getType();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, type, value);
  };
  auto isBitSet = [&](unsigned bit) {
    Value mask = strict<arith::AndIOp>(b, n, constant(int64_t(1) << bit));
    return strict<arith::CmpIOp>(b, arith::CmpIPredicate::ne, mask,
                                 constant(0));
  };
  auto equals = [&](Value value, int64_t number) {
    return strict<arith::CmpIOp>(b, arith::CmpIPredicate::eq, value,
                                 constant(number));
  };
  auto choose = [&](Value condition, Value a, Value c) {
    return strict<arith::SelectOp>(b, condition, a, c);
  };
  Value power = constant(1), square = base;
  for (unsigned bit = 0; bit + 1 < type.getIntOrFloatBitWidth(); ++bit) {
    power =
        choose(isBitSet(bit), strict<arith::MulIOp>(b, power, square), power);
    square = strict<arith::MulIOp>(b, square, square);
  }
  Value ofMinus1 = choose(isBitSet(0), constant(-1), constant(1));
  Value inverse = choose(equals(base, 1), constant(1),
                         choose(equals(base, -1), ofMinus1, constant(0)));
  Value isNegative =
      strict<arith::CmpIOp>(b, arith::CmpIPredicate::slt, n, constant(0));
  return choose(isNegative, inverse, power);
}

Value Expansion::run() {
  auto of = [&](Float (*expand)(Float)) { return narrowed(expand(x())); };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::ExpOp) { return of(expandExp); })
      .Case([&](math::Exp2Op) { return of(expandExp2); })
      .Case([&](math::ExpM1Op) { return of(expandExpm1); })
      .Case([&](math::SinhOp) { return of(expandSinh); })
      .Case([&](math::CoshOp) { return of(expandCosh); })
      .Case([&](math::TanhOp) { return of(expandTanh); })
      .Case([&](math::LogOp) { return of(expandLog); })
      .Case([&](math::Log2Op) { return of(expandLog2); })
      .Case([&](math::Log10Op) { return of(expandLog10); })
      .Case([&](math::Log1pOp) { return of(expandLog1p); })
      .Case([&](math::AsinhOp) { return of(expandAsinh); })
      .Case([&](math::AcoshOp) { return of(expandAcosh); })
      .Case([&](math::AtanhOp) { return of(expandAtanh); })
      .Case([&](math::ErfOp) { return of(expandErf); })
      .Case([&](math::ErfcOp) { return of(expandErfc); })
      .Case([&](math::SinOp) { return of(expandSin); })
      .Case([&](math::CosOp) { return of(expandCos); })
      .Case([&](math::TanOp) { return of(expandTan); })
      .Case([&](math::AsinOp) { return of(expandAsin); })
      .Case([&](math::AcosOp) { return of(expandAcos); })
      .Case([&](math::AtanOp) { return of(expandAtan); })
      .Case([&](math::CbrtOp) { return of(expandCbrt); })
      .Case([&](math::RsqrtOp) { return of(expandRsqrt); })
      .Case([&](math::RoundOp) { return of(expandRound); })
      .Case([&](math::Atan2Op) { return narrowed(expandAtan2(x(0), x(1))); })
      .Case([&](math::PowFOp) { return narrowed(expandPowf()); })
      .Case([&](math::CopySignOp) {
        return narrowed(expandCopysign(x(0), x(1)));
      })
      .Case([&](arith::RemFOp) { return narrowed(expandRem(x(0), x(1))); })
      .Case([&](math::FmaOp) { return narrowed(x(0) * x(1) + x(2)); })
      .Case([&](math::ClampFOp) {
        Float atLeast = apply<arith::MaximumFOp>(x(0), x(1));
        return narrowed(apply<arith::MinimumFOp>(atLeast, x(2)));
      })
      .Case([&](math::IsNaNOp) { return (!(x() == x())).value(); })
      .Case([&](math::IsInfOp) { return expandIsInf(x()).value(); })
      .Case([&](math::IsFiniteOp) { return expandIsFinite(x()).value(); })
      .Case([&](math::IsNormalOp) { return expandIsNormal(x()).value(); })
      .Case([&](math::FPowIOp op) { return expandFpowi(op); })
      .Case([&](math::IPowIOp op) { return expandIpowi(op); })
      .Default(Value());
}

// What has an instruction, and an entry in Translate's table.
static bool isNative(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::SqrtOp, math::FloorOp,
             math::CeilOp, math::TruncOp, math::RoundEvenOp,
             math::CountLeadingZerosOp, math::CountTrailingZerosOp,
             math::CtPopOp>(op);
}

// The bits of a float of eight bits as an i32.
static Int bitsOf(ImplicitLocOpBuilder &b, Value value) {
  Value bits = arith::BitcastOp::create(b, b.getI8Type(), value);
  return {b, strict<arith::ExtUIOp>(b, b.getI32Type(), bits)};
}

// `x` as a float of eight bits.
static Value narrowTo(Type type, Float x) {
  ImplicitLocOpBuilder &b = x.builder();
  Int bits = isa<Float8E5M2Type>(type) ? expandToE5M2(x) : expandToE4M3(x);
  Value byte = strict<arith::TruncIOp>(b, b.getI8Type(), bits.value());
  return arith::BitcastOp::create(b, type, byte);
}

// Between floats where Halide has no such conversion, or rounds twice.
static Value expandConversion(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Type to = op->getResult(0).getType();
  Value x = op->getOperand(0);
  if (isa<arith::ExtFOp>(op) && isStorageFloat(x.getType())) {
    Int bits = bitsOf(b, x);
    Value single = (isa<Float8E5M2Type>(x.getType()) ? expandFromE5M2(bits)
                                                     : expandFromE4M3(bits))
                       .value();
    return to.isF32() ? single : strict<arith::ExtFOp>(b, to, single);
  }
  if (!isa<arith::TruncFOp>(op) || to.getIntOrFloatBitWidth() >= 32)
    return {};
  bool isDouble = x.getType().isF64();
  if (!isDouble && !isStorageFloat(to))
    return {};
  if (!isDouble && !x.getType().isF32())
    x = strict<arith::ExtFOp>(b, b.getF32Type(), x);
  Float single = isDouble ? expandToOdd(Double(b, x)) : Float(b, x);
  return isStorageFloat(to) ? narrowTo(to, single)
                            : strict<arith::TruncFOp>(b, to, single.value());
}

// Floats of eight bits are moved, and converted by the ops above.
static LogicalResult checkStorage(Operation *op) {
  if (!isa_and_present<math::MathDialect, arith::ArithDialect>(
          op->getDialect()) ||
      isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp, arith::ExtFOp,
          arith::TruncFOp>(op))
    return success();
  for (Type type : op->getOperandTypes())
    if (isStorageFloat(type))
      return op->emitOpError("cannot compute with ")
             << type << ", which is only stored: cast it to f32 before";
  return success();
}

LogicalResult heddle::expandMath(Operation *op) {
  if (failed(checkStorage(op)))
    return failure();
  if (isa<arith::ExtFOp, arith::TruncFOp>(op) &&
      op->getResult(0).getType().isIntOrFloat()) {
    if (Value converted = expandConversion(op)) {
      op->getResult(0).replaceAllUsesWith(converted);
      op->erase();
    }
    return success();
  }
  bool isMath = isa_and_present<math::MathDialect>(op->getDialect());
  if ((!isMath && !isa<arith::RemFOp>(op)) ||
      !llvm::all_of(op->getOperandTypes(),
                    [](Type type) { return type.isIntOrFloat(); }))
    return success();
  if (isNative(op)) {
    op->setAttr(halide::kStrictAttr, UnitAttr::get(op->getContext()));
    return success();
  }
  Value value = op->getOperand(0).getType().isF64() ? expandDouble(op)
                                                    : Expansion(op).run();
  if (!value)
    return op->emitOpError("has no expansion into arith ops");
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
  return success();
}

namespace {
struct ExpandMath : heddle::impl::ExpandMathBase<ExpandMath> {
  using ExpandMathBase::ExpandMathBase;

  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](Operation *op) {
      return failed(expandMath(op)) ? WalkResult::interrupt()
                                    : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
