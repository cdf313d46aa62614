// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/ScalarSizes.h"

#include "dialect/Heddle/Verification.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Computes each scalar once.
class ScalarSizes {
public:
  SizeAttr of(Value scalar) {
    auto known = sizes.find(scalar);
    if (known != sizes.end())
      return known->second;
    // Each step is one deeper in the stack.
    if (depth == kDeepest || !hasSizes(scalar.getType()))
      return {};
    ++depth;
    SizeAttr size = compute(scalar);
    --depth;
    // A number is one of its type.
    if (size && size.asNumber() && scalar.getType().isInteger(32) &&
        !llvm::isInt<32>(*size.asNumber()))
      size = {};
    return sizes[scalar] = size;
  }

private:
  // All sizes go into these; what narrower ones hold is less than a size.
  static bool hasSizes(Type type) {
    return type.isIndex() || type.isInteger(32) || type.isInteger(64);
  }

  SizeAttr compute(Value scalar);

  static constexpr unsigned kDeepest = 1000;
  unsigned depth = 0;
  llvm::DenseMap<Value, SizeAttr> sizes;
};
} // namespace

SizeAttr ScalarSizes::compute(Value scalar) {
  APInt number;
  if (matchPattern(scalar, m_ConstantInt(&number)))
    return SizeAttr::number(scalar.getContext(), number.getSExtValue());
  Operation *op = scalar.getDefiningOp();
  if (!op)
    return {};
  if (auto size = dyn_cast<SizeOp>(op))
    return size.getSize();
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> index = dim.getConstantIndex();
    Sizes sizes = sizesOf(dim.getSource());
    return index && *index >= 0 && *index < int64_t(sizes.size())
               ? sizes[*index]
               : SizeAttr();
  }
  SmallVector<SizeAttr, 2> x;
  for (Value operand : op->getOperands()) {
    x.push_back(of(operand));
    if (!x.back())
      return {};
  }
  // By a number that may be 0 or negative nothing is divided, and where signs
  // matter there are none.
  SizeAttr one = SizeAttr::number(op->getContext(), 1);
  bool isFloor = isa<arith::FloorDivSIOp, arith::CeilDivSIOp>(op);
  bool isQuotient =
      isFloor || isa<arith::DivSIOp, arith::DivUIOp, arith::CeilDivUIOp,
                     arith::RemSIOp, arith::RemUIOp>(op);
  if (isQuotient && !isNeverNegativeIn(op, x[1] - one))
    return {};
  bool ignoresSigns =
      !isFloor &&
      (isQuotient || isa<arith::MinUIOp, arith::MaxUIOp, arith::ExtUIOp>(op));
  if (ignoresSigns &&
      !llvm::all_of(x, [&](SizeAttr y) { return isNeverNegativeIn(op, y); }))
    return {};
  return llvm::TypeSwitch<Operation *, SizeAttr>(op)
      .Case([&](arith::AddIOp) { return x[0] + x[1]; })
      .Case([&](arith::SubIOp) { return x[0] - x[1]; })
      .Case([&](arith::MulIOp) { return x[0] * x[1]; })
      .Case<arith::FloorDivSIOp, arith::DivSIOp, arith::DivUIOp>(
          [&](auto) { return floorDiv(x[0], x[1]); })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>(
          [&](auto) { return ceilDiv(x[0], x[1]); })
      .Case<arith::RemSIOp, arith::RemUIOp>(
          [&](auto) { return mod(x[0], x[1]); })
      .Case<arith::MinSIOp, arith::MinUIOp>(
          [&](auto) { return min(x[0], x[1]); })
      .Case<arith::MaxSIOp, arith::MaxUIOp>(
          [&](auto) { return max(x[0], x[1]); })
      .Case<arith::IndexCastOp, arith::ExtSIOp, arith::ExtUIOp,
            arith::TruncIOp>([&](auto) { return x[0]; })
      .Default(SizeAttr());
}

SizeAttr heddle::sizeOfScalar(Value scalar) { return ScalarSizes().of(scalar); }

SizeAttr heddle::sizeOfScalar(OpFoldResult scalar, MLIRContext *context) {
  if (auto attribute = dyn_cast<Attribute>(scalar))
    return SizeAttr::number(context, cast<IntegerAttr>(attribute).getInt());
  return sizeOfScalar(cast<Value>(scalar));
}

FailureOr<Sizes> heddle::sizesOfScalars(Operation *op,
                                        ArrayRef<OpFoldResult> list) {
  Sizes sizes;
  for (OpFoldResult scalar : list) {
    sizes.push_back(sizeOfScalar(scalar, op->getContext()));
    if (!sizes.back())
      return op->emitOpError("expected sizes and offsets made of constants and "
                             "sizes of tensors");
  }
  return sizes;
}
