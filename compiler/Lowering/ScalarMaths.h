// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalars of a body under construction, so that maths reads like maths: each
// operator creates an `arith` or `math` op with halide.strict, and numbers
// become constants.

#ifndef HEDDLE_COMPILER_LOWERING_SCALARMATHS_H
#define HEDDLE_COMPILER_LOWERING_SCALARMATHS_H

#include "dialect/Halide/HalideDialect.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "llvm/ADT/STLForwardCompat.h"

#include <initializer_list>

namespace heddle {

/// A value of type f32, f64, i32, i64 or i1, as `T` says.
template <typename T> class Scalar {
public:
  Scalar(mlir::ImplicitLocOpBuilder &builder, mlir::Value value)
      : b(&builder), v(value) {}
  /// A constant.
  Scalar(mlir::ImplicitLocOpBuilder &builder, T number)
      : b(&builder), v(constant(builder, number)) {}

  mlir::ImplicitLocOpBuilder &builder() const { return *b; }
  mlir::Value value() const { return v; }

private:
  static mlir::Value constant(mlir::ImplicitLocOpBuilder &b, T number) {
    if constexpr (std::is_floating_point_v<T>)
      return mlir::arith::ConstantFloatOp::create(
          b, mlir::cast<mlir::FloatType>(typeOf(b)), llvm::APFloat(number));
    else
      return mlir::arith::ConstantIntOp::create(b, typeOf(b), int64_t(number));
  }

public:
  static mlir::Type typeOf(mlir::Builder &b) {
    if constexpr (std::is_same_v<T, float>)
      return b.getF32Type();
    else if constexpr (std::is_same_v<T, double>)
      return b.getF64Type();
    else if constexpr (std::is_same_v<T, bool>)
      return b.getI1Type();
    else
      return b.getIntegerType(8 * sizeof(T));
  }

private:
  mlir::ImplicitLocOpBuilder *b;
  mlir::Value v;
};

using Float = Scalar<float>;
using Double = Scalar<double>;
using Int = Scalar<int32_t>;
using Long = Scalar<int64_t>;
using Bool = Scalar<bool>;

/// The result of an op that means exactly what its dialect says.
template <typename Op, typename... Args>
mlir::Value strict(mlir::ImplicitLocOpBuilder &b, Args &&...args) {
  auto op = Op::create(b, std::forward<Args>(args)...);
  op->setAttr(halide::kStrictAttr, b.getUnitAttr());
  return op->getResult(0);
}

/// Op(a, b...) on scalars of one type.
template <typename Op, typename T, typename... Rest>
Scalar<T> apply(Scalar<T> a, Rest... rest) {
  return {a.builder(), strict<Op>(a.builder(), a.value(), rest.value()...)};
}

/// Op(a), of another type.
template <typename Op, typename To, typename From>
Scalar<To> convert(Scalar<From> a) {
  return {a.builder(),
          strict<Op>(a.builder(), Scalar<To>::typeOf(a.builder()), a.value())};
}

//===-- Arithmetic --------------------------------------------------------===//

// Each with numbers on either side, too. `Result` is a type, which takes no
// parentheses. NOLINTBEGIN(bugprone-macro-parentheses)
#define HEDDLE_SCALAR_OPERATOR(symbol, Result, expression)                     \
  template <typename T> Result operator symbol(Scalar<T> a, Scalar<T> b) {     \
    return expression;                                                         \
  }                                                                            \
  template <typename T>                                                        \
  Result operator symbol(Scalar<T> a, llvm::type_identity_t<T> b) {            \
    return a symbol Scalar<T>(a.builder(), b);                                 \
  }                                                                            \
  template <typename T>                                                        \
  Result operator symbol(llvm::type_identity_t<T> a, Scalar<T> b) {            \
    return Scalar<T>(b.builder(), a) symbol b;                                 \
  }
// NOLINTEND(bugprone-macro-parentheses)

namespace detail {
template <typename FloatOp, typename IntOp, typename T>
Scalar<T> arithmetic(Scalar<T> a, Scalar<T> b) {
  if constexpr (std::is_floating_point_v<T>)
    return apply<FloatOp>(a, b);
  else
    return apply<IntOp>(a, b);
}

template <mlir::arith::CmpFPredicate ofFloats,
          mlir::arith::CmpIPredicate ofInts, typename T>
Bool compare(Scalar<T> a, Scalar<T> b) {
  if constexpr (std::is_floating_point_v<T>)
    return {a.builder(), strict<mlir::arith::CmpFOp>(a.builder(), ofFloats,
                                                     a.value(), b.value())};
  else
    return {a.builder(), strict<mlir::arith::CmpIOp>(a.builder(), ofInts,
                                                     a.value(), b.value())};
}
} // namespace detail

#define HEDDLE_SCALAR_ARITHMETIC(symbol, FloatOp, IntOp)                       \
  HEDDLE_SCALAR_OPERATOR(                                                      \
      symbol, Scalar<T>,                                                       \
      (detail::arithmetic<mlir::arith::FloatOp, mlir::arith::IntOp>(a, b)))
HEDDLE_SCALAR_ARITHMETIC(+, AddFOp, AddIOp)
HEDDLE_SCALAR_ARITHMETIC(-, SubFOp, SubIOp)
HEDDLE_SCALAR_ARITHMETIC(*, MulFOp, MulIOp)
HEDDLE_SCALAR_ARITHMETIC(/, DivFOp, DivSIOp)
#undef HEDDLE_SCALAR_ARITHMETIC

#define HEDDLE_SCALAR_COMPARISON(symbol, ofFloats, ofInts)                     \
  HEDDLE_SCALAR_OPERATOR(                                                      \
      symbol, Bool,                                                            \
      (detail::compare<mlir::arith::CmpFPredicate::ofFloats,                   \
                       mlir::arith::CmpIPredicate::ofInts>(a, b)))
HEDDLE_SCALAR_COMPARISON(<, OLT, slt)
HEDDLE_SCALAR_COMPARISON(<=, OLE, sle)
HEDDLE_SCALAR_COMPARISON(>, OGT, sgt)
HEDDLE_SCALAR_COMPARISON(>=, OGE, sge)
HEDDLE_SCALAR_COMPARISON(==, OEQ, eq)
#undef HEDDLE_SCALAR_COMPARISON

// On bits, and on truth values.
HEDDLE_SCALAR_OPERATOR(&, Scalar<T>, (apply<mlir::arith::AndIOp>(a, b)))
HEDDLE_SCALAR_OPERATOR(|, Scalar<T>, (apply<mlir::arith::OrIOp>(a, b)))
HEDDLE_SCALAR_OPERATOR(^, Scalar<T>, (apply<mlir::arith::XOrIOp>(a, b)))
#undef HEDDLE_SCALAR_OPERATOR

inline Bool operator!(Bool a) { return a ^ true; }

template <typename T> Scalar<T> operator-(Scalar<T> a) {
  return apply<mlir::arith::NegFOp>(a);
}

inline Int operator<<(Int a, int32_t count) {
  return apply<mlir::arith::ShLIOp>(a, Int(a.builder(), count));
}
inline Int shiftRightSigned(Int a, int32_t count) {
  return apply<mlir::arith::ShRSIOp>(a, Int(a.builder(), count));
}

/// Of scalars, or a scalar and a number.
template <typename T> Scalar<T> select(Bool c, Scalar<T> a, Scalar<T> b) {
  return {c.builder(), strict<mlir::arith::SelectOp>(c.builder(), c.value(),
                                                     a.value(), b.value())};
}
template <typename T>
Scalar<T> select(Bool c, llvm::type_identity_t<T> a, Scalar<T> b) {
  return select(c, Scalar<T>(c.builder(), a), b);
}
template <typename T>
Scalar<T> select(Bool c, Scalar<T> a, llvm::type_identity_t<T> b) {
  return select(c, a, Scalar<T>(c.builder(), b));
}
inline Float select(Bool c, float a, float b) {
  return select(c, Float(c.builder(), a), b);
}

//===-- Functions that code generation has instructions for ---------------===//

template <typename T> Scalar<T> abs(Scalar<T> x) {
  return apply<mlir::math::AbsFOp>(x);
}
template <typename T> Scalar<T> sqrt(Scalar<T> x) {
  return apply<mlir::math::SqrtOp>(x);
}
inline Float trunc(Float x) { return apply<mlir::math::TruncOp>(x); }
template <typename T> Scalar<T> floor(Scalar<T> x) {
  return apply<mlir::math::FloorOp>(x);
}
template <typename T> Scalar<T> roundEven(Scalar<T> x) {
  return apply<mlir::math::RoundEvenOp>(x);
}

inline Int bits(Float x) { return convert<mlir::arith::BitcastOp, int32_t>(x); }
inline Long bits(Double x) {
  return convert<mlir::arith::BitcastOp, int64_t>(x);
}
inline Double asFloat(Long x) {
  return convert<mlir::arith::BitcastOp, double>(x);
}
inline Float asFloat(Int x) {
  return convert<mlir::arith::BitcastOp, float>(x);
}
inline Float toFloat(Int x) { return convert<mlir::arith::SIToFPOp, float>(x); }
inline Float toFloat(Double x) {
  return convert<mlir::arith::TruncFOp, float>(x);
}
inline Double toDouble(Float x) {
  return convert<mlir::arith::ExtFOp, double>(x);
}
/// Of a number in the range of i32; of others it is some integer.
inline Int toInt(Float x) {
  return {x.builder(), mlir::arith::FPToSIOp::create(
                           x.builder(), x.builder().getI32Type(), x.value())
                           .getResult()};
}

/// The sum of c[k] x^k, by Horner's scheme.
template <typename T>
Scalar<T> polynomial(Scalar<T> x, std::initializer_list<T> coefficients) {
  const T *c = coefficients.end();
  Scalar<T> sum(x.builder(), *--c);
  while (c != coefficients.begin())
    sum = sum * x + *--c;
  return sum;
}

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_SCALARMATHS_H
