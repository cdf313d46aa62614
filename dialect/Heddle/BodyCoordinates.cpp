// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/BodyCoordinates.h"

#include "dialect/Heddle/Coordinates.h"
#include "dialect/Heddle/SizeRange.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

static bool isQuotient(Operation *op) {
  return isa<arith::FloorDivSIOp, arith::DivSIOp, arith::RemSIOp>(op);
}

// Kernels take sizes up to kLargestCount.
bool heddle::isOfI32(GenericOp op, SizeAttr coordinate) {
  Sizes extents = op.getExtents();
  SizeRange range = rangeOf(coordinate, [&](StringRef name) {
    auto dimension =
        asDimension(SizeAttr::symbol(coordinate.getContext(), name));
    if (!dimension)
      return SizeRange{0, kLargestCount};
    return SizeRange{0, extents[*dimension].asNumber().value_or(kLargestCount) -
                            1};
  });
  return range.least >= INT32_MIN && range.most <= INT32_MAX;
}

// Of a size of the function. Where an extent is 0 the body says nothing.
static bool isNeverNegativeAt(GenericOp op, SizeAttr size) {
  Sizes extents = op.getExtents();
  return isNeverNegative(size, [&](StringRef name) -> int64_t {
    return llvm::is_contained(extents,
                              SizeAttr::symbol(size.getContext(), name));
  });
}

static bool isPromised(Value dividend) {
  auto arithmetic =
      dividend.getDefiningOp<arith::ArithIntegerOverflowFlagsInterface>();
  return arithmetic && arithmetic.hasNoSignedWrap();
}

SizeAttr heddle::coordinateOf(GenericOp op, Value value) {
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
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(producer) &&
      !isQuotient(producer))
    return {};
  SizeAttr x = coordinateOf(op, producer->getOperand(0));
  SizeAttr y = coordinateOf(op, producer->getOperand(1));
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
  if (!range || !isNeverNegativeAt(op, range->first) || usesDimension(y) ||
      !isNeverNegativeAt(op, y - one))
    return {};
  if (!isOfI32(op, x) && !isPromised(producer->getOperand(0)))
    return {};
  return isa<arith::RemSIOp>(producer) ? mod(x, y) : floorDiv(x, y);
}

bool heddle::isInside(GenericOp op, SizeAttr coordinate, SizeAttr size) {
  auto range = rangeOf(coordinate, op.getExtents());
  SizeAttr one = SizeAttr::number(op.getContext(), 1);
  return range && isNeverNegativeAt(op, range->first) &&
         isNeverNegativeAt(op, size - one - range->second);
}

void heddle::forEachDividend(GenericOp op,
                             llvm::function_ref<void(SizeAttr)> visit) {
  Sizes extents = op.getExtents();
  auto visitRange = [&](SizeAttr dividend) {
    if (!usesDimension(dividend))
      return;
    if (auto range = rangeOf(dividend, extents)) {
      visit(range->second);
      visit(SizeAttr::number(op.getContext(), 0) - range->first);
    }
  };
  for (unsigned index = 0; index < op.getInputs().size(); ++index)
    for (SizeAttr coordinate : op.getCoordinates(index))
      coordinate.walk([&](SizeAttr part) {
        if (part.getKind() == SizeKind::FloorDiv ||
            part.getKind() == SizeKind::Mod)
          visitRange(cast<SizeAttr>(part.getOperands()[0]));
      });
  op.getBody().walk([&](Operation *inside) {
    if (isQuotient(inside) && isPromised(inside->getOperand(0)) &&
        coordinateOf(op, inside->getResult(0)))
      visitRange(coordinateOf(op, inside->getOperand(0)));
  });
}
