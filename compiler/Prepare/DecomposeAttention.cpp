// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.attention of any layout -> views of its operands as [batch, heads,
// length, channels], heddle.attention of those, and views of its results.

#include "compiler/Prepare/Decompositions.h"
#include "compiler/Prepare/DoubleAttention.h"
#include "compiler/Prepare/GenericBuilder.h"

using namespace mlir;

namespace heddle {

namespace {
class LayoutRewriter {
public:
  LayoutRewriter(AttentionOp op, OpBuilder &b)
      : op(op), b(b), loc(op.getLoc()), space(op.getScoreSpace()) {
    Sizes query = sizesOf(op.getQuery());
    for (unsigned dim : op.getLayoutOf(op.getQuery()).batches)
      batches.push_back(query[dim]);
  }

  Values run() {
    if (op.getComputedType().isF64())
      return runInDouble();
    int64_t kvHeads = op.getKvHeads();
    Value query = toHeads(op.getQuery(), op.getHeads(), /*mustBeF32=*/true);
    Value key = toHeads(op.getKey(), kvHeads);
    Value value = toHeads(op.getValue(), kvHeads);
    auto plain = llvm::cast<AttentionOp>(b.clone(*op));
    plain.getQueryMutable().assign(query);
    plain.getKeyMutable().assign(key);
    plain.getValueMutable().assign(value);
    plain.removeLayoutAttr();
    plain.setOutputLayoutAttr(plainOutput());
    SmallVector<Sizes> sizes;
    LogicalResult fits = plain.inferSizes(sizes);
    assert(succeeded(fits) && "the sizes are those of the op");
    (void)fits;
    for (auto [result, resultSizes] :
         llvm::zip_equal(plain.getResults(), sizes))
      result.setType(tensorOf(resultSizes, b.getF32Type()));
    return toResults(plain.getResults(), plain.getLayoutOfOutput());
  }

private:
  Values runInDouble() {
    Type f64 = b.getF64Type();
    Value query = viewHeads(op.getQuery(), op.getHeads(), f64);
    Value key = viewHeads(op.getKey(), op.getKvHeads(), f64);
    Value value = viewHeads(op.getValue(), op.getKvHeads(), f64);
    return toResults(attendInDouble(b, op, query, key, value),
                     HeadLayout::ofRank(4));
  }

  // Outputs have `layout`.
  Values toResults(ValueRange values, const HeadLayout &layout) {
    Values results;
    for (auto [kind, value, wanted] :
         llvm::zip_equal(op.getWantedResults(), values, op.getResults()))
      results.push_back(kind == AttentionResult::Output ||
                                kind == AttentionResult::Unnormalized
                            ? fromHeads(value, layout, wanted)
                            : splitBatches(value, wanted));
    return results;
  }

  // An operand as kernels of attention take it.
  Value toHeads(Value operand, int64_t heads, bool mustBeF32 = false) {
    HeadLayout layout = op.getLayoutOf(operand);
    Type type = getElementTypeOrSelf(operand);
    if (mustBeF32)
      type = b.getF32Type();
    bool isPlain = !op.getLayout() || layout == HeadLayout::ofRank(4) ||
                   layout == HeadLayout::ofRank(3);
    return isPlain && type == getElementTypeOrSelf(operand)
               ? operand
               : viewHeads(operand, heads, type);
  }

  // [batch, heads, length, channels]
  Value viewHeads(Value operand, int64_t heads, Type type) {
    HeadLayout layout = op.getLayoutOf(operand);
    Sizes from = sizesOf(operand);
    int64_t dimension = *from[layout.channel].asNumber();
    if (!layout.head)
      dimension /= heads;
    GenericBuilder g(
        b, loc,
        {space[0], number(heads), from[layout.length], number(dimension)});
    SmallVector<AffineExpr> at(layout.getRank());
    placeBatches(g, layout, at);
    at[layout.length] = g.dim(2);
    at[layout.channel] = g.dim(3);
    if (layout.head)
      at[*layout.head] = g.dim(1);
    else
      at[layout.channel] = g.dim(1) * dimension + g.dim(3);
    g.input(operand, at);
    g.result(type);
    return g.build(
        [&](GenericBody &body) { return cast(body.input(0), type); });
  }

