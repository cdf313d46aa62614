// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Evaluator.h"

#include "compiler/Import/ElementFormats.h"
#include "compiler/Reference/Evaluate.h"
#include "compiler/Reference/FloatRange.h"
#include "compiler/Reference/Roundings.h"
#include "dialect/Heddle/DeclaredSize.h"

#include "mlir/IR/TypeUtilities.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace heddle::reference {

//===-- errors ------------------------------------------------------------===//

llvm::Error fail(Operation *op, const Twine &message) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>())
    stream << place.getFilename().getValue() << ':' << place.getLine() << ':'
           << place.getColumn() << ": ";
  stream << "'" << op->getName() << "': " << message;
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

llvm::Expected<Value> Evaluator::weight(WeightOp op) {
  auto known = weights.find(op);
  if (known != weights.end())
    return known->second;
  llvm::Expected<Value> value =
      op.isDerived() ? derivedWeight(op) : evaluate(op, source);
  if (value)
    weights.try_emplace(op, *value);
  return value;
}

llvm::Expected<Value> Evaluator::derivedWeight(WeightOp op) {
  Environment values;
  llvm::Expected<Results> results = runBlock(op.getBody().front(), values);
  if (!results)
    return results.takeError();
  auto type = dyn_cast<FloatType>(op.getTensorType().getElementType());
  if (!type)
    return results->front();
  // Rounded once, as compiled code has it.
  Tensor rounded = *results->front().tensor();
  for (double &element : rounded.data)
    element = heddle::roundTo(findElementType(type)->type, element);
  return Value(std::move(rounded));
}

llvm::Expected<Value> Evaluator::weight(WeightOp op, WeightRefOp reference) {
  llvm::Expected<Value> whole = weight(op);
  if (!whole || !reference.getOffsets())
    return whole;
  return whole->box(*reference.getOffsets(), reference.getType().getShape());
}

//===-- functions ---------------------------------------------------------===//

Bounds boundsInRange(Type type, const Tensor &values, Bounds bounds) {
  auto real = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  if (!real || bounds.empty())
    return bounds;
  double overflow = overflowOf(real);
  for (auto [value, bound] : llvm::zip_equal(values.data, bounds))
    if (std::isfinite(value))
      bound = errorInRange(value, bound, overflow);
  return bounds;
}

// Makes infinite what overflows.
static void bringIntoRange(Value &result, Type type) {
  auto real = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  if (!real || !result.isTensor() || result.isStored())
    return;
  double overflow = overflowOf(real);
  auto overflows = [&](double value) {
    return std::isfinite(value) && std::isinf(toRange(value, overflow));
  };
  auto tensor = result.tensor();
  if (llvm::none_of(tensor->data, overflows))
    return;
  Tensor inRange = *tensor;
  bringIntoRange(inRange.data, overflow);
  result = std::move(inRange);
}

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
    auto known = dyn_cast<ReferenceOpInterface>(op);
    if (!known)
      return fail(&op, "the reference evaluator does not know this op");
    PrecisionOf precision(&op);
    llvm::Expected<Results> results = known.run(*this, values);
    if (!results)
      return results;
    if (llvm::Error error =
            checkTypes(&op, "result", *results, op.getResultTypes()))
      return error;
    if (observer)
      observer(&op, valuesOf(op), *results, values);
    for (auto [name, value] : llvm::zip_equal(op.getResults(), *results))
      if (!name.use_empty()) {
        bringIntoRange(value, name.getType());
        values.set(name, value);
      }
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
    auto texts = function.getArgAttrOfType<ArrayAttr>(index, kSizesAttr);
    unsigned next = 0;
    for (auto [size, extent] : llvm::zip(sizes, shape)) {
      std::string error;
      if (!size && texts && next < texts.size())
        size = parseDeclaredSize(texts[next++], error);
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
Evaluator::run(FunctionOpInterface function, ArrayRef<Value> arguments,
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
  return run(FunctionOpInterface(found), arguments, symbols);
}

} // namespace heddle::reference
