// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that compute each element of what they are given by itself.

#include "compiler/Import/Onnx/Operators.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

static Type elementOf(Value x) { return getElementTypeOrSelf(x); }

static bool isFloat(Value x) { return x && isa<FloatType>(elementOf(x)); }

//===-- known integers ----------------------------------------------------===//

using KnownFunction = std::optional<SizeAttr> (*)(SizeAttr, SizeAttr);

// Integers that sizes make of others, where these are known: scalars, or one
// dimension. `type` is that of the results, or null for that of the inputs.
static bool setKnown(Node &node, KnownFunction compute, Type type = {}) {
  const KnownIntegers *x = node.known(0), *y = node.known(1);
  if (!x || !y || x->shape.size() > 1 || y->shape.size() > 1)
    return false;
  size_t count = std::max(x->elements.size(), y->elements.size());
  for (const KnownIntegers *each : {x, y})
    if (each->elements.size() != count && each->elements.size() != 1)
      return false;
  KnownIntegers result{{}, {}, type ? type : x->type};
  if (!x->shape.empty() || !y->shape.empty())
    result.shape.push_back(int64_t(count));
  for (size_t i = 0; i < count; ++i) {
    auto element = compute(x->elements[x->elements.size() == 1 ? 0 : i],
                           y->elements[y->elements.size() == 1 ? 0 : i]);
    if (!element)
      return false;
    result.elements.push_back(*element);
  }
  node.setResult(std::move(result));
  return true;
}

// ONNX rounds quotients of integers towards 0.
static std::optional<SizeAttr> divideKnown(SizeAttr a, SizeAttr b) {
  auto x = a.asNumber(), y = b.asNumber();
  if (y && *y == 0)
    return std::nullopt;
  if (x && y)
    return SizeAttr::number(a.getContext(), *x / *y);
  if (isNeverNegative(a, 0) && y && *y > 0)
    return floorDiv(a, b);
  return std::nullopt;
}

static std::optional<SizeAttr> equalKnown(SizeAttr a, SizeAttr b) {
  auto x = a.asNumber(), y = b.asNumber();
  // A size is never the -1 that stands for one in shapes.
  bool differ = (x && y && *x != *y) ||
                (x && *x < 0 && isNeverNegative(b, 0)) ||
                (y && *y < 0 && isNeverNegative(a, 0));
  if (a != b && !differ)
    return std::nullopt;
  return SizeAttr::number(a.getContext(), a == b);
}

// Whether a < b, or not, for all sizes.
static std::optional<bool> isLess(SizeAttr a, SizeAttr b) {
  SizeAttr one = SizeAttr::number(a.getContext(), 1);
  if (isNeverNegative(b - a - one, 0))
    return true;
  if (isNeverNegative(a - b, 0))
    return false;
  return std::nullopt;
}

static std::optional<SizeAttr> truthOf(std::optional<bool> truth,
                                       SizeAttr like) {
  return truth ? std::optional(SizeAttr::number(like.getContext(), *truth))
               : std::nullopt;
}

template <bool isSwapped, bool isNegated>
static std::optional<SizeAttr> compareKnown(SizeAttr a, SizeAttr b) {
  std::optional<bool> less = isSwapped ? isLess(b, a) : isLess(a, b);
  return truthOf(less ? std::optional(*less != isNegated) : std::nullopt, a);
}

static std::optional<SizeAttr> andKnown(SizeAttr a, SizeAttr b) {
  auto x = a.asNumber(), y = b.asNumber();
  if (x == 0 || y == 0)
    return truthOf(false, a);
  return truthOf(x && y ? std::optional(true) : std::nullopt, a);
}

static std::optional<SizeAttr> orKnown(SizeAttr a, SizeAttr b) {
  auto x = a.asNumber(), y = b.asNumber();
  if ((x && *x != 0) || (y && *y != 0))
    return truthOf(true, a);
  return truthOf(x && y ? std::optional(false) : std::nullopt, a);
}

//===-- of two inputs -----------------------------------------------------===//

