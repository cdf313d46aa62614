// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that normalise.

#include "compiler/Import/Onnx/Operators.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

static Type elementOf(Value x) { return getElementTypeOrSelf(x); }

namespace {
/// The dimensions from an axis on as one, which are normalised together.
struct Joined {
  Joined(Node &node, int64_t defaultAxis) : node(node) {
    Value input = node.input(0);
    int64_t from = node.integer("axis", defaultAxis);
    epsilon = node.number("epsilon", 1e-5);
    node.integer("stash_type", 1); // f32, which sums are computed in anyway
    if (node.failed())
      return;
    sizes = sizesOf(input);
    from = node.axis(from, sizes.size());
    last = product(node.b.getContext(), ArrayRef(sizes).drop_front(from));
    Sizes joined(sizes.begin(), sizes.begin() + from);
    reduced = joined;
    reduced.resize(sizes.size(), node.size(1));
    joined.push_back(last);
    channels = Sizes(sizes.begin() + from, sizes.end());
    axis = from;
    x = node.reshaped(input, joined);
  }

  /// A weight or bias of all these dimensions, or one that is broadcast.
  Value weight(int64_t index) {
    Value w = node.input(index);
    return node.failed() ? Value()
                         : node.reshaped(node.broadcastTo(w, channels), {last});
  }

  Value restored(Value y) { return node.reshaped(y, sizes); }

  Node &node;
  Value x;
  Sizes sizes, channels;
  Sizes reduced; ///< with normalised dimensions as 1
  SizeAttr last;
  int64_t axis = 0;
  double epsilon;
};
} // namespace

static Value mean(Node &node, Value x, int64_t axis) {
  return node.make<ReduceOp>(elementOf(x), ReductionKind::Mean, x,
                             ArrayRef<int64_t>(axis), /*keepSizes=*/true);
}

// 1 / sqrt(x + epsilon)
static Value inverseRoot(Node &node, Value x, double epsilon) {
  if (node.failed())
    return {};
  auto like = [&](double number) {
    return node.broadcastTo(node.constant(number, elementOf(x)), sizesOf(x));
  };
  Value root =
      node.map<math::SqrtOp>(node.map<arith::AddFOp>(x, like(epsilon)));
  return node.map<arith::DivFOp>(like(1), root);
}

static void translateLayerNormalization(Node &node) {
  Joined joined(node, -1);
  Value scale = joined.weight(1);
  Value bias = node.hasInput(2) ? joined.weight(2) : Value();
  if (node.failed())
    return;
  Value x = joined.x;
  node.setResult(joined.restored(node.make<LayerNormOp>(
      elementOf(x), x, scale, bias, node.b.getF64FloatAttr(joined.epsilon))));
  if (!node.hasResult(1) && !node.hasResult(2))
    return;
  // In f32, whatever the input is.
  Value wide = node.cast(x, node.b.getF32Type());
  Value middle = mean(node, wide, joined.axis);
  node.setResult(node.reshaped(middle, joined.reduced), 1);
  SmallVector<Value> both = node.broadcast({wide, middle});
  if (node.failed())
    return;
  Value distance = node.map<arith::SubFOp>(both[0], both[1]);
  Value variance =
      mean(node, node.map<arith::MulFOp>(distance, distance), joined.axis);
  node.setResult(node.reshaped(inverseRoot(node, variance, joined.epsilon),
                               joined.reduced),
                 2);
}

static void translateRMSNormalization(Node &node) {
  Joined joined(node, -1);
  Value scale = joined.weight(1);
  if (node.failed())
    return;
  Value x = joined.x;
  if (!joined.last.asNumber())
    return node.fail("expected normalised dimensions of a known size, found " +
                     joined.last.str());
  node.setResult(joined.restored(node.make<RMSNormOp>(
      elementOf(x), x, scale, node.b.getF64FloatAttr(joined.epsilon))));
}

llvm::ArrayRef<Operator> onnx::normOperators() {
  static constexpr Operator operators[] = {
      {"", "LayerNormalization", translateLayerNormalization},
      {"", "RMSNormalization", translateRMSNormalization},
      {"", "SimplifiedLayerNormalization", translateRMSNormalization},
  };
  return operators;
}
