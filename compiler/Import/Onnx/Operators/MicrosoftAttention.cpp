// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX Runtime's own operators of attention. A query that keeps no key gives 0,
// as everywhere in Heddle, where theirs give the mean of all values.
// (https://github.com/microsoft/onnxruntime, docs/ContribOperators.md)

#include "compiler/Import/Onnx/Operators.h"
#include "compiler/Import/Onnx/Operators/AttentionBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

static Type elementOf(Value x) { return getElementTypeOrSelf(x); }

static Value sum(Node &node, Value x, Value y) {
  SmallVector<Value> both = node.broadcast({x, y});
  return node.failed() ? Value() : node.map<arith::AddFOp>(both[0], both[1]);
}

// A box of a tensor along one dimension.
static Value part(Node &node, Value x, int64_t axis, SizeAttr first,
                  SizeAttr size) {
  if (node.failed())
    return {};
  Sizes sizes = sizesOf(x), offsets(sizes.size(), node.size(0));
  offsets[axis] = first;
  sizes[axis] = size;
  return node.make<SliceOp>(elementOf(x), x, node.array(offsets),
                            node.array(sizes),
                            SmallVector<int64_t>(sizes.size(), 1));
}

static Value nonzero(Node &node, Value x) {
  return node.cast(x, node.b.getI1Type());
}

// Of integers: as many keys as each sequence has, or which ones, for all
// queries or for each.
static void addKeyMask(Node &node, AttentionBuilder &attention, Value mask) {
  if (node.failed())
    return;
  const Sizes &space = attention.getSpace();
  switch (Node::rankOf(mask)) {
  case 1:
    if (sizesOf(mask)[0] == space[0])
      return attention.requireLengths(mask);
    return node.fail("expected a length for each sequence, found a mask of "
                     "size " +
                     sizesOf(mask)[0].str());
  case 2:
    return attention.requireWhere(nonzero(node, mask),
                                  {ScoreDim::Batch, ScoreDim::Key});
  case 3:
    return attention.requireWhere(
        nonzero(node, mask), {ScoreDim::Batch, ScoreDim::Query, ScoreDim::Key});
  default:
    node.fail("expected a mask of 1 to 3 dimensions, found " +
              Twine(Node::rankOf(mask)));
  }
}

// The attributes that all have; weights below which a key is masked are 0.
static void readScale(Node &node, AttentionBuilder &attention) {
  node.number("mask_filter_value", -10000);
  double scale = node.number("scale", 0);
  if (scale != 0)
    attention.scale = scale;
}

// One matrix makes queries, keys and values; what came before is [2, batch,
// heads, past, channels].
static void translateAttention(Node &node) {
  int64_t heads = node.integer("num_heads", 0);
  bool isCausal = node.integer("unidirectional", 0) != 0;
  if (node.integer("do_rotary", 0) != 0)
    return node.fail("expected do_rotary = 0");
  Value x = node.input(0), weight = node.input(1);
  if (node.failed())
    return;
  SmallVector<int64_t> channels = node.integerList("qkv_hidden_sizes");
  if (channels.empty())
    channels.assign(3, sizesOf(weight)[1].asNumber().value_or(0) / 3);
  if (heads <= 0 || channels.size() != 3)
    return node.fail("expected an attribute 'num_heads', and three "
                     "'qkv_hidden_sizes'");
  Value bias = node.hasInput(2) ? node.input(2) : Value();
  SmallVector<Value> parts;
  int64_t first = 0;
  for (int64_t count : channels) {
    Value matrix = part(node, weight, 1, node.size(first), node.size(count));
    Value shift = bias ? part(node, bias, 0, node.size(first), node.size(count))
                       : Value();
    matrix = node.transposed(matrix, {1, 0});
    if (node.failed())
      return;
    auto layer = LinearOp::create(node.b, node.loc, x, matrix, shift);
    node.resolve(layer);
    parts.push_back(layer);
    first += count;
  }
  SizeAttr past;
  if (node.hasInput(4)) {
    Value before = node.input(4);
    if (node.failed())
      return;
    Sizes sizes = sizesOf(before);
    past = sizes[3];
    for (int64_t i = 0; i < 2; ++i)
      parts[i + 1] = concatenated(
          node,
          {node.reshaped(part(node, before, 0, node.size(i), node.size(1)),
                         ArrayRef(sizes).drop_front()),
           splitHeads(node, parts[i + 1], heads)},
          2);
  }
  if (node.hasResult(1)) {
    SmallVector<Value> present;
    for (int64_t i = 1; i < 3; ++i) {
      Value each = splitHeads(node, parts[i], heads);
      present.push_back(node.failed()
                            ? Value()
                            : node.make<ExpandOp>(elementOf(each), each,
                                                  ArrayRef<int64_t>{0}));
    }
    node.setResult(concatenated(node, present, 0), 1);
  }
  AttentionBuilder attention(node, parts[0], parts[1], parts[2], heads, heads);
  readScale(node, attention);
  if (node.hasInput(3))
    addKeyMask(node, attention, node.input(3));
  if (node.hasInput(5))
    attention.add(node.input(5));
  if (isCausal)
    attention.requireCausal(/*offset=*/{}, past);
  AttentionOp op = attention.create();
  if (!node.failed())
    node.setResult(op.getResult(0));
}

