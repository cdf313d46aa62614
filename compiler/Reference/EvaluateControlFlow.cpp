// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops, branches, calls and launches. Numbers are tensors without dimensions.

#include "compiler/Reference/Evaluate.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace heddle::reference {

static Value makeNumber(double value) { return Tensor({}, {value}); }

static int64_t numberOf(const Environment &values, mlir::Value name) {
  return int64_t(values.tensor(name)->data[0]);
}

static void set(Environment &values, ValueRange names, ArrayRef<Value> list) {
  for (auto [name, value] : llvm::zip_equal(names, list))
    values.set(name, value);
}

static Results valuesOf(const Environment &values, ValueRange names) {
  return llvm::map_to_vector(names,
                             [&](mlir::Value name) { return values[name]; });
}

static llvm::Expected<Results> evaluate(scf::ForOp op, Evaluator &evaluator,
                                        Environment &values) {
  // Of unsigned numbers, the negative ones are the largest.
  Type type = op.getInductionVar().getType();
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  auto read = [&](mlir::Value name) {
    APInt number(64, numberOf(values, name), /*isSigned=*/true);
    return op.getUnsignedCmp() ? number.trunc(bits).zext(65) : number.sext(65);
  };
  APInt last = read(op.getUpperBound()), first = read(op.getLowerBound());
  int64_t step = numberOf(values, op.getStep());
  Results carried = valuesOf(values, op.getInitArgs());
  for (APInt at = first; step > 0 && at.slt(last); at += uint64_t(step)) {
    int64_t i = at.trunc(bits).getSExtValue();
    values.set(op.getInductionVar(), makeNumber(double(i)));
    set(values, op.getRegionIterArgs(), carried);
    llvm::Expected<Results> next = evaluator.runBlock(*op.getBody(), values);
    if (!next)
      return next;
    carried = std::move(*next);
  }
  return carried;
}

static llvm::Expected<Results> evaluate(scf::WhileOp op, Evaluator &evaluator,
                                        Environment &values) {
  Results carried = valuesOf(values, op.getInits());
  while (true) {
    set(values, op.getBeforeArguments(), carried);
    llvm::Expected<Results> before =
        evaluator.runBlock(*op.getBeforeBody(), values);
    if (!before)
      return before;
    // The condition, and what it hands on.
    bool goesOn = before->front().tensor()->data[0] != 0;
    Results handedOn(llvm::drop_begin(*before));
    if (!goesOn)
      return handedOn;
    set(values, op.getAfterArguments(), handedOn);
    llvm::Expected<Results> after =
        evaluator.runBlock(*op.getAfterBody(), values);
    if (!after)
      return after;
    carried = std::move(*after);
  }
}

static llvm::Expected<Results> evaluate(scf::IfOp op, Evaluator &evaluator,
                                        Environment &values) {
  Region &region = numberOf(values, op.getCondition()) ? op.getThenRegion()
                                                       : op.getElseRegion();
  if (region.empty())
    return Results();
  return evaluator.runBlock(region.front(), values);
}

static llvm::Expected<Results> evaluate(func::CallOp op, Evaluator &evaluator,
                                        Environment &values) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getCalleeAttr());
  return evaluator.run(callee, valuesOf(values, op.getOperands()),
                       values.allSymbols());
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
static llvm::Expected<Results> evaluate(LaunchOp op, Evaluator &evaluator,
                                        Environment &values) {
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
      evaluator.run(kernel, arguments, values.allSymbols());
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

static llvm::Expected<Value> evaluate(tensor::ExtractOp op,
                                      const Environment &values) {
  auto tensor = values.tensor(op.getTensor());
  int64_t place = 0;
  for (auto [index, extent] : llvm::zip_equal(op.getIndices(), tensor->shape)) {
    int64_t value = numberOf(values, index);
    if (value < 0 || value >= extent)
      return fail(op, "expected an index from 0 to " + Twine(extent - 1) +
                          ", found " + Twine(value));
    place = place * extent + value;
  }
  return makeNumber(tensor->data[place]);
}

static llvm::Expected<Value> evaluate(SizeOp op, const Environment &values) {
  llvm::Expected<int64_t> size = values.evaluate(op, op.getSize());
  if (!size)
    return size.takeError();
  return makeNumber(double(*size));
}

// Numbers are such tensors already.
static llvm::Expected<Value> evaluate(FromNumberOp op,
                                      const Environment &values) {
  return values[op.getNumber()];
}

namespace {
/// The reference of an op that runs others.
template <typename Op>
struct RunsOthers : ReferenceOpInterface::ExternalModel<RunsOthers<Op>, Op> {
  llvm::Expected<Results> run(Operation *op, Evaluator &evaluator,
                              Environment &values) const {
    return evaluate(cast<Op>(op), evaluator, values);
  }
};

/// All its roundings are those of the ops that it runs.
template <typename Op>
struct AddsNothing : ErrorBoundOpInterface::ExternalModel<AddsNothing<Op>, Op> {
  void perturb(Operation *, Perturbation &, const Environment &,
               MutableArrayRef<Value>) const {}
};
} // namespace

template <typename... Ops> static void attachBoth(MLIRContext *context) {
  attach<RunsOthers, Ops...>(context);
  attach<AddsNothing, Ops...>(context);
}

void registerControlFlow(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, scf::SCFDialect *) {
    attachBoth<scf::ForOp, scf::WhileOp, scf::IfOp>(context);
  });
  registry.addExtension(+[](MLIRContext *context, func::FuncDialect *) {
    attachBoth<func::CallOp>(context);
  });
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attachBoth<LaunchOp>(context);
    attach<Formula, SizeOp, FromNumberOp>(context);
    attach<Exact, FromNumberOp>(context);
  });
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    attach<Formula, tensor::ExtractOp>(context);
    attach<Exact, tensor::ExtractOp>(context);
  });
}

} // namespace heddle::reference