// The op of floats, of integers, and of integers without a sign: `arith` has
// none of these, but takes their bits.
template <typename Float, typename Signed, typename Unsigned>
static Value combine(Node &node, Value x, Value y) {
  SmallVector<Value> both = node.broadcast({x, y});
  if (node.failed())
    return {};
  Type type = elementOf(x);
  if (elementOf(y) != type) {
    node.fail("expected inputs of one type");
    return {};
  }
  if (isa<FloatType>(type))
    return node.map<Float>(both[0], both[1]);
  if (!type.isUnsignedInteger())
    return node.map<Signed>(both[0], both[1]);
  Type wide = node.b.getI64Type();
  return node.cast(
      node.map<Unsigned>(node.cast(both[0], wide), node.cast(both[1], wide)),
      type);
}

template <typename Float, typename Signed, typename Unsigned = Signed>
static void translateBinary(Node &node) {
  node.setResult(
      combine<Float, Signed, Unsigned>(node, node.input(0), node.input(1)));
}

static void translateAdd(Node &node) {
  if (!setKnown(node,
                [](SizeAttr a, SizeAttr b) { return std::optional(a + b); }))
    translateBinary<arith::AddFOp, arith::AddIOp>(node);
}

static void translateSub(Node &node) {
  if (!setKnown(node,
                [](SizeAttr a, SizeAttr b) { return std::optional(a - b); }))
    translateBinary<arith::SubFOp, arith::SubIOp>(node);
}

static void translateMul(Node &node) {
  if (!setKnown(node,
                [](SizeAttr a, SizeAttr b) { return std::optional(a * b); }))
    translateBinary<arith::MulFOp, arith::MulIOp>(node);
}

static void translateDiv(Node &node) {
  if (!setKnown(node, divideKnown))
    translateBinary<arith::DivFOp, arith::DivSIOp, arith::DivUIOp>(node);
}

// Of any number of inputs.
template <typename Float, typename Signed, typename Unsigned = Signed>
static Value fold(Node &node) {
  Value all = node.input(0);
  for (int64_t i = 1; i < node.inputCount(); ++i)
    all = combine<Float, Signed, Unsigned>(node, all, node.input(i));
  return all;
}

template <typename Float, typename Signed, typename Unsigned = Signed>
static void translateVariadic(Node &node) {
  node.setResult(fold<Float, Signed, Unsigned>(node));
}

static void translateMean(Node &node) {
  Value sum = fold<arith::AddFOp, arith::AddIOp>(node);
  if (node.failed())
    return;
  Value count = node.constant(double(node.inputCount()), elementOf(sum));
  node.setResult(
      combine<arith::DivFOp, arith::DivSIOp, arith::DivUIOp>(node, sum, count));
}

static void translatePow(Node &node) {
  Value x = node.input(0);
  auto exponent = node.constantNumber(1);
  if (isFloat(x) && exponent == 1.0)
    return node.setResult(x);
  if (isFloat(x) && exponent == 2.0)
    return node.setResult(node.map<arith::MulFOp>(x, x));
  if (isFloat(x) && exponent == 3.0)
    return node.setResult(
        node.map<arith::MulFOp>(node.map<arith::MulFOp>(x, x), x));
  if (isFloat(x) && exponent == 0.5)
    return node.setResult(node.map<math::SqrtOp>(x));
  if (!isFloat(x))
    return node.fail("expected floats, found integers");
  Value y = node.cast(node.input(1), elementOf(x));
  SmallVector<Value> both = node.broadcast({x, y});
  node.setResult(node.failed() ? Value()
                               : node.map<math::PowFOp>(both[0], both[1]));
}

// The sign is the divisor's, or with `fmod` the dividend's.
static void translateMod(Node &node) {
  bool ofDividend = node.integer("fmod", 0) != 0;
  Value x = node.input(0), y = node.input(1);
  if (ofDividend || node.failed() || elementOf(x).isUnsignedInteger())
    return node.setResult(
        combine<arith::RemFOp, arith::RemSIOp, arith::RemUIOp>(node, x, y));
  if (isFloat(x))
    return node.fail("expected fmod = 1 with floats");
  SmallVector<Value> both = node.broadcast({x, y});
  if (node.failed())
    return;
  Value quotient = node.map<arith::FloorDivSIOp>(both[0], both[1]);
  node.setResult(node.map<arith::SubIOp>(
      both[0], node.map<arith::MulIOp>(quotient, both[1])));
}

template <arith::CmpFPredicate floats, arith::CmpIPredicate integers,
          arith::CmpIPredicate bits, KnownFunction compute>
