// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/TextEntries/Probe.h"

#include "compiler/Pipeline.h"
#include "compiler/Reference/Evaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace heddle;

// Ops that values follow from, up to those that are known; nothing where they
// follow from another argument, too.
static std::optional<llvm::DenseSet<Operation *>>
opsOf(ArrayRef<Value> wanted, const IRMapping &known) {
  llvm::DenseSet<Operation *> ops;
  SmallVector<Value> list(wanted);
  while (!list.empty()) {
    Value value = list.pop_back_val();
    if (known.contains(value))
      continue;
    Operation *op = value.getDefiningOp();
    if (!op)
      return std::nullopt;
    if (ops.insert(op).second)
      llvm::append_range(list, op->getOperands());
  }
  return ops;
}

// A function that returns constants and small weights of `probe`.
static void addNumbers(func::FuncOp probe) {
  OpBuilder b(probe);
  Location loc = probe.getLoc();
  auto numbers =
      func::FuncOp::create(b, loc, "numbers", b.getFunctionType({}, {}));
  b.setInsertionPointToStart(numbers.addEntryBlock());
  SmallVector<Value> results;
  for (Operation &op : probe.getBody().front()) {
    if (!isa<arith::ConstantOp, WeightRefOp, TableOpInterface>(op))
      continue;
    auto type = dyn_cast<RankedTensorType>(op.getResult(0).getType());
    if (type && type.hasStaticShape() &&
        type.getNumElements() <= Probe::kMostNumbers)
      results.push_back(b.clone(op)->getResult(0));
  }
  func::ReturnOp::create(b, loc, results);
  numbers.setType(b.getFunctionType({}, ValueRange(results).getTypes()));
}

Probe::Probe(func::FuncOp function, ArrayRef<Argument> arguments,
             ArrayRef<Value> wanted, const TensorSource *tensors)
    : tensors(tensors) {
  MLIRContext *context = function.getContext();
  Location loc = function.getLoc();
  OpBuilder b(context);
  module = ModuleOp::create(loc);
  b.setInsertionPointToStart(module->getBody());
  for (auto weight : function->getParentOfType<ModuleOp>().getOps<WeightOp>())
    b.clone(*weight);
  SmallVector<Type> types;
  for (const Argument &argument : arguments)
    types.push_back(
        tensorOf(argument.sizes, argument.elementType).dropEncoding());
  auto probe =
      func::FuncOp::create(b, loc, "probe", b.getFunctionType(types, {}));
  b.setInsertionPointToStart(probe.addEntryBlock());
  IRMapping copies;
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    SmallVector<std::string> texts;
    for (SizeAttr size : argument.sizes)
      if (!size.asNumber())
        texts.push_back(size.str());
    SmallVector<StringRef> names(texts.begin(), texts.end());
    probe.setArgAttr(index, kSizesAttr, b.getStrArrayAttr(names));
    if (argument.value)
      copies.map(argument.value, probe.getArgument(index));
  }
  auto needed = opsOf(wanted, copies);
  if (!needed) {
    module = nullptr;
    return;
  }
  for (Operation &op : function.getBody().front())
    if (needed->contains(&op))
      for (Value result : b.clone(op, copies)->getResults())
        if (auto type = dyn_cast<RankedTensorType>(result.getType()))
          result.setType(type.dropEncoding());
  SmallVector<Value> results;
  for (Value value : wanted)
    results.push_back(copies.lookup(value));
  func::ReturnOp::create(b, loc, results);
  probe.setType(b.getFunctionType(types, ValueRange(results).getTypes()));
  addNumbers(probe);
  ScopedDiagnosticHandler silent(context,
                                 [](Diagnostic &) { return success(); });
  if (failed(prepareReference(*module)))
    module = nullptr;
}

llvm::Expected<Probe::Results>
Probe::evaluate(ArrayRef<reference::Value> arguments) const {
  reference::Evaluator evaluator(*module, tensors);
  auto results = evaluator.run("probe", arguments);
  if (!results)
    return results.takeError();
  return Results(*results);
}

llvm::Expected<std::vector<double>> Probe::numbers() const {
  std::vector<double> found;
  reference::Evaluator evaluator(*module, tensors);
  auto constants = evaluator.run("numbers", {});
  if (!constants)
    return constants.takeError();
  for (const reference::Value &value : *constants)
    if (auto tensor = value.tensor())
      for (size_t element : llvm::seq(tensor->data.size()))
        found.push_back(tensor->number(element));
  auto addSize = [&](SizeAttr size) {
    size.walk([&](SizeAttr part) { found.push_back(part.getNumber()); });
  };
  AttrTypeWalker walker;
  walker.addWalk(addSize);
  walker.addWalk([&](IntegerAttr number) {
    if (number.getValue().getSignificantBits() <= 64)
      found.push_back(number.getValue().getSExtValue());
  });
  walker.addWalk(
      [&](FloatAttr number) { found.push_back(number.getValueAsDouble()); });
  walker.addWalk([&](DenseI64ArrayAttr list) {
    llvm::append_range(found, list.asArrayRef());
  });
  walker.addWalk([&](RankedTensorType type) {
    for (int64_t size : type.getShape())
      if (!ShapedType::isDynamic(size))
        found.push_back(size);
  });
  ModuleOp whole = *module;
  whole.lookupSymbol<func::FuncOp>("probe").walk([&](Operation *op) {
    walker.walk(op->getAttrDictionary());
    for (Type type : op->getResultTypes())
      walker.walk(type);
  });
  return found;
}
