// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that make one element of several, or order them.

#include "compiler/Import/Onnx/Operators.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

static Type elementOf(Value x) { return getElementTypeOrSelf(x); }

// Axes are an attribute, or an input since version 13 (sums) or 18. Without any
// all are meant, or none where the node says so.
static SmallVector<int64_t> axesOf(Node &node, int64_t rank) {
  bool isNone = node.integer("noop_with_empty_axes", 0) != 0;
  SmallVector<int64_t> axes;
  if (node.hasInput(1))
    axes = node.numbers(1);
  else
    axes = node.integerList("axes");
  if (axes.empty() && !isNone)
    return llvm::to_vector(llvm::seq<int64_t>(0, rank));
  return node.axes(axes, rank);
}

static Value reduce(Node &node, ReductionKind kind, Value x) {
  bool keepSizes = node.integer("keepdims", 1) != 0;
  if (node.failed())
    return {};
  SmallVector<int64_t> axes = axesOf(node, Node::rankOf(x));
  if (node.failed() || axes.empty())
    return kind == ReductionKind::L2 ? node.map<math::AbsFOp>(x) : x;
  return node.make<ReduceOp>(elementOf(x), kind, x, axes, keepSizes);
}

// The product of sizes is how graphs count elements.
static bool multiplyKnown(Node &node) {
  const KnownIntegers *x = node.known(0);
  if (!x || x->shape.size() != 1)
    return false;
  KnownIntegers result{
      {}, {product(node.b.getContext(), x->elements)}, x->type};
  if (node.integer("keepdims", 1) != 0)
    result.shape.push_back(1);
  axesOf(node, 1);
  node.setResult(std::move(result));
  return true;
}

template <ReductionKind kind> static void translateReduce(Node &node) {
  if (kind == ReductionKind::Product && multiplyKnown(node))
    return;
  node.setResult(reduce(node, kind, node.input(0)));
}

static void translateReduceL1(Node &node) {
  Value x = node.input(0);
  node.setResult(reduce(node, ReductionKind::Sum, node.map<math::AbsFOp>(x)));
}

static void translateReduceSumSquare(Node &node) {
  Value x = node.input(0);
  node.setResult(
      reduce(node, ReductionKind::Sum, node.map<arith::MulFOp>(x, x)));
}

static void translateReduceLogSum(Node &node) {
  Value sum = reduce(node, ReductionKind::Sum, node.input(0));
  node.setResult(node.map<math::LogOp>(sum));
}

template <ExtremumKind kind> static void translateArgument(Node &node) {
  if (node.integer("select_last_index", 0) != 0)
    return node.fail("expected select_last_index = 0");
  bool keepSizes = node.integer("keepdims", 1) != 0;
  Value x = node.input(0);
  if (node.failed())
    return;
  int64_t axis = node.axis(node.integer("axis", 0), Node::rankOf(x));
  Value index =
      node.make<ArgReduceOp>(node.b.getI32Type(), kind, x, axis, keepSizes);
  node.setResult(node.cast(index, node.b.getI64Type()));
}

static void translateTopK(Node &node) {
  bool largest = node.integer("largest", 1) != 0;
  node.integer("sorted", 1); // sorted is one of the orders that are allowed
  Value x = node.input(0);
  Sizes k = node.sizes(1);
  if (node.failed())
    return;
  int64_t axis = node.axis(node.integer("axis", -1), Node::rankOf(x));
  if (auto count = k.front().asNumber(); count && !node.failed())
    node.limitSize(sizesOf(x)[axis], *count, kLargestCount);
  auto type = [](Type element) { return RankedTensorType::get({}, element); };
  auto top =
      TopKOp::create(node.b, node.loc, type(elementOf(x)),
                     type(node.b.getI32Type()), x, axis, k.front(), !largest);
  node.resolve(top);
  node.setResult(top.getValues());
  node.setResult(node.cast(top.getIndices(), node.b.getI64Type()), 1);
}

static void translateCumSum(Node &node) {
  bool exclusive = node.integer("exclusive", 0) != 0,
       reverse = node.integer("reverse", 0) != 0;
  Value x = node.input(0);
  if (node.failed())
    return;
  // Of one dimension there is no choice, so that nobody need know the axis.
  int64_t axis = 0;
  if (Node::rankOf(x) > 1 || node.known(1)) {
    SmallVector<int64_t> axes = node.numbers(1);
    if (axes.size() != 1)
      return node.fail("expected one axis, found " + Twine(axes.size()));
    axis = node.axis(axes.front(), Node::rankOf(x));
  }
  node.setResult(
      node.make<CumulativeSumOp>(elementOf(x), x, axis, exclusive, reverse));
}

// Before version 13 the axes from that one on were one.
template <typename Op> static void translateSoftmax(Node &node) {
  bool joins = node.version() < 13;
  Value x = node.input(0);
  int64_t axis = node.integer("axis", joins ? 1 : -1);
  if (node.failed())
    return;
  int64_t rank = Node::rankOf(x);
  axis = node.axis(axis, rank);
  Type type = elementOf(x);
  if (!joins || axis == rank - 1)
    return node.setResult(node.make<Op>(type, x, axis));
  Sizes sizes = sizesOf(x), joined(sizes.begin(), sizes.begin() + axis);
  joined.push_back(
      product(node.b.getContext(), ArrayRef(sizes).drop_front(axis)));
  node.setResult(node.reshaped(
      node.make<Op>(type, node.reshaped(x, joined), axis), sizes));
}

llvm::ArrayRef<Operator> onnx::reductionOperators() {
  static constexpr Operator operators[] = {
      {"", "ArgMax", translateArgument<ExtremumKind::Max>},
      {"", "ArgMin", translateArgument<ExtremumKind::Min>},
      {"", "CumSum", translateCumSum},
      {"", "LogSoftmax", translateSoftmax<LogSoftmaxOp>},
      {"", "ReduceL1", translateReduceL1},
      {"", "ReduceL2", translateReduce<ReductionKind::L2>},
      {"", "ReduceLogSum", translateReduceLogSum},
      {"", "ReduceLogSumExp", translateReduce<ReductionKind::LogSumExp>},
      {"", "ReduceMax", translateReduce<ReductionKind::Max>},
      {"", "ReduceMean", translateReduce<ReductionKind::Mean>},
      {"", "ReduceMin", translateReduce<ReductionKind::Min>},
      {"", "ReduceProd", translateReduce<ReductionKind::Product>},
      {"", "ReduceSum", translateReduce<ReductionKind::Sum>},
      {"", "ReduceSumSquare", translateReduceSumSquare},
      {"", "Softmax", translateSoftmax<SoftmaxOp>},
      {"", "TopK", translateTopK},
  };
  return operators;
}