static void translateComparison(Node &node) {
  if (setKnown(node, compute, node.b.getI1Type()))
    return;
  SmallVector<Value> both = node.broadcast({node.input(0), node.input(1)});
  if (node.failed())
    return;
  Type type = elementOf(both[0]);
  if (elementOf(both[1]) != type)
    return node.fail("expected inputs of one type");
  if (isa<FloatType>(type))
    return node.setResult(node.map<arith::CmpFOp>(floats, both[0], both[1]));
  if (!type.isUnsignedInteger())
    return node.setResult(node.map<arith::CmpIOp>(integers, both[0], both[1]));
  Type wide = node.b.getI64Type();
  node.setResult(node.map<arith::CmpIOp>(bits, node.cast(both[0], wide),
                                         node.cast(both[1], wide)));
}

template <typename Op, KnownFunction compute>
static void translateLogic(Node &node) {
  if (!setKnown(node, compute, node.b.getI1Type()))
    translateBinary<arith::AddFOp, Op>(node);
}

//===-- of one input ------------------------------------------------------===//

template <typename Op> static void translateFloat(Node &node) {
  Value x = node.floats(0);
  node.setResult(node.map<Op>(x));
}

static void translateAbs(Node &node) {
  Value x = node.input(0);
  if (node.failed() || isFloat(x))
    return node.setResult(node.map<math::AbsFOp>(x));
  node.setResult(elementOf(x).isUnsignedInteger() ? x
                                                  : node.map<math::AbsIOp>(x));
}

static void translateNeg(Node &node) {
  Value x = node.input(0);
  if (node.failed() || isFloat(x))
    return node.setResult(node.map<arith::NegFOp>(x));
  node.setResult(node.map<arith::SubIOp>(node.like(x, 0), x));
}

static void translateReciprocal(Node &node) {
  Value x = node.floats(0);
  node.setResult(node.map<arith::DivFOp>(node.like(x, 1), x));
}

static void translateSign(Node &node) {
  Value x = node.floats(0);
  if (node.failed())
    return;
  Value signs = node.map<math::CopySignOp>(node.like(x, 1), x);
  Value hasOne =
      node.map<arith::CmpFOp>(arith::CmpFPredicate::ONE, x, node.like(x, 0));
  node.setResult(node.map<arith::SelectOp>(hasOne, signs, x));
}

static void translateNot(Node &node) {
  const KnownIntegers *known = node.known(0);
  if (known && llvm::all_of(known->elements,
                            [](SizeAttr size) { return size.asNumber(); })) {
    KnownIntegers result = *known;
    for (SizeAttr &element : result.elements)
      element = node.size(*element.asNumber() == 0);
    return node.setResult(std::move(result));
  }
  Value x = node.input(0);
  node.setResult(node.failed() ? Value()
                               : node.map<arith::XOrIOp>(x, node.like(x, 1)));
}

// Before version 11 limits were attributes.
static void translateClip(Node &node) {
  Value x = node.input(0);
  if (node.hasInput(1))
    x = combine<arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>(
        node, x, node.input(1));
  if (node.hasInput(2))
    x = combine<arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>(
        node, x, node.input(2));
  node.setResult(x);
}

static void translateIdentity(Node &node) {
  if (const KnownIntegers *known = node.known(0))
    node.setResult(*known);
  node.setResult(node.input(0));
}

// Training mode is refused: what it drops is random.
static void translateDropout(Node &node) {
  node.integer("seed", 0);
  node.number("ratio", 0.5);
  auto isTraining = node.hasInput(2) ? node.constantNumber(2) : 0;
  if (isTraining != 0.0)
    return node.fail("expected training_mode = false");
  Value x = node.input(0);
  node.setResult(x);
  if (node.hasResult(1) && !node.failed())
    node.setResult(
        node.broadcastTo(node.constant(1, node.b.getI1Type()), sizesOf(x)), 1);
}

static void translateIsNaN(Node &node) {
  Value x = node.floats(0);
  node.setResult(node.map<arith::CmpFOp>(arith::CmpFPredicate::UNO, x, x));
}

//===-- types and choices -------------------------------------------------===//

static void castTo(Node &node, Type type) {
  node.integer("saturate", 1);
  node.string("round_mode", "up");
  const KnownIntegers *known = node.known(0);
  bool isTruth = type && type.isInteger(1);
  auto isNumber = [](SizeAttr size) { return size.asNumber().has_value(); };
  if (known && type &&
      (type.isSignlessInteger(64) || type.isSignlessInteger(32) ||
       (isTruth && llvm::all_of(known->elements, isNumber)))) {
    KnownIntegers result = *known;
    result.type = type;
    for (SizeAttr &element : result.elements)
      if (isTruth)
        element = node.size(*element.asNumber() != 0);
    return node.setResult(std::move(result));
  }
  node.setResult(node.cast(node.input(0), type));
}

