// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// %h = heddle.generic { %x[b, s, h * 64 + d] } : tensor<?x8x?x64xf32>
// %o = heddle.attention %h, ...
//   -> heddle.attention %x, ...     %x : tensor<?x?x512xf32>
//
// A product that reads %o[b, k floordiv 64, s, k mod 64] makes it
// %o[b, s, k] : tensor<?x?x512xf32>

#include "compiler/Attention/Passes.h"
#include "compiler/Prepare/Views.h"
#include "dialect/Heddle/Coordinates.h"

namespace heddle {
#define GEN_PASS_DEF_PLACEHEADS
#include "compiler/Attention/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

static Sizes dimensionsOf(Value value) {
  Sizes dims;
  for (unsigned dim = 0; dim < sizesOf(value).size(); ++dim)
    dims.push_back(dimensionSymbol(value.getContext(), dim));
  return dims;
}

// Where an element of [batch, heads, length, channels], in some layout, is in
// another layout of the same, whose heads have `channels` channels: `dims` are
// its coordinates in the first one.
static Sizes convert(const Sizes &dims, const HeadLayout &from,
                     const HeadLayout &to, SizeAttr channels) {
  SizeAttr channel = dims[from.channel];
  SizeAttr head = from.head ? dims[*from.head] : floorDiv(channel, channels);
  SizeAttr inHead = from.head ? channel : mod(channel, channels);
  Sizes at(to.getRank());
  at[to.batches[0]] = dims[from.batches[0]];
  at[to.length] = dims[from.length];
  if (to.head) {
    at[*to.head] = head;
    at[to.channel] = inHead;
  } else {
    at[to.channel] = from.head ? head * channels + inHead : channel;
  }
  return at;
}

static bool areEqual(Sizes found, Sizes expected, const Sizes &extents) {
  for (Sizes *sizes : {&found, &expected})
    for (SizeAttr &size : *sizes)
      size = simplify(size, extents);
  return found == expected;
}

//===-- Operands ----------------------------------------------------------===//

// The tensor that `operand` is a view of, if that has heads where kernels read
// them.
static Value findTokens(AttentionOp op, Value operand, int64_t heads) {
  HeadLayout from = op.getLayoutOf(operand);
  Sizes extents = sizesOf(operand), at = dimensionsOf(operand);
  SizeAttr batch = extents[0], length = extents[from.length];
  SizeAttr channels = extents[from.channel];
  if (!from.head)
    channels = floorDiv(channels, SizeAttr::number(op.getContext(), heads));
  Value found = operand, base = operand;
  while (auto view = base.getDefiningOp<GenericOp>()) {
    if (!isView(view) || readsOldCache(view, op))
      break;
    base = view.getInputs()[0];
    Sizes next = view.getCoordinates(0);
    for (SizeAttr &coordinate : next)
      coordinate = composeCoordinate(coordinate, at, extents);
    at = next;
    int64_t rank = at.size();
    if (rank != 3 && rank != 4)
      continue;
    HeadLayout to = HeadLayout::ofRank(rank);
    Sizes sizes(rank);
    sizes[0] = batch;
    sizes[to.length] = length;
    if (to.head)
      sizes[*to.head] = SizeAttr::number(op.getContext(), heads);
    sizes[to.channel] = to.head ? channels : channels * heads;
    if (sizes == sizesOf(base) &&
        areEqual(at, convert(dimensionsOf(operand), from, to, channels),
                 extents))
      found = base;
  }
  return found;
}

//===-- Outputs -----------------------------------------------------------===//

// What views make of the output, while nothing else reads it, if that has the
// heads where kernels write them, and its layout.
static std::pair<Value, HeadLayout> findOutput(AttentionOp op, Value output) {
  HeadLayout from = op.getLayoutOfOutput();
  std::pair<Value, HeadLayout> found{output, from};
  SizeAttr channels = SizeAttr::number(op.getContext(), op.getValueDim());
  SizeAttr heads = SizeAttr::number(op.getContext(), op.getHeads());
  // Coordinates of a part that begins at 0 are those of the whole, and those of
  // dimensions of one element do not tell what these are.
  auto isWhole = [&](const HeadLayout &to, const Sizes &extents) {
    if (extents[to.batches[0]] != sizesOf(output)[from.batches[0]] ||
        extents[to.length] != sizesOf(output)[from.length])
      return false;
    if (!to.head)
      return extents[to.channel] == heads * channels;
    return extents[*to.head] == heads && extents[to.channel] == channels;
  };
  Value value = output;
  Sizes at = dimensionsOf(output);
  while (value.hasOneUse()) {
    auto view = dyn_cast<GenericOp>(*value.user_begin());
    if (!view || !isView(view) || view->getBlock() != op->getBlock())
      break;
    Sizes step = view.getCoordinates(0), extents = view.getExtents();
    for (SizeAttr &coordinate : at)
      coordinate = composeCoordinate(coordinate, step, extents);
    value = view.getResult(0);
    for (const HeadLayout &to : {HeadLayout::ofRank(3), HeadLayout::ofRank(4),
                                 HeadLayout{{0}, 2, 1, 3}})
      if (to.getRank() == extents.size() && isWhole(to, extents) &&
          areEqual(at, convert(dimensionsOf(value), to, from, channels),
                   extents))
        found = {value, to};
  }
  return found;
}

// Where `use` reads [batch, length, heads * channels], while it has this
// layout; empty where that is not one element.
static Sizes joinHeads(OpOperand &use, const HeadLayout &layout,
                       SizeAttr channels) {
  auto reader = dyn_cast<GenericOp>(use.getOwner());
  if (!reader || use.getOperandNumber() >= reader.getInputs().size())
    return {};
  Sizes at = simplifiedCoordinates(reader, use.getOperandNumber());
  SizeAttr channel =
      findDividend(at[*layout.head], at[layout.channel], channels);
  if (!channel)
    return {};
  return {at[layout.batches[0]], at[layout.length], channel};
}

// Makes heads and channels of the output, in this layout, one dimension if all
// read them so.
static bool joinOutput(AttentionOp op, Value output, const HeadLayout &layout) {
  if (!layout.head)
    return false;
  SizeAttr channels = SizeAttr::number(op.getContext(), op.getValueDim());
  SmallVector<std::pair<OpOperand *, Sizes>> reads;
  for (OpOperand &use : output.getUses()) {
    reads.push_back({&use, joinHeads(use, layout, channels)});
    if (reads.back().second.empty())
      return false;
  }
  if (reads.empty())
    return false;
  Sizes sizes = sizesOf(output);
  output.setType(tensorOf({sizes[layout.batches[0]], sizes[layout.length],
                           sizes[*layout.head] * sizes[layout.channel]},
                          getElementTypeOrSelf(output)));
  for (auto &[use, at] : reads)
    setCoordinates(cast<GenericOp>(use->getOwner()), use->getOperandNumber(),
                   at);
  return true;
}

static ArrayAttr toAttribute(MLIRContext *context, const HeadLayout &layout) {
  SmallVector<Attribute> dims(layout.getRank());
  auto set = [&](unsigned place, AttentionDim dim) {
    dims[place] = AttentionDimAttr::get(context, dim);
  };
  set(layout.batches[0], AttentionDim::Batch);
  if (layout.head)
    set(*layout.head, AttentionDim::Head);
  set(layout.length, AttentionDim::Length);
  set(layout.channel, AttentionDim::Channel);
  return ArrayAttr::get(context, dims);
}

namespace {
struct PlaceHeads : heddle::impl::PlaceHeadsBase<PlaceHeads> {
  void runOnOperation() override {
    SmallVector<AttentionOp> ops;
    getOperation()->walk([&](AttentionOp op) { ops.push_back(op); });
    for (AttentionOp op : ops)
      place(op);
  }

private:
  static void place(AttentionOp op) {
    OpBuilder b(op);
    op.setScaleAttr(b.getF64FloatAttr(op.getScaleOrDefault()));
    HeadLayout layout = op.getLayoutOfOutput();
    op.setOutputLayoutAttr(toAttribute(op.getContext(), layout));
    op.getQueryMutable().assign(findTokens(op, op.getQuery(), op.getHeads()));
    op.getKeyMutable().assign(findTokens(op, op.getKey(), op.getKvHeads()));
    op.getValueMutable().assign(findTokens(op, op.getValue(), op.getKvHeads()));
    Value output = op.findResult(AttentionResult::Output);
    // Both results have the one layout.
    if (output && !op.findResult(AttentionResult::Unnormalized)) {
      auto [value, found] = findOutput(op, output);
      layout = found;
      if (value != output)
        replace(value, output);
      if (joinOutput(op, output, layout))
        layout = HeadLayout::ofRank(3);
    }
    op.setOutputLayoutAttr(layout == op.getLayoutOf(op.getQuery())
                               ? ArrayAttr()
                               : toAttribute(op.getContext(), layout));
  }

  // What views make of `output` is it.
  static void replace(Value value, Value output) {
    Type type = value.getType();
    value.replaceAllUsesWith(output);
    while (value != output) {
      auto view = value.getDefiningOp<GenericOp>();
      value = view.getInputs()[0];
      view.erase();
    }
    output.setType(type);
  }
};
} // namespace
