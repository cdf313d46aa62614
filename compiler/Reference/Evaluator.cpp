// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Evaluator.h"

#include "compiler/Reference/Evaluate.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace heddle::reference {

using Results = Evaluator::Results;

//===-- errors ------------------------------------------------------------===//

llvm::Error fail(Operation *op, const Twine &message) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->getLoc().print(stream);
  stream << ": '" << op->getName() << "': " << message;
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

llvm::Error expectSize(Operation *op, const Twine &what, int64_t expected,
                       int64_t found) {
  if (expected == found)
    return llvm::Error::success();
  return fail(op, "expected " + what + " of size " + Twine(expected) +
                      ", found " + Twine(found));
}

/// Demands values of these types, which are the `what`s of `op`.
static llvm::Error checkTypes(Operation *op, StringRef what,
                              ArrayRef<Value> values, TypeRange types) {
  if (values.size() != types.size())
    return fail(op, "expected " + Twine(types.size()) + " " + what +
                        "s, found " + Twine(values.size()));
  for (auto [index, pair] : llvm::enumerate(llvm::zip_equal(values, types)))
    if (llvm::Error error = std::get<0>(pair).checkType(std::get<1>(pair)))
      return fail(op, what + " " + Twine(index) + ": " +
                          llvm::toString(std::move(error)));
  return llvm::Error::success();
}

//===-- one op ------------------------------------------------------------===//

static llvm::Expected<Results> asResults(llvm::Expected<Value> value) {
  if (!value)
    return value.takeError();
  return Results{std::move(*value)};
}

llvm::Expected<Value> Evaluator::weight(WeightOp op) {
  auto known = weights.find(op);
  if (known != weights.end())
    return known->second;
  llvm::Expected<Value> value = evaluate(op, source);
  if (value)
    weights.try_emplace(op, *value);
  return value;
}

llvm::Expected<Results> Evaluator::runWeightRef(WeightRefOp op) {
  auto weightOp =
      SymbolTable::lookupNearestSymbolFrom<WeightOp>(op, op.getWeightAttr());
  return asResults(weight(weightOp));
}

// The kernel sees caches of one layer.
llvm::Expected<Results> Evaluator::runLaunch(LaunchOp op,
                                             const Environment &values) {
  auto kernel =
      SymbolTable::lookupNearestSymbolFrom<KernelOp>(op, op.getKernelAttr());
  int64_t layer = op.getLayer().value_or(0);
  SmallVector<Value> arguments;
  SmallVector<CacheView> caches;
  for (mlir::Value operand : op.getArguments()) {
    arguments.push_back(values[operand]);
    if (!arguments.back().isCache())
      continue;
    CacheView cache = arguments.back().cache();
    caches.push_back(cache);
    cache.firstLayer += layer;
    cache.appends = {cache.appends[layer]};
    arguments.back() = cache;
  }
  llvm::Expected<Results> results = evaluateKernel(kernel, arguments);
  if (!results)
    return results;
  for (Value &result : *results) {
    if (!result.isCache())
      continue;
    const CacheView &narrow = result.cache();
    CacheView wide = *llvm::find_if(caches, [&](const CacheView &cache) {
      return cache.storage == narrow.storage;
    });
    wide.appends[layer] = narrow.appends[0];
    result = wide;
  }
  return results;
}

llvm::Expected<Results> Evaluator::runOp(Operation *op,
                                         const Environment &values) {
  if (isa<arith::ArithDialect>(op->getDialect()))
    return asResults(evaluateArith(op, values));
  return llvm::TypeSwitch<Operation *, llvm::Expected<Results>>(op)
      .Case([&](WeightRefOp op) { return runWeightRef(op); })
      .Case([&](LaunchOp op) { return runLaunch(op, values); })
      .Case([&](CacheReadOp op) -> llvm::Expected<Results> {
        auto both = evaluate(op, values);
        if (!both)
          return both.takeError();
        return Results{both->first, both->second};
      })
      .Case<RotaryTableOp, EmbeddingOp, RMSNormOp, LinearOp, ActivationOp,
            GatedFeedForwardOp, RotaryOp, LastTokenOp, CausalMaskOp,
            LengthsMaskOp, AndMaskOp, OrMaskOp, NotMaskOp, AttentionOp,
            CacheAppendOp>(
          [&](auto op) { return asResults(evaluate(op, values)); })
      .Default([&](Operation *op) -> llvm::Expected<Results> {
        return fail(op, "the reference evaluator does not know this op");
      });
}

//===-- functions ---------------------------------------------------------===//

llvm::Expected<Results> Evaluator::runBlock(Block &block, Environment &values) {
  // Values go after their last use: a long prompt's doubles add up.
  llvm::DenseMap<mlir::Value, unsigned> usesLeft;
  auto countUses = [&](ValueRange defined) {
    for (mlir::Value value : defined)
      usesLeft[value] = llvm::range_size(value.getUses());
  };
  countUses(block.getArguments());
  auto valuesOf = [&](Operation &op) {
    return llvm::map_to_vector(
        op.getOperands(), [&](mlir::Value operand) { return values[operand]; });
  };
  for (Operation &op : block.without_terminator()) {
    llvm::Expected<Results> results = runOp(&op, values);
    if (!results)
      return results;
    if (llvm::Error error =
            checkTypes(&op, "result", *results, op.getResultTypes()))
      return error;
    if (observer)
      observer(&op, valuesOf(op), *results);
    for (auto [name, value] : llvm::zip_equal(op.getResults(), *results))
      if (!name.use_empty())
        values.set(name, value);
    countUses(op.getResults());
    for (mlir::Value operand : op.getOperands())
      if (--usesLeft[operand] == 0)
        values.drop(operand);
  }
  return Results(valuesOf(*block.getTerminator()));
}

llvm::Expected<Results> Evaluator::runBody(FunctionOpInterface function,
                                           ArrayRef<Value> arguments) {
  if (!function.getFunctionBody().hasOneBlock())
    return fail(function, "expected a body of one block");
  if (llvm::Error error = checkTypes(function, "argument", arguments,
                                     function.getArgumentTypes()))
    return error;
  Environment values;
  for (auto [name, value] : llvm::zip_equal(function.getArguments(), arguments))
    values.set(name, value);
  return runBlock(function.getFunctionBody().front(), values);
}

llvm::Expected<Results> Evaluator::run(StringRef function,
                                       ArrayRef<Value> arguments) {
  auto found = module.lookupSymbol<func::FuncOp>(function);
  if (!found)
    return fail(module, "expected a function @" + function + ", found none");
  return runBody(found, arguments);
}

llvm::Expected<Results> Evaluator::evaluateKernel(KernelOp kernel,
                                                  ArrayRef<Value> arguments) {
  return runBody(kernel, arguments);
}

} // namespace heddle::reference