static void translateCast(Node &node) {
  castTo(node, node.elementType(node.integer("to", 0)));
}

static void translateCastLike(Node &node) {
  Value like = node.input(1);
  castTo(node, node.failed() ? Type() : elementOf(like));
}

static bool setKnownWhere(Node &node) {
  const KnownIntegers *c = node.known(0), *x = node.known(1),
                      *y = node.known(2);
  if (!c || !x || !y || c->shape.size() > 1)
    return false;
  auto fits = [&](const KnownIntegers *other) {
    return other->shape.size() <= 1 &&
           (other->elements.size() == c->elements.size() ||
            other->elements.size() == 1);
  };
  if (!fits(x) || !fits(y))
    return false;
  KnownIntegers result{c->shape, {}, x->type};
  for (auto [i, condition] : llvm::enumerate(c->elements)) {
    auto truth = condition.asNumber();
    if (!truth)
      return false;
    const Sizes &from = *truth ? x->elements : y->elements;
    result.elements.push_back(from[from.size() == 1 ? 0 : i]);
  }
  node.setResult(std::move(result));
  return true;
}

static void translateWhere(Node &node) {
  if (setKnownWhere(node))
    return;
  Value c = node.input(0), x = node.input(1), y = node.input(2);
  if (node.failed())
    return;
  node.setResult(
      node.make<WhereOp>(elementOf(x), node.withComputedSizes({c, x, y})));
}

llvm::ArrayRef<Operator> onnx::elementwiseOperators() {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  static constexpr Operator operators[] = {
      {"", "Abs", translateAbs},
      {"", "Add", translateAdd},
      {"", "And", translateLogic<arith::AndIOp, andKnown>},
      {"", "Cast", translateCast},
      {"", "CastLike", translateCastLike},
      {"", "Ceil", translateFloat<math::CeilOp>},
      {"", "Clip", translateClip},
      {"", "Cos", translateFloat<math::CosOp>},
      {"", "Div", translateDiv},
      {"", "Dropout", translateDropout},
      {"", "Equal", translateComparison<F::OEQ, I::eq, I::eq, equalKnown>},
      {"", "Erf", translateFloat<math::ErfOp>},
      {"", "Exp", translateFloat<math::ExpOp>},
      {"", "Floor", translateFloat<math::FloorOp>},
      {"", "Greater",
       translateComparison<F::OGT, I::sgt, I::ugt, compareKnown<true, false>>},
      {"", "GreaterOrEqual",
       translateComparison<F::OGE, I::sge, I::uge, compareKnown<false, true>>},
      {"", "Identity", translateIdentity},
      {"", "IsNaN", translateIsNaN},
      {"", "Less",
       translateComparison<F::OLT, I::slt, I::ult, compareKnown<false, false>>},
      {"", "LessOrEqual",
       translateComparison<F::OLE, I::sle, I::ule, compareKnown<true, true>>},
      {"", "Log", translateFloat<math::LogOp>},
      {"", "Max",
       translateVariadic<arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>},
      {"", "Mean", translateMean},
      {"", "Min",
       translateVariadic<arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>},
      {"", "Mod", translateMod},
      {"", "Mul", translateMul},
      {"", "Neg", translateNeg},
      {"", "Not", translateNot},
      {"", "Or", translateLogic<arith::OrIOp, orKnown>},
      {"", "Pow", translatePow},
      {"", "Reciprocal", translateReciprocal},
      {"", "Round", translateFloat<math::RoundEvenOp>},
      {"", "Sign", translateSign},
      {"", "Sin", translateFloat<math::SinOp>},
      {"", "Sqrt", translateFloat<math::SqrtOp>},
      {"", "Sub", translateSub},
      {"", "Sum", translateVariadic<arith::AddFOp, arith::AddIOp>},
      {"", "Tan", translateFloat<math::TanOp>},
      {"", "Where", translateWhere},
      {"", "Xor", translateBinary<arith::AddFOp, arith::XOrIOp>},
  };
  return operators;
}