// Queries, keys and values of one tensor, whose fourth dimension is which.
static SmallVector<Value> unpacked(Node &node, Value packed, int64_t count) {
  SmallVector<Value> parts;
  Sizes sizes = sizesOf(packed);
  for (int64_t i = 0; i < count; ++i)
    parts.push_back(
        node.reshaped(part(node, packed, 3, node.size(i), node.size(1)),
                      {sizes[0], sizes[1], sizes[2] * sizes[4]}));
  return parts;
}

static void translateMultiHeadAttention(Node &node) {
  int64_t heads = node.integer("num_heads", 0);
  bool isCausal = node.integer("unidirectional", 0) != 0;
  Value query = node.input(0);
  if (node.failed())
    return;
  if (heads <= 0)
    return node.fail("expected an attribute 'num_heads'");
  Value key = node.hasInput(1) ? node.input(1) : Value(),
        value = node.hasInput(2) ? node.input(2) : Value();
  if (!key && Node::rankOf(query) == 5) {
    SmallVector<Value> parts = unpacked(node, query, 3);
    query = parts[0];
    key = parts[1];
    value = parts[2];
  } else if (key && !value && Node::rankOf(key) == 5) {
    SmallVector<Value> parts = unpacked(node, key, 2);
    key = parts[0];
    value = parts[1];
  }
  if (node.failed() || !key || !value)
    return node.fail("expected a query, a key and a value, apart or packed in "
                     "5 dimensions");
  if (node.hasInput(3)) {
    Value bias = node.input(3);
    int64_t first = 0;
    for (Value *x : {&query, &key, &value}) {
      if (node.failed())
        return;
      bool hasHeads = Node::rankOf(*x) == 4;
      int64_t channels =
          sizesOf(*x).back().asNumber().value_or(0) * (hasHeads ? heads : 1);
      // Keys of another text have had theirs.
      Value each = part(node, bias, 0, node.size(first), node.size(channels));
      if (hasHeads && !node.failed())
        each = node.reshaped(each, {node.size(heads), node.size(1),
                                    node.size(channels / heads)});
      *x = sum(node, *x, each);
      first += channels;
    }
  }
  SizeAttr past;
  for (auto [x, input, result] :
       {std::tuple(&key, 6, 1), std::tuple(&value, 7, 2)}) {
    if (node.hasInput(input)) {
      Value before = node.input(input);
      if (node.failed())
        return;
      past = sizesOf(before)[2];
      *x = concatenated(node, {before, splitHeads(node, *x, heads)}, 2);
    }
    if (node.hasResult(result))
      node.setResult(splitHeads(node, *x, heads), result);
  }
  if (node.hasResult(3))
    return node.fail("expected no output of scores");
  AttentionBuilder attention(node, query, key, value, heads, heads);
  readScale(node, attention);
  if (node.hasInput(4))
    addKeyMask(node, attention, node.input(4));
  if (node.hasInput(5))
    attention.add(node.input(5));
  if (isCausal)
    attention.requireCausal(/*offset=*/{}, past);
  AttentionOp op = attention.create();
  if (node.failed())
    return;
  Value output = op.getResult(0);
  Sizes sizes = sizesOf(output);
  // Heads lie inside of tokens, wherever those of the query do.
  if (sizes.size() == 4)
    output = node.reshaped(node.transposed(output, {0, 2, 1, 3}),
                           {sizes[0], sizes[2], sizes[1] * sizes[3]});
  node.setResult(output);
}

