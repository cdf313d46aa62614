// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX Runtime's attention of sequences without padding, one behind the other,
// and the biases of positions that go with it.

#include "compiler/Import/Onnx/Operators.h"
#include "compiler/Import/Onnx/Operators/AttentionBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

static Type elementOf(Value x) { return getElementTypeOrSelf(x); }

//===-- PackedMultiHeadAttention ------------------------------------------===//

// The sequence of each token, [1, tokens]: how many of the others have ended.
// `ends` are the numbers of tokens of the first 0, 1, .. sequences.
static Value sequencesOf(Node &node, Value ends, SizeAttr tokens) {
  Type type = elementOf(ends);
  Sizes over{sizesOf(ends)[0], tokens};
  Value place = node.make<IotaOp>(type, /*axis=*/1, node.array(over));
  Value end =
      node.broadcastTo(node.reshaped(ends, {over[0], node.size(1)}), over);
  Value isBehind =
      node.map<arith::CmpIOp>(arith::CmpIPredicate::sge, place, end);
  if (node.failed())
    return {};
  return node.make<ReduceOp>(type, ReductionKind::Sum,
                             node.cast(isBehind, type), ArrayRef<int64_t>{0},
                             /*keepSizes=*/true);
}

// Tokens of all sequences are those of one, whose documents they are.
static void translatePackedAttention(Node &node) {
  int64_t heads = node.integer("num_heads", 0);
  double scale = node.number("scale", 0);
  node.number("mask_filter_value", -10000);
  if (heads <= 0)
    return node.fail("expected an attribute 'num_heads'");
  if (node.hasInput(6))
    return node.fail("expected no attention_bias, whose sequences are padded");
  Value query = node.input(0), ends = node.input(5);
  SmallVector<Value> parts;
  if (node.failed())
    return;
  Sizes sizes = sizesOf(query);
  if (sizes.size() == 4) { // [tokens, heads, 3, channels]
    for (int64_t i = 0; i < 3; ++i)
      parts.push_back(node.reshaped(
          node.make<SliceOp>(
              elementOf(query), query,
              node.array(
                  {node.size(0), node.size(0), node.size(i), node.size(0)}),
              node.array({sizes[0], sizes[1], node.size(1), sizes[3]}),
              ArrayRef<int64_t>{1, 1, 1, 1}),
          {sizes[0], sizes[1] * sizes[3]}));
  } else {
    parts = {query, node.input(1), node.input(2)};
  }
  int64_t first = 0;
  for (Value &each : parts) {
    if (node.failed())
      return;
    SizeAttr channels = sizesOf(each)[1];
    if (node.hasInput(3) && channels.asNumber()) {
      Value bias = node.make<SliceOp>(
          elementOf(each), node.input(3), node.array({node.size(first)}),
          node.array({channels}), ArrayRef<int64_t>{1});
      first += *channels.asNumber();
      SmallVector<Value> both = node.broadcast({each, bias});
      if (node.failed())
        return;
      each = node.map<arith::AddFOp>(both[0], both[1]);
    }
    each = node.reshaped(each, {node.size(1), sizes[0], channels});
  }
  AttentionBuilder attention(node, parts[0], parts[1], parts[2], heads, heads);
  if (scale != 0)
    attention.scale = scale;
  // The first end is that of no sequence.
  Value documents =
      sequencesOf(node, node.reshaped(ends, {sizesOf(ends)[0]}), sizes[0]);
  if (node.failed())
    return;
  attention.require(DocumentsMaskOp::create(
      node.b, node.loc, MaskType::get(node.b.getContext()), documents,
      documents, /*summary=*/ValueRange()));
  AttentionOp op = attention.create();
  if (!node.failed())
    node.setResult(node.reshaped(op.getResult(0),
                                 {sizes[0], sizesOf(op.getResult(0))[2]}));
}

//===-- RelativePositionBias ----------------------------------------------===//

// The bucket of each distance up to `most`, from which on all have the last one
// (T5: half of them one distance each, the others logarithmic ranges).
static SmallVector<int64_t> bucketsUpTo(int64_t most, int64_t buckets) {
  int64_t exact = buckets / 2;
  SmallVector<int64_t> list;
  for (int64_t distance = 0; distance <= most; ++distance) {
    double range = std::log(double(std::max(distance, exact)) / exact) /
                   std::log(double(most) / exact) * double(buckets - exact);
    // Exact where a range begins, as floats of T5 are.
    int64_t bucket = exact + int64_t(range + 1e-6);
    list.push_back(distance < exact ? distance : std::min(bucket, buckets - 1));
  }
  return list;
}

// [1, heads, queries, keys] of a table [buckets, heads].
static void translateRelativePositionBias(Node &node) {
  bool isBothWays = node.integer("is_bidirectional", 0) != 0;
  int64_t most = node.integer("max_distance", 128);
  Value table = node.input(0);
  Sizes queries = node.sizes(1), keys = node.sizes(2);
  if (node.failed())
    return;
  int64_t buckets = sizesOf(table)[0].asNumber().value_or(0);
  int64_t count = isBothWays ? buckets / 2 : buckets;
  if (Node::rankOf(table) != 2 || count < 2 || most <= count / 2 ||
      most > 1 << 20)
    return node.fail("expected a table of 4 buckets or more, and a larger "
                     "max_distance, found " +
                     Twine(buckets) + " and " + Twine(most));
  Type type = node.b.getI64Type();
  Sizes over{queries.front(), keys.front()};
  auto number = [&](int64_t value) {
    return node.broadcastTo(node.constant(double(value), type), over);
  };
  Value before = node.map<arith::SubIOp>(
      node.make<IotaOp>(type, /*axis=*/0, node.array(over)),
      node.make<IotaOp>(type, /*axis=*/1, node.array(over)));
  Value zero = number(0);
  Value isAfter =
      node.map<arith::CmpIOp>(arith::CmpIPredicate::slt, before, zero);
  Value distance =
      isBothWays ? node.map<arith::SelectOp>(
                       isAfter, node.map<arith::SubIOp>(zero, before), before)
                 : node.map<arith::MaxSIOp>(before, zero);
  distance = node.map<arith::MinSIOp>(distance, number(most));
  auto list =
      DenseElementsAttr::get(RankedTensorType::get({most + 1}, type),
                             ArrayRef<int64_t>(bucketsUpTo(most, count)));
  Value bucket = node.make<GatherOp>(
      type, arith::ConstantOp::create(node.b, node.loc, list), distance,
      /*axis=*/0, IntegerAttr(), /*wrap=*/false);
  if (isBothWays)
    bucket = node.map<arith::AddIOp>(
        bucket, node.map<arith::SelectOp>(isAfter, number(count), zero));
  if (node.failed())
    return;
  Value rows = node.make<GatherOp>(elementOf(table), table, bucket, /*axis=*/0,
                                   IntegerAttr(), /*wrap=*/false);
  rows = node.transposed(rows, {2, 0, 1});
  node.setResult(
      node.make<ExpandOp>(elementOf(table), rows, ArrayRef<int64_t>{0}));
}

llvm::ArrayRef<Operator> onnx::microsoftPackedOperators() {
  static constexpr Operator operators[] = {
      {"com.microsoft", "PackedMultiHeadAttention", translatePackedAttention},
      {"com.microsoft", "RelativePositionBias", translateRelativePositionBias},
  };
  return operators;
}
