// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Lowering/GenericBody.h"

#include "compiler/Lowering/Names.h"
#include "dialect/Heddle/Coordinates.h"

#include "mlir/IR/Matchers.h"

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
    } else if (Value quotient = emitQuotient(b, &inside, mapping)) {
      mapping.map(inside.getResult(0), quotient);
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
  return k.read(b, op.getInputs()[index], coordinates);
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

SizeAttr GenericBodyEmitter::coordinateOf(Value value) {
  Operation *producer = value.getDefiningOp();
  if (!producer || !value.getType().isInteger(32))
    return {};
  MLIRContext *context = op.getContext();
  if (auto index = dyn_cast<IndexOp>(producer))
    return dimensionSymbol(context, index.getDimension());
  if (auto size = dyn_cast<SizeOp>(producer))
    return size.getSize();
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return SizeAttr::number(context, number.getSExtValue());
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::FloorDivSIOp,
           arith::DivSIOp, arith::RemSIOp>(producer))
    return {};
  SizeAttr x = coordinateOf(producer->getOperand(0));
  SizeAttr y = coordinateOf(producer->getOperand(1));
  if (!x || !y)
    return {};
  if (isa<arith::AddIOp>(producer))
    return x + y;
  if (isa<arith::SubIOp>(producer))
    return x - y;
  if (isa<arith::MulIOp>(producer))
    return x * y;
  // Quotients of negative numbers are rounded in several ways.
  auto range = rangeOf(x, op.getExtents());
  SizeAttr one = SizeAttr::number(context, 1);
  if (!range || !isNeverNegative(range->first) || usesDimension(y) ||
      !isNeverNegative(y - one))
    return {};
  return isa<arith::RemSIOp>(producer) ? mod(x, y) : floorDiv(x, y);
}

// Halide simplifies its own quotients of coordinates.
Value GenericBodyEmitter::emitQuotient(OpBuilder &b, Operation *inside,
                                       const IRMapping &mapping) {
  if (!isa<arith::FloorDivSIOp, arith::DivSIOp, arith::RemSIOp>(inside) ||
      !coordinateOf(inside->getResult(0)))
    return {};
  Value x = mapping.lookup(inside->getOperand(0));
  Value y = mapping.lookup(inside->getOperand(1));
  if (isa<arith::RemSIOp>(inside))
    return halide::ModOp::create(b, k.loc(), x, y);
  return arith::FloorDivSIOp::create(b, k.loc(), x, y);
}

bool GenericBodyEmitter::isInside(Value coordinate, SizeAttr size) {
  SizeAttr at = coordinateOf(coordinate);
  auto range = at ? rangeOf(at, op.getExtents()) : std::nullopt;
  SizeAttr one = SizeAttr::number(op.getContext(), 1);
  return range && isNeverNegative(range->first) &&
         isNeverNegative(size - one - range->second);
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
  Value element = k.read(b, table, coordinates);
  if (!read.getFill() || !isInTable)
    return element;
  return arith::SelectOp::create(b, loc, isInTable, element,
                                 mapping.lookup(read.getFill()));
}

//===-- Funcs -------------------------------------------------------------===//

GenericFuncs::GenericFuncs(KernelBuilder &k, GenericOp op)
    : k(k), op(op), body(k, op), loc(k.loc()), rank(op.getOver().size()),
      count(op.getReduce().size()) {
  for (unsigned dim = rank; dim-- > 0;)
    vars.push_back(variable(dim));
  for (unsigned dim = 0; dim < count; ++dim)
    reductionVars.push_back("r" + std::to_string(dim));
}

void GenericFuncs::describe(halide::FuncOp func) {
  Sizes over = toSizes(op.getOver());
  std::reverse(over.begin(), over.end());
  func->setAttr(kExtentsAttr, toArray(op.getContext(), over));
}

void GenericFuncs::setField(Value result, halide::FuncOp func) {
  describe(func);
  k.setField(result, {func.getSymName().str(),
                      getElementTypeOrSelf(result.getType()),
                      {},
                      {}});
}

SmallVector<Value> GenericFuncs::pointOf(ValueRange variables,
                                         ArrayRef<Value> reduced) const {
  SmallVector<Value> point;
  for (unsigned dim = 0; dim < rank; ++dim)
    point.push_back(variables[rank - 1 - dim]);
  llvm::append_range(point, reduced);
  return point;
}
