// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/GenericBuilder.h"

#include "compiler/Prepare/Views.h"
#include "dialect/Heddle/Coordinates.h"
#include "dialect/Heddle/Verification.h"

using namespace mlir;
using namespace heddle;

//===-- Numbers -----------------------------------------------------------===//

TypedAttr heddle::numberOf(Type type, double number) {
  if (isa<FloatType>(type))
    return FloatAttr::get(type, number);
  return IntegerAttr::get(scalarTypeOf(type), int64_t(number));
}

Type heddle::accumulatorOf(Type type) {
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32)
    return Float32Type::get(type.getContext());
  return type;
}

Type heddle::accumulatorOf(Value value) {
  return accumulatorOf(getElementTypeOrSelf(value));
}

static TypedAttr extremeOf(Type type, bool isLowest) {
  if (auto floating = dyn_cast<FloatType>(type))
    return FloatAttr::get(
        type, APFloat::getInf(floating.getFloatSemantics(), isLowest));
  // A true i1 is larger than a false one.
  if (type.isInteger(1))
    return BoolAttr::get(type.getContext(), !isLowest);
  unsigned width = type.getIntOrFloatBitWidth();
  if (type.isUnsignedInteger())
    return IntegerAttr::get(scalarTypeOf(type),
                            isLowest ? APInt::getMinValue(width)
                                     : APInt::getMaxValue(width));
  return IntegerAttr::get(type, isLowest ? APInt::getSignedMinValue(width)
                                         : APInt::getSignedMaxValue(width));
}

TypedAttr heddle::lowestOf(Type type) { return extremeOf(type, true); }
TypedAttr heddle::highestOf(Type type) { return extremeOf(type, false); }

//===-- Element -----------------------------------------------------------===//

static Element constantOf(ImplicitLocOpBuilder &b, TypedAttr value) {
  return {b, arith::ConstantOp::create(b, value)};
}

Element Element::constant(double number) const {
  return {arith::ConstantOp::create(*b, numberOf(type(), number)), *this};
}

template <typename FloatOp, typename SignedOp, typename UnsignedOp = SignedOp>
static Element combine(Element x, Element y) {
  ImplicitLocOpBuilder &b = x.builder();
  if (x.isFloat())
    return {FloatOp::create(b, x.value(), y.value()), x};
  if (x.isUnsigned())
    return {UnsignedOp::create(b, x.value(), y.value()), x};
  return {SignedOp::create(b, x.value(), y.value()), x};
}

static arith::CmpIPredicate unsignedOf(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::slt:
    return arith::CmpIPredicate::ult;
  case arith::CmpIPredicate::sgt:
    return arith::CmpIPredicate::ugt;
  case arith::CmpIPredicate::sle:
    return arith::CmpIPredicate::ule;
  case arith::CmpIPredicate::sge:
    return arith::CmpIPredicate::uge;
  default:
    return predicate;
  }
}

static Element compare(Element x, Element y, arith::CmpFPredicate ofFloats,
                       arith::CmpIPredicate ofIntegers) {
  ImplicitLocOpBuilder &b = x.builder();
  if (x.isFloat())
    return {b, arith::CmpFOp::create(b, ofFloats, x.value(), y.value())};
  // A true i1 is larger than a false one.
  if (x.isUnsigned() || x.type().isInteger(1))
    ofIntegers = unsignedOf(ofIntegers);
  return {b, arith::CmpIOp::create(b, ofIntegers, x.value(), y.value())};
}

