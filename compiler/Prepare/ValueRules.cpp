// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/ValueRules.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

static SizeAttr numberOf(Operation *op, int64_t number) {
  return SizeAttr::number(op->getContext(), number);
}

static ValueRule ruleOfIds(EmbeddingOp op) {
  ValueRule rule{ArgumentRole::Ids};
  rule.maximum = numberOf(op, op.getTable().getType().getDimSize(0) - 1);
  return rule;
}

// Of the tokens of `value`, which is [batch, length, channels].
static ValueRule ruleOfLengths(Value value, int64_t least) {
  ValueRule rule{ArgumentRole::Lengths, least};
  rule.maximum = sizesOf(value)[1];
  return rule;
}

// Numbers of pages, of which a cache has as many as sequences.
static ValueRule ruleOfPages(Value cache) {
  ValueRule rule{ArgumentRole::Pages};
  rule.maximum = sizesOf(cache)[0] - SizeAttr::number(cache.getContext(), 1);
  return rule;
}

// As many as heddle.cache.read sees of a ring that this appends to, or as i32
// counts.
static SizeAttr positionsOfRing(CacheAppendOp op) {
  SmallVector<Value> caches{op.getResult()};
  while (!caches.empty())
    for (Operation *user : caches.pop_back_val().getUsers()) {
      auto read = dyn_cast<CacheReadOp>(user);
      if (read && read.getRingAttr() && read.getLayer() == op.getLayer())
        return read.getRingAttr();
      if (auto append = dyn_cast<CacheAppendOp>(user))
        caches.push_back(append.getResult());
    }
  return numberOf(op, std::numeric_limits<int32_t>::max());
}

// Of the positions that are kept.
static ValueRule ruleOfSelected(CacheSelectOp op) {
  ValueRule rule{ArgumentRole::Lengths};
  rule.maximum = min(sizesOf(op.getPositions())[1], sizesOf(op.getCache())[1]);
  return rule;
}

// The argument of the function that has the lengths is that one everywhere, as
// calls can check no other (checkComputedIndices).
static ValueRule ruleOfStarts(CacheAppendOp op) {
  ValueRule rule{ArgumentRole::Starts};
  SizeAttr capacity = sizesOf(op.getCache())[1];
  if (op.getPages())
    capacity = capacity * sizesOf(op.getPages())[1];
  rule.maximum = op.getRing() ? positionsOfRing(op) : capacity;
  rule.tokens = sizesOf(op.getKey())[1];
  if (!op.getLengths())
    rule.size = rule.tokens;
  else if (auto lengths = dyn_cast<BlockArgument>(op.getLengths()))
    rule.lengths = lengths.getArgNumber();
  return rule;
}

// One value may be starts and lengths.
static bool isStarts(CacheAppendOp op, OpOperand &use) {
  return op.getStarts() && &use == &*op.getStartsMutable().begin();
}

// Of tokens that are appended; from position 0 on they have to fit.
static ValueRule ruleOfAppended(CacheAppendOp op) {
  ValueRule rule = ruleOfLengths(op.getKey(), 0);
  if (!op.getStarts() && !op.getPages() && !op.getRing())
    rule.maximum = min(rule.maximum, sizesOf(op.getCache())[1]);
  return rule;
}

// Of the first tokens of `value`, which is [batch, length, channels].
static ValueRule ruleOfPositions(Value value, int64_t positions) {
  ValueRule rule{ArgumentRole::Positions};
  rule.maximum = SizeAttr::number(value.getContext(), positions);
  rule.size = rule.tokens = sizesOf(value)[1];
  rule.positions = positions;
  return rule;
}

// Of each token, which nothing is added to.
static ValueRule ruleOfPositionIds(Operation *op, int64_t positions) {
  ValueRule rule{ArgumentRole::Positions};
  rule.maximum = numberOf(op, positions - 1);
  rule.positions = positions;
  return rule;
}

