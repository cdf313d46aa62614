// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention, and the positions of what it compares.

#include "compiler/Import/Onnx/Operators.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

static Type elementOf(Value x) { return getElementTypeOrSelf(x); }

// [batch, length, heads * channels] -> [batch, heads, length, channels]
static Value splitHeads(Node &node, Value x, int64_t heads) {
  if (node.failed() || Node::rankOf(x) == 4)
    return x;
  Sizes sizes = sizesOf(x);
  Sizes split = {sizes[0], sizes[1], node.size(heads),
                 floorDiv(sizes[2], node.size(heads))};
  return node.transposed(node.reshaped(x, split), {0, 2, 1, 3});
}

namespace {
/// What an op of attention is made of.
struct AttentionParts {
  Value query, key, value, mask;
  int64_t heads, kvHeads;
  std::optional<double> scale;
  SmallVector<Value> scoreOperands = {};
};
} // namespace

// The op with the output and another result, if that is there.
static AttentionOp createAttention(Node &node, const AttentionParts &parts,
                                   std::optional<AttentionResult> more) {
  MLIRContext *context = node.b.getContext();
  SmallVector<Attribute> wanted = {
      AttentionResultAttr::get(context, AttentionResult::Output)};
  if (more)
    wanted.push_back(AttentionResultAttr::get(context, *more));
  return AttentionOp::create(
      node.b, node.loc, parts.query, parts.key, parts.value, parts.mask,
      /*sinks=*/Value(), /*packedKey=*/Value(), /*packedValue=*/Value(),
      /*termOperands=*/ValueRange(), parts.scoreOperands,
      /*factorOperands=*/ValueRange(), parts.heads, parts.kvHeads,
      parts.scale ? node.b.getF64FloatAttr(*parts.scale) : FloatAttr(),
      Normalization::Softmax, /*layout=*/ArrayAttr(),
      /*outputLayout=*/ArrayAttr(), node.b.getArrayAttr(wanted),
      /*splits=*/IntegerAttr(), /*products=*/TypeAttr());
}

namespace {
/// The operator of the first domain, since version 23.
class Attention {
public:
  explicit Attention(Node &node) : node(node) {}

  void translate() {
    readAttributes();
    query = node.input(0);
    if (node.failed())
      return;
    findHeads();
    key = withPast(1, 4, /*present=*/1);
    value = withPast(2, 5, /*present=*/2);
    if (node.failed())
      return;
    Sizes sizes = sizesOf(query), keys = sizesOf(key);
    bool hasHeads = sizes.size() == 4;
    space = {sizes[0], node.size(heads), sizes[hasHeads ? 2 : 1],
             keys[keys.size() == 4 ? 2 : 1]};
    addMasks();
    if (!node.failed())
      create();
  }

private:
  void readAttributes() {
    isCausal = node.integer("is_causal", 0) != 0;
    softcap = node.number("softcap", 0);
    mode = node.integer("qk_matmul_output_mode", 0);
    node.integer("softmax_precision", 1); // f32 at least
    if (node.hasAttribute("scale"))
      scale = node.number("scale", 1);
    heads = node.integer("q_num_heads", 0);
    kvHeads = node.integer("kv_num_heads", heads);
    if (mode < 0 || mode > 3)
      node.fail("attribute 'qk_matmul_output_mode': expected 0 to 3, found " +
                Twine(mode));
  }

  // They are a dimension, or an attribute.
  void findHeads() {
    Value keys = node.input(1);
    if (node.failed())
      return;
    for (auto [x, count, name] : {std::tuple(query, &heads, "q_num_heads"),
                                  std::tuple(keys, &kvHeads, "kv_num_heads")}) {
      int64_t rank = Node::rankOf(x);
      if (rank == 4)
        *count = sizesOf(x)[1].asNumber().value_or(0);
      if ((rank != 3 && rank != 4) || *count <= 0)
        return node.fail(
            "expected tensors of 3 dimensions with an attribute '" +
            Twine(name) + "', or of 4 with a number of heads, found " +
            Twine(rank) + " dimensions");
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
      x = node.make<ConcatOp>(elementOf(before),
                              ValueRange{before, splitHeads(node, x, kvHeads)},
                              node.b.getI64IntegerAttr(2));
    }
    if (node.hasResult(present))
      node.setResult(splitHeads(node, x, kvHeads), present);
    return x;
  }