Element heddle::operator+(Element x, Element y) {
  return combine<arith::AddFOp, arith::AddIOp>(x, y);
}
Element heddle::operator-(Element x, Element y) {
  return combine<arith::SubFOp, arith::SubIOp>(x, y);
}
Element heddle::operator*(Element x, Element y) {
  return combine<arith::MulFOp, arith::MulIOp>(x, y);
}
Element heddle::operator/(Element x, Element y) {
  return combine<arith::DivFOp, arith::DivSIOp, arith::DivUIOp>(x, y);
}
Element heddle::remainder(Element x, Element y) {
  return combine<arith::RemFOp, arith::RemSIOp, arith::RemUIOp>(x, y);
}
Element heddle::operator<(Element x, Element y) {
  return compare(x, y, arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt);
}
Element heddle::operator>(Element x, Element y) {
  return compare(x, y, arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt);
}
Element heddle::operator<=(Element x, Element y) {
  return compare(x, y, arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle);
}
Element heddle::operator>=(Element x, Element y) {
  return compare(x, y, arith::CmpFPredicate::OGE, arith::CmpIPredicate::sge);
}
Element heddle::operator==(Element x, Element y) {
  return compare(x, y, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq);
}
Element heddle::operator&(Element x, Element y) {
  return {x.builder(),
          arith::AndIOp::create(x.builder(), x.value(), y.value())};
}
Element heddle::operator|(Element x, Element y) {
  return {x.builder(), arith::OrIOp::create(x.builder(), x.value(), y.value())};
}
Element heddle::operator!(Element x) {
  Element one = x.constant(1);
  return {x.builder(),
          arith::XOrIOp::create(x.builder(), x.value(), one.value())};
}
Element heddle::maximum(Element x, Element y) {
  if (x.type().isInteger(1))
    return x | y;
  return combine<arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>(x, y);
}
Element heddle::minimum(Element x, Element y) {
  if (x.type().isInteger(1))
    return x & y;
  return combine<arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>(x, y);
}
Element heddle::select(Element condition, Element x, Element y) {
  ImplicitLocOpBuilder &b = x.builder();
  return {arith::SelectOp::create(b, condition.value(), x.value(), y.value()),
          x};
}
Element heddle::isNaN(Element x) {
  ImplicitLocOpBuilder &b = x.builder();
  return {b, arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x.value(),
                                   x.value())};
}

// Rounded towards 0; what does not fit is the nearest that does, and NaN is 0.
static Element floatToInteger(Element x, Type type) {
  ImplicitLocOpBuilder &b = x.builder();
  const llvm::fltSemantics &semantics =
      cast<FloatType>(x.type()).getFloatSemantics();
  bool isUnsigned = type.isUnsignedInteger();
  auto limit = [&](TypedAttr integer, APFloat::roundingMode rounding) {
    APFloat value(semantics);
    value.convertFromAPInt(cast<IntegerAttr>(integer).getValue(),
                           /*IsSigned=*/!isUnsigned, rounding);
    return constantOf(b, FloatAttr::get(x.type(), value));
  };
  // The largest and smallest floats that fit.
  Element highest = limit(highestOf(type), APFloat::rmTowardZero);
  Element lowest = limit(lowestOf(type), APFloat::rmTowardZero);
  Element kept = select(x > highest, highest, select(x < lowest, lowest, x));
  kept = select(isNaN(x), x.constant(0), kept);
  Type scalar = scalarTypeOf(type);
  Element integer(b,
                  isUnsigned
                      ? Value(arith::FPToUIOp::create(b, scalar, kept.value()))
                      : Value(arith::FPToSIOp::create(b, scalar, kept.value())),
                  type);
  auto end = [&](TypedAttr number) -> Element {
    return {arith::ConstantOp::create(b, number), integer};
  };
  // Past them a narrow float is infinite.
  integer = select(x < lowest, end(lowestOf(type)), integer);
  return select(x > highest, end(highestOf(type)), integer);
}

template <typename Wider, typename Narrower>
static Element resize(Element x, Type type) {
  ImplicitLocOpBuilder &b = x.builder();
  unsigned before = x.type().getIntOrFloatBitWidth();
  unsigned after = type.getIntOrFloatBitWidth();
  Type scalar = scalarTypeOf(type);
  if (before == after)
    return {b, x.value(), type};
  if (before < after)
    return {b, Wider::create(b, scalar, x.value()), type};
  return {b, Narrower::create(b, scalar, x.value()), type};
}

// Whether a cast goes through f32: between floats of equal widths, from floats
// of eight bits, and from integers to those, which have none that f32 lacks.
static bool isThroughF32(Element x, Type type) {
  if (x.type().isF32() || type.isF32())
    return false;
  if (!x.isFloat())
    return isStorageFloat(type);
  return isStorageFloat(x.type()) ||
         (isa<FloatType>(type) &&
          x.type().getIntOrFloatBitWidth() == type.getIntOrFloatBitWidth());
}

