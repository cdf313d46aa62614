// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/TextEntries/SizeProbe.h"

#include "mlir/IR/AttrTypeSubElements.h"

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

// Whether an op has numbers of tokens.
static bool isSymbolic(Operation *op, const DecoderSizes &sizes) {
  bool isOne = false;
  AttrTypeWalker walker;
  walker.addWalk([&](SizeAttr size) {
    size.walk([&](SizeAttr part) {
      isOne |=
          part.getKind() == SizeKind::Symbol &&
          (part.getName() == sizes.capacity || part.getName() == sizes.length);
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
      auto known = found.find(operand.getDefiningOp());
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
            tensors) {}

llvm::Expected<Probe::Results>
SizeProbe::evaluate(const DecoderCall &call) const {
  SmallVector<reference::Value> arguments = {
      Tensor::zeros({kBatch, call.length}), Tensor::zeros({call.past()}),
      Tensor::zeros({call.total})};
  auto numberOf = [&](SizeAttr size) -> int64_t {
    SizeAttr known = size.substitute([&](StringRef name) {
      return SizeAttr::number(size.getContext(),
                              name == sizes.batch    ? kBatch
                              : name == sizes.length ? call.length
                              : name == sizes.past   ? call.past()
                                                     : call.total);
    });
    return *known.asNumber();
  };
  for (const GivenValue &each : given) {
    Tensor tensor =
        Tensor::zeros(llvm::map_to_vector(sizesOf(each.value), numberOf));
    llvm::fill(tensor.data, double(each.element(call)));
    arguments.push_back(std::move(tensor));
  }
  return probe.evaluate(arguments);
}
