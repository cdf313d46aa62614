// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/BodyCoordinates.h"
#include "dialect/Heddle/Coordinates.h"
#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/KernelAttributes.h"
#include "dialect/Heddle/Verification.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace heddle;

//===-- heddle.generic ----------------------------------------------------===//

Sizes GenericOp::getExtents() {
  Sizes extents = toSizes(getOver());
  llvm::append_range(extents, toSizes(getReduce()));
  return extents;
}

Sizes GenericOp::getCoordinates(unsigned index) {
  Sizes symbols = toSizes(getSymbols());
  return llvm::map_to_vector<4>(
      getMap(index).getResults(),
      [&](AffineExpr expression) { return toCoordinate(expression, symbols); });
}

Block::BlockArgListType GenericOp::getInputArguments() {
  return getBody().getArguments().take_front(getInputs().size());
}

Block::BlockArgListType GenericOp::getTableArguments() {
  return getBody().getArguments().slice(getInputs().size(), getTables().size());
}

Block::BlockArgListType GenericOp::getAccumulators() {
  return getBody().getArguments().drop_front(getInputs().size() +
                                             getTables().size());
}

// Whether a value of a body depends on a result so far.
static bool usesAccumulator(GenericOp op, Value value) {
  llvm::SetVector<Value> values;
  values.insert(value);
  for (size_t next = 0; next < values.size(); ++next) {
    if (llvm::is_contained(op.getAccumulators(), values[next]))
      return true;
    if (Operation *producer = values[next].getDefiningOp())
      values.insert_range(producer->getOperands());
  }
  return false;
}

std::optional<GenericOp::Combiner> GenericOp::getCombiner(unsigned result) {
  BlockArgument accumulator = getAccumulators()[result];
  Operation *op =
      getBody().front().getTerminator()->getOperand(result).getDefiningOp();
  if (!accumulator.hasOneUse() || *accumulator.user_begin() != op ||
      !isa_and_nonnull<arith::AddFOp, arith::MulFOp, arith::MaximumFOp,
                       arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp,
                       arith::AddIOp, arith::MulIOp, arith::MaxSIOp,
                       arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp,
                       arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    return std::nullopt;
  Value term = op->getOperand(op->getOperand(0) == accumulator ? 1 : 0);
  if (usesAccumulator(*this, term))
    return std::nullopt;
  return Combiner{op, term};
}

LogicalResult GenericOp::verify() {
  // C1
  if (getMaps().size() != getInputs().size())
    return emitOpError("expected ")
           << getInputs().size() << " maps, found " << getMaps().size();
  unsigned dimensions = getOver().size() + getReduce().size();
  for (auto [index, input] : llvm::enumerate(getInputs())) {
    AffineMap map = getMap(index);
    int64_t rank = cast<RankedTensorType>(input.getType()).getRank();
    if (map.getNumDims() != dimensions ||
        map.getNumSymbols() > getSymbols().size() ||
        map.getNumResults() != rank)
      return emitOpError("expected map ")
             << index << " to have " << dimensions << " dimensions, at most "
             << getSymbols().size() << " symbols and " << rank
             << " results, found " << AffineMapAttr::get(map);
  }
  // C7
  for (SizeAttr extent : getExtents())
    if (extent.asNumber().value_or(0) < 0)
      return emitOpError("expected dimensions of at least 0, found ")
             << extent.str();
  for (SizeAttr extent : toSizes(getReduce()))
    if (extent.asNumber().value_or(0) > kLargestCount)
      return emitOpError("expected reduced dimensions of at most ")
             << kLargestCount << ", found " << extent.str();
  // C5
  size_t initials = hasReduction() ? getNumResults() : 0;
  if (getInitial().size() != initials)
    return emitOpError("expected ")
           << initials << " initial values, found " << getInitial().size();
  for (auto [index, value] : llvm::enumerate(getInitial())) {
    Type type = scalarTypeOf(getElementTypeOrSelf(getResultTypes()[index]));
    auto typed = dyn_cast<TypedAttr>(value);
    if (!typed || typed.getType() != type)
      return emitOpError("expected initial value ")
             << index << " to be of type " << type << ", found " << value;
  }
  // C4
  for (Type type : getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    bool fits = tensor.getRank() == int64_t(getOver().size());
    for (auto [extent, size] : llvm::zip(tensor.getShape(), getOver())) {
      std::optional<int64_t> number = cast<SizeAttr>(size).asNumber();
      fits &= ShapedType::isDynamic(extent) || (number && *number == extent);
    }
    if (!fits)
      return emitOpError("expected results of sizes ")
             << getOver() << ", found " << tensor;
  }
  // C8
  for (Type type : getResultTypes())
    if (isHalfByte(getElementTypeOrSelf(type)) &&
        !(*this)->hasAttr(kChoiceAttr))
      return emitOpError("expected results of integers of 4 bits to be chosen "
                         "matrices (")
             << kChoiceAttr << "), found " << type;
  return success();
}

LogicalResult GenericOp::verifyRegions() {
  // C2
  SmallVector<Type> expected;
  for (Value input : getInputs())
    expected.push_back(scalarTypeOf(getElementTypeOrSelf(input.getType())));
  llvm::append_range(expected, getTables().getTypes());
  if (hasReduction())
    for (Type type : getResultTypes())
      expected.push_back(scalarTypeOf(getElementTypeOrSelf(type)));
  if (getBody().getArgumentTypes() != TypeRange(expected))
    return emitOpError("expected a block with arguments of types ")
           << expected << ", found " << getBody().getArgumentTypes();
  // C3
  auto yield = cast<YieldOp>(getBody().front().getTerminator());
  auto types = llvm::map_to_vector(getResultTypes(), [](Type type) {
    return scalarTypeOf(getElementTypeOrSelf(type));
  });
  if (yield.getOperandTypes() != TypeRange(types)) {
    InFlightDiagnostic diagnostic = emitOpError("expected values of types ")
                                    << types;
    diagnostic.attachNote(yield.getLoc())
        << "yields types " << yield.getOperandTypes();
    return diagnostic;
  }
  return success();
}

// C6
static LogicalResult checkCoordinates(GenericOp op) {
  Sizes extents = op.getExtents();
  SizeAttr one = SizeAttr::number(op.getContext(), 1);
  for (auto [index, input] : llvm::enumerate(op.getInputs())) {
    Sizes sizes = sizesOf(input);
    for (auto [dim, coordinate] : llvm::enumerate(op.getCoordinates(index))) {
      auto range = rangeOf(coordinate, extents);
      if (isInside(op, coordinate, sizes[dim]) ||
          (range && isNeverNegativeIn(op, range->first) &&
           isNeverNegativeIn(op, sizes[dim] - one - range->second)))
        continue;
      InFlightDiagnostic error = op.emitOpError("expected map ")
                                 << index << " to stay within dimension " << dim
                                 << " of its input, which has the size "
                                 << sizes[dim].str();
      if (range)
        error << ", found coordinates from " << range->first.str() << " to "
              << range->second.str();
      return error;
    }
  }
  return success();
}

LogicalResult GenericOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  for (auto [argument, table] : llvm::zip(getTableArguments(), getTables()))
    argument.setType(table.getType());
  results.assign(getNumResults(), toSizes(getOver()));
  return checkCoordinates(*this);
}

