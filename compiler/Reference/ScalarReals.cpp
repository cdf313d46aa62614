// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/FloatRange.h"
#include "compiler/Reference/MathErrors.h"
#include "compiler/Reference/Roundings.h"
#include "compiler/Reference/ScalarFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace heddle::reference {

namespace {

// IEEE 754's maximum: a NaN wins, and -0 is less than 0. std::max knows
// neither.
double maximum(double x, double y) {
  if (std::isnan(x) || std::isnan(y))
    return x + y;
  return x < y || (x == y && std::signbit(x)) ? y : x;
}

double minimum(double x, double y) { return -maximum(-x, -y); }

// A number wins; of zeros of both signs it is either.
double maximumNumber(double x, double y) {
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) ? y : x;
  return maximum(x, y);
}

double minimumNumber(double x, double y) { return -maximumNumber(-x, -y); }

template <typename Function>
ScalarFunction unary(Function function, double roundings,
                     double absoluteError = 0) {
  return {[=](ArrayRef<Scalar> o) {
            return Scalar::of(double(function(o[0].real)));
          },
          roundings, absoluteError};
}

// Nothing is known of an argument that is too large.
ScalarFunction unary(double (*function)(double), const MathError &error) {
  return {[=, most = error.largestArgument](ArrayRef<Scalar> o) {
            double x = o[0].real;
            bool isKnown = std::abs(x) <= most || !std::isfinite(x);
            return Scalar::of(function(x), isKnown ? 0 : kInfinity);
          },
          error.units, precision().leastError};
}

template <typename Function>
ScalarFunction binary(Function function, double roundings,
                      double absoluteError = 0, bool isExtremum = false) {
  return {[=](ArrayRef<Scalar> o) {
            return Scalar::of(double(function(o[0].real, o[1].real)));
          },
          roundings, absoluteError, isExtremum};
}

ScalarFunction extremum(double (*function)(double, double)) {
  return binary(function, 0, 0, true);
}

ScalarFunction extremumOfNumbers(double (*function)(double, double)) {
  ScalarFunction result = extremum(function);
  result.exact = [=](ArrayRef<Scalar> o) {
    double x = o[0].real, y = o[1].real;
    bool isEither = x == y && std::signbit(x) != std::signbit(y);
    return Scalar::of(function(x, y), isEither ? kEitherSign : 0);
  };
  return result;
}

template <typename Function> ScalarFunction test(Function function) {
  return {[=](ArrayRef<Scalar> o) {
    return Scalar::of(int64_t(bool(function(o[0].real))));
  }};
}

bool compare(arith::CmpFPredicate predicate, double x, double y) {
  using Predicate = arith::CmpFPredicate;
  bool isUnordered = std::isnan(x) || std::isnan(y);
  switch (predicate) {
  case Predicate::AlwaysFalse:
    return false;
  case Predicate::OEQ:
    return x == y;
  case Predicate::OGT:
    return x > y;
  case Predicate::OGE:
    return x >= y;
  case Predicate::OLT:
    return x < y;
  case Predicate::OLE:
    return x <= y;
  case Predicate::ONE:
    return x < y || x > y;
  case Predicate::ORD:
    return !isUnordered;
  case Predicate::UEQ:
    return isUnordered || x == y;
  case Predicate::UGT:
    return isUnordered || x > y;
  case Predicate::UGE:
    return isUnordered || x >= y;
  case Predicate::ULT:
    return isUnordered || x < y;
  case Predicate::ULE:
    return isUnordered || x <= y;
  case Predicate::UNE:
    return x != y;
  case Predicate::UNO:
    return isUnordered;
  case Predicate::AlwaysTrue:
    return true;
  }
  llvm_unreachable("all predicates are covered");
}

ScalarFunction comparison(arith::CmpFOp op) {
  arith::CmpFPredicate predicate = op.getPredicate();
  return {[=](ArrayRef<Scalar> o) {
    return Scalar::of(int64_t(compare(predicate, o[0].real, o[1].real)));
  }};
}

// Code may round the product by itself, which may overflow or be exact.
ScalarFunction fuse(math::FmaOp op) {
  Type type = getElementTypeOrSelf(op.getType());
  bool isDouble = type.isF64();
  double roundoff = isDouble ? unitRoundoff(type) : u;
  double overflow = isDouble ? kInfinity : kOverflow;
  auto function = [=](ArrayRef<Scalar> o) {
    double product = o[0].real * o[1].real, sum = product + o[2].real;
    bool isExact = !std::isfinite(o[0].real) || !std::isfinite(o[1].real) ||
                   (!isDouble && double(float(product)) == product);
    if (!isExact && std::isinf(toRange(product, overflow)))
      return Scalar::of(sum, kInfinity);
    return Scalar::of(sum, isExact ? 0 : roundoff * std::abs(product));
  };
  return {function, 1};
}

// A type's numbers from 2^e on have all their bits.
double smallestNormal(Type type) {
  auto real = cast<FloatType>(getElementTypeOrSelf(type));
  return std::ldexp(
      1.0, llvm::APFloat::semanticsMinExponent(real.getFloatSemantics()));
}

} // namespace

