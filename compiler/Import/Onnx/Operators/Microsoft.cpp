// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of ONNX Runtime's own that are several others in one.
// (https://github.com/microsoft/onnxruntime, docs/ContribOperators.md)

#include "compiler/Import/Onnx/Operators.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

static Type elementOf(Value x) { return getElementTypeOrSelf(x); }

static Value sum(Node &node, Value x, Value y) {
  SmallVector<Value> both = node.broadcast({x, y});
  return node.failed() ? Value() : node.map<arith::AddFOp>(both[0], both[1]);
}

template <ActivationKind kind> static void translateBiasedGelu(Node &node) {
  Value x = node.input(0);
  if (node.hasInput(1))
    x = sum(node, x, node.input(1));
  if (!node.failed())
    node.setResult(node.make<ActivationOp>(elementOf(x), kind, x));
}

// x / (1 + exp(-alpha x))
static void translateQuickGelu(Node &node) {
  double alpha = node.number("alpha", 1.702);
  Value x = node.input(0);
  if (node.failed())
    return;
  if (float(alpha) == 1.702f)
    return node.setResult(
        node.make<ActivationOp>(elementOf(x), ActivationKind::QuickGelu, x));
  Value scaled = node.map<arith::MulFOp>(
      x, node.broadcastTo(node.constant(alpha, elementOf(x)), sizesOf(x)));
  node.setResult(node.map<arith::MulFOp>(
      x,
      node.make<ActivationOp>(elementOf(x), ActivationKind::Sigmoid, scaled)));
}

// The sum of what is given, which is an output, too, and its norm.
template <bool isLayerNorm> static void translateSkipNormalization(Node &node) {
  double epsilon = node.number("epsilon", 1e-12);
  Value x = sum(node, node.input(0), node.input(1)), scale = node.input(2);
  Value shift = isLayerNorm && node.hasInput(3) ? node.input(3) : Value();
  constexpr int64_t biasInput = isLayerNorm ? 4 : 3;
  if (node.hasInput(biasInput))
    x = sum(node, x, node.input(biasInput));
  if (node.hasResult(1) || node.hasResult(2))
    return node.fail("expected no outputs of means and variances");
  if (node.failed())
    return;
  FloatAttr attribute = node.b.getF64FloatAttr(epsilon);
  if (isLayerNorm)
    node.setResult(
        node.make<LayerNormOp>(elementOf(x), x, scale, shift, attribute));
  else
    node.setResult(node.make<RMSNormOp>(elementOf(x), x, scale, attribute));
  node.setResult(x, 3);
}

static Value lookUp(Node &node, Value table, Value ids) {
  if (node.failed())
    return {};
  if (!elementOf(table).isF32() || !isa<BlockArgument>(ids))
    return node.make<GatherOp>(elementOf(table), table, ids, /*axis=*/0,
                               IntegerAttr(), /*wrap=*/false);
  auto lookup = EmbeddingOp::create(node.b, node.loc, ids, table);
  node.resolve(lookup);
  return lookup;
}

// Vectors of words, positions and segments, and their norm.
static void translateEmbedLayerNormalization(Node &node) {
  double epsilon = node.number("epsilon", 1e-12);
  if (node.integer("mask_index_type", 0) != 0)
    return node.fail("expected mask_index_type = 0");
  Value ids = node.input(0), words = node.input(2), positions = node.input(3),
        scale = node.input(5), shift = node.input(6);
  Value x = lookUp(node, words, ids);
  if (node.failed())
    return;
  if (node.hasInput(8)) {
    x = sum(node, x, lookUp(node, positions, node.input(8)));
  } else {
    SizeAttr length = sizesOf(ids)[1];
    Value rows = node.firstOf(positions, /*axis=*/0, length);
    if (!rows)
      return node.fail("expected a position for each of " + length.str() +
                       " tokens, found " + sizesOf(positions)[0].str());
    x = sum(node, x, rows);
  }
  if (node.hasInput(1) && node.hasInput(4))
    x = sum(node, x, lookUp(node, node.input(4), node.input(1)));
  if (node.failed())
    return;
  node.setResult(node.make<LayerNormOp>(elementOf(x), x, scale, shift,
                                        node.b.getF64FloatAttr(epsilon)));
  node.setResult(x, 2);
  if (!node.hasResult(1))
    return;
  // How many tokens of each sequence are there.
  Type integer = node.b.getI32Type();
  if (node.hasInput(7)) {
    Value mask = node.cast(node.input(7), integer);
    return node.setResult(node.make<ReduceOp>(integer, ReductionKind::Sum, mask,
                                              ArrayRef<int64_t>{1},
                                              /*keepSizes=*/false),
                          1);
  }
  node.setResult(node.broadcastTo(node.constant(0, integer), sizesOf(ids)[0]),
                 1);
}

llvm::ArrayRef<Operator> onnx::microsoftOperators() {
  static constexpr llvm::StringLiteral domain = "com.microsoft";
  static constexpr Operator operators[] = {
      {domain, "BiasGelu", translateBiasedGelu<ActivationKind::Gelu>},
      {domain, "EmbedLayerNormalization", translateEmbedLayerNormalization},
      {domain, "FastGelu", translateBiasedGelu<ActivationKind::GeluTanh>},
      {domain, "Gelu", translateBiasedGelu<ActivationKind::Gelu>},
      {domain, "QuickGelu", translateQuickGelu},
      {domain, "SkipLayerNormalization", translateSkipNormalization<true>},
      {domain, "SkipSimplifiedLayerNormalization",
       translateSkipNormalization<false>},
  };
  return operators;
}
