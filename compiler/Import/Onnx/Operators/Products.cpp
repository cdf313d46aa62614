// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that sum up products.

#include "compiler/Import/Onnx/Operators.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

static Type elementOf(Value x) { return getElementTypeOrSelf(x); }

// A linear layer has its matrix as [outputs, inputs], and inputs whose number
// is known.
static Value linear(Node &node, Value x, Value matrix, Value bias) {
  auto layer = LinearOp::create(node.b, node.loc, x, matrix, bias);
  node.resolve(layer);
  return layer;
}

static bool isMatrixOfLayer(Node &node, int64_t index, Value matrix, Value x) {
  return node.isOfWeights(index) && Node::rankOf(matrix) == 2 &&
         isa<FloatType>(elementOf(matrix)) && Node::rankOf(x) >= 1 &&
         sizesOf(x).back().asNumber();
}

// A vector is a row on the left, and a column on the right; the result does not
// have its dimension.
static void translateMatMul(Node &node) {
  Value a = node.input(0), b = node.input(1);
  if (node.failed())
    return;
  if (isMatrixOfLayer(node, 1, b, a))
    return node.setResult(
        linear(node, a, node.transposed(b, {1, 0}), /*bias=*/{}));
  Sizes left = sizesOf(a), right = sizesOf(b);
  if (left.empty() || right.empty())
    return node.fail("expected vectors, matrices or more dimensions, found a "
                     "scalar");
  bool isRow = left.size() == 1, isColumn = right.size() == 1;
  Type type = elementOf(a);
  if (isRow)
    a = node.make<ExpandOp>(type, a, ArrayRef<int64_t>{0});
  if (isColumn)
    b = node.make<ExpandOp>(type, b, ArrayRef<int64_t>{1});
  Value y = node.make<MatmulOp>(type, a, b, /*transposeA=*/false,
                                /*transposeB=*/false);
  if (node.failed())
    return;
  SmallVector<int64_t> axes;
  int64_t rank = Node::rankOf(y);
  if (isRow)
    axes.push_back(rank - 2);
  if (isColumn)
    axes.push_back(rank - 1);
  node.setResult(axes.empty() ? y : node.make<SqueezeOp>(type, y, axes));
}

static Value scaled(Node &node, Value x, double factor) {
  if (factor == 1 || node.failed())
    return x;
  return node.map<arith::MulFOp>(
      x, node.broadcastTo(node.constant(factor, elementOf(x)), sizesOf(x)));
}

// alpha * A * B + beta * C
static void translateGemm(Node &node) {
  double alpha = node.number("alpha", 1), beta = node.number("beta", 1);
  bool transposesA = node.integer("transA", 0) != 0,
       transposesB = node.integer("transB", 0) != 0;
  Value a = node.input(0), b = node.input(1);
  Value c = node.hasInput(2) && beta != 0 ? node.input(2) : Value();
  if (node.failed())
    return;
  Type type = elementOf(a);
  if (!isa<FloatType>(type))
    return node.fail("expected floats, found integers");
  Value y;
  if (!transposesA && isMatrixOfLayer(node, 1, b, a)) {
    bool isBias = c && node.isStored(2) && Node::rankOf(c) == 1 && alpha == 1 &&
                  beta == 1 && sizesOf(c)[0] == sizesOf(b)[transposesB ? 0 : 1];
    y = linear(node, a, transposesB ? b : node.transposed(b, {1, 0}),
               isBias ? c : Value());
    if (isBias)
      c = {};
  } else {
    y = node.make<MatmulOp>(type, a, b, transposesA, transposesB);
  }
  y = scaled(node, y, alpha);
  if (!c || node.failed())
    return node.setResult(y);
  SmallVector<Value> both = node.broadcast({y, scaled(node, c, beta)});
  if (!node.failed())
    node.setResult(node.map<arith::AddFOp>(both[0], both[1]));
}

llvm::ArrayRef<Operator> onnx::productOperators() {
  static constexpr Operator operators[] = {
      {"", "Gemm", translateGemm},
      {"", "MatMul", translateMatMul},
  };
  return operators;
}
