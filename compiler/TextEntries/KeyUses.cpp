// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/TextEntries/KeyUses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

Attribute heddle::splatOf(Value value) {
  if (auto tensors = value.getDefiningOp<BroadcastTensorsOp>())
    value = tensors.getInputs()[cast<OpResult>(value).getResultNumber()];
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

std::string heddle::nodeOf(Operation *op) {
  auto name = dyn_cast<NameLoc>(op->getLoc());
  return name ? "node '" + name.getName().str() + "'" : "a node";
}

static bool isView(Operation *op) {
  return isa<ReshapeOp, TransposeOp, ExpandOp, SqueezeOp, BroadcastOp,
             BroadcastTensorsOp, CastOp>(op);
}

namespace {
class KeyUses {
public:
  KeyUses(StringRef capacity, const llvm::DenseSet<Operation *> &masked,
          const llvm::DenseSet<Operation *> &presents)
      : capacity(capacity), masked(masked), presents(presents) {}

  llvm::Error check(Block &block) {
    for (BlockArgument argument : block.getArguments())
      data.insert(argument);
    for (Operation &op : block.without_terminator()) {
      bool isOfData = llvm::any_of(op.getOperands(), [&](Value operand) {
        return data.contains(operand);
      });
      if (isOfData)
        data.insert_range(op.getResults());
      bool readsKeys = llvm::any_of(op.getOperands(), [&](Value operand) {
        return data.contains(operand) && hasKeys(operand);
      });
      if (readsKeys && !keepsApart(&op))
        return llvm::createStringError("what " + nodeOf(&op) +
                                       " makes of the keys or values of all "
                                       "tokens is no attention");
    }
    return llvm::Error::success();
  }

private:
  bool isOfKeys(SizeAttr size) {
    bool isOne = false;
    size.walk([&](SizeAttr part) {
      isOne |= part.getKind() == SizeKind::Symbol && part.getName() == capacity;
    });
    return isOne;
  }

  bool hasKeys(Value value) {
    return isa<RankedTensorType>(value.getType()) &&
           llvm::any_of(sizesOf(value),
                        [&](SizeAttr size) { return isOfKeys(size); });
  }

  bool keepsApart(Operation *op) {
    if (auto product = dyn_cast<MatmulOp>(op)) {
      Sizes rows = sizesOf(product.getA());
      SizeAttr depth = rows[rows.size() - (product.getTransposeA() ? 2 : 1)];
      return !isOfKeys(depth) || isMasked(product.getA());
    }
    return isView(op) || isa<WhereOp, ActivationOp>(op) ||
           op->hasTrait<OpTrait::Elementwise>() || masked.contains(op) ||
           presents.contains(op);
  }

  // Whether it is the weights of a masked softmax, maybe with zeros in place of
  // some.
  bool isMasked(Value weights) {
    while (Operation *op = weights.getDefiningOp()) {
      if (masked.contains(op))
        return true;
      if (auto tensors = dyn_cast<BroadcastTensorsOp>(op))
        weights =
            tensors.getInputs()[cast<OpResult>(weights).getResultNumber()];
      else if (isView(op))
        weights = op->getOperand(0);
      else if (isa<WhereOp>(op) && isZero(splatOf(op->getOperand(1))))
        weights = op->getOperand(2);
      else if (isa<WhereOp>(op) && isZero(splatOf(op->getOperand(2))))
        weights = op->getOperand(1);
      else
        return false;
    }
    return false;
  }

  StringRef capacity;
  const llvm::DenseSet<Operation *> &masked, &presents;
  llvm::DenseSet<Value> data; ///< depends on arguments
};
} // namespace

llvm::Error heddle::checkKeyUses(func::FuncOp function, StringRef capacity,
                                 const llvm::DenseSet<Operation *> &masked,
                                 const llvm::DenseSet<Operation *> &presents) {
  return KeyUses(capacity, masked, presents).check(function.getBody().front());
}
