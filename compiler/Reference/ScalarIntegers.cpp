// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/ScalarFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace heddle::reference {

int64_t wrap(uint64_t value, unsigned width) {
  if (width == 1)
    return value & 1;
  return llvm::SignExtend64(value, width);
}

namespace {

/// Builds functions of integers of one width.
struct Integers {
  unsigned width;

  // The two readings of a stored integer.
  int64_t asSigned(int64_t value) const {
    return width == 1 ? -(value & 1) : value;
  }
  uint64_t asUnsigned(int64_t value) const {
    return uint64_t(value) & llvm::maskTrailingOnes<uint64_t>(width);
  }

  // Of two signed or unsigned numbers; the result wraps around.
  template <typename Function>
  ScalarFunction ofSigned(Function function) const {
    Integers self = *this;
    return {[=](ArrayRef<Scalar> o) {
      return Scalar::of(wrap(
          function(self.asSigned(o[0].integer), self.asSigned(o[1].integer)),
          self.width));
    }};
  }
  template <typename Function>
  ScalarFunction ofUnsigned(Function function) const {
    Integers self = *this;
    return {[=](ArrayRef<Scalar> o) {
      return Scalar::of(wrap(function(self.asUnsigned(o[0].integer),
                                      self.asUnsigned(o[1].integer)),
                             self.width));
    }};
  }
  // Of one number.
  template <typename Function> ScalarFunction ofOne(Function function) const {
    Integers self = *this;
    return {[=](ArrayRef<Scalar> o) {
      return Scalar::of(
          wrap(function(self.asUnsigned(o[0].integer)), self.width));
    }};
  }
};

// What is undefined in arith has the value that compiled code gives it: a
// quotient or remainder by 0 is 0, and the smallest number by -1 wraps around.
template <typename Function> auto quotient(Function function) {
  return [=](auto x, auto y) -> uint64_t {
    if (y == 0)
      return 0;
    if (std::is_signed_v<decltype(y)> && y == decltype(y)(-1))
      return 0 - uint64_t(x);
    return function(x, y);
  };
}

int64_t signedRemainder(int64_t x, int64_t y) {
  return y == 0 || y == -1 ? 0 : x % y;
}

// Shifts by the width or more give 0, or the sign for shrsi.
uint64_t shiftLeft(uint64_t x, uint64_t y) { return y < 64 ? x << y : 0; }
uint64_t shiftRight(uint64_t x, uint64_t y) { return y < 64 ? x >> y : 0; }

bool compare(arith::CmpIPredicate predicate, int64_t x, int64_t y, uint64_t ux,
             uint64_t uy) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return x == y;
  case arith::CmpIPredicate::ne:
    return x != y;
  case arith::CmpIPredicate::slt:
    return x < y;
  case arith::CmpIPredicate::sle:
    return x <= y;
  case arith::CmpIPredicate::sgt:
    return x > y;
  case arith::CmpIPredicate::sge:
    return x >= y;
  case arith::CmpIPredicate::ult:
    return ux < uy;
  case arith::CmpIPredicate::ule:
    return ux <= uy;
  case arith::CmpIPredicate::ugt:
    return ux > uy;
  case arith::CmpIPredicate::uge:
    return ux >= uy;
  }
  llvm_unreachable("all predicates are covered");
}

ScalarFunction comparison(arith::CmpIOp op, Integers operands) {
  arith::CmpIPredicate predicate = op.getPredicate();
  return {[=](ArrayRef<Scalar> o) {
    int64_t x = o[0].integer, y = o[1].integer;
    return Scalar::of(
        int64_t(compare(predicate, operands.asSigned(x), operands.asSigned(y),
                        operands.asUnsigned(x), operands.asUnsigned(y))));
  }};
}

int64_t power(int64_t base, int64_t exponent) {
  if (exponent < 0) // 1 / base^n, rounded to zero
    return base == 1 ? 1 : base == -1 ? (exponent & 1 ? -1 : 1) : 0;
  uint64_t result = 1, square = base;
  for (; exponent; exponent >>= 1, square *= square)
    if (exponent & 1)
      result *= square;
  return int64_t(result);
}

} // namespace

