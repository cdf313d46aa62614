// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/BodyConversion.h"

#include "compiler/Prepare/GenericBuilder.h"
#include "compiler/Prepare/ScalarSizes.h"
#include "dialect/Heddle/BodyCoordinates.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

//===-- Tables ------------------------------------------------------------===//

// Whether it is what a loop or a branch has, and no body can make.
static bool isOfControlFlow(Value number) {
  Operation *source = number.getDefiningOp();
  return !source || source->getNumRegions() > 0;
}

namespace {
/// Collects tables of a body; it may have none.
class Tables {
public:
  Tables(Block *body, OpBuilder &b) : body(body), b(b) {}

  void add(ValueRange numbers) {
    llvm::SetVector<Value> all(numbers.begin(), numbers.end());
    for (size_t next = 0; next < all.size(); ++next) {
      Value number = all[next];
      if (number.getParentBlock() == body || isa<ShapedType>(number.getType()))
        continue;
      if (isOfControlFlow(number)) {
        addNumber(number);
        continue;
      }
      Operation *source = number.getDefiningOp();
      if (auto extract = dyn_cast<tensor::ExtractOp>(source))
        tables.insert(extract.getTensor());
      all.insert(source->operand_begin(), source->operand_end());
    }
  }
  void addTable(Value table) { tables.insert(table); }

  llvm::SetVector<Value> take() { return std::move(tables); }

private:
  // Others are errors where the body wants them.
  void addNumber(Value number) {
    if ((number.getType().isIndex() || isElementType(number.getType())) &&
        numbers.insert(number).second)
      tables.insert(FromNumberOp::create(b, number.getLoc(), number));
  }

  Block *body;
  OpBuilder &b;
  llvm::SetVector<Value> tables;
  llvm::DenseSet<Value> numbers;
};
} // namespace

llvm::SetVector<Value> heddle::tablesOf(ValueRange numbers, OpBuilder &b) {
  Tables tables(/*body=*/nullptr, b);
  tables.add(numbers);
  return tables.take();
}

llvm::SetVector<Value> heddle::tablesOf(Block &body, OpBuilder &b,
                                        ValueRange numbers) {
  Tables tables(&body, b);
  tables.add(numbers);
  for (Operation &inner : body) {
    auto extract = dyn_cast<tensor::ExtractOp>(inner);
    if (extract && extract.getTensor().getParentBlock() != &body)
      tables.addTable(extract.getTensor());
    tables.add(inner.getOperands());
  }
  return tables.take();
}

//===-- Numbers from outside ----------------------------------------------===//

// Another width of an integer, which is signed.
static Value resize(OpBuilder &b, Value integer, Type type) {
  unsigned from = integer.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (from < to)
    return arith::ExtSIOp::create(b, integer.getLoc(), type, integer);
  if (from > to)
    return arith::TruncIOp::create(b, integer.getLoc(), type, integer);
  return integer;
}

FailureOr<Value> BodyConversion::bring(Value number) {
  if (!mapping.contains(number) && failed(make(number)))
    return failure();
  return mapping.lookup(number);
}

// An element of its table; null where it has none.
Value BodyConversion::readNumber(Value number) {
  for (auto [index, table] : llvm::enumerate(tables)) {
    auto source = table.getDefiningOp<FromNumberOp>();
    if (source && source.getNumber() == number)
      return ReadOp::create(b, op->getLoc(), getElementTypeOrSelf(table),
                            generic.getTableArguments()[index], ValueRange(),
                            /*fill=*/Value());
  }
  return {};
}

// Makes a constant, a size, an element of a table, or what `arith` makes of
// those, in the same types: only so is it what it is outside.
LogicalResult BodyConversion::make(Value number) {
  if (isOfControlFlow(number)) {
    Value element = readNumber(number);
    if (!element)
      return op->emitOpError("expected scalars from outside to be index, or ")
             << kElementTypes << ", found " << number.getType();
    mapping.map(number, element);
    return success();
  }
  Operation *source = number.getDefiningOp();
  if (!isa<arith::ArithDialect, HeddleDialect, tensor::TensorDialect>(
          source->getDialect()))
    return op->emitOpError("expected scalars from outside to be made of "
                           "constants, of sizes and elements of tensors, and "
                           "of numbers of control flow");
  // Each step is one deeper in the stack.
  if (depth == kDeepest)
    return op->emitOpError(
               "expected scalars from outside to be made in at most ")
           << kDeepest << " steps";
  ++depth;
  LogicalResult result = convert(*source);
  --depth;
  return result;
}

