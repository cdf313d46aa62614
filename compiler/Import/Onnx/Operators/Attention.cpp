// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention, and the positions of what it compares.

#include "compiler/Import/Onnx/Operators.h"
#include "compiler/Import/Onnx/Operators/AttentionBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

static Type elementOf(Value x) { return getElementTypeOrSelf(x); }

namespace {
/// The operator of the first domain, since version 23.
class Attention {
public:
  explicit Attention(Node &node) : node(node) {}

  void translate() {
    isCausal = node.integer("is_causal", 0) != 0;
    double softcap = node.number("softcap", 0);
    mode = node.integer("qk_matmul_output_mode", 0);
    node.integer("softmax_precision", 1); // f32 at least
    if (mode < 0 || mode > 3)
      node.fail("attribute 'qk_matmul_output_mode': expected 0 to 3, found " +
                Twine(mode));
    query = node.input(0);
    findHeads();
    Value key = withPast(1, 4, /*present=*/1),
          value = withPast(2, 5, /*present=*/2);
    if (node.failed())
      return;
    AttentionBuilder attention(node, query, key, value, heads, kvHeads);
    attention.softcap = softcap;
    if (node.hasAttribute("scale"))
      attention.scale = node.number("scale", 1);
    addMasks(attention);
    if (!node.failed())
      finish(attention, softcap);
  }

private:
  // They are a dimension, or an attribute.
  void findHeads() {
    heads = node.integer("q_num_heads", 0);
    kvHeads = node.integer("kv_num_heads", heads);
    Value keys = node.input(1);
    if (node.failed())
      return;
    for (auto [x, count, name] : {std::tuple(query, &heads, "q_num_heads"),
                                  std::tuple(keys, &kvHeads, "kv_num_heads")}) {
      if (Node::rankOf(x) == 4)
        *count = sizesOf(x)[1].asNumber().value_or(0);
      if (*count <= 0)
        return node.fail("expected a number of heads, as an attribute '" +
                         Twine(name) + "' or a dimension of 4");
    }
  }

  // What came before, and then the input.
  Value withPast(int64_t input, int64_t pastInput, int64_t present) {
    Value x = node.input(input);
    if (node.hasInput(pastInput)) {
      Value before = node.input(pastInput);
      if (node.failed())
        return {};
      past = sizesOf(before)[2];
      x = concatenated(node, {before, splitHeads(node, x, kvHeads)}, 2);
    }
    if (node.hasResult(present))
      node.setResult(splitHeads(node, x, kvHeads), present);
    return x;
  }

  void addMasks(AttentionBuilder &attention) {
    Value lengths = node.hasInput(6) ? node.input(6) : Value();
    if (lengths)
      attention.requireLengths(lengths);
    if (isCausal)
      attention.requireCausal(lengths ? offsetOf(attention, lengths) : Value(),
                              past);
    if (!node.hasInput(3))
      return;
    Value given = paddedToKeys(node.input(3), attention.getSpace()[3]);
    if (node.failed())
      return;
    if (!elementOf(given).isInteger(1))
      return attention.add(given);
    static constexpr ScoreDim dims[] = {ScoreDim::Batch, ScoreDim::Head,
                                        ScoreDim::Query, ScoreDim::Key};
    attention.requireWhere(given,
                           ArrayRef(dims).take_back(Node::rankOf(given)));
  }

  // The last query is at the last of the keys that count.
  Value offsetOf(AttentionBuilder &attention, Value lengths) {
    if (node.failed())
      return {};
    Value queries = node.fromSize(attention.getSpace()[2], elementOf(lengths));
    return node.map<arith::SubIOp>(lengths,
                                   node.broadcastTo(queries, sizesOf(lengths)));
  }

  // A mask may have fewer keys than there are: others are dropped.
  Value paddedToKeys(Value given, SizeAttr keys) {
    if (node.failed())
      return {};
    int64_t rank = Node::rankOf(given);
    if (rank > 4 || rank == 0) {
      node.fail("expected a mask of 1 to 4 dimensions, found " + Twine(rank));
      return given;
    }
    auto found = sizesOf(given).back().asNumber(), wanted = keys.asNumber();
    if (!found || !wanted || *found == 1 || *found >= *wanted)
      return given;
    Type type = elementOf(given);
    TypedAttr dropped =
        isa<FloatType>(type)
            ? TypedAttr(FloatAttr::get(
                  type, -std::numeric_limits<double>::infinity()))
            : TypedAttr(node.b.getBoolAttr(false));
    Sizes low(rank, node.size(0)), high = low;
    high.back() = node.size(*wanted - *found);
    return node.make<PadOp>(type, given, node.array(low), node.array(high),
                            dropped);
  }

  // Products, the same capped, masked, and the weights that these become.
  enum Scores { Products, Capped, Masked, Weights };

  void finish(AttentionBuilder &builder, double softcap) {
    std::optional<AttentionResult> more;
    if (node.hasResult(3))
      more = mode == Masked    ? AttentionResult::MaskedScores
             : mode == Weights ? AttentionResult::Weights
                               : AttentionResult::ScaledScores;
    AttentionOp attention = builder.create(more);
    if (node.failed())
      return;
    node.setResult(attention.getResult(0));
    if (!more)
      return;
    Value scores = attention.getResult(1);
    if (mode == Capped && softcap != 0)
      scores = node.make<SoftcapOp>(builder.computedType(), scores,
                                    node.b.getF64FloatAttr(softcap));
    node.setResult(node.cast(scores, elementOf(query)), 3);
  }