std::optional<ScalarFunction> integerFunction(Operation *op) {
  if (op->getNumOperands() == 0)
    return std::nullopt;
  // The numbers of loops are indices, of 64 bits.
  Type type = getElementTypeOrSelf(op->getOperand(0));
  if (!type.isIntOrIndex())
    return std::nullopt;
  Integers i{type.isIndex() ? 64 : type.getIntOrFloatBitWidth()};
  using Result = std::optional<ScalarFunction>;
  unsigned width = i.width;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::AddIOp) { return i.ofUnsigned(std::plus<>()); })
      .Case([&](arith::SubIOp) { return i.ofUnsigned(std::minus<>()); })
      .Case([&](arith::MulIOp) { return i.ofUnsigned(std::multiplies<>()); })
      .Case([&](arith::DivSIOp) {
        return i.ofSigned(quotient([](int64_t x, int64_t y) { return x / y; }));
      })
      .Case([&](arith::FloorDivSIOp) {
        return i.ofSigned(quotient([](int64_t x, int64_t y) {
          return llvm::divideFloorSigned(x, y);
        }));
      })
      .Case([&](arith::CeilDivSIOp) {
        return i.ofSigned(quotient(
            [](int64_t x, int64_t y) { return llvm::divideCeilSigned(x, y); }));
      })
      .Case([&](arith::DivUIOp) {
        return i.ofUnsigned(
            quotient([](uint64_t x, uint64_t y) { return x / y; }));
      })
      .Case([&](arith::CeilDivUIOp) {
        return i.ofUnsigned(quotient(
            [](uint64_t x, uint64_t y) { return x / y + (x % y != 0); }));
      })
      .Case([&](arith::RemSIOp) { return i.ofSigned(signedRemainder); })
      .Case([&](arith::RemUIOp) {
        return i.ofUnsigned(
            [](uint64_t x, uint64_t y) { return y ? x % y : 0; });
      })
      .Case([&](arith::AndIOp) { return i.ofUnsigned(std::bit_and<>()); })
      .Case([&](arith::OrIOp) { return i.ofUnsigned(std::bit_or<>()); })
      .Case([&](arith::XOrIOp) { return i.ofUnsigned(std::bit_xor<>()); })
      .Case([&](arith::ShLIOp) {
        return i.ofUnsigned([=](uint64_t x, uint64_t y) {
          return y < width ? shiftLeft(x, y) : 0;
        });
      })
      .Case([&](arith::ShRUIOp) { return i.ofUnsigned(shiftRight); })
      .Case([&](arith::ShRSIOp) {
        return i.ofSigned([](int64_t x, int64_t y) {
          return x >> (uint64_t(y) < 64 ? y : 63);
        });
      })
      .Case([&](arith::MaxSIOp) {
        return i.ofSigned([](int64_t x, int64_t y) { return std::max(x, y); });
      })
      .Case([&](arith::MinSIOp) {
        return i.ofSigned([](int64_t x, int64_t y) { return std::min(x, y); });
      })
      .Case([&](arith::MaxUIOp) {
        return i.ofUnsigned(
            [](uint64_t x, uint64_t y) { return std::max(x, y); });
      })
      .Case([&](arith::MinUIOp) {
        return i.ofUnsigned(
            [](uint64_t x, uint64_t y) { return std::min(x, y); });
      })
      .Case([&](arith::CmpIOp op) { return comparison(op, i); })
      .Case([&](math::AbsIOp) {
        return i.ofOne(
            [=](uint64_t x) { return wrap(x, width) < 0 ? 0 - x : x; });
      })
      .Case([&](math::CountLeadingZerosOp) {
        return i.ofOne([=](uint64_t x) {
          return uint64_t(llvm::countl_zero(x)) - (64 - width);
        });
      })
      .Case([&](math::CountTrailingZerosOp) {
        return i.ofOne([=](uint64_t x) {
          return std::min<uint64_t>(llvm::countr_zero(x), width);
        });
      })
      .Case([&](math::CtPopOp) {
        return i.ofOne([](uint64_t x) { return uint64_t(llvm::popcount(x)); });
      })
      .Case([&](math::IPowIOp) { return i.ofSigned(power); })
      .Default(Result());
}

} // namespace heddle::reference
