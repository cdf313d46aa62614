// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/ValueRules.h"

#include "compiler/Fusion/Sizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

// At most the tokens of `value`, which is [batch, length, channels].
static FailureOr<ValueRule> lengthOf(TypedValue<RankedTensorType> value,
                                     KernelOp kernel) {
  ValueRule rule{HEDDLE_RULE_LENGTH};
  RankedTensorType type = value.getType();
  if (!type.isDynamicDim(1)) {
    rule.limit = type.getDimSize(1);
    return rule;
  }
  FailureOr<Sizes> sizes = Sizes::of(kernel);
  if (failed(sizes))
    return failure();
  rule.size =
      cast<StringAttr>(sizes->lookup(value)[type.getDynamicDimIndex(1)]);
  return rule;
}

// Masks are no such use: they are defined for every integer, and attention
// stops at the last key.
static FailureOr<ValueRule> ruleOf(OpOperand &use, KernelOp kernel,
                                   bool hasCache) {
  return llvm::TypeSwitch<Operation *, FailureOr<ValueRule>>(use.getOwner())
      .Case([&](EmbeddingOp op) {
        return ValueRule{HEDDLE_RULE_BELOW_LIMIT,
                         op.getTable().getType().getDimSize(0)};
      })
      .Case([&](LastTokenOp op) { return lengthOf(op.getInput(), kernel); })
      .Case([&](CacheAppendOp op) -> FailureOr<ValueRule> {
        if (&use == &op.getStartsMutable())
          return ValueRule{HEDDLE_RULE_START};
        return lengthOf(op.getKey(), kernel);
      })
      .Case([&](RotaryOp) {
        // A cache has at most as many positions as the table of angles.
        return ValueRule{hasCache ? HEDDLE_RULE_START : HEDDLE_RULE_NONE};
      })
      .Default([](Operation *) { return ValueRule(); });
}

static StringRef describe(heddle_value_rule kind) {
  switch (kind) {
  case HEDDLE_RULE_BELOW_LIMIT:
    return "token ids";
  case HEDDLE_RULE_LENGTH:
    return "lengths of sequences";
  case HEDDLE_RULE_START:
    return "positions in a cache";
  default:
    return "integers";
  }
}

// Makes `rule` demand what `other` does, too; false where no rule does.
static bool combine(ValueRule &rule, const ValueRule &other) {
  if (other.kind == HEDDLE_RULE_NONE)
    return true;
  if (rule.kind == HEDDLE_RULE_NONE) {
    rule = other;
    return true;
  }
  if (rule.kind != other.kind || rule.size != other.size)
    return false;
  rule.limit = std::min(rule.limit, other.limit);
  return true;
}

FailureOr<ValueRule> heddle::findValueRule(BlockArgument argument,
                                           SymbolTable &kernels) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  bool hasCache = llvm::any_of(function.getArgumentTypes(),
                               [](Type type) { return isa<CacheType>(type); });
  ValueRule rule;
  for (OpOperand &operand : argument.getUses()) {
    auto launch = dyn_cast<LaunchOp>(operand.getOwner());
    if (!launch)
      continue;
    auto kernel = kernels.lookup<KernelOp>(launch.getKernel());
    BlockArgument inside = kernel.getArgument(operand.getOperandNumber());
    for (OpOperand &use : inside.getUses()) {
      FailureOr<ValueRule> found = ruleOf(use, kernel, hasCache);
      if (failed(found))
        return failure();
      found->user = use.getOwner();
      if (combine(rule, *found))
        continue;
      InFlightDiagnostic error = function.emitError("argument ")
                                 << argument.getArgNumber()
                                 << " is used in two ways, of which calls "
                                 << "can check one: as " << describe(rule.kind)
                                 << " and as " << describe(found->kind);
      error.attachNote(rule.user->getLoc()) << "first use";
      error.attachNote(found->user->getLoc()) << "second use";
      return failure();
    }
  }
  return rule;
}