// Masks are no such use: they are defined for every integer, and attention
// stops at the last key. Nor are the indices of heddle.gather, heddle.scatter
// and the like: each says what every integer means, with `wrap` or without.
static ValueRule ruleOf(OpOperand &use) {
  ValueRule rule =
      llvm::TypeSwitch<Operation *, ValueRule>(use.getOwner())
          .Case([&](EmbeddingOp op) { return ruleOfIds(op); })
          .Case<LastTokenOp, PoolTokensOp>(
              [&](auto op) { return ruleOfLengths(op.getInput(), 1); })
          .Case([&](CacheAppendOp op) {
            if (use.get() == op.getPages())
              return ruleOfPages(op.getCache());
            return isStarts(op, use) ? ruleOfStarts(op) : ruleOfAppended(op);
          })
          .Case([&](CacheReadOp op) { return ruleOfPages(op.getCache()); })
          .Case([&](CacheSelectOp op) {
            return &use == &op.getLengthsMutable() ? ruleOfSelected(op)
                                                   : ValueRule();
          })
          .Case([&](RotaryOp op) {
            if (op.getPositionIds())
              return ruleOfPositionIds(op, *op.getPositions());
            return ruleOfPositions(op.getInput(), *op.getPositions());
          })
          .Case([&](AddPositionsOp op) {
            int64_t rows = op.getTable().getType().getDimSize(0);
            if (op.getPositionIds())
              return ruleOfPositionIds(op, rows);
            return ruleOfPositions(op.getInput(), rows);
          })
          .Default([](Operation *) { return ValueRule(); });
  rule.user = use.getOwner();
  return rule;
}

static StringRef describe(ArgumentRole role) {
  switch (role) {
  case ArgumentRole::Ids:
    return "token ids";
  case ArgumentRole::Lengths:
    return "lengths of sequences";
  case ArgumentRole::Starts:
    return "positions in a cache";
  case ArgumentRole::Positions:
    return "positions of tokens";
  case ArgumentRole::Pages:
    return "pages of a cache";
  default:
    return "integers";
  }
}

static bool isPosition(const ValueRule &rule) {
  return rule.role == ArgumentRole::Starts ||
         rule.role == ArgumentRole::Positions;
}

static std::optional<int64_t> smallest(std::optional<int64_t> a,
                                       std::optional<int64_t> b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

// Makes `rule` demand what `other` does, too; false where no rule does. Where
// positions are those of a cache, only the tokens that it stores are checked:
// the others are padding.
static bool combine(ValueRule &rule, const ValueRule &other) {
  if (other.role == ArgumentRole::Other)
    return true;
  if (rule.role == ArgumentRole::Other) {
    rule = other;
    return true;
  }
  if (isPosition(rule) != isPosition(other) ||
      (!isPosition(rule) && rule.role != other.role))
    return false;
  bool areSame = rule.role == other.role;
  if (isPosition(rule) && (rule.tokens != other.tokens ||
                           (areSame && rule.lengths != other.lengths)))
    return false;
  std::optional<int64_t> positions = smallest(rule.positions, other.positions);
  rule.minimum = std::max(rule.minimum, other.minimum);
  if (areSame)
    rule.maximum = min(rule.maximum, other.maximum);
  else if (other.role == ArgumentRole::Starts)
    rule = other;
  rule.positions = positions;
  return true;
}

static LogicalResult reportTwoUses(func::FuncOp function, unsigned argument,
                                   const ValueRule &first,
                                   const ValueRule &second) {
  InFlightDiagnostic error = function.emitError("argument ")
                             << argument
                             << " is used in two ways, of which calls "
                             << "can check one: as " << describe(first.role)
                             << " and as " << describe(second.role);
  if (isPosition(first) && isPosition(second))
    error << " with other lengths";
  error.attachNote(first.user->getLoc()) << "first use";
  error.attachNote(second.user->getLoc()) << "second use";
  return error;
}

FailureOr<ValueRule> heddle::findValueRule(func::FuncOp function,
                                           BlockArgument argument) {
  ValueRule rule;
  // Uses are listed from the last to the first.
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : argument.getUses())
    uses.push_back(&use);
  for (OpOperand *use : llvm::reverse(uses)) {
    ValueRule found = ruleOf(*use);
    if (!combine(rule, found))
      return reportTwoUses(function, argument.getArgNumber(), rule, found);
  }
  // A number, which no call can change.
  std::optional<int64_t> tokens =
      rule.tokens ? rule.tokens.asNumber() : std::nullopt;
  if (rule.role == ArgumentRole::Positions && tokens &&
      *tokens > *rule.positions)
    return rule.user->emitOpError("expected a length of at most its ")
           << *rule.positions << " positions, found " << *tokens;
  return rule;
}

LogicalResult heddle::checkComputedIndices(func::FuncOp function) {
  WalkResult result = function.walk([&](Operation *op) {
    for (OpOperand &use : op->getOpOperands()) {
      auto argument = dyn_cast<BlockArgument>(use.get());
      if ((argument && argument.getOwner() == &function.front()) ||
          !isIndexType(getElementTypeOrSelf(use.get().getType())))
        continue;
      ValueRule rule = ruleOf(use);
      if (rule.role == ArgumentRole::Other)
        continue;
      InFlightDiagnostic error =
          op->emitOpError("expected ")
          << describe(rule.role)
          << " that are an argument of the function, whose values calls can "
             "check, found computed ones";
      error.attachNote(use.get().getLoc()) << "computed here";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
