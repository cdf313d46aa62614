// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/CodeGen/Signature.h"

#include "compiler/CodeGen/ValueRules.h"
#include "compiler/Fusion/Sizes.h"

using namespace mlir;
using namespace heddle;

// What a size may be where nothing else limits it: the model's positions.
constexpr int64_t kDefaultPositions = 1 << 16;
// Masks add the numbers of two tokens, of a query and a key.
constexpr int64_t kLargestPositions = kLargestCount / 2;
static_assert(RotaryTableOp::kLargestPositions == kLargestPositions);
constexpr int64_t kLargestBatch = 1024;

namespace {

class SignaturePlanner {
public:
  SignaturePlanner(func::FuncOp function, SymbolTable &kernels,
                   EntryPlan &entry)
      : function(function), kernels(kernels), entry(entry),
        roles(SizeRoles::of(function)) {}

  LogicalResult run() {
    entry.name = function.getName().str();
    if (failed(findPositions()))
      return failure();
    for (BlockArgument argument : function.getArguments())
      if (failed(planArgument(argument)))
        return failure();
    if (failed(planOutputs()))
      return failure();
    // Rules refer to sizes, all of which are known now.
    for (BlockArgument argument : function.getArguments())
      if (failed(planRule(argument)))
        return failure();
    return success();
  }

private:
  //===-- Sizes -----------------------------------------------------------===//

  LogicalResult findPositions() {
    constexpr StringLiteral name = "heddle.positions";
    Attribute attribute = function->getParentOfType<ModuleOp>()->getAttr(name);
    if (!attribute)
      return success();
    auto number = dyn_cast<IntegerAttr>(attribute);
    if (!number || !number.getValue().sge(1) ||
        !number.getValue().sle(kLargestPositions))
      return function.emitError("expected ")
             << name << " of the module to be an integer from 1 to "
             << kLargestPositions << ", found " << attribute;
    positions = number.getInt();
    return success();
  }

  // Extents and strides are 32-bit in kernels: a cache's elements of one
  // sequence have to fit. Products of sizes are checked by each call
  // (Bounds.h).
  int64_t largest(StringRef name) {
    int64_t maximum = positions;
    if (roles.batches.contains(name))
      maximum = roles.lengths.contains(name)
                    ? std::min(kLargestBatch, positions)
                    : kLargestBatch;
    if (!roles.capacities.contains(name))
      return maximum;
    for (Type type : function.getArgumentTypes())
      if (auto cache = dyn_cast<CacheType>(type))
        maximum = std::min(
            maximum, INT32_MAX / (cache.getKvHeads() * cache.getHeadDim()) /
                         HEDDLE_CACHE_BLOCK * HEDDLE_CACHE_BLOCK);
    return maximum;
  }

  // As in heddle_argument.
  int64_t extentOf(StringRef size) {
    std::optional<unsigned> index = entry.symbol(size);
    if (!index) {
      index = entry.symbols.size();
      entry.symbols.push_back(
          {size.str(), 1, largest(size), roles.roleOf(size)});
    }
    return -1 - int64_t(*index);
  }

  LogicalResult planExtents(Type type, ArgumentPlan &plan) {
    for (SizeAttr size : sizesOf(type)) {
      if (!size.asNumber() && size.getKind() != SizeKind::Symbol)
        return function.emitError("expected the sizes of '")
               << plan.name << "' to be numbers and names, found "
               << size.str();
      plan.extents.push_back(size.asNumber() ? *size.asNumber()
                                             : extentOf(size.getName()));
    }
    return success();
  }

  //===-- Arguments -------------------------------------------------------===//

  // A capacity of 1 is already a whole block of positions.
  LogicalResult checkBlock(const ArgumentPlan &plan) {
    constexpr int64_t most = INT32_MAX / HEDDLE_CACHE_BLOCK;
    int64_t channels = plan.cache.getKvHeads() * plan.cache.getHeadDim();
    if (channels <= most)
      return success();
    return function.emitError("expected keys of at most ")
           << most << " channels in '" << plan.name << "', so that a block of "
           << HEDDLE_CACHE_BLOCK << " positions is counted with 32 bits, found "
           << channels;
  }