//===-- What stands in a body ---------------------------------------------===//

LogicalResult IndexOp::verify() {
  // C1
  auto generic = cast<GenericOp>((*this)->getParentOp());
  size_t count = generic.getOver().size() + generic.getReduce().size();
  if (getDimension() >= count)
    return emitOpError("expected a dimension below ")
           << count << ", found " << getDimensionAttr().getInt();
  return success();
}

LogicalResult SizeOp::verify() {
  // C1
  Type expected = isa<GenericOp>((*this)->getParentOp())
                      ? Type(IntegerType::get(getContext(), 32))
                      : Type(IndexType::get(getContext()));
  if (getType() != expected)
    return emitOpError("expected a result of type ")
           << expected << " here, found " << getType();
  // C2
  std::optional<int64_t> number = getSize().asNumber();
  if (getType().isInteger(32) && number && !llvm::isInt<32>(*number))
    return emitOpError("expected a number of 32 bits, found ") << *number;
  return success();
}

static Type typeOfNumber(Type number) {
  return RankedTensorType::get(
      {},
      number.isIndex() ? IntegerType::get(number.getContext(), 64) : number);
}

void FromNumberOp::build(OpBuilder &builder, OperationState &state,
                         Value number) {
  build(builder, state, typeOfNumber(number.getType()), number);
}

LogicalResult FromNumberOp::verify() {
  // C1
  Type expected = typeOfNumber(getNumber().getType());
  if (getType() != expected)
    return emitOpError("expected a result of type ")
           << expected << ", found " << getType();
  return success();
}

LogicalResult FromNumberOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.emplace_back();
  return success();
}

LogicalResult ReadOp::verify() {
  auto type = cast<RankedTensorType>(getTable().getType());
  // C1
  if (int64_t(getCoordinates().size()) != type.getRank())
    return emitOpError("expected ") << type.getRank() << " coordinates, found "
                                    << getCoordinates().size();
  // C2
  if (!isa<BlockArgument>(getTable()))
    return emitOpError("expected a table of the heddle.generic");
  // C3
  Type scalar = scalarTypeOf(type.getElementType());
  if (getType() != scalar || (getFill() && getFill().getType() != scalar))
    return emitOpError("expected values of type ") << scalar;
  return success();
}
