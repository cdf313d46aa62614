// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/TextEntries/TokenMasks.h"

#include "compiler/TextEntries/Probe.h"
#include "compiler/TextEntries/Values.h"

using namespace mlir;
using namespace heddle;
using reference::Tensor;

// The dimensions of a shape that are not 1.
static SmallVector<int64_t> wideDims(ArrayRef<SizeAttr> sizes) {
  SmallVector<int64_t> dims;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (size.asNumber() != 1)
      dims.push_back(dim);
  return dims;
}

// Where a view has the dimensions of sequences and tokens of its input.
TokenMasks::Form TokenMasks::placeInView(Operation *view) {
  Value input = view->getOperand(0), result = view->getResult(0);
  Form form = formOf(input);
  if (form.kind != Kind::Mask)
    return form;
  if (isa<BroadcastOp>(view)) {
    int64_t more = sizesOf(result).size() - sizesOf(input).size();
    form.place = {form.place.batch + more, form.place.token + more};
    return form;
  }
  // Nothing but dimensions of 1 comes or goes.
  Sizes before = sizesOf(input), after = sizesOf(result);
  SmallVector<int64_t> from = wideDims(before), to = wideDims(after);
  bool isSame = llvm::equal(
      from, to, [&](int64_t a, int64_t b) { return before[a] == after[b]; });
  if (!isSame)
    return {};
  auto moved = [&](int64_t dim) {
    return to[llvm::find(from, dim) - from.begin()];
  };
  form.place = {moved(form.place.batch), moved(form.place.token)};
  return form;
}

TokenMasks::Form TokenMasks::find(Value value) {
  if (value == isValid)
    return {Kind::Mask, {0, 1}};
  Operation *op = value.getDefiningOp();
  if (!op || !isa<RankedTensorType>(value.getType()))
    return {};
  if (splatOf(value))
    return {Kind::Number};
  if (isa<ReshapeOp, ExpandOp, SqueezeOp, BroadcastOp>(op))
    return placeInView(op);
  auto inResult = [&](Value operand) {
    Form form = formOf(operand);
    int64_t more = sizesOf(value).size() - sizesOf(operand).size();
    form.place = {form.place.batch + more, form.place.token + more};
    return form;
  };
  if (auto tensors = dyn_cast<BroadcastTensorsOp>(op))
    return inResult(
        tensors.getInputs()[cast<OpResult>(value).getResultNumber()]);
  if (op->getNumResults() != 1 || !(isa<CastOp, WhereOp, ActivationOp>(op) ||
                                    op->hasTrait<OpTrait::Elementwise>()))
    return {};
  Form all{Kind::Number};
  for (Value operand : op->getOperands()) {
    Form form = inResult(operand);
    if (form.kind == Kind::Other ||
        (form.kind == Kind::Mask && all.kind == Kind::Mask &&
         !(form.place == all.place)))
      return {};
    if (form.kind == Kind::Mask)
      all = form;
  }
  return all;
}

TokenMasks::Form TokenMasks::formOf(Value value) {
  if (auto known = forms.find(value); known != forms.end())
    return known->second;
  Form form = find(value);
  forms[value] = form;
  return form;
}

std::optional<TokenMasks::Numbers> TokenMasks::numbersOf(Value value) {
  Form form = formOf(value);
  if (form.kind != Kind::Mask || form.place.batch != 0 ||
      form.place.token != cast<ShapedType>(value.getType()).getRank() - 1)
    return std::nullopt;
  // Tensors that are broadcast beside it may follow from other arguments.
  while (auto tensors = value.getDefiningOp<BroadcastTensorsOp>())
    value = tensors.getInputs()[cast<OpResult>(value).getResultNumber()];
  auto [known, isNew] = numbers.try_emplace(value);
  if (isNew)
    known->second = compute(value);
  return known->second;
}

std::optional<TokenMasks::Numbers> TokenMasks::compute(Value value) {
  Sizes perToken = sizesOf(isValid);
  Probe probe(function,
              Probe::Argument{IntegerType::get(function.getContext(), 1),
                              perToken, isValid},
              value, /*tensors=*/nullptr);
  if (!probe)
    return std::nullopt;
  // One sequence of two tokens, of which the first is valid.
  Tensor first = Tensor::zeros({1, 2});
  first.data[0] = 1;
  auto results = probe.evaluate({first});
  if (!results) {
    llvm::consumeError(results.takeError());
    return std::nullopt;
  }
  const Tensor &both = *results->front().tensor();
  return Numbers{both.number(0), both.number(1)};
}