Element heddle::cast(Element x, Type type) {
  ImplicitLocOpBuilder &b = x.builder();
  if (x.type() == type && !x.isUnsigned())
    return x;
  if (isThroughF32(x, type))
    return cast(cast(x, b.getF32Type()), type);
  if (type.isInteger(1)) {
    if (x.isFloat())
      return {b, arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, x.value(),
                                       x.constant(0).value())};
    return {b, arith::CmpIOp::create(b, arith::CmpIPredicate::ne, x.value(),
                                     x.constant(0).value())};
  }
  bool toFloat = isa<FloatType>(type);
  if (x.isFloat())
    return toFloat ? resize<arith::ExtFOp, arith::TruncFOp>(x, type)
                   : floatToInteger(x, type);
  bool isFromZero = x.isUnsigned() || x.type().isInteger(1);
  if (toFloat && isFromZero)
    return {b, arith::UIToFPOp::create(b, type, x.value())};
  if (toFloat)
    return {b, arith::SIToFPOp::create(b, type, x.value())};
  return isFromZero ? resize<arith::ExtUIOp, arith::TruncIOp>(x, type)
                    : resize<arith::ExtSIOp, arith::TruncIOp>(x, type);
}

Element heddle::bitcast(Element x, Type type) {
  return {x.builder(), arith::BitcastOp::create(x.builder(), type, x.value())};
}

Element heddle::toInteger(Element x, Type type) {
  return {x.builder(), arith::FPToSIOp::create(x.builder(), type, x.value())};
}

Element heddle::asCoordinate(Element index) {
  Type i32 = index.builder().getI32Type();
  if (index.type() == i32)
    return index;
  Element least = index.constant(INT32_MIN), most = index.constant(INT32_MAX);
  return cast(maximum(minimum(index, most), least), i32);
}

//===-- GenericBody -------------------------------------------------------===//

Element GenericBody::index(unsigned dimension) {
  return {b, IndexOp::create(b, dimension)};
}

SmallVector<Element> GenericBody::indices(unsigned count) {
  return llvm::map_to_vector(
      llvm::seq(count), [&](unsigned dimension) { return index(dimension); });
}

Element GenericBody::coordinate(SizeAttr coordinate) {
  return {b, emitCoordinate(b, coordinate, [&](unsigned dimension) {
            return index(dimension).value();
          })};
}

Element GenericBody::size(SizeAttr size) {
  if (std::optional<int64_t> number = size.asNumber())
    return constant(b.getI32IntegerAttr(*number));
  return {b, SizeOp::create(b, b.getI32Type(), size)};
}

Element GenericBody::size(SizeAttr size, Type type) {
  if (std::optional<int64_t> number = size.asNumber())
    return constant(FloatAttr::get(type, double(*number)));
  return cast(this->size(size), type);
}

Element GenericBody::read(unsigned table, ArrayRef<Element> coordinates,
                          std::optional<Element> fill) {
  Value tensor = op.getTableArguments()[table];
  SmallVector<Value> values;
  for (Element coordinate : coordinates)
    values.push_back(coordinate.value());
  Type type = getElementTypeOrSelf(tensor);
  return {b,
          ReadOp::create(b, scalarTypeOf(type), tensor, values,
                         fill ? fill->value() : Value()),
          type};
}

Element GenericBody::constant(TypedAttr value) { return constantOf(b, value); }

//===-- GenericBuilder ----------------------------------------------------===//

SmallVector<AffineExpr> GenericBuilder::dims(unsigned first, unsigned count) {
  SmallVector<AffineExpr> all;
  for (unsigned index = 0; index < count; ++index)
    all.push_back(dim(first + index));
  return all;
}

AffineExpr GenericBuilder::size(SizeAttr size) {
  if (std::optional<int64_t> number = size.asNumber())
    return b.getAffineConstantExpr(*number);
  auto *found = llvm::find(symbols, size);
  unsigned index = found - symbols.begin();
  if (found == symbols.end())
    symbols.push_back(size);
  return b.getAffineSymbolExpr(index);
}