// A dimension of a tensor, or another size; null where it is none.
static SizeAttr sizeOf(Operation &inner) {
  if (auto size = dyn_cast<SizeOp>(inner))
    return size.getSize();
  return isa<tensor::DimOp>(inner) ? sizeOfScalar(inner.getResult(0))
                                   : SizeAttr();
}

//===-- Ops ---------------------------------------------------------------===//

LogicalResult BodyConversion::convert(Block &body,
                                      ArrayRef<unsigned> dimensions) {
  findCoordinates(body);
  for (Operation &inner : body.without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      mapIndex(index, dimensions[index.getDim()]);
    else if (failed(convert(inner)))
      return failure();
  }
  return success();
}

FailureOr<SmallVector<Value>> BodyConversion::yielded(Block &body) {
  SmallVector<Value> values;
  for (Value value : body.getTerminator()->getOperands()) {
    FailureOr<Value> element = bring(value);
    if (failed(element))
      return failure();
    values.push_back(*element);
  }
  return values;
}

void BodyConversion::mapIndex(Value from, unsigned dimension) {
  mapping.map(from, IndexOp::create(b, from.getLoc(), dimension));
}

static bool isNumber(Type type) {
  return type.isIndex() || isa<FloatType>(type) ||
         (isa<IntegerType>(type) && type.getIntOrFloatBitWidth() <= 64);
}

// Whether it stands for numbers made of numbers.
static bool isScalar(Operation &inner) {
  return isa<arith::ArithDialect, math::MathDialect>(inner.getDialect()) &&
         inner.getNumRegions() == 0 &&
         llvm::all_of(inner.getOperandTypes(), isNumber) &&
         llvm::all_of(inner.getResultTypes(), isNumber);
}

LogicalResult BodyConversion::convert(Operation &inner) {
  if (SizeAttr size = sizeOf(inner)) {
    convertSize(inner, size);
    return success();
  }
  auto extract = dyn_cast<tensor::ExtractOp>(inner);
  if (!extract && !isScalar(inner))
    return inner.emitOpError(
        "cannot stand in a body, nor make a number for one");
  for (Value operand : inner.getOperands())
    if (!isa<RankedTensorType>(operand.getType()) && failed(bring(operand)))
      return failure();
  if (extract)
    return convertExtract(extract);
  auto isIndex = [](Type type) { return type.isIndex(); };
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(inner))
    convertCast(inner);
  else if (auto constant = dyn_cast<arith::ConstantIndexOp>(inner))
    convertConstant(constant);
  else if (llvm::none_of(inner.getOperandTypes(), isIndex) &&
           llvm::none_of(inner.getResultTypes(), isIndex))
    b.clone(inner, mapping);
  else if (!computeIn32(inner))
    compute(inner, b.getI64Type());
  return success();
}

void BodyConversion::convertSize(Operation &inner, SizeAttr size) {
  Value value;
  std::optional<int64_t> number = size.asNumber();
  if (number)
    value = arith::ConstantIntOp::create(
        b, op->getLoc(),
        llvm::isInt<32>(*number) ? b.getI32Type() : b.getI64Type(), *number);
  else
    value = SizeOp::create(b, op->getLoc(), b.getI32Type(), size);
  mapping.map(inner.getResult(0), value);
}

// An i32 where that has it.
void BodyConversion::convertConstant(arith::ConstantIndexOp constant) {
  int64_t number = constant.value();
  Type type = llvm::isInt<32>(number) ? b.getI32Type() : b.getI64Type();
  mapping.map(constant.getResult(),
              arith::ConstantIntOp::create(b, constant.getLoc(), type, number));
}

