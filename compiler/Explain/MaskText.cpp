// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Explain/MaskText.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

namespace {
class MaskWriter {
public:
  explicit MaskWriter(const std::function<std::string(Value)> &nameOf)
      : nameOf(nameOf) {}

  std::string write(Value mask) {
    return llvm::TypeSwitch<Operation *, std::string>(mask.getDefiningOp())
        .Case(
            [&](CausalMaskOp op) { return call("causal", diagonalOf(op, {})); })
        .Case([&](WindowMaskOp op) {
          return call("window", diagonalOf(op, {limit(op.getLeft()),
                                                limit(op.getRight())}));
        })
        .Case([&](LengthsMaskOp op) {
          std::string name = nameOf(op.getLengths());
          if (op.getOf() == ScoreDim::Query)
            return call("lengths", {name, "query"});
          return call("lengths", {name});
        })
        .Case([&](DocumentsMaskOp op) {
          return call("documents",
                      {nameOf(op.getQueries()), nameOf(op.getKeys())});
        })
        .Case([&](DenseMaskOp op) { return writeDense(op); })
        .Case([&](NotMaskOp op) {
          return "not " + writeInside(op.getOperand(), op);
        })
        .Case<AndMaskOp, OrMaskOp>([&](auto op) {
          StringRef word = isa<AndMaskOp>(*op) ? " and " : " or ";
          return writeInside(op.getLhs(), op) + word.str() +
                 writeInside(op.getRhs(), op);
        })
        .Default(
            [](Operation *op) { return op->getName().getStringRef().str(); });
  }

private:
  // `and` and `or` stand in parentheses within others.
  std::string writeInside(Value mask, Operation *outside) {
    Operation *op = mask.getDefiningOp();
    bool isPlain =
        !isa<AndMaskOp, OrMaskOp>(op) || op->getName() == outside->getName();
    return isPlain ? write(mask) : "(" + write(mask) + ")";
  }

  static std::string call(StringRef name, ArrayRef<std::string> arguments) {
    return (name + "(" + llvm::join(arguments, ", ") + ")").str();
  }

  static std::string limit(std::optional<int64_t> keys) {
    return keys ? std::to_string(*keys) : "any";
  }

  template <typename Op>
  SmallVector<std::string> diagonalOf(Op op,
                                      SmallVector<std::string> arguments) {
    if (op.getOffset())
      arguments.push_back("offset " + nameOf(op.getOffset()));
    else
      arguments.push_back(stringifyEnum(*op.getAlign()).str());
    if (op.getShift().asNumber() != 0)
      arguments.push_back("plus " + op.getShift().str());
    return arguments;
  }

  std::string writeDense(DenseMaskOp op) {
    SmallVector<std::string> dims;
    for (unsigned index = 0; index < op.getOver().size(); ++index)
      dims.push_back(stringifyEnum(op.getDim(index)).str());
    SmallVector<std::string> arguments = {nameOf(op.getMask()),
                                          "over " + llvm::join(dims, " ")};
    if (op.getQueryBlock() != 1 || op.getKeyBlock() != 1)
      arguments.push_back(("blocks of " + Twine(op.getQueryBlock()) + " x " +
                           Twine(op.getKeyBlock()))
                              .str());
    return call("dense", arguments);
  }

  const std::function<std::string(Value)> &nameOf;
};
} // namespace

std::string
heddle::describeMask(Value mask,
                     const std::function<std::string(Value)> &nameOf) {
  return MaskWriter(nameOf).write(mask);
}

void heddle::walkMasks(Value mask,
                       llvm::function_ref<void(Operation *)> visit) {
  llvm::SetVector<Operation *> ops;
  ops.insert(mask.getDefiningOp());
  for (size_t index = 0; index < ops.size(); ++index) {
    Operation *op = ops[index];
    if (!isa<AndMaskOp, OrMaskOp, NotMaskOp>(op)) {
      visit(op);
      continue;
    }
    for (Value operand : op->getOperands())
      ops.insert(operand.getDefiningOp());
  }
}
