// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention with a state in place of keys that are kept.

#include "compiler/Import/Onnx/Operators.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

static Type elementOf(Value x) { return getElementTypeOrSelf(x); }

namespace {
/// S_t = update of S_(t-1) by key, value, decay and beta; o_t = scale S_t^T
/// q_t.
class LinearAttention {
public:
  explicit LinearAttention(Node &node)
      : node(node), heads(node.integer("q_num_heads", 0)),
        keyHeads(node.integer("kv_num_heads", 0)),
        scale(node.number("scale", 0)),
        rule(node.string("update_rule", "gated_delta")) {
    node.integer("chunk_size", 64); // the order of sums alone
  }

  void translate() {
    if (heads <= 0 || keyHeads <= 0 || heads % keyHeads != 0)
      return node.fail("expected q_num_heads as a multiple of kv_num_heads, "
                       "found " +
                       Twine(heads) + " and " + Twine(keyHeads));
    bool hasGates = rule == "gated" || rule == "gated_delta";
    bool hasDelta = rule == "delta" || rule == "gated_delta";
    if (!hasGates && !hasDelta && rule != "linear")
      return node.fail("attribute 'update_rule': expected linear, gated, delta "
                       "or gated_delta, found " +
                       rule);
    if (node.hasInput(6))
      return node.fail("expected no input 6 (erase_gate)");
    Value input = node.input(0);
    Value query = wide(ofHeads(input, heads)), key = wide(keys(1)),
          value = wide(keys(2));
    Value state = node.hasInput(3) ? repeated(node.input(3)) : Value();
    Value gates = hasGates ? wide(gatesOf(4)) : Value();
    Value strengths = hasDelta ? wide(strengthsOf(5)) : Value();
    if (node.failed())
      return;
    Type stateType = elementOf(state ? state : input);
    state = state ? wide(state) : state;
    auto type = RankedTensorType::get({}, elementOf(query));
    SmallVector<Type> types(2, type);
    Operation *op;
    if (hasDelta)
      op = GatedDeltaRuleOp::create(node.b, node.loc, types, query, key, value,
                                    strengths, gates, state);
    else
      op = LinearAttentionOp::create(node.b, node.loc, types, query, key, value,
                                     gates, state);
    node.resolve(op);
    if (node.failed())
      return;
    Value output = scaled(op->getResult(0));
    if (node.failed())
      return;
    Sizes sizes = sizesOf(output);
    node.setResult(
        node.cast(node.reshaped(node.transposed(output, {0, 2, 1, 3}),
                                {sizes[0], sizes[2], sizes[1] * sizes[3]}),
                  elementOf(input)));
    node.setResult(node.cast(firstOfEach(op->getResult(1)), stateType), 1);
  }

private:
  int64_t repeats() const { return heads / keyHeads; }

  // Everything is computed in f32 at least, and rounded at the end.
  Value wide(Value x) {
    if (node.failed() || elementOf(x).isF64())
      return x;
    return node.cast(x, node.b.getF32Type());
  }

  // [batch, length, count * channels] -> [batch, count, length, channels]
  Value ofHeads(Value x, int64_t count) {
    if (node.failed())
      return {};
    Sizes sizes = sizesOf(x);
    if (sizes.size() != 3) {
      node.fail("expected tensors of 3 dimensions, found " +
                Twine(sizes.size()));
      return {};
    }
    return node.transposed(
        node.reshaped(x, {sizes[0], sizes[1], node.size(count),
                          floorDiv(sizes[2], node.size(count))}),
        {0, 2, 1, 3});
  }

  // Queries have states of their own, which those of one key all share.
  Value repeated(Value x) {
    if (node.failed() || repeats() == 1)
      return x;
    Sizes sizes = sizesOf(x);
    Sizes apart = {sizes[0], sizes[1], node.size(1), sizes[2], sizes[3]};
    Sizes wide = apart;
    wide[2] = node.size(repeats());
    return node.reshaped(node.broadcastTo(node.reshaped(x, apart), wide),
                         {sizes[0], node.size(heads), sizes[2], sizes[3]});
  }

  Value keys(int64_t input) {
    return repeated(ofHeads(node.input(input), keyHeads));
  }

  Value dropLast(Value x) {
    return node.failed() ? x
                         : node.reshaped(x, ArrayRef(sizesOf(x)).drop_back());
  }

  // Logarithms of decays: of each channel of a key, or of a head.
  Value gatesOf(int64_t input) {
    Value gates = keys(input);
    bool isOfHead = !node.failed() && sizesOf(gates).back() == node.size(1);
    return isOfHead ? dropLast(gates) : gates;
  }

  // Those of a head, or one number for all heads.
  Value strengthsOf(int64_t input) {
    Value x = node.input(input);
    if (node.failed())
      return {};
    Sizes sizes = sizesOf(x);
    if (sizes.size() == 3)
      sizes[2] = node.size(keyHeads);
    return dropLast(repeated(ofHeads(node.broadcastTo(x, sizes), keyHeads)));
  }

  Value scaled(Value output) {
    double factor = scale;
    if (factor == 0) {
      auto channels = sizesOf(node.input(0)).back().asNumber();
      if (!channels) {
        node.fail("expected a known number of channels");
        return output;
      }
      factor = 1 / std::sqrt(double(*channels / heads));
    }
    return node.map<arith::MulFOp>(
        output, node.broadcastTo(node.constant(factor, elementOf(output)),
                                 sizesOf(output)));
  }

  Value firstOfEach(Value state) {
    if (repeats() == 1)
      return state;
    Sizes sizes = sizesOf(state), offsets(4, node.size(0));
    sizes[1] = node.size(keyHeads);
    return node.make<SliceOp>(elementOf(state), state, node.array(offsets),
                              node.array(sizes),
                              ArrayRef<int64_t>{1, repeats(), 1, 1});
  }

  Node &node;
  int64_t heads, keyHeads;
  double scale;
  std::string rule;
};
} // namespace

static void translateLinearAttention(Node &node) {
  LinearAttention(node).translate();
}

llvm::ArrayRef<Operator> onnx::linearAttentionOperators() {
  static constexpr Operator operators[] = {
      {"", "LinearAttention", translateLinearAttention},
  };
  return operators;
}
