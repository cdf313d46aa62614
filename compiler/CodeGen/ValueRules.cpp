// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/ValueRules.h"

#include "compiler/Fusion/Sizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

// The tokens of `value`, which is [batch, length, channels].
static FailureOr<TokenCount> tokensOf(TypedValue<RankedTensorType> value,
                                      KernelOp kernel) {
  RankedTensorType type = value.getType();
  if (!type.isDynamicDim(1))
    return TokenCount{nullptr, type.getDimSize(1)};
  return TokenCount{sizesOf(value)[1].getName()};
}

// A rule about the tokens of `value`.
static FailureOr<ValueRule> ruleOfTokens(heddle_value_rule kind,
                                         TypedValue<RankedTensorType> value,
                                         KernelOp kernel) {
  FailureOr<TokenCount> tokens = tokensOf(value, kernel);
  if (failed(tokens))
    return failure();
  ValueRule rule{kind};
  rule.tokens = *tokens;
  return rule;
}

// Masks are no such use: they are defined for every integer, and attention
// stops at the last key.
static FailureOr<ValueRule> ruleOf(OpOperand &use, KernelOp kernel) {
  return llvm::TypeSwitch<Operation *, FailureOr<ValueRule>>(use.getOwner())
      .Case([&](EmbeddingOp op) {
        return ValueRule{HEDDLE_RULE_BELOW_LIMIT,
                         op.getTable().getType().getDimSize(0)};
      })
      .Case([&](LastTokenOp op) {
        return ruleOfTokens(HEDDLE_RULE_LENGTH, op.getInput(), kernel);
      })
      .Case([&](CacheAppendOp op) -> FailureOr<ValueRule> {
        if (&use != &op.getStartsMutable())
          return ruleOfTokens(HEDDLE_RULE_LENGTH, op.getKey(), kernel);
        auto rule = ruleOfTokens(HEDDLE_RULE_START, op.getKey(), kernel);
        if (auto lengths = dyn_cast<BlockArgument>(op.getLengths());
            lengths && succeeded(rule))
          rule->lengths = lengths.getArgNumber();
        return rule;
      })
      .Case([&](RotaryOp op) {
        auto rule = ruleOfTokens(HEDDLE_RULE_POSITION, op.getInput(), kernel);
        if (succeeded(rule))
          rule->limit = op.getPositions();
        return rule;
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
  case HEDDLE_RULE_POSITION:
    return "positions of tokens";
  default:
    return "integers";
  }
}

static bool isPosition(const ValueRule &rule) {
  return rule.kind == HEDDLE_RULE_START || rule.kind == HEDDLE_RULE_POSITION;
}

// Makes `rule` demand what `other` does, too; false where no rule does. Where
// positions are those of a cache, only the tokens that it stores are checked:
// the others are padding.
static bool combine(ValueRule &rule, const ValueRule &other) {
  if (other.kind == HEDDLE_RULE_NONE)
    return true;
  if (rule.kind == HEDDLE_RULE_NONE) {
    rule = other;
    return true;
  }
  int64_t limit = std::min(rule.limit, other.limit);
  if (isPosition(rule) && isPosition(other)) {
    bool areSame = rule.kind == other.kind;
    if (!(rule.tokens == other.tokens) ||
        (areSame && rule.lengths != other.lengths))
      return false;
    if (other.kind == HEDDLE_RULE_START)
      rule = other;
  } else if (rule.kind != other.kind || rule.tokens.size != other.tokens.size) {
    return false;
  }
  rule.limit = limit;
  rule.tokens.number = std::min(rule.tokens.number, other.tokens.number);
  return true;
}

FailureOr<ValueRule> heddle::findValueRule(BlockArgument argument,
                                           SymbolTable &kernels) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  ValueRule rule;
  for (OpOperand &operand : argument.getUses()) {
    auto launch = dyn_cast<LaunchOp>(operand.getOwner());
    if (!launch)
      continue;
    auto kernel = kernels.lookup<KernelOp>(launch.getKernel());
    BlockArgument inside = kernel.getArgument(operand.getOperandNumber());
    for (OpOperand &use : inside.getUses()) {
      FailureOr<ValueRule> found = ruleOf(use, kernel);
      if (failed(found))
        return failure();
      found->user = use.getOwner();
      // From the kernel's arguments to those of the function.
      if (found->kind == HEDDLE_RULE_START)
        found->lengths = cast<BlockArgument>(launch.getOperand(found->lengths))
                             .getArgNumber();
      if (combine(rule, *found))
        continue;
      InFlightDiagnostic error = function.emitError("argument ")
                                 << argument.getArgNumber()
                                 << " is used in two ways, of which calls "
                                 << "can check one: as " << describe(rule.kind)
                                 << " and as " << describe(found->kind);
      if (isPosition(rule) && isPosition(*found))
        error << " with other lengths";
      error.attachNote(rule.user->getLoc()) << "first use";
      error.attachNote(found->user->getLoc()) << "second use";
      return failure();
    }
  }
  // A number, which no call can change.
  if (rule.kind == HEDDLE_RULE_POSITION && !rule.tokens.size &&
      rule.tokens.number > rule.limit)
    return rule.user->emitOpError("expected a length of at most its ")
           << rule.limit << " positions, found " << rule.tokens.number;
  return rule;
}

LogicalResult heddle::checkComputedIndices(KernelOp kernel) {
  for (Operation &op : kernel.getBody().front().without_terminator())
    for (OpOperand &use : op.getOpOperands()) {
      Operation *producer = use.get().getDefiningOp();
      if (!producer || !getElementTypeOrSelf(use.get().getType()).isInteger(32))
        continue;
      FailureOr<ValueRule> rule = ruleOf(use, kernel);
      if (failed(rule))
        return failure();
      if (rule->kind == HEDDLE_RULE_NONE)
        continue;
      InFlightDiagnostic error =
          op.emitOpError("expected ")
          << describe(rule->kind)
          << " that are an argument of the function, whose values calls can "
             "check, found computed ones";
      error.attachNote(producer->getLoc()) << "computed here";
      return error;
    }
  return success();
}