// An integer of the model as an index, or the other way round.
void BodyConversion::convertCast(Operation &cast) {
  Type type = cast.getResult(0).getType();
  Value value = mapping.lookup(cast.getOperand(0));
  bool isNarrow = value.getType().getIntOrFloatBitWidth() < 32;
  if (!type.isIndex())
    value = resize(b, value, type);
  else if (isa<arith::IndexCastUIOp>(cast) && !value.getType().isInteger(64))
    value = arith::ExtUIOp::create(b, cast.getLoc(), b.getI64Type(), value);
  else if (isNarrow)
    value = resize(b, value, b.getI32Type());
  mapping.map(cast.getResult(0), value);
}

LogicalResult BodyConversion::convertExtract(tensor::ExtractOp extract) {
  const auto *table = llvm::find(tables, extract.getTensor());
  if (table == tables.end())
    return extract.emitOpError("expected a tensor from outside of the body");
  SmallVector<Value> coordinates;
  for (Value index : extract.getIndices()) {
    Value coordinate = mapping.lookup(index);
    auto wide = coordinate.getDefiningOp<arith::ExtSIOp>();
    if (wide && wide.getIn().getType().isInteger(32))
      coordinate = wide.getIn();
    ImplicitLocOpBuilder builder(extract.getLoc(), b);
    builder.setInsertionPoint(b.getInsertionBlock(), b.getInsertionPoint());
    coordinates.push_back(asCoordinate({builder, coordinate}).value());
  }
  Value element = ReadOp::create(
      b, extract.getLoc(), extract.getType(),
      generic.getTableArguments()[table - tables.begin()], coordinates,
      /*fill=*/Value());
  mapping.map(extract.getResult(), element);
  return success();
}

//===-- Numbers made of indices -------------------------------------------===//

// A copy of `inner` whose indices are integers of `type`.
Operation *BodyConversion::compute(Operation &inner, Type type) {
  IRMapping widened;
  for (Value operand : inner.getOperands()) {
    Value value = mapping.lookup(operand);
    if (operand.getType().isIndex())
      value = resize(b, value, type);
    widened.map(operand, value);
  }
  Operation *copy = b.clone(inner, widened);
  for (auto [from, to] :
       llvm::zip_equal(inner.getResults(), copy->getResults())) {
    if (from.getType().isIndex())
      to.setType(type);
    mapping.map(from, to);
  }
  return copy;
}

// The sums and products of indices that end in reads alone. Inside of a table
// they are of 32 bits, and what has wrapped around on the way is right again
// there.
void BodyConversion::findCoordinates(Block &body) {
  for (Operation &inner : llvm::reverse(body))
    if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(inner) &&
        llvm::all_of(inner.getUsers(), [&](Operation *user) {
          return isa<tensor::ExtractOp>(user) || coordinates.contains(user);
        }))
      coordinates.insert(&inner);
}

static bool isConstantOtherThanMinus1(Value value) {
  APInt number;
  return matchPattern(value, m_ConstantInt(&number)) && !number.isAllOnes();
}

// Coordinates are of 32 bits: Halide bounds no others, and a read of a table at
// them would not be seen to stay inside. Sums and products are where they end
// in reads or never leave 32 bits.
bool BodyConversion::computeIn32(Operation &inner) {
  bool isSum = isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(inner);
  bool isQuotient =
      isa<arith::FloorDivSIOp, arith::DivSIOp, arith::RemSIOp>(inner);
  if (!isSum && !isQuotient &&
      !isa<arith::CmpIOp, arith::SelectOp, arith::MinSIOp, arith::MaxSIOp>(
          inner))
    return false;
  for (Value operand : inner.getOperands())
    if (operand.getType().isIndex() &&
        !mapping.lookup(operand).getType().isInteger(32))
      return false;
  Operation *copy = compute(inner, b.getI32Type());
  bool holds = true;
  SizeAttr coordinate = coordinateOf(generic, copy->getResult(0));
  if (isSum)
    holds = coordinates.contains(&inner) ||
            (coordinate && isOfI32(generic, coordinate));
  else if (isQuotient) // -2^31 / -1 is 2^31.
    holds = coordinate || isConstantOtherThanMinus1(copy->getOperand(1));
  if (!holds) {
    mapping.erase(inner.getResult(0));
    copy->erase();
  }
  return holds;
}
