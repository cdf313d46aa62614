// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// func.func @f(%x: f32) -> f32
//   -> func.func @f(%x: tensor<f32>) -> tensor<f32>

#include "compiler/Prepare/Passes.h"

#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace heddle {
#define GEN_PASS_DEF_BOXSCALARS
#include "compiler/Prepare/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

// The tensor that holds a scalar: one of i64, of an index; null of what is no
// scalar.
static Type boxOf(Type type) {
  if (type.isIndex())
    return RankedTensorType::get({}, IntegerType::get(type.getContext(), 64));
  return isScalarType(type) ? RankedTensorType::get({}, type) : Type();
}

static void boxArgument(BlockArgument argument) {
  Type type = argument.getType(), box = boxOf(type);
  if (!box)
    return;
  auto b = OpBuilder::atBlockBegin(argument.getOwner());
  argument.setType(box);
  auto extract =
      tensor::ExtractOp::create(b, argument.getLoc(), argument, ValueRange());
  Value scalar = extract;
  if (type.isIndex())
    scalar = arith::IndexCastOp::create(b, argument.getLoc(), type, scalar);
  argument.replaceAllUsesExcept(scalar, extract);
}

static void boxScalars(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments())
    boxArgument(argument);
  Operation *end = function.getBody().back().getTerminator();
  OpBuilder b(end);
  for (OpOperand &operand : end->getOpOperands())
    if (boxOf(operand.get().getType()))
      operand.set(FromNumberOp::create(b, end->getLoc(), operand.get()));
  function.setFunctionType(b.getFunctionType(
      function.getBody().front().getArgumentTypes(), end->getOperandTypes()));
}

namespace {
struct BoxScalars : heddle::impl::BoxScalarsBase<BoxScalars> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function.isPublic() && function.getBody().hasOneBlock())
        boxScalars(function);
  }
};
} // namespace
