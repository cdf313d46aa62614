// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Lowering/GenericBody.h"

#include "compiler/Lowering/Names.h"
#include "dialect/Heddle/BodyCoordinates.h"
#include "dialect/Heddle/Coordinates.h"

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
      mapping.map(read.getResult(), emitRead(b, read, point, mapping));
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

Value GenericBodyEmitter::emitDecoded(OpBuilder &b, Value value,
                                      PointOf pointOf) {
  IRMapping mapping;
  // A value with several users is emitted once.
  auto emit = [&](auto &emit, Value value) -> Value {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      unsigned input = argument.getArgNumber();
      mapping.map(value, emitInput(b, input, pointOf(input)));
      return mapping.lookup(value);
    }
    Operation *inside = value.getDefiningOp();
    for (Value operand : inside->getOperands())
      emit(emit, operand);
    Operation *copy = b.clone(*inside, mapping);
    // Nobody may leave these out. Others are exact, or rounded as the sum is.
    if (isa<arith::TruncFOp, arith::FPToSIOp, arith::FPToUIOp>(inside))
      copy->setAttr(halide::kStrictAttr, b.getUnitAttr());
    return copy->getResult(0);
  };
  return emit(emit, value);
}

Value GenericBodyEmitter::emitInput(OpBuilder &b, unsigned index,
                                    ArrayRef<Value> point) {
  SmallVector<Value> coordinates;
  Sizes symbols = toSizes(op.getSymbols());
  for (AffineExpr expression : op.getMap(index).getResults())
    coordinates.push_back(emitAffine(b, expression, symbols, point));
  return k.read(b, op.getInputs()[index], coordinates);
}

Value GenericBodyEmitter::emitAffine(OpBuilder &b, AffineExpr expression,
                                     const Sizes &symbols,
                                     ArrayRef<Value> point) {
  Location loc = k.loc();
  if (auto dimension = dyn_cast<AffineDimExpr>(expression))
    return point[dimension.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return k.size(symbols[symbol.getPosition()]);
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return k.constant(b, constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expression);
  Value x = emitAffine(b, binary.getLHS(), symbols, point);
  Value y = emitAffine(b, binary.getRHS(), symbols, point);
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

// Halide simplifies its own quotients of coordinates.
Value GenericBodyEmitter::emitQuotient(OpBuilder &b, Operation *inside,
                                       const IRMapping &mapping) {
  if (!isa<arith::FloorDivSIOp, arith::DivSIOp, arith::RemSIOp>(inside) ||
      !coordinateOf(op, inside->getResult(0)))
    return {};
  Value x = mapping.lookup(inside->getOperand(0));
  Value y = mapping.lookup(inside->getOperand(1));
  if (isa<arith::RemSIOp>(inside))
    return halide::ModOp::create(b, k.loc(), x, y);
  return arith::FloorDivSIOp::create(b, k.loc(), x, y);
}

// In the body integers wrap around, so that Halide knows no bounds of them, and
// divides by 0 where lanes of a vector read one element at such coordinates.
// One that does not wrap around it may see as it is.
Value GenericBodyEmitter::emitCoordinate(OpBuilder &b, SizeAttr coordinate,
                                         Value value, ArrayRef<Value> point) {
  Sizes symbols;
  AffineExpr expression = toAffine(coordinate, symbols);
  return expression ? emitAffine(b, expression, symbols, point) : value;
}

// table[clamp(i)...], or fill where some i is outside.
Value GenericBodyEmitter::emitRead(OpBuilder &b, ReadOp read,
                                   ArrayRef<Value> point,
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
    SizeAttr known = coordinateOf(op, coordinate);
    bool isSafe = known && isInside(op, known, size);
    if (isSafe || (known && isOfI32(op, known)))
      at = emitCoordinate(b, known, at, point);
    if (isSafe) {
      coordinates.push_back(at);
      continue;
    }
    Value zero = k.constant(b, 0);
    Value last = arith::SubIOp::create(b, loc, k.size(size), k.constant(b, 1));
    // An empty table is read at 0, where there is memory (Bounds.h).
    Value clamped = arith::MinSIOp::create(b, loc, at, last);
    clamped = arith::MaxSIOp::create(b, loc, clamped, zero);
    coordinates.push_back(clamped);
    auto demand = [&](arith::CmpIPredicate predicate, Value x, Value y) {
      Value holds = arith::CmpIOp::create(b, loc, predicate, x, y);
      isInTable =
          isInTable ? arith::AndIOp::create(b, loc, isInTable, holds) : holds;
    };
    demand(arith::CmpIPredicate::eq, at, clamped);
    if (size.asNumber().value_or(0) == 0)
      demand(arith::CmpIPredicate::sge, last, zero);
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
                      scalarTypeOf(getElementTypeOrSelf(result.getType())),
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
