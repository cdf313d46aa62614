// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/TextEntries/Values.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

Attribute heddle::splatOf(Value value) {
  if (isa_and_nonnull<BroadcastTensorsOp, BroadcastOp>(value.getDefiningOp()))
    value = viewedBy(value);
  if (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = broadcast.getInput();
  DenseElementsAttr constant;
  return matchPattern(value, m_Constant(&constant)) && constant.isSplat()
             ? constant.getSplatValue<Attribute>()
             : Attribute();
}

bool heddle::isZero(Attribute number) {
  auto value = dyn_cast_or_null<FloatAttr>(number);
  return value && value.getValue().isZero();
}

Value heddle::withoutCasts(Value value) {
  while (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getInput();
  return value;
}

bool heddle::isView(Operation *op) {
  return isa<ReshapeOp, TransposeOp, ExpandOp, SqueezeOp, BroadcastOp,
             BroadcastTensorsOp, CastOp>(op);
}

Value heddle::viewedBy(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isView(op))
    return {};
  return op->getOperand(isa<BroadcastTensorsOp>(op)
                            ? cast<OpResult>(value).getResultNumber()
                            : 0);
}

std::string heddle::nodeOf(Operation *op) {
  auto name = dyn_cast<NameLoc>(op->getLoc());
  return name ? "node '" + name.getName().str() + "'" : "a node";
}

bool heddle::readsAny(Operation *op, const llvm::DenseSet<Value> &values) {
  return op
      ->walk([&](Operation *inside) {
        bool isOne = llvm::any_of(inside->getOperands(), [&](Value operand) {
          return values.contains(operand);
        });
        return isOne ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

llvm::DenseSet<Value> heddle::dataOf(func::FuncOp function,
                                     ArrayRef<Value> known) {
  llvm::DenseSet<Value> data;
  for (BlockArgument argument : function.getArguments())
    if (!llvm::is_contained(known, argument))
      data.insert(argument);
  for (Operation &op : function.getBody().front().without_terminator())
    if (readsAny(&op, data))
      data.insert_range(op.getResults());
  return data;
}