namespace {
/// Queries of several heads share keys; keys so far are an input and an output.
class GroupQueryAttention {
public:
  explicit GroupQueryAttention(Node &node) : node(node) {}

  void translate() {
    heads = node.integer("num_heads", 0);
    kvHeads = node.integer("kv_num_heads", 0);
    int64_t window = node.integer("local_window_size", -1);
    double softcap = node.number("softcap", 0);
    bool rotates = node.integer("do_rotary", 0) != 0,
         interleaved = node.integer("rotary_interleaved", 0) != 0;
    double scale = node.number("scale", 0);
    if (node.integer("smooth_softmax", 0) > 0)
      return node.fail("expected smooth_softmax = 0");
    for (int64_t input : {11, 12, 13, 14, 15})
      if (node.hasInput(input))
        return node.fail("expected no input " + Twine(input));
    if (node.hasResult(3))
      return node.fail("expected no output of scores");
    if (heads <= 0 || kvHeads <= 0)
      return node.fail("expected attributes 'num_heads' and 'kv_num_heads'");
    if (!readOperands())
      return;
    Sizes sizes = sizesOf(query);
    findPlaces(sizes);
    if (rotates)
      turn(sizes, interleaved);
    key = append(key, 3, 1);
    value = append(value, 4, 2);
    AttentionBuilder attention(node, query, key, value, heads, kvHeads);
    if (scale != 0)
      attention.scale = scale;
    attention.softcap = softcap;
    attention.requireLengths(totals);
    attention.requireCausal(starts, SizeAttr());
    if (window > 0)
      attention.requireWindow(window, starts, SizeAttr());
    if (node.hasInput(10))
      attention.add(node.input(10));
    AttentionOp op = attention.create();
    if (!node.failed())
      node.setResult(op.getResult(0));
  }

private:
  bool readOperands() {
    query = node.input(0);
    if (node.failed())
      return false;
    if (node.hasInput(1)) {
      key = node.input(1);
      value = node.input(2);
      return !node.failed();
    }
    SizeAttr all = sizesOf(query)[2];
    auto channels = all.asNumber();
    if (!channels || *channels % (heads + 2 * kvHeads) != 0) {
      node.fail("expected channels of num_heads + 2 * kv_num_heads heads, "
                "found " +
                all.str());
      return false;
    }
    int64_t ofHead = *channels / (heads + 2 * kvHeads), first = 0;
    Value packed = query;
    for (auto [x, count] : {std::pair(&query, heads), std::pair(&key, kvHeads),
                            std::pair(&value, kvHeads)}) {
      *x = part(node, packed, 2, node.size(first), node.size(count * ofHead));
      first += count * ofHead;
    }
    return !node.failed();
  }

  // How many keys each sequence has, and where its first query stands: input 5
  // is the place of the last key.
  void findPlaces(ArrayRef<SizeAttr> sizes) {
    Value last = node.input(5);
    if (node.failed())
      return;
    last = node.reshaped(last, sizes[0]);
    Type type = elementOf(last);
    auto like = [&](Value scalar) {
      return node.broadcastTo(scalar, sizesOf(last));
    };
    Value zero = like(node.constant(0, type));
    totals = node.map<arith::AddIOp>(last, like(node.constant(1, type)));
    // Of a prompt that is padded at its end the first query stands at 0, too.
    starts = node.map<arith::MaxSIOp>(
        node.map<arith::SubIOp>(totals, like(node.fromSize(sizes[1], type))),
        zero);
  }

  // By rows of tables: those of given positions, or of where tokens stand.
  void turn(ArrayRef<SizeAttr> sizes, bool interleaved) {
    Value cosines = node.input(7), sines = node.input(8);
    Value positions =
        node.hasInput(9) ? node.input(9) : positionsOf(sizes[0], sizes[1]);
    cosines = rowsOf(node, cosines, positions);
    sines = rowsOf(node, sines, positions);
    auto half = node.failed() ? std::nullopt : sizesOf(cosines)[2].asNumber();
    auto channels = sizes[2].asNumber();
    if (!half || !channels)
      return node.fail("expected known channels");
    int64_t rotated = *half * 2 == *channels / heads ? 0 : *half * 2;
    query = rotate(node, query, cosines, sines, heads, rotated, interleaved);
    key = rotate(node, key, cosines, sines, kvHeads, rotated, interleaved);
  }

