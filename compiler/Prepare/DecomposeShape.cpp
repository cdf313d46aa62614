// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/Decompositions.h"
#include "compiler/Prepare/GenericBuilder.h"
#include "dialect/Heddle/Verification.h"

using namespace mlir;

namespace heddle {

// result[d_0, d_1, ..] = input[at...], with the sizes `over`.
static Value
buildView(OpBuilder &b, Location loc, Value input, const Sizes &over,
          llvm::function_ref<SmallVector<AffineExpr>(GenericBuilder &)> at) {
  GenericBuilder g(b, loc, over);
  g.input(input, at(g));
  g.result(getElementTypeOrSelf(input));
  return g.build([](GenericBody &body) { return body.input(0); });
}

static Values decompose(TransposeOp op, OpBuilder &b) {
  return {buildView(b, op.getLoc(), op.getInput(), sizesOf(op.getResult()),
                    [&](GenericBuilder &g) {
                      SmallVector<AffineExpr> at(op.getPermutation().size());
                      for (auto [dim, source] :
                           llvm::enumerate(op.getPermutation()))
                        at[source] = g.dim(dim);
                      return at;
                    })};
}

//===-- heddle.reshape ----------------------------------------------------===//

namespace {
/// Dimensions of input and result, [begin, end) of each, that have equally many
/// elements: [4, 6] and [8, 3].
struct ReshapeGroup {
  unsigned inputBegin, inputEnd, resultBegin, resultEnd;
};
} // namespace

static bool isMultipleOf(SizeAttr size, SizeAttr divisor) {
  return floorDiv(size, divisor) * divisor == size;
}

// The smallest such groups, as far as symbols tell.
static SmallVector<ReshapeGroup> groupDimensions(const Sizes &input,
                                                 const Sizes &result) {
  SmallVector<ReshapeGroup> groups;
  unsigned i = 0, r = 0;
  while (i < input.size() && r < result.size()) {
    ReshapeGroup group{i, i + 1, r, r + 1};
    SizeAttr left = input[i++], right = result[r++];
    while (left != right) {
      if (r < result.size() && (i == input.size() || isMultipleOf(left, right)))
        right = right * result[r++];
      else if (i < input.size())
        left = left * input[i++];
      else
        break;
    }
    group.inputEnd = i;
    group.resultEnd = r;
    groups.push_back(group);
  }
  // What is left are dimensions of size 1.
  if (!groups.empty()) {
    groups.back().inputEnd = input.size();
    groups.back().resultEnd = result.size();
  }
  return groups;
}

// Where the elements of a group are in the input: the number of an element,
// divided by what follows each dimension.
static void locateGroup(GenericBuilder &g, const ReshapeGroup &group,
                        const Sizes &input, const Sizes &result,
                        SmallVectorImpl<AffineExpr> &at) {
  SizeAttr one = SizeAttr::number(input.front().getContext(), 1);
  AffineExpr number;
  SizeAttr stride = one;
  for (unsigned dim = group.resultEnd; dim-- > group.resultBegin;) {
    if (result[dim] != one) {
      AffineExpr term = g.dim(dim) * g.size(stride);
      number = number ? term + number : term;
    }
    stride = stride * result[dim];
  }
  if (!number)
    number = g.size(SizeAttr::number(one.getContext(), 0));
  stride = one;
  for (unsigned dim = group.inputEnd; dim-- > group.inputBegin;) {
    SizeAttr next = stride * input[dim];
    AffineExpr coordinate = number;
    if (stride != one)
      coordinate = coordinate.floorDiv(g.size(stride));
    // The first dimension has all that is left.
    bool isFirst =
        llvm::all_of(llvm::seq(group.inputBegin, dim),
                     [&](unsigned before) { return input[before] == one; });
    if (input[dim] == one)
      coordinate = g.size(SizeAttr::number(one.getContext(), 0));
    else if (!isFirst)
      coordinate = coordinate % g.size(input[dim]);
    at[dim] = coordinate;
    stride = next;
  }
}

static Values decompose(ReshapeOp op, OpBuilder &b) {
  Sizes input = sizesOf(op.getInput()), result = sizesOf(op.getResult());
  return {
      buildView(b, op.getLoc(), op.getInput(), result, [&](GenericBuilder &g) {
        SmallVector<AffineExpr> at(input.size(), b.getAffineConstantExpr(0));
        for (const ReshapeGroup &group : groupDimensions(input, result))
          locateGroup(g, group, input, result, at);
        return at;
      })};
}

//===-- Dimensions of size 1 ----------------------------------------------===//

static Values decompose(ExpandOp op, OpBuilder &b) {
  return {buildView(b, op.getLoc(), op.getInput(), sizesOf(op.getResult()),
                    [&](GenericBuilder &g) {
                      SmallVector<AffineExpr> at;
                      unsigned rank = sizesOf(op.getResult()).size();
                      for (unsigned dim = 0; dim < rank; ++dim)
                        if (!llvm::is_contained(op.getAxes(), dim))
                          at.push_back(g.dim(dim));
                      return at;
                    })};
}

static Values decompose(SqueezeOp op, OpBuilder &b) {
  return {buildView(b, op.getLoc(), op.getInput(), sizesOf(op.getResult()),
                    [&](GenericBuilder &g) {
                      SmallVector<AffineExpr> at;
                      unsigned rank = sizesOf(op.getInput()).size(), next = 0;
                      for (unsigned dim = 0; dim < rank; ++dim)
                        at.push_back(llvm::is_contained(op.getAxes(), dim)
                                         ? b.getAffineConstantExpr(0)
                                         : g.dim(next++));
                      return at;
                    })};
}

static Values decompose(BroadcastOp op, OpBuilder &b) {
  return {
      buildView(b, op.getLoc(), op.getInput(), sizesOf(op.getResult()),
                [&](GenericBuilder &g) { return g.broadcast(op.getInput()); })};
}

static Values decompose(BroadcastTensorsOp op, OpBuilder &b) {
  Values results;
  for (auto [input, result] :
       llvm::zip_equal(op.getInputs(), op.getResults())) {
    Sizes sizes = sizesOf(result);
    bool isWhole = sizesOf(input) == sizes;
    results.push_back(
        isWhole ? input
                : BroadcastOp::create(b, op.getLoc(), result.getType(), input,
                                      toArray(b.getContext(), sizes))
                      .getResult());
  }
  return results;
}

//===-- Parts -------------------------------------------------------------===//

// Whether all elements are seen to be there whatever the sizes: where only the
// declared ones say so, kernels, which know none, limit the coordinates.
static bool isInside(SliceOp op) {
  SizeAttr one = SizeAttr::number(op.getContext(), 1);
  for (auto [input, size, offset, step] :
       llvm::zip_equal(sizesOf(op.getInput()), toSizes(op.getSizes()),
                       toSizes(op.getOffsets()), op.getSteps())) {
    SizeAttr first = offset, last = offset + (size - one) * step;
    if (step < 0)
      std::swap(first, last);
    if (!isNeverNegativeIn(op, first) ||
        !isNeverNegativeIn(op, input - one - last))
      return false;
  }
  return true;
}

static Value readSlice(SliceOp op, OpBuilder &b) {
  GenericBuilder g(b, op.getLoc(), sizesOf(op.getResult()));
  g.table(op.getInput());
  g.result(getElementTypeOrSelf(op.getInput()));
  return g.build([&](GenericBody &body) {
    SmallVector<Element> at;
    for (auto [dim, offset] : llvm::enumerate(toSizes(op.getOffsets()))) {
      Element index = body.index(dim);
      at.push_back(index * index.constant(op.getSteps()[dim]) +
                   body.size(offset));
    }
    return body.read(0, at);
  });
}

static Values decompose(SliceOp op, OpBuilder &b) {
  if (!isInside(op))
    return {readSlice(op, b)};
  return {buildView(
      b, op.getLoc(), op.getInput(), sizesOf(op.getResult()),
      [&](GenericBuilder &g) {
        SmallVector<AffineExpr> at;
        for (auto [dim, offset] : llvm::enumerate(toSizes(op.getOffsets())))
          at.push_back(g.dim(dim) * op.getSteps()[dim] + g.size(offset));
        return at;
      })};
}

static Values decompose(SplitOp op, OpBuilder &b) {
  Values results;
  SizeAttr offset = SizeAttr::number(b.getContext(), 0);
  unsigned axis = op.getAxis();
  for (Value result : op.getResults()) {
    Sizes sizes = sizesOf(result);
    results.push_back(
        buildView(b, op.getLoc(), op.getInput(), sizes, [&](GenericBuilder &g) {
          auto at = g.dims(0, sizes.size());
          at[axis] = at[axis] + g.size(offset);
          return at;
        }));
    offset = offset + sizes[axis];
  }
  return results;
}

// An element of an input of concat, at coordinates that may be past it: it is
// not used then, but an input without elements has none to read.
static Element readPart(ConcatOp op, unsigned part, GenericBody &body,
                        ArrayRef<Element> point) {
  SizeAttr size = sizesOf(op.getInputs()[part])[op.getAxis()];
  if (isPositiveIn(op, size))
    return body.read(part, point);
  Type type = getElementTypeOrSelf(op.getType());
  return body.read(part, point, body.constant(numberOf(type, 0)));
}

static Values decompose(ConcatOp op, OpBuilder &b) {
  Sizes sizes = sizesOf(op.getResult());
  unsigned axis = op.getAxis();
  GenericBuilder g(b, op.getLoc(), sizes);
  for (Value input : op.getInputs())
    g.table(input);
  g.result(getElementTypeOrSelf(op.getResult()));
  return {g.build([&](GenericBody &body) {
    SmallVector<Element> point = body.indices(sizes.size());
    Element index = point[axis];
    Element element = readPart(op, 0, body, point);
    SizeAttr begin = sizesOf(op.getInputs()[0])[axis];
    for (auto [part, input] : llvm::enumerate(op.getInputs().drop_front())) {
      Element first = body.size(begin);
      point[axis] = index - first;
      element =
          select(index < first, element, readPart(op, part + 1, body, point));
      begin = begin + sizesOf(input)[axis];
    }
    return element;
  })};
}

static Values decompose(PadOp op, OpBuilder &b) {
  Sizes sizes = sizesOf(op.getResult());
  GenericBuilder g(b, op.getLoc(), sizes);
  g.table(op.getInput());
  g.result(getElementTypeOrSelf(op.getResult()));
  return {g.build([&](GenericBody &body) {
    SmallVector<Element> point = body.indices(sizes.size());
    for (auto [coordinate, low] : llvm::zip_equal(point, toSizes(op.getLow())))
      if (low.asNumber() != 0)
        coordinate = coordinate - body.size(low);
    return body.read(0, point, body.constant(scalarOf(op.getValue())));
  })};
}

void registerShapeDecompositions(MLIRContext *context) {
  attachDecompositions<TransposeOp, ReshapeOp, ExpandOp, SqueezeOp, SliceOp,
                       ConcatOp, SplitOp, PadOp, BroadcastOp,
                       BroadcastTensorsOp>(context);
}

} // namespace heddle