std::optional<ScalarFunction> realFunction(Operation *op) {
  std::optional<MathError> error = findMathError(op->getName().getStringRef());
  double measured = error ? error->units : 0;
  using Result = std::optional<ScalarFunction>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([](arith::AddFOp) { return binary(std::plus<>(), 1); })
      .Case([](arith::SubFOp) { return binary(std::minus<>(), 1); })
      .Case([](arith::MulFOp) {
        return binary(std::multiplies<>(), 1, precision().leastError);
      })
      .Case([](arith::DivFOp) {
        return binary(std::divides<>(), 1, precision().leastError);
      })
      .Case([](arith::RemFOp) {
        return binary([](double x, double y) { return std::fmod(x, y); }, 1);
      })
      .Case([](arith::NegFOp) { return unary(std::negate<>(), 0); })
      .Case([](arith::MaximumFOp) { return extremum(maximum); })
      .Case([](arith::MinimumFOp) { return extremum(minimum); })
      .Case([](arith::MaxNumFOp) { return extremumOfNumbers(maximumNumber); })
      .Case([](arith::MinNumFOp) { return extremumOfNumbers(minimumNumber); })
      .Case([](arith::CmpFOp op) { return comparison(op); })
#define HEDDLE_UNARY(OP, FUNCTION, ROUNDINGS)                                  \
  .Case([&](math::OP) {                                                        \
    return unary([](double x) { return FUNCTION; }, ROUNDINGS,                 \
                 ROUNDINGS > 1 ? precision().leastError : 0);                  \
  })
      // clang-format off
      HEDDLE_UNARY(AbsFOp, std::abs(x), 0)
      HEDDLE_UNARY(CeilOp, std::ceil(x), 0)
      HEDDLE_UNARY(FloorOp, std::floor(x), 0)
      HEDDLE_UNARY(TruncOp, std::trunc(x), 0)
      HEDDLE_UNARY(RoundOp, std::round(x), 0)
      HEDDLE_UNARY(RoundEvenOp, std::nearbyint(x), 0)
      HEDDLE_UNARY(SqrtOp, std::sqrt(x), 1)
      HEDDLE_UNARY(RsqrtOp, 1 / std::sqrt(x), measured)
      HEDDLE_UNARY(CbrtOp, std::cbrt(x), measured)
      HEDDLE_UNARY(ExpOp, std::exp(x), measured)
      HEDDLE_UNARY(Exp2Op, std::exp2(x), measured)
      HEDDLE_UNARY(ExpM1Op, std::expm1(x), measured)
      HEDDLE_UNARY(LogOp, std::log(x), measured)
      HEDDLE_UNARY(Log2Op, std::log2(x), measured)
      HEDDLE_UNARY(Log10Op, std::log10(x), measured)
      HEDDLE_UNARY(Log1pOp, std::log1p(x), measured)
      HEDDLE_UNARY(SinhOp, std::sinh(x), measured)
      HEDDLE_UNARY(CoshOp, std::cosh(x), measured)
      HEDDLE_UNARY(TanhOp, std::tanh(x), measured)
      HEDDLE_UNARY(AsinOp, std::asin(x), measured)
      HEDDLE_UNARY(AcosOp, std::acos(x), measured)
      HEDDLE_UNARY(AtanOp, std::atan(x), measured)
      HEDDLE_UNARY(AsinhOp, std::asinh(x), measured)
      HEDDLE_UNARY(AcoshOp, std::acosh(x), measured)
      HEDDLE_UNARY(AtanhOp, std::atanh(x), measured)
      HEDDLE_UNARY(ErfOp, std::erf(x), measured)
      HEDDLE_UNARY(ErfcOp, std::erfc(x), measured)
  // clang-format on
#undef HEDDLE_UNARY
      .Case([&](math::SinOp) { return unary(std::sin, *error); })
      .Case([&](math::CosOp) { return unary(std::cos, *error); })
      .Case([&](math::TanOp) { return unary(std::tan, *error); })
      .Case([&](math::Atan2Op) {
        return binary([](double y, double x) { return std::atan2(y, x); },
                      measured, precision().leastError);
      })
      .Case([&](math::PowFOp) {
        return binary([](double x, double y) { return std::pow(x, y); },
                      measured, precision().leastError);
      })
      .Case([](math::CopySignOp) {
        return binary([](double x, double y) { return std::copysign(x, y); },
                      0);
      })
      .Case([&](math::FPowIOp) {
        return ScalarFunction{[](ArrayRef<Scalar> o) {
                                return Scalar::of(
                                    std::pow(o[0].real, double(o[1].integer)));
                              },
                              measured, precision().leastError};
      })
      .Case(fuse)
      .Case([](math::ClampFOp) {
        return ScalarFunction{[](ArrayRef<Scalar> o) {
          return Scalar::of(minimum(maximum(o[0].real, o[1].real), o[2].real));
        }};
      })
      .Case([](math::IsNaNOp) {
        return test([](double x) { return std::isnan(x); });
      })
      .Case([](math::IsInfOp) {
        return test([](double x) { return std::isinf(x); });
      })
      .Case([](math::IsFiniteOp) {
        return test([](double x) { return std::isfinite(x); });
      })
      .Case([](math::IsNormalOp op) {
        double smallest = smallestNormal(op.getOperand().getType());
        return test([=](double x) {
          return std::isfinite(x) && std::abs(x) >= smallest;
        });
      })
      .Default(Result());
}

} // namespace heddle::reference
