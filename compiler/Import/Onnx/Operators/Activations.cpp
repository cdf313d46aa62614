// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Activations.

#include "compiler/Import/Onnx/Operators.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

static Type elementOf(Value x) { return getElementTypeOrSelf(x); }

template <ActivationKind kind> static void translateActivation(Node &node) {
  Value x = node.floats(0);
  node.setResult(
      node.failed() ? Value() : node.make<ActivationOp>(elementOf(x), kind, x));
}

static void translateRelu(Node &node) {
  Value x = node.input(0);
  if (node.failed() || isa<FloatType>(elementOf(x)))
    return translateActivation<ActivationKind::Relu>(node);
  node.setResult(node.map<arith::MaxSIOp>(x, node.like(x, 0)));
}

static void translateGelu(Node &node) {
  std::string approximate = node.string("approximate", "none");
  if (approximate == "tanh")
    return translateActivation<ActivationKind::GeluTanh>(node);
  if (approximate == "none")
    return translateActivation<ActivationKind::Gelu>(node);
  node.fail("attribute 'approximate': expected none or tanh, found " +
            approximate);
}

// x / (1 + exp(-alpha x))
static Value swish(Node &node, Value x, double alpha) {
  if (alpha == 1)
    return node.make<ActivationOp>(elementOf(x), ActivationKind::Silu, x);
  Value scaled = node.map<arith::MulFOp>(x, node.like(x, alpha));
  return node.map<arith::MulFOp>(
      x,
      node.make<ActivationOp>(elementOf(x), ActivationKind::Sigmoid, scaled));
}

static void translateSwish(Node &node) {
  double alpha = node.number("alpha", 1);
  Value x = node.floats(0);
  if (!node.failed())
    node.setResult(swish(node, x, alpha));
}

static void translateSwiGlu(Node &node) {
  double alpha = node.number("alpha", 1);
  Value x = node.floats(0), gated = node.input(1);
  if (!node.failed())
    node.setResult(node.map<arith::MulFOp>(swish(node, x, alpha), gated));
}

static Value select(Node &node, arith::CmpFPredicate predicate, Value x,
                    double bound, Value where, Value otherwise) {
  Value condition = node.map<arith::CmpFOp>(predicate, x, node.like(x, bound));
  return node.map<arith::SelectOp>(condition, where, otherwise);
}

static void translateLeakyRelu(Node &node) {
  double alpha = node.number("alpha", 0.01);
  Value x = node.floats(0);
  if (!node.failed())
    node.setResult(select(node, arith::CmpFPredicate::OLT, x, 0,
                          node.map<arith::MulFOp>(x, node.like(x, alpha)), x));
}

// alpha * (exp(x) - 1) where x is negative.
static void translateElu(Node &node) {
  double alpha = node.number("alpha", 1);
  Value x = node.floats(0);
  if (!node.failed())
    node.setResult(select(node, arith::CmpFPredicate::OLT, x, 0,
                          node.map<arith::MulFOp>(node.map<math::ExpM1Op>(x),
                                                  node.like(x, alpha)),
                          x));
}

// log(1 + exp(x)), which does not overflow.
static void translateSoftplus(Node &node) {
  Value x = node.floats(0);
  if (node.failed())
    return;
  Value small =
      node.map<math::ExpOp>(node.map<arith::NegFOp>(node.map<math::AbsFOp>(x)));
  node.setResult(
      node.map<arith::AddFOp>(node.map<arith::MaximumFOp>(x, node.like(x, 0)),
                              node.map<math::Log1pOp>(small)));
}

static Value clamp(Node &node, Value x, double least, double most) {
  return node.map<arith::MinimumFOp>(
      node.map<arith::MaximumFOp>(x, node.like(x, least)), node.like(x, most));
}

// max(0, min(1, alpha * x + beta))
static Value hardSigmoid(Node &node, Value x, double alpha, double beta) {
  Value scaled = node.map<arith::AddFOp>(
      node.map<arith::MulFOp>(x, node.like(x, alpha)), node.like(x, beta));
  return clamp(node, scaled, 0, 1);
}

static void translateHardSigmoid(Node &node) {
  double alpha = node.number("alpha", 0.2), beta = node.number("beta", 0.5);
  Value x = node.floats(0);
  if (!node.failed())
    node.setResult(hardSigmoid(node, x, alpha, beta));
}

static void translateHardSwish(Node &node) {
  Value x = node.floats(0);
  if (!node.failed())
    node.setResult(
        node.map<arith::MulFOp>(x, hardSigmoid(node, x, 1.0 / 6, 0.5)));
}

static void translatePRelu(Node &node) {
  Value x = node.floats(0), slope = node.input(1);
  SmallVector<Value> both = node.broadcast({x, slope});
  if (!node.failed())
    node.setResult(select(node, arith::CmpFPredicate::OLT, both[0], 0,
                          node.map<arith::MulFOp>(both[0], both[1]), both[0]));
}

llvm::ArrayRef<Operator> onnx::activationOperators() {
  static constexpr Operator operators[] = {
      {"", "Elu", translateElu},
      {"", "Gelu", translateGelu},
      {"", "HardSigmoid", translateHardSigmoid},
      {"", "HardSwish", translateHardSwish},
      {"", "LeakyRelu", translateLeakyRelu},
      {"", "PRelu", translatePRelu},
      {"", "Relu", translateRelu},
      {"", "Sigmoid", translateActivation<ActivationKind::Sigmoid>},
      {"", "Softplus", translateSoftplus},
      {"", "SwiGLU", translateSwiGlu},
      {"", "Swish", translateSwish},
      {"", "Tanh", translateActivation<ActivationKind::Tanh>},
  };
  return operators;
}