  void require(Value other) {
    mask = mask ? AndMaskOp::create(node.b, node.loc, mask, other) : other;
  }

  void addMasks() {
    Value lengths = node.hasInput(6) ? node.input(6) : Value();
    if (node.failed())
      return;
    if (lengths)
      require(LengthsMaskOp::create(node.b, node.loc, lengths));
    if (isCausal)
      addCausalMask(lengths);
    if (!node.hasInput(3))
      return;
    Value given = node.input(3);
    if (node.failed())
      return;
    given = paddedToKeys(given);
    if (!elementOf(given).isInteger(1)) {
      bias = node.cast(given, computedType());
      return;
    }
    static constexpr ScoreDim dims[] = {ScoreDim::Batch, ScoreDim::Head,
                                        ScoreDim::Query, ScoreDim::Key};
    SmallVector<Attribute> over;
    for (ScoreDim dim : ArrayRef(dims).take_back(Node::rankOf(given)))
      over.push_back(ScoreDimAttr::get(node.b.getContext(), dim));
    require(DenseMaskOp::create(
        node.b, node.loc, MaskType::get(node.b.getContext()), given,
        node.b.getArrayAttr(over), /*queryBlock=*/1, /*keyBlock=*/1,
        /*summary=*/ValueRange()));
  }

  // The first query stands behind the past, or where the last one is the last
  // of the keys that count.
  void addCausalMask(Value lengths) {
    Value offset;
    if (lengths) {
      Value queries = node.fromSize(space[2], elementOf(lengths));
      offset = node.map<arith::SubIOp>(
          lengths, node.broadcastTo(queries, sizesOf(lengths)));
    }
    AlignmentAttr align =
        offset ? AlignmentAttr()
               : AlignmentAttr::get(node.b.getContext(), Alignment::TopLeft);
    if (!node.failed())
      require(CausalMaskOp::create(node.b, node.loc, offset, align, past));
  }