  // Where sequence dim(0) is in dimensions that count sequences together.
  void placeBatches(GenericBuilder &g, const HeadLayout &layout,
                    MutableArrayRef<AffineExpr> at) {
    AffineExpr rest = g.dim(0);
    for (size_t index = batches.size(); index-- > 0;) {
      at[layout.batches[index]] = index ? rest % g.size(batches[index]) : rest;
      if (index)
        rest = rest.floorDiv(g.size(batches[index]));
    }
  }

  // The layout among those that kernels write which is nearest.
  ArrayAttr plainOutput() {
    HeadLayout layout = op.getLayoutOfOutput();
    using Dim = AttentionDim;
    SmallVector<Dim> dims{Dim::Batch, Dim::Length, Dim::Channel};
    if (layout.head && *layout.head < layout.length)
      dims = {Dim::Batch, Dim::Head, Dim::Length, Dim::Channel};
    else if (layout.head)
      dims = {Dim::Batch, Dim::Length, Dim::Head, Dim::Channel};
    return b.getArrayAttr(llvm::map_to_vector(dims, [&](Dim dim) -> Attribute {
      return AttentionDimAttr::get(b.getContext(), dim);
    }));
  }

  // The number of a sequence, counted by dimensions of the result.
  AffineExpr joinBatches(GenericBuilder &g, ArrayRef<unsigned> dims) {
    AffineExpr joined = b.getAffineConstantExpr(0);
    for (auto [dim, size] : llvm::zip_equal(dims, batches))
      joined = joined * g.size(size) + g.dim(dim);
    return joined;
  }

  Value fromHeads(Value output, const HeadLayout &from, Value wanted) {
    HeadLayout to = op.getLayoutOfOutput();
    Type type = getElementTypeOrSelf(wanted);
    if (from == to && type == getElementTypeOrSelf(output))
      return output;
    GenericBuilder g(b, loc, sizesOf(wanted));
    SmallVector<AffineExpr> at(from.getRank());
    at[from.batches[0]] = joinBatches(g, to.batches);
    at[from.length] = g.dim(to.length);
    at[from.channel] = g.dim(to.channel);
    if (from.head && to.head) {
      at[*from.head] = g.dim(*to.head);
    } else if (from.head) {
      int64_t dimension = *sizesOf(output)[from.channel].asNumber();
      at[*from.head] = g.dim(to.channel).floorDiv(dimension);
      at[from.channel] = g.dim(to.channel) % dimension;
    }
    g.input(output, at);
    g.result(type);
    return g.build(
        [&](GenericBody &body) { return cast(body.input(0), type); });
  }

  // Of [batch, ...], with the dimensions that sequences have.
  Value splitBatches(Value value, Value wanted) {
    if (batches.size() == 1)
      return value;
    unsigned count = batches.size(), rank = sizesOf(wanted).size();
    GenericBuilder g(b, loc, sizesOf(wanted));
    SmallVector<AffineExpr> at{
        joinBatches(g, llvm::to_vector(llvm::seq(count)))};
    llvm::append_range(at, g.dims(count, rank - count));
    g.input(value, at);
    g.result(getElementTypeOrSelf(value));
    return g.build([](GenericBody &body) { return body.input(0); });
  }

  SizeAttr number(int64_t value) {
    return SizeAttr::number(b.getContext(), value);
  }

  AttentionOp op;
  OpBuilder &b;
  Location loc;
  ScoreSpace space;
  Sizes batches;
};
} // namespace

static Values decompose(AttentionOp op, OpBuilder &b) {
  return LayoutRewriter(op, b).run();
}

// Masks that functions are given, or give, have no formula before functions
// are inlined.
static bool hasUnknownMask(AttentionOp op) {
  SetVector<Value> masks;
  if (op.getMask())
    masks.insert(op.getMask());
  for (size_t i = 0; i < masks.size(); ++i) {
    auto mask = masks[i].getDefiningOp<MaskOpInterface>();
    if (!mask)
      return true;
    masks.insert_range(
        llvm::make_filter_range(mask->getOperands(), [](Value x) {
          return isa<MaskType>(x.getType());
        }));
  }
  return false;
}

static bool needsDecomposing(AttentionOp op) {
  bool isDouble = op.getComputedType().isF64();
  return !op.isPlain() && !(isDouble && hasUnknownMask(op));
}

void registerAttentionDecompositions(MLIRContext *context) {
  AttentionOp::attachInterface<ConditionalDecomposition<AttentionOp>>(*context);
}

} // namespace heddle
