// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/TextEntries/SizeProbe.h"

#include "mlir/IR/AttrTypeSubElements.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace heddle;
using reference::Tensor;

bool DecoderSizes::areAll(SizeAttr size) const {
  auto symbol = [&](StringRef name) {
    return SizeAttr::symbol(size.getContext(), name);
  };
  return size == symbol(capacity) || size == symbol(past) + symbol(length);
}

bool DecoderSizes::arePast(SizeAttr size) const {
  return areAll(size + SizeAttr::symbol(size.getContext(), length));
}

// Whether an op has numbers of tokens or sequences.
static bool isSymbolic(Operation *op, const DecoderSizes &sizes) {
  bool isOne = false;
  AttrTypeWalker walker;
  walker.addWalk([&](SizeAttr size) {
    size.walk([&](SizeAttr part) {
      isOne |= part.getKind() == SizeKind::Symbol &&
               llvm::is_contained({sizes.batch, sizes.capacity, sizes.length},
                                  part.getName());
    });
  });
  op->walk([&](Operation *each) {
    walker.walk(each->getAttrDictionary());
    for (Type type : each->getResultTypes())
      walker.walk(type);
  });
  return isOne;
}

llvm::MapVector<Operation *, bool>
heddle::opsOfSizes(func::FuncOp function, const DecoderSizes &sizes) {
  llvm::MapVector<Operation *, bool> found;
  for (Operation &op : function.getBody().front().without_terminator()) {
    bool isOne =
        (op.getNumRegions() == 0 ||
         op.hasTrait<OpTrait::IsIsolatedFromAbove>()) &&
        llvm::all_of(op.getResultTypes(), llvm::IsaPred<RankedTensorType>);
    bool isOfTokens = isSymbolic(&op, sizes);
    for (Value operand : op.getOperands()) {
      auto *known = found.find(operand.getDefiningOp());
      isOne &= operand.getDefiningOp() && known != found.end();
      isOfTokens |= known != found.end() && known->second;
    }
    if (isOne)
      found.insert({&op, isOfTokens});
  }
  return found;
}

static SmallVector<Probe::Argument> argumentsOf(MLIRContext *context,
                                                const DecoderSizes &sizes,
                                                ArrayRef<GivenValue> given) {
  Type any = IntegerType::get(context, 8);
  auto symbol = [&](StringRef name) { return SizeAttr::symbol(context, name); };
  SmallVector<Probe::Argument> arguments = {
      {any, {symbol(sizes.batch), symbol(sizes.length)}, Value()},
      {any, {symbol(sizes.past)}, Value()},
      {any, {symbol(sizes.capacity)}, Value()}};
  for (const GivenValue &each : given)
    arguments.push_back(
        {getElementTypeOrSelf(each.value), sizesOf(each.value), each.value});
  return arguments;
}

SizeProbe::SizeProbe(func::FuncOp function, const DecoderSizes &sizes,
                     ArrayRef<Value> wanted, const TensorSource *tensors,
                     ArrayRef<GivenValue> given)
    : sizes(sizes), given(given),
      probe(function, argumentsOf(function.getContext(), sizes, given), wanted,
            tensors) {
  if (!probe || !findMost() || !addCalls())
    allCalls.clear();
}

bool SizeProbe::isKnown(int64_t total) {
  auto results = evaluate({/*batch=*/1, /*length=*/1, total});
  if (results)
    return true;
  llvm::consumeError(results.takeError());
  return false;
}

bool SizeProbe::findMost() {
  most = sizes.mostTokens;
  if (isKnown(most))
    return true;
  int64_t unknown = most;
  most = kLeastTokens;
  if (!isKnown(most))
    return false;
  while (most + 1 < unknown) {
    int64_t middle = (most + unknown) / 2;
    (isKnown(middle) ? most : unknown) = middle;
  }
  return true;
}

void SizeProbe::addCall(int64_t length, int64_t past) {
  int64_t total = past + length;
  if (past < 0 || total > most)
    return;
  bool isLarge = total > kMostLength;
  int64_t batch = isLarge ? 1 : 2 + allCalls.size() % 2;
  allCalls.push_back({batch, length, total});
}

// Tokens of a call are on both sides of `number`, or one is next to it.
void SizeProbe::addCallsAround(int64_t number) {
  addCall(8, number - 4);
  for (int64_t past : {number - 1, number, number + 1})
    addCall(1, past);
}

bool SizeProbe::addCalls() {
  auto found = probe.numbers();
  if (!found) {
    llvm::consumeError(found.takeError());
    return false;
  }
  for (int64_t length : {1, 3, 8})
    for (int64_t past : {0, 1, 2, 5, 40})
      addCall(length, past);
  addCall(3, most - 3);
  // A factor of 0.01 makes 1 of 100.
  llvm::SmallSetVector<int64_t, 8> numbers;
  for (double number : *found)
    for (double each : {std::abs(number), 1 / std::abs(number)})
      if (each >= kLeastNumber && each <= most)
        numbers.insert(int64_t(each));
  if (numbers.size() > kMostNumbers)
    return false;
  llvm::SmallSetVector<int64_t, 32> all;
  for (int64_t number : numbers) {
    all.insert(number);
    for (int64_t other : numbers)
      all.insert_range(
          std::initializer_list<int64_t>{number + other, number * other});
  }
  for (int64_t number : all)
    addCallsAround(number);
  for (int64_t number : numbers)
    if (number <= kMostLength)
      for (int64_t length : {number, number + 1, number + 4})
        addCall(length, 0);
  return true;
}

llvm::Expected<Probe::Results>
SizeProbe::evaluate(const DecoderCall &call) const {
  SmallVector<reference::Value> arguments = {
      Tensor::zeros({call.batch, call.length}), Tensor::zeros({call.past()}),
      Tensor::zeros({call.total})};
  auto valueOf = [&](StringRef name) {
    return name == sizes.batch    ? call.batch
           : name == sizes.length ? call.length
           : name == sizes.past   ? call.past()
                                  : call.total;
  };
  for (const GivenValue &each : given) {
    Tensor tensor = Tensor::zeros(
        llvm::map_to_vector(sizesOf(each.value), [&](SizeAttr size) {
          return *size.evaluate(valueOf);
        }));
    llvm::fill(tensor.data, double(each.element(call)));
    arguments.push_back(std::move(tensor));
  }
  return probe.evaluate(arguments);
}
