// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Onnx/Operators/AttentionBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

Value onnx::splitHeads(Node &node, Value x, int64_t heads) {
  if (node.failed() || Node::rankOf(x) == 4)
    return x;
  Sizes sizes = sizesOf(x);
  Sizes split = {sizes[0], sizes[1], node.size(heads),
                 floorDiv(sizes[2], node.size(heads))};
  return node.transposed(node.reshaped(x, split), {0, 2, 1, 3});
}

Value onnx::concatenated(Node &node, ValueRange parts, int64_t axis) {
  if (node.failed())
    return {};
  return node.make<ConcatOp>(getElementTypeOrSelf(parts.front()), parts,
                             node.b.getI64IntegerAttr(axis));
}

AttentionBuilder::AttentionBuilder(Node &node, Value query, Value key,
                                   Value value, int64_t heads, int64_t kvHeads)
    : node(node), query(query), key(key), value(value), heads(heads),
      kvHeads(kvHeads) {
  auto lengthOf = [](Value x) {
    Sizes sizes = sizesOf(x);
    return sizes[sizes.size() == 4 ? 2 : 1];
  };
  if (node.failed())
    return;
  bool isOdd = llvm::any_of(ArrayRef<Value>{query, key, value}, [](Value x) {
    return Node::rankOf(x) != 3 && Node::rankOf(x) != 4;
  });
  if (isOdd)
    node.fail("expected queries, keys and values of 3 or 4 dimensions");
  else
    space = {sizesOf(query)[0], node.size(heads), lengthOf(query),
             lengthOf(key)};
}

FloatType AttentionBuilder::computedType() const {
  return getElementTypeOrSelf(query).isF64() ? FloatType(node.b.getF64Type())
                                             : FloatType(node.b.getF32Type());
}

AlignmentAttr AttentionBuilder::alignment(Value offset) {
  return offset ? AlignmentAttr()
                : AlignmentAttr::get(node.b.getContext(), Alignment::TopLeft);
}

void AttentionBuilder::require(Value other) {
  mask = mask ? AndMaskOp::create(node.b, node.loc, mask, other) : other;
}

void AttentionBuilder::requireLengths(Value lengths) {
  if (!node.failed())
    require(LengthsMaskOp::create(node.b, node.loc, lengths));
}

void AttentionBuilder::requireCausal(Value offset, SizeAttr past) {
  if (!node.failed())
    require(CausalMaskOp::create(node.b, node.loc, offset, alignment(offset),
                                 past));
}

void AttentionBuilder::requireWindow(int64_t count, Value offset,
                                     SizeAttr past) {
  if (!node.failed())
    require(WindowMaskOp::create(
        node.b, node.loc, MaskType::get(node.b.getContext()),
        node.b.getI64IntegerAttr(count - 1), node.b.getI64IntegerAttr(0),
        offset, alignment(offset), past));
}

void AttentionBuilder::requireWhere(Value truths, ArrayRef<ScoreDim> over) {
  if (node.failed())
    return;
  SmallVector<Attribute> dims;
  for (ScoreDim dim : over)
    dims.push_back(ScoreDimAttr::get(node.b.getContext(), dim));
  require(DenseMaskOp::create(
      node.b, node.loc, MaskType::get(node.b.getContext()), truths,
      node.b.getArrayAttr(dims), /*queryBlock=*/1, /*keyBlock=*/1,
      /*summary=*/ValueRange()));
}

void AttentionBuilder::add(Value more) {
  more = node.broadcastTo(node.cast(more, computedType()), space);
  bias = bias ? node.map<arith::AddFOp>(bias, more) : more;
}

AttentionOp AttentionBuilder::create(std::optional<AttentionResult> more) {
  if (node.failed())
    return {};
  MLIRContext *context = node.b.getContext();
  SmallVector<Attribute> wanted = {
      AttentionResultAttr::get(context, AttentionResult::Output)};
  if (more)
    wanted.push_back(AttentionResultAttr::get(context, *more));
  SmallVector<Value> operands;
  if (bias)
    operands.push_back(bias);
  auto attention = AttentionOp::create(
      node.b, node.loc, query, key, value, mask, /*sinks=*/Value(),
      /*packedKey=*/Value(), /*packedValue=*/Value(),
      /*termOperands=*/ValueRange(), operands,
      /*factorOperands=*/ValueRange(), heads, kvHeads,
      scale ? node.b.getF64FloatAttr(*scale) : FloatAttr(),
      Normalization::Softmax, /*layout=*/ArrayAttr(),
      /*outputLayout=*/ArrayAttr(), node.b.getArrayAttr(wanted),
      /*splits=*/IntegerAttr(), /*products=*/TypeAttr());
  if (softcap != 0 || bias || change)
    addScores(attention.getScore());
  node.resolve(attention);
  return attention;
}

void AttentionBuilder::addScores(Region &region) {
  OpBuilder::InsertionGuard guard(node.b);
  auto type = tensorOf(space, computedType());
  Block *body = node.b.createBlock(&region, {}, {type}, {node.loc});
  if (bias)
    body->addArgument(bias.getType(), node.loc);
  Value scores = body->getArgument(0);
  if (change)
    scores = change(scores);
  if (softcap != 0)
    scores = SoftcapOp::create(node.b, node.loc, type, scores,
                               node.b.getF64FloatAttr(softcap));
  if (bias)
    scores = node.map<arith::AddFOp>(scores, body->getArgument(1));
  YieldOp::create(node.b, node.loc, scores);
}