  Value positionsOf(SizeAttr batch, SizeAttr length) {
    if (node.failed())
      return {};
    Sizes tokens = {batch, length};
    Value places =
        node.make<IotaOp>(elementOf(starts), /*axis=*/1, node.array(tokens));
    return node.map<arith::AddIOp>(
        places,
        node.broadcastTo(node.reshaped(starts, {batch, node.size(1)}), tokens));
  }

  // Keys so far, and these behind those that each sequence has.
  Value append(Value x, int64_t input, int64_t result) {
    Value each = splitHeads(node, x, kvHeads);
    if (node.hasInput(input))
      each = placed(node.input(input), each);
    node.setResult(each, result);
    return each;
  }

  Value placed(Value before, Value these) {
    if (node.failed())
      return {};
    Type type = elementOf(these), integer = elementOf(starts);
    Sizes sizes = sizesOf(these);
    Value room = node.broadcastTo(node.constant(0, type), sizes);
    Value all = concatenated(node, {before, room}, 2);
    // The sequence, the head and the place of each of them.
    Sizes rows(sizes.begin(), sizes.begin() + 3), index = rows;
    index.push_back(node.size(1));
    SmallVector<Value> coordinates;
    for (int64_t axis = 0; axis < 3; ++axis)
      coordinates.push_back(node.make<IotaOp>(integer, axis, node.array(rows)));
    Value first = node.broadcastTo(
        node.reshaped(starts, {sizes[0], node.size(1), node.size(1)}), rows);
    coordinates[2] = node.map<arith::AddIOp>(coordinates[2], first);
    for (Value &coordinate : coordinates)
      coordinate = node.reshaped(coordinate, index);
    Value indices = concatenated(node, coordinates, 3);
    return node.make<ScatterOp>(type, ScatterKind::Assign, all, indices, these,
                                /*axis=*/0, node.b.getI64IntegerAttr(3),
                                /*wrap=*/false);
  }

  Node &node;
  int64_t heads = 0, kvHeads = 0;
  Value query, key, value, totals, starts;
};
} // namespace

static void translateGroupQueryAttention(Node &node) {
  GroupQueryAttention(node).translate();
}

// Tables have all positions; those of tokens are given, or where the first is.
static void translateRotaryEmbedding(Node &node) {
  bool interleaved = node.integer("interleaved", 0) != 0;
  int64_t heads = node.integer("num_heads", 0),
          rotated = node.integer("rotary_embedding_dim", 0);
  if (node.integer("is_packed_batching", 0) != 0 ||
      node.number("scale", 1) != 1)
    return node.fail("expected is_packed_batching = 0 and scale = 1");
  Value x = node.input(0), positions = node.input(1), cosines = node.input(2),
        sines = node.input(3);
  if (node.failed())
    return;
  Sizes sizes = sizesOf(x);
  bool hasHeads = sizes.size() == 4;
  if (Node::rankOf(positions) == 1) {
    Type type = elementOf(positions);
    Sizes tokens = {sizes[0], sizes[hasHeads ? 2 : 1]};
    Value places = node.make<IotaOp>(type, /*axis=*/1, node.array(tokens));
    positions = node.map<arith::AddIOp>(
        places, node.broadcastTo(node.reshaped(positions, {}), tokens));
  }
  auto half = node.failed() ? std::nullopt : sizesOf(cosines)[1].asNumber();
  if (!hasHeads && heads == 0 && rotated == 0 && half)
    if (auto channels = sizes[2].asNumber())
      heads = *channels / (*half * 2);
  cosines = rowsOf(node, cosines, positions);
  sines = rowsOf(node, sines, positions);
  node.setResult(rotate(node, x, cosines, sines, heads, rotated, interleaved));
}

llvm::ArrayRef<Operator> onnx::microsoftAttentionOperators() {
  static constexpr llvm::StringLiteral domain = "com.microsoft";
  static constexpr Operator operators[] = {
      {domain, "Attention", translateAttention},
      {domain, "GroupQueryAttention", translateGroupQueryAttention},
      {domain, "MultiHeadAttention", translateMultiHeadAttention},
      {domain, "RotaryEmbedding", translateRotaryEmbedding},
  };
  return operators;
}