  Node &node;
  bool isCausal = false;
  int64_t mode = 0, heads = 0, kvHeads = 0;
  Value query;
  SizeAttr past;
};
} // namespace

static void translateAttention(Node &node) { Attention(node).translate(); }

// What a graph makes of a tensor of scores, or of weights.
static Value changed(Node &node, const GraphProto &body, Value x,
                     bool isIsolated) {
  SmallVector<Value> results;
  if (isIsolated)
    results = node.translateIsolated(body, x);
  else
    for (GraphValue &result : node.translateBody(body, GraphValue{x}))
      results.push_back(node.asTensor(result));
  if (node.failed())
    return x;
  if (results.size() == 1 && results[0].getType() == x.getType())
    return results[0];
  node.fail("graph '" + body.name +
            "': expected one result of the type of its input");
  return x;
}

// Scores change by a graph, and so do the weights, which values are multiplied
// by after that.
static void translateFlexAttention(Node &node) {
  node.integer("softmax_precision", 1);
  const GraphProto *scores = node.graphAttribute("score_mod"),
                   *weights = node.graphAttribute("prob_mod");
  Value query = node.input(0), key = node.input(1), value = node.input(2);
  if (node.failed())
    return;
  Sizes queries = sizesOf(query), keys = sizesOf(key);
  if (queries.size() != 4 || keys.size() != 4 || !queries[1].asNumber() ||
      !keys[1].asNumber())
    return node.fail("expected tensors of 4 dimensions with a number of heads");
  AttentionBuilder builder(node, query, key, value, *queries[1].asNumber(),
                           *keys[1].asNumber());
  if (node.hasAttribute("scale"))
    builder.scale = node.number("scale", 1);
  if (scores)
    builder.change = [&](Value x) {
      return changed(node, *scores, x, /*isIsolated=*/true);
    };
  std::optional<AttentionResult> more;
  if (weights)
    more = AttentionResult::Weights;
  AttentionOp attention = builder.create(more);
  if (!weights || node.failed())
    return node.setResult(node.failed() ? Value() : attention.getResult(0));
  Value all =
      changed(node, *weights, attention.getResult(1), /*isIsolated=*/false);
  // Query heads that share a head of values are rows of one product.
  SizeAttr rows = floorDiv(queries[1], keys[1]) * queries[2];
  Type computed = builder.computedType();
  Value output = node.make<MatmulOp>(
      computed, node.reshaped(all, {queries[0], keys[1], rows, keys[2]}),
      node.cast(value, computed), /*transposeA=*/false, /*transposeB=*/false);
  node.setResult(
      node.cast(node.reshaped(output, {queries[0], queries[1], queries[2],
                                       sizesOf(value)[3]}),
                elementOf(query)));
}

// Angles are rows of tables for all positions, or those of each token.
static void translateRotaryEmbedding(Node &node) {
  bool interleaved = node.integer("interleaved", 0) != 0;
  int64_t heads = node.integer("num_heads", 0),
          rotated = node.integer("rotary_embedding_dim", 0);
  Value x = node.input(0), cosines = node.input(1), sines = node.input(2);
  if (node.hasInput(3)) {
    Value positions = node.input(3);
    for (Value *table : {&cosines, &sines})
      *table = rowsOf(node, *table, positions);
  }
  node.setResult(rotate(node, x, cosines, sines, heads, rotated, interleaved));
}

Value onnx::rowsOf(Node &node, Value table, Value positions) {
  if (node.failed())
    return {};
  return node.make<GatherOp>(elementOf(table), table, positions, /*axis=*/0,
                             IntegerAttr(), /*wrap=*/false);
}

Value onnx::rotate(Node &node, Value x, Value cosines, Value sines,
                   int64_t heads, int64_t rotated, bool interleaved) {
  if (node.failed())
    return {};
  Sizes sizes = sizesOf(x);
  bool hasHeads = sizes.size() == 4;
  if (hasHeads) {
    heads = sizes[1].asNumber().value_or(0);
    x = node.reshaped(node.transposed(x, {0, 2, 1, 3}),
                      {sizes[0], sizes[2], sizes[1] * sizes[3]});
  }
  if (heads <= 0)
    node.fail("expected a number of heads, as an attribute 'num_heads' or a "
              "dimension");
  Value y = node.make<RotaryOp>(
      node.failed() ? Type() : elementOf(x), x, /*starts=*/Value(),
      /*positionIds=*/Value(), cosines, sines, heads,
      rotated ? node.b.getI64IntegerAttr(rotated) : IntegerAttr(), interleaved,
      /*positions=*/IntegerAttr(), /*base=*/FloatAttr(),
      /*scaling=*/RopeScalingAttr());
  if (!hasHeads || node.failed())
    return y;
  return node.transposed(
      node.reshaped(y, {sizes[0], sizes[2], sizes[1], sizes[3]}), {0, 2, 1, 3});
}

llvm::ArrayRef<Operator> onnx::attentionOperators() {
  static constexpr Operator operators[] = {
      {"", "Attention", translateAttention},
      {"", "RotaryEmbedding", translateRotaryEmbedding},
      {"ai.onnx.preview", "FlexAttention", translateFlexAttention},
  };
  return operators;
}
