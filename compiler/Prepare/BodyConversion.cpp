// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/BodyConversion.h"

#include "compiler/Prepare/GenericBuilder.h"
#include "compiler/Prepare/ScalarSizes.h"
#include "dialect/Heddle/BodyCoordinates.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

//===-- Tables ------------------------------------------------------------===//

// Adds those that numbers which do not stand in `body` are made of.
static void collectTables(ValueRange numbers, Block *body,
                          llvm::SetVector<Value> &tables) {
  llvm::SetVector<Value> all(numbers.begin(), numbers.end());
  for (size_t next = 0; next < all.size(); ++next) {
    Operation *source = all[next].getDefiningOp();
    if (!source || source->getBlock() == body || exactSizeOf(all[next]))
      continue;
    if (auto extract = dyn_cast<tensor::ExtractOp>(source))
      tables.insert(extract.getTensor());
    for (Value operand : source->getOperands())
      if (!isa<RankedTensorType>(operand.getType()))
        all.insert(operand);
  }
}

llvm::SetVector<Value> heddle::tablesOf(ValueRange numbers) {
  llvm::SetVector<Value> tables;
  collectTables(numbers, /*body=*/nullptr, tables);
  return tables;
}

llvm::SetVector<Value> heddle::tablesOf(Block &body, ValueRange numbers) {
  llvm::SetVector<Value> tables = tablesOf(numbers);
  for (Operation &inner : body) {
    if (auto extract = dyn_cast<tensor::ExtractOp>(inner))
      tables.insert(extract.getTensor());
    collectTables(inner.getOperands(), &body, tables);
  }
  return tables;
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

// The type of an index in a body: i32 where that has it for sure, else i64.
static Type indexType(OpBuilder &b, int64_t number) {
  return llvm::isInt<32>(number) ? b.getI32Type() : b.getI64Type();
}

FailureOr<Value> BodyConversion::bring(Value number) {
  if (!mapping.contains(number) && failed(make(number)))
    return failure();
  return mapping.lookup(number);
}

// Makes a constant, a size, an element of a table, or what `arith` makes of
// those.
LogicalResult BodyConversion::make(Value number) {
  Location loc = op->getLoc();
  Type type = number.getType();
  TypedAttr constant;
  SizeAttr size = exactSizeOf(number);
  if (size && size.asNumber()) {
    if (type.isIndex())
      type = indexType(b, *size.asNumber());
    APInt bits(type.getIntOrFloatBitWidth(), *size.asNumber(),
               /*isSigned=*/true, /*implicitTrunc=*/true);
    constant = IntegerAttr::get(type, bits);
  }
  if (constant || (matchPattern(number, m_Constant(&constant)) &&
                   !isa<ElementsAttr>(constant))) {
    mapping.map(number, arith::ConstantOp::create(b, loc, constant));
    return success();
  }
  if (size) {
    Value value = SizeOp::create(b, loc, b.getI32Type(), size);
    mapping.map(number, type.isIndex() ? value : resize(b, value, type));
    return success();
  }
  Operation *source = number.getDefiningOp();
  if (!source || !(isa<arith::ArithDialect>(source->getDialect()) ||
                   isa<tensor::ExtractOp>(source)))
    return op->emitOpError("expected scalars from outside to be made of "
                           "constants, and of sizes and elements of tensors");
  return convert(*source);
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

LogicalResult BodyConversion::convert(Operation &inner) {
  if (inner.getNumRegions())
    return inner.emitOpError("cannot stand in a body");
  if (isa<tensor::DimOp>(inner))
    return make(inner.getResult(0));
  for (Value operand : inner.getOperands())
    if (!isa<RankedTensorType>(operand.getType()) && failed(bring(operand)))
      return failure();
  if (auto extract = dyn_cast<tensor::ExtractOp>(inner))
    return convertExtract(extract);
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(inner)) {
    convertCast(inner);
    return success();
  }
  auto isIndex = [](Type type) { return type.isIndex(); };
  if (llvm::none_of(inner.getOperandTypes(), isIndex) &&
      llvm::none_of(inner.getResultTypes(), isIndex))
    b.clone(inner, mapping);
  else if (!computeIn32(inner))
    compute(inner, b.getI64Type());
  return success();
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
  auto table = llvm::find(tables, extract.getTensor());
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

// Coordinates are of 32 bits: Halide bounds no others, and a read of a table at
// them would not be seen to stay inside. Sums and products are where they end
// in reads or never leave 32 bits.
bool BodyConversion::computeIn32(Operation &inner) {
  bool isSum = isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(inner);
  if (!isSum &&
      !isa<arith::CmpIOp, arith::SelectOp, arith::MinSIOp, arith::MaxSIOp,
           arith::FloorDivSIOp, arith::DivSIOp, arith::RemSIOp>(inner))
    return false;
  for (Value operand : inner.getOperands())
    if (operand.getType().isIndex() &&
        !mapping.lookup(operand).getType().isInteger(32))
      return false;
  Operation *copy = compute(inner, b.getI32Type());
  if (!isSum || coordinates.contains(&inner))
    return true;
  SizeAttr coordinate = coordinateOf(generic, copy->getResult(0));
  if (coordinate && isOfI32(generic, coordinate))
    return true;
  mapping.erase(inner.getResult(0));
  copy->erase();
  return false;
}
