// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Lowering/GenericBody.h"

using namespace mlir;
using namespace heddle;

SmallVector<Value> GenericBodyEmitter::emit(OpBuilder &b, ArrayRef<Value> point,
                                            ArrayRef<Value> accumulators) {
  IRMapping mapping;
  for (auto [index, argument] : llvm::enumerate(op.getInputArguments()))
    mapping.map(argument, emitInput(b, index, point));
  for (auto [argument, value] : llvm::zip(op.getAccumulators(), accumulators)) {
    Value known = value;
    if (!known)
      known = halide::UndefOp::create(b, k.loc(), argument.getType());
    mapping.map(argument, known);
  }
  Block &body = op.getBody().front();
  for (Operation &inside : body.without_terminator()) {
    if (auto index = dyn_cast<IndexOp>(inside)) {
      mapping.map(index.getResult(), point[index.getDimension()]);
    } else if (auto size = dyn_cast<SizeOp>(inside)) {
      mapping.map(size.getResult(), k.size(size.getSize()));
    } else if (auto read = dyn_cast<ReadOp>(inside)) {
      mapping.map(read.getResult(), emitRead(b, read, mapping));
    } else {
      Operation *copy = b.clone(inside, mapping);
      if (!isa<arith::ConstantOp>(copy))
        copy->setAttr(halide::kStrictAttr, b.getUnitAttr());
    }
  }
  return llvm::map_to_vector(
      body.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookup(value); });
}

Value GenericBodyEmitter::emitInput(OpBuilder &b, unsigned index,
                                    ArrayRef<Value> point) {
  SmallVector<Value> coordinates;
  for (AffineExpr expression : op.getMap(index).getResults())
    coordinates.push_back(emitAffine(b, expression, point));
  return k.readElement(b, op.getInputs()[index], coordinates);
}

Value GenericBodyEmitter::emitAffine(OpBuilder &b, AffineExpr expression,
                                     ArrayRef<Value> point) {
  Location loc = k.loc();
  if (auto dimension = dyn_cast<AffineDimExpr>(expression))
    return point[dimension.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return k.size(cast<SizeAttr>(op.getSymbols()[symbol.getPosition()]));
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return k.constant(b, constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expression);
  Value x = emitAffine(b, binary.getLHS(), point);
  Value y = emitAffine(b, binary.getRHS(), point);
  switch (expression.getKind()) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(b, loc, x, y);
  case AffineExprKind::Mul:
    return arith::MulIOp::create(b, loc, x, y);
  case AffineExprKind::FloorDiv:
    return arith::FloorDivSIOp::create(b, loc, x, y);
  default: // No other is known to stay within an input.
    return halide::ModOp::create(b, loc, x, y);
  }
}

// Whether a coordinate of a table is seen to be below `size`.
bool GenericBodyEmitter::isInside(Value coordinate, SizeAttr size) {
  auto index = coordinate.getDefiningOp<IndexOp>();
  return index && isNeverNegative(size - op.getExtents()[index.getDimension()]);
}

// table[clamp(i)...], or fill where some i is outside.
Value GenericBodyEmitter::emitRead(OpBuilder &b, ReadOp read,
                                   const IRMapping &mapping) {
  Location loc = k.loc();
  Value table =
      op.getTables()[cast<BlockArgument>(read.getTable()).getArgNumber() -
                     op.getInputs().size()];
  SmallVector<Value> coordinates;
  Value isInTable;
  for (auto [coordinate, size] :
       llvm::zip(read.getCoordinates(), sizesOf(table))) {
    Value at = mapping.lookup(coordinate);
    if (isInside(coordinate, size)) {
      coordinates.push_back(at);
      continue;
    }
    Value zero = k.constant(b, 0);
    Value last = arith::SubIOp::create(b, loc, k.size(size), k.constant(b, 1));
    Value clamped = arith::MaxSIOp::create(b, loc, at, zero);
    clamped = arith::MinSIOp::create(b, loc, clamped, last);
    coordinates.push_back(clamped);
    Value isSame =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, at, clamped);
    isInTable =
        isInTable ? arith::AndIOp::create(b, loc, isInTable, isSame).getResult()
                  : isSame;
  }
  Value element = k.readElement(b, table, coordinates);
  if (!read.getFill() || !isInTable)
    return element;
  return arith::SelectOp::create(b, loc, isInTable, element,
                                 mapping.lookup(read.getFill()));
}
