// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Evaluator.h"

#include "compiler/Reference/Evaluate.h"
#include "compiler/Reference/EvaluateGeneric.h"
#include "compiler/Reference/LinearForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
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

// A tensor as a kernel sees it, or as it leaves one: with dimensions that have
// been collapsed, or with all of them.
static llvm::Error reshape(Operation *op, Value &value, Type type,
                           const Environment &environment) {
  if (!value.isTensor())
    return llvm::Error::success();
  SmallVector<int64_t> shape;
  for (SizeAttr size : sizesOf(type)) {
    // Kernels whose sizes are not known are as they were written.
    if (!size)
      return llvm::Error::success();
    llvm::Expected<int64_t> extent = environment.evaluate(op, size);
    if (!extent)
      return extent.takeError();
    shape.push_back(*extent);
  }
  if (value.shape() == ArrayRef(shape))
    return llvm::Error::success();
  Tensor reshaped = *value.tensor();
  reshaped.shape = shape;
  value = Value(std::move(reshaped));
  return llvm::Error::success();
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
    Type type = kernel.getArgumentTypes()[arguments.size() - 1];
    if (llvm::Error error = reshape(op, arguments.back(), type, values))
      return error;
    if (!arguments.back().isCache())
      continue;
    CacheView cache = arguments.back().cache();
    caches.push_back(cache);
    cache.firstLayer += layer;
    cache.appends = {cache.appends[layer]};
    arguments.back() = cache;
  }
  llvm::Expected<Results> results =
      evaluateKernel(kernel, arguments, values.allSymbols());
  if (!results)
    return results;
  for (auto [result, type] : llvm::zip_equal(*results, op.getResultTypes())) {
    if (llvm::Error error = reshape(op, result, type, values))
      return error;
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

static llvm::Expected<Results> runGeneric(GenericOp op,
                                          const Environment &values) {
  if (auto form = LinearForm::of(op))
    return Results{linear(*values.tensor(op.getInputs()[form->x]),
                          values[op.getInputs()[form->w]], nullptr)};
  std::vector<TensorWithErrors> operands;
  for (mlir::Value operand : op.getOperands())
    operands.push_back({values.tensor(operand), {}});
  auto evaluated = evaluateGeneric(op, operands, values);
  if (!evaluated)
    return evaluated.takeError();
  Results results;
  for (TensorWithErrors &result : *evaluated)
    results.push_back(Tensor(*result.values));
  return results;
}

llvm::Expected<Results> Evaluator::runOp(Operation *op,
                                         const Environment &values) {
  if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
    return asResults(evaluateElementwise(op, values));
  return llvm::TypeSwitch<Operation *, llvm::Expected<Results>>(op)
      .Case([&](WeightRefOp op) { return runWeightRef(op); })
      .Case([&](GenericOp op) { return runGeneric(op, values); })
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
            CacheAppendOp, tensor::ExtractOp>(
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
    llvm::Expected<Results> results =
        isControlFlow(&op) ? runControlFlow(&op, values) : runOp(&op, values);
    if (!results)
      return results;
    if (llvm::Error error =
            checkTypes(&op, "result", *results, op.getResultTypes()))
      return error;
    if (observer && !isControlFlow(&op))
      observer(&op, valuesOf(op), *results, values);
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

// What the symbols of sizes are, as the shapes of arguments tell. A symbol that
// stands alone nowhere stays unknown, which is an error where it is needed.
static llvm::Error bindSymbols(FunctionOpInterface function,
                               ArrayRef<Value> arguments,
                               Environment &environment) {
  for (auto [index, value] : llvm::enumerate(arguments)) {
    SmallVector<int64_t> shape;
    if (value.isTensor())
      shape.assign(value.shape().begin(), value.shape().end());
    else if (value.isCache())
      shape = {value.cache().storage->batch, value.cache().storage->capacity};
    Sizes sizes = sizesOf(function.getArgument(index));
    auto texts = function.getArgAttrOfType<ArrayAttr>(index, "heddle.sizes");
    unsigned next = 0;
    for (auto [size, extent] : llvm::zip(sizes, shape)) {
      std::string error;
      if (!size && texts && next < texts.size())
        if (auto text = dyn_cast<StringAttr>(texts[next++]))
          size = SizeAttr::parse(function.getContext(), text, error);
      if (!size || size.getKind() != SizeKind::Symbol)
        continue;
      std::optional<int64_t> known = environment.symbol(size.getName());
      if (known && *known != extent)
        return fail(function, "size '" + size.str() + "' of argument " +
                                  Twine(index) + " is " + Twine(extent) +
                                  ", expected " + Twine(*known));
      environment.bind(size.getName(), extent);
    }
  }
  return llvm::Error::success();
}

llvm::Expected<int64_t> Environment::evaluate(Operation *op,
                                              SizeAttr size) const {
  std::string unknown;
  std::optional<int64_t> value = size.evaluate([&](StringRef name) {
    std::optional<int64_t> known = symbol(name);
    if (!known)
      unknown = name.str();
    return known.value_or(1);
  });
  if (!unknown.empty())
    return fail(op, "size '" + unknown + "' is that of no argument");
  if (!value)
    return fail(op, "size " + size.str() + " has no value");
  return *value;
}

llvm::Expected<Results>
Evaluator::runBody(FunctionOpInterface function, ArrayRef<Value> arguments,
                   const llvm::StringMap<int64_t> &symbols) {
  if (!function.getFunctionBody().hasOneBlock())
    return fail(function, "expected a body of one block");
  if (llvm::Error error = checkTypes(function, "argument", arguments,
                                     function.getArgumentTypes()))
    return error;
  Environment values;
  for (const auto &symbol : symbols)
    values.bind(symbol.getKey(), symbol.getValue());
  for (auto [name, value] : llvm::zip_equal(function.getArguments(), arguments))
    values.set(name, value);
  if (llvm::Error error = bindSymbols(function, arguments, values))
    return error;
  return runBlock(function.getFunctionBody().front(), values);
}

llvm::Expected<Results>
Evaluator::run(StringRef function, ArrayRef<Value> arguments,
               const llvm::StringMap<int64_t> &symbols) {
  auto found = module.lookupSymbol<func::FuncOp>(function);
  if (!found)
    return fail(module, "expected a function @" + function + ", found none");
  return runBody(found, arguments, symbols);
}

llvm::Expected<Results>
Evaluator::evaluateKernel(KernelOp kernel, ArrayRef<Value> arguments,
                          const llvm::StringMap<int64_t> &symbols) {
  return runBody(kernel, arguments, symbols);
}

} // namespace heddle::reference
