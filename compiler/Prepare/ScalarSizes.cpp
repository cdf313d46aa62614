// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/ScalarSizes.h"

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
  explicit ScalarSizes(bool isExact) : isExact(isExact) {}

  SizeAttr of(Value scalar) {
    auto known = sizes.find(scalar);
    if (known != sizes.end())
      return known->second;
    SizeAttr size = compute(scalar);
    sizes[scalar] = size;
    return size;
  }

private:
  SizeAttr compute(Value scalar);
  SizeAttr combine(Operation *op, ArrayRef<SizeAttr> x);

  bool isExact;
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
  return combine(op, x);
}

// Whether 32 bits, which sizes have, go into `type`.
static bool holdsSizes(Type type) {
  return type.isIndex() || type.getIntOrFloatBitWidth() >= 32;
}

SizeAttr ScalarSizes::combine(Operation *op, ArrayRef<SizeAttr> x) {
  if (isa<arith::FloorDivSIOp, arith::DivSIOp, arith::DivUIOp,
          arith::CeilDivSIOp, arith::CeilDivUIOp, arith::RemSIOp,
          arith::RemUIOp>(op) &&
      x[1].asNumber() == 0)
    return {};
  // Of negative numbers these are not what they are of sizes.
  if (isExact &&
      isa<arith::DivSIOp, arith::DivUIOp, arith::CeilDivUIOp, arith::RemSIOp,
          arith::RemUIOp, arith::MinUIOp, arith::MaxUIOp>(op) &&
      !llvm::all_of(x, isNeverNegative))
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
            arith::TruncIOp>([&](auto cast) {
        return holdsSizes(cast.getType()) ? x[0] : SizeAttr();
      })
      .Default(SizeAttr());
}

SizeAttr heddle::sizeOfScalar(Value scalar) {
  return ScalarSizes(/*isExact=*/false).of(scalar);
}

SizeAttr heddle::exactSizeOf(Value scalar) {
  return ScalarSizes(/*isExact=*/true).of(scalar);
}

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