  LogicalResult planArgument(BlockArgument argument) {
    unsigned index = argument.getArgNumber();
    ArgumentPlan plan;
    plan.name = argumentName(function, index);
    if (auto cache = dyn_cast<CacheType>(argument.getType())) {
      plan.kind = HEDDLE_ARGUMENT_CACHE;
      plan.type = HEDDLE_TYPE_F32;
      plan.cache = cache;
      if (failed(checkBlock(plan)) || failed(planExtents(cache, plan)))
        return failure();
      plan.extents.push_back(cache.getBytesPerPosition());
    } else {
      auto type = cast<RankedTensorType>(argument.getType());
      plan.kind = HEDDLE_ARGUMENT_INPUT;
      plan.type = type.getElementType().isInteger(32) ? HEDDLE_TYPE_I32
                                                      : HEDDLE_TYPE_F32;
      if (failed(planExtents(type, plan)))
        return failure();
    }
    entry.arguments.push_back(plan);
    return success();
  }

  LogicalResult planOutputs() {
    auto terminator = cast<func::ReturnOp>(function.front().getTerminator());
    for (OpOperand &operand : terminator->getOpOperands()) {
      unsigned index = operand.getOperandNumber();
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      if (!type)
        continue; // A cache is the argument that it came from.
      ArgumentPlan plan;
      plan.name = resultName(function, index);
      plan.kind = HEDDLE_ARGUMENT_OUTPUT;
      plan.type = HEDDLE_TYPE_F32;
      plan.source = operand.get();
      if (failed(planExtents(type, plan)))
        return failure();
      entry.arguments.push_back(plan);
    }
    return success();
  }

  LogicalResult planRule(BlockArgument argument) {
    ArgumentPlan &plan = entry.arguments[argument.getArgNumber()];
    if (plan.type != HEDDLE_TYPE_I32)
      return success();
    FailureOr<ValueRule> rule = findValueRule(argument, kernels);
    if (failed(rule))
      return failure();
    plan.rule = rule->kind;
    const TokenCount &tokens = rule->tokens;
    switch (plan.rule) {
    case HEDDLE_RULE_BELOW_LIMIT:
      plan.limit = rule->limit;
      break;
    case HEDDLE_RULE_LENGTH:
      plan.limit = tokens.size ? *entry.symbol(tokens.size) : -tokens.number;
      break;
    case HEDDLE_RULE_START:
      plan.tokens = rule->lengths;
      // What fits into the cache then has an angle, too.
      for (SymbolPlan &symbol : entry.symbols)
        if (symbol.role == SizeRole::Capacity)
          symbol.maximum = std::min(symbol.maximum, rule->limit);
      break;
    case HEDDLE_RULE_POSITION:
      plan.limit = rule->limit;
      plan.tokens = tokens.number;
      if (tokens.size) {
        plan.tokens = extentOf(tokens.size);
        SymbolPlan &length = entry.symbols[*entry.symbol(tokens.size)];
        length.maximum = std::min(length.maximum, rule->limit);
      }
      break;
    case HEDDLE_RULE_NONE:
      break;
    }
    return success();
  }

  func::FuncOp function;
  SymbolTable &kernels;
  EntryPlan &entry;
  SizeRoles roles;
  int64_t positions = kDefaultPositions;
};

} // namespace

static std::string nameOf(StringAttr given, StringRef fallback,
                          unsigned index) {
  return given ? given.str() : (fallback + Twine(index)).str();
}

std::string heddle::argumentName(func::FuncOp function, unsigned index) {
  return nameOf(function.getArgAttrOfType<StringAttr>(index, "heddle.name"),
                "argument", index);
}

std::string heddle::resultName(func::FuncOp function, unsigned index) {
  return nameOf(function.getResultAttrOfType<StringAttr>(index, "heddle.name"),
                "result", index);
}

LogicalResult heddle::planSignature(func::FuncOp function, SymbolTable &kernels,
                                    EntryPlan &entry) {
  return SignaturePlanner(function, kernels, entry).run();
}
