// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/ScalarSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

SizeAttr heddle::sizeOfScalar(Value scalar) {
  MLIRContext *context = scalar.getContext();
  APInt number;
  if (matchPattern(scalar, m_ConstantInt(&number)))
    return SizeAttr::number(context, number.getSExtValue());
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
    x.push_back(sizeOfScalar(operand));
    if (!x.back())
      return {};
  }
  bool isDivision = isa<arith::FloorDivSIOp, arith::DivSIOp, arith::DivUIOp,
                        arith::CeilDivSIOp, arith::CeilDivUIOp, arith::RemSIOp,
                        arith::RemUIOp>(op);
  if (isDivision && x[1].asNumber() == 0)
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
