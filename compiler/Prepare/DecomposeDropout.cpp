// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/Decompositions.h"
#include "compiler/Prepare/GenericBuilder.h"

using namespace mlir;

namespace heddle {

//===-- Words of 32 bits --------------------------------------------------===//

static Element word(Element like, uint32_t value) {
  ImplicitLocOpBuilder &b = like.builder();
  return {b, arith::ConstantOp::create(b, b.getI32IntegerAttr(int32_t(value)))};
}

static Element exclusiveOr(Element x, Element y) {
  return {x.builder(),
          arith::XOrIOp::create(x.builder(), x.value(), y.value())};
}

static Element isAbove(Element x, Element y) {
  ImplicitLocOpBuilder &b = x.builder();
  return {b, arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, x.value(),
                                   y.value())};
}

namespace {
struct Words {
  Element low, high;
};
} // namespace

// The words of an i64.
static Words split(Element number) {
  ImplicitLocOpBuilder &b = number.builder();
  Type i32 = b.getI32Type();
  Value shifted =
      arith::ShRUIOp::create(b, number.value(), number.constant(32).value());
  return {{b, arith::TruncIOp::create(b, i32, number.value())},
          {b, arith::TruncIOp::create(b, i32, shifted)}};
}

// The product of two unsigned words.
static Words multiply(Element x, uint32_t factor) {
  ImplicitLocOpBuilder &b = x.builder();
  Type i64 = b.getI64Type();
  Value wide = arith::ExtUIOp::create(b, i64, x.value());
  Value other = arith::ConstantOp::create(b, b.getI64IntegerAttr(factor));
  return split({b, arith::MulIOp::create(b, wide, other)});
}

//===-- heddle.dropout ----------------------------------------------------===//

// The first word of Philox4x32-10 for the counter (low, high, 0, 0). Each of
// ten rounds makes of the counter c and the key k
//   (high(M1 c2) ^ c1 ^ k0, low(M1 c2), high(M0 c0) ^ c3 ^ k1, low(M0 c0)),
// and then adds (W0, W1) to the key (Salmon et al. 2011, 4.2 and 4.3).
static Element philox(Words counter, Element key0, Element key1) {
  constexpr uint32_t m0 = 0xD2511F53, m1 = 0xCD9E8D57;
  constexpr uint32_t w0 = 0x9E3779B9, w1 = 0xBB67AE85;
  constexpr int rounds = 10;
  Element zero = word(key0, 0);
  Element c0 = counter.low, c1 = counter.high, c2 = zero, c3 = zero;
  for (int round = 0; round < rounds; ++round) {
    Words a = multiply(c0, m0), b = multiply(c2, m1);
    c0 = exclusiveOr(exclusiveOr(b.high, c1), key0);
    c2 = exclusiveOr(exclusiveOr(a.high, c3), key1);
    c1 = b.low;
    c3 = a.low;
    key0 = key0 + word(key0, w0);
    key1 = key1 + word(key1, w1);
  }
  return c0;
}

// The number of an element, the last dimension fastest, as an i64.
static Element elementNumber(GenericBody &body, const Sizes &sizes, Type i64) {
  Element number = body.constant(IntegerAttr::get(i64, 0));
  for (auto [dim, size] : llvm::enumerate(sizes))
    number = number * cast(body.size(size), i64) + cast(body.index(dim), i64);
  return number;
}

// x; or philox(number of the element) >= threshold ? x / (1 - rate) : 0
static Values decompose(DropoutOp op, OpBuilder &b) {
  uint64_t threshold = op.getThreshold();
  if (!op.getSeed() || threshold == 0)
    return {op.getInput()};
  Sizes sizes = sizesOf(op.getResult());
  Type type = getElementTypeOrSelf(op.getResult()), wide = accumulatorOf(type);
  GenericBuilder g(b, op.getLoc(), sizes);
  g.input(op.getInput());
  g.input(op.getSeed(), {b.getAffineConstantExpr(0)});
  g.input(op.getSeed(), {b.getAffineConstantExpr(1)});
  g.result(type);
  return {g.build([&](GenericBody &body) {
    Element x = cast(body.input(0), wide), key = body.input(1);
    Words number = split(elementNumber(body, sizes, b.getI64Type()));
    Element random = philox(number, key, body.input(2));
    Element isKept = isAbove(random, word(key, uint32_t(threshold - 1)));
    Element scaled = x / x.constant(1 - op.getRate().convertToDouble());
    return cast(select(isKept, scaled, x.constant(0)), type);
  })};
}

void registerDropoutDecompositions(MLIRContext *context) {
  attachDecompositions<DropoutOp>(context);
}

} // namespace heddle