  // A mask may have fewer keys than there are: others are dropped.
  Value paddedToKeys(Value given) {
    int64_t rank = Node::rankOf(given);
    SizeAttr keys = sizesOf(given).back();
    if (rank > 4 || rank == 0) {
      node.fail("expected a mask of 1 to 4 dimensions, found " + Twine(rank));
      return given;
    }
    auto found = keys.asNumber(), wanted = space[3].asNumber();
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

  Type computedType() {
    return elementOf(query).isF64() ? node.b.getF64Type() : node.b.getF32Type();
  }

  // Products, the same capped, masked, and the weights that these become.
  enum Scores { Products, Capped, Masked, Weights };

  AttentionResult resultOfMode() const {
    return mode == Masked    ? AttentionResult::MaskedScores
           : mode == Weights ? AttentionResult::Weights
                             : AttentionResult::ScaledScores;
  }

  void create() {
    SmallVector<Value> operands;
    if (bias)
      operands.push_back(node.broadcastTo(bias, space));
    std::optional<AttentionResult> more;
    if (node.hasResult(3))
      more = resultOfMode();
    AttentionOp attention = createAttention(
        node, {query, key, value, mask, heads, kvHeads, scale, operands}, more);
    if (softcap != 0 || bias)
      addScores(attention.getScore(), operands);
    node.resolve(attention);
    if (node.failed())
      return;
    node.setResult(attention.getResult(0));
    if (!node.hasResult(3))
      return;
    Value scores = attention.getResult(1);
    if (mode == Capped && softcap != 0)
      scores = node.make<SoftcapOp>(computedType(), scores,
                                    node.b.getF64FloatAttr(softcap));
    node.setResult(node.cast(scores, elementOf(query)), 3);
  }

  // Scores are capped, and then a bias is added.
  void addScores(Region &region, ValueRange operands) {
    OpBuilder::InsertionGuard guard(node.b);
    auto type = tensorOf(space, computedType());
    Block *body = node.b.createBlock(&region, {}, {type}, {node.loc});
    for (Value operand : operands)
      body->addArgument(operand.getType(), node.loc);
    Value scores = body->getArgument(0);
    if (softcap != 0)
      scores = SoftcapOp::create(node.b, node.loc, type, scores,
                                 node.b.getF64FloatAttr(softcap));
    if (bias)
      scores = node.map<arith::AddFOp>(scores, body->getArgument(1));
    YieldOp::create(node.b, node.loc, scores);
  }

  Node &node;
  bool isCausal = false;
  double softcap = 0;
  std::optional<double> scale;
  int64_t mode = 0, heads = 0, kvHeads = 0;
  Value query, key, value, mask, bias;
  SizeAttr past;
  Sizes space; ///< [batch, heads, queries, keys]
};
} // namespace

static void translateAttention(Node &node) { Attention(node).translate(); }

// What a graph makes of a tensor of scores, or of weights.
static Value changed(Node &node, const GraphProto &body, Value x,
                     bool isIsolated) {
  SmallVector<Value> results = node.translateBody(body, x, isIsolated);
  if (node.failed())
    return x;
  if (results.size() == 1 && results[0].getType() == x.getType())
    return results[0];
  node.fail("graph '" + body.name +
            "': expected one result of the type of "
            "its input");
  return x;
}

// Scores change by a graph, and so do the weights, which values are multiplied
// by after that.
static void translateFlexAttention(Node &node) {
  std::optional<double> scale;
  if (node.hasAttribute("scale"))
    scale = node.number("scale", 1);
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
  std::optional<AttentionResult> more;
  if (weights)
    more = AttentionResult::Weights;
  AttentionOp attention =
      createAttention(node,
                      {query, key, value, /*mask=*/Value(),
                       *queries[1].asNumber(), *keys[1].asNumber(), scale},
                      more);
  auto type = tensorOf({queries[0], queries[1], queries[2], keys[2]},
                       node.b.getF32Type());
  if (scores) {
    OpBuilder::InsertionGuard guard(node.b);
    Block *body =
        node.b.createBlock(&attention.getScore(), {}, {type}, {node.loc});
    Value result =
        changed(node, *scores, body->getArgument(0), /*isIsolated=*/true);
    YieldOp::create(node.b, node.loc, result);
  }
  node.resolve(attention);
  if (!weights || node.failed())
    return node.setResult(attention.getResult(0));
  Value all = changed(node, *weights, attention.getResult(1),
                      /*isIsolated=*/false);
  // Query heads that share a head of values are rows of one product.
  Sizes values = sizesOf(value);
  SizeAttr rows = floorDiv(queries[1], keys[1]) * queries[2];
  Type computed = node.b.getF32Type();
  Value output = node.make<MatmulOp>(
      computed, node.reshaped(all, {queries[0], keys[1], rows, keys[2]}),
      node.cast(value, computed), /*transposeA=*/false, /*transposeB=*/false);
  node.setResult(node.cast(
      node.reshaped(output, {queries[0], queries[1], queries[2], values[3]}),
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
      if (!node.failed())
        *table = node.make<GatherOp>(elementOf(*table), *table, positions,
                                     /*axis=*/0, IntegerAttr(), /*wrap=*/false);
  }
  if (node.failed())
    return;
  Sizes sizes = sizesOf(x);
  bool hasHeads = sizes.size() == 4;
  if (hasHeads) {
    heads = sizes[1].asNumber().value_or(0);
    x = node.reshaped(node.transposed(x, {0, 2, 1, 3}),
                      {sizes[0], sizes[2], sizes[1] * sizes[3]});
  }
  if (heads <= 0)
    return node.fail("expected a number of heads, as an attribute 'num_heads' "
                     "or a dimension");
  Value y = node.make<RotaryOp>(
      elementOf(x), x, /*starts=*/Value(), /*positionIds=*/Value(), cosines,
      sines, heads, rotated ? node.b.getI64IntegerAttr(rotated) : IntegerAttr(),
      interleaved, /*positions=*/IntegerAttr(), /*base=*/FloatAttr(),
      /*scaling=*/RopeScalingAttr());
  if (hasHeads && !node.failed())
    y = node.transposed(
        node.reshaped(y, {sizes[0], sizes[2], sizes[1], sizes[3]}),
        {0, 2, 1, 3});
  node.setResult(y);
}

llvm::ArrayRef<Operator> onnx::attentionOperators() {
  static constexpr Operator operators[] = {
      {"", "Attention", translateAttention},
      {"ai.onnx.preview", "FlexAttention", translateFlexAttention},
      {"", "RotaryEmbedding", translateRotaryEmbedding},
  };
  return operators;
}