AffineExpr GenericBuilder::affine(SizeAttr coordinate) {
  Sizes sizes = llvm::map_to_vector(
      symbols, [](Attribute symbol) { return llvm::cast<SizeAttr>(symbol); });
  AffineExpr expression = toAffine(coordinate, sizes);
  symbols.assign(sizes.begin(), sizes.end());
  return expression;
}

AffineExpr GenericBuilder::repeat(AffineExpr at, SizeAttr size,
                                  SizeAttr target) {
  if (size == target)
    return at;
  if (size.asNumber() == 1)
    return b.getAffineConstantExpr(0);
  Block *block = b.getInsertionBlock();
  auto next = b.getInsertionPoint();
  Operation *inside = next == block->end() ? block->getParentOp() : &*next;
  SizeAttr one = SizeAttr::number(b.getContext(), 1);
  if (isPositiveIn(inside, size - one))
    return at;
  return at * this->size(broadcastStride(size));
}

SmallVector<AffineExpr> GenericBuilder::broadcast(Value value) {
  Sizes sizes = sizesOf(value);
  SmallVector<AffineExpr> at;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    unsigned target = over.size() - sizes.size() + dim;
    at.push_back(repeat(this->dim(target), size, over[target]));
  }
  return at;
}

void GenericBuilder::input(Value value, ArrayRef<AffineExpr> at) {
  inputs.push_back(value);
  coordinates.emplace_back(at);
}

void GenericBuilder::result(Type elementType, TypedAttr value) {
  results.push_back(elementType);
  initial.push_back(value);
}

void GenericBuilder::result(Type elementType, double value) {
  result(elementType, numberOf(elementType, value));
}

SmallVector<Value> GenericBuilder::buildAll(
    llvm::function_ref<SmallVector<Element>(GenericBody &)> body) {
  auto types = llvm::map_to_vector(
      results, [&](Type type) -> Type { return tensorOf(over, type); });
  SmallVector<AffineMap> maps;
  for (ArrayRef<AffineExpr> at : coordinates)
    maps.push_back(AffineMap::get(over.size() + reduce.size(), symbols.size(),
                                  at, b.getContext()));
  auto sizes = [&](const Sizes &list) {
    return b.getArrayAttr(SmallVector<Attribute>(list.begin(), list.end()));
  };
  auto op = GenericOp::create(b, loc, types, inputs, tables, sizes(over),
                              sizes(reduce), b.getAffineMapArrayAttr(maps),
                              b.getArrayAttr(symbols), b.getArrayAttr(initial));
  Block &block = op.getBody().emplaceBlock();
  for (Value input : inputs)
    block.addArgument(scalarTypeOf(getElementTypeOrSelf(input)), loc);
  for (Value table : tables)
    block.addArgument(table.getType(), loc);
  if (!reduce.empty())
    for (Type type : results)
      block.addArgument(scalarTypeOf(type), loc);
  auto inside = ImplicitLocOpBuilder::atBlockEnd(loc, &block);
  GenericBody content(inside, op);
  SmallVector<Value> yielded;
  for (Element element : body(content))
    yielded.push_back(element.value());
  YieldOp::create(inside, yielded);
  return op.getResults();
}

Value GenericBuilder::build(llvm::function_ref<Element(GenericBody &)> body) {
  return buildAll([&](GenericBody &content) {
    return SmallVector<Element>{body(content)};
  })[0];
}

Value heddle::buildElementwise(
    OpBuilder &b, Location loc, const Sizes &over, ValueRange inputs, Type type,
    llvm::function_ref<Element(GenericBody &)> body) {
  GenericBuilder g(b, loc, over);
  for (Value input : inputs)
    g.input(input);
  g.result(type);
  return g.build(body);
}

Value heddle::dropAxes(OpBuilder &b, Location loc, Value value,
                       ArrayRef<int64_t> axes, bool keep) {
  if (keep || axes.empty())
    return value;
  Sizes sizes = sizesOf(value);
  for (int64_t axis : llvm::reverse(axes))
    sizes.erase(sizes.begin() + axis);
  return SqueezeOp::create(b, loc, tensorOf(sizes, getElementTypeOrSelf(value)),
                           value, axes);
}
