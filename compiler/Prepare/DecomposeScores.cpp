// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/Decompositions.h"
#include "compiler/Prepare/MergedParts.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/APInt.h"

#include <limits>

using namespace mlir;

namespace heddle {

//===-- Changes of scores -------------------------------------------------===//

// cap * tanh(s / cap)
static Values decompose(SoftcapOp op, OpBuilder &b) {
  Type type = getElementTypeOrSelf(op.getScores()), wide = accumulatorOf(type);
  double cap = op.getCap().convertToDouble();
  GenericBuilder g(b, op.getLoc(), sizesOf(op.getScores()));
  g.input(op.getScores());
  g.result(type);
  return {g.build([&](GenericBody &body) {
    Element x = cast(body.input(0), wide);
    return cast(apply<math::TanhOp>(x * x.constant(1 / cap)) * x.constant(cap),
                type);
  })};
}

namespace {
/// Adds to each score of [batch, heads, queries, keys] something that depends
/// on how far the key is behind the query.
template <typename Op> class DistanceBuilder {
public:
  DistanceBuilder(Op op, OpBuilder &b)
      : op(op), sizes(sizesOf(op.getScores())), g(b, op.getLoc(), sizes) {
    g.input(op.getScores());
    if (op.getOffset())
      g.input(op.getOffset(), {g.dim(0)});
    g.result(type());
  }

  GenericBuilder &generic() { return g; }
  Type type() { return accumulatorOf(op.getScores()); }
  /// The number of the input that comes next.
  unsigned nextInput() { return op.getOffset() ? 2 : 1; }

  Value
  build(llvm::function_ref<Element(GenericBody &, Element distance)> bias) {
    return g.build([&](GenericBody &body) {
      Element key = body.index(3), query = body.index(2);
      if (op.getOffset()) {
        Element offset = asCoordinate(body.input(1));
        return body.input(0) +
               bias(body, saturatingDifference(key - query, offset));
      }
      if (*op.getAlign() == Alignment::BottomRight)
        query = query + (body.size(sizes[3]) - body.size(sizes[2]));
      return body.input(0) + bias(body, key - query);
    });
  }

private:
  // Offsets may be any integer.
  static Element saturatingDifference(Element x, Element y) {
    Element wrapped = x - y, zero = x.constant(0);
    Element least = x.constant(std::numeric_limits<int32_t>::min());
    Element most = x.constant(std::numeric_limits<int32_t>::max());
    return select(x < y, select(wrapped < zero, wrapped, least),
                  select(wrapped < zero, most, wrapped));
  }

  Op op;
  Sizes sizes;
  GenericBuilder g;
};
} // namespace

// s + slopes[h] * distance
static Values decompose(AlibiOp op, OpBuilder &b) {
  DistanceBuilder<AlibiOp> builder(op, b);
  builder.generic().input(op.getSlopes(), {builder.generic().dim(1)});
  return {builder.build([&](GenericBody &body, Element distance) {
    return cast(body.input(builder.nextInput()), builder.type()) *
           cast(distance, builder.type());
  })};
}

// The least d for which floor(log(d / e) / log(m / e) * n) is `bucket`:
// d^n >= e^(n - bucket) m^bucket.
static int64_t beginOfBucket(int64_t bucket, int64_t e, int64_t m, int64_t n) {
  unsigned bits = 64 * (n + 1);
  auto power = [&](int64_t base, int64_t exponent) {
    llvm::APInt result(bits, 1);
    for (int64_t i = 0; i < exponent; ++i)
      result *= llvm::APInt(bits, base);
    return result;
  };
  llvm::APInt bound = power(e, n - bucket) * power(m, bucket);
  int64_t low = e, high = m;
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (power(middle, n).uge(bound))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

// A row for each distance from -m to m, of a table of buckets.
static Value expandBuckets(RelativeBiasOp op, Value table, OpBuilder &b) {
  Sizes sizes = sizesOf(table);
  bool areBoth = *op.getBuckets() == Buckets::Both;
  int64_t count = *sizes[0].asNumber() / (areBoth ? 2 : 1), exact = count / 2;
  int64_t m = *op.getDistance();
  GenericBuilder g(b, op.getLoc(),
                   {SizeAttr::number(b.getContext(), 2 * m + 1), sizes[1]});
  g.table(table);
  g.result(getElementTypeOrSelf(table));
  return g.build([&](GenericBody &body) {
    Element n = body.index(0) - body.index(0).constant(m), zero = n.constant(0);
    Element distance = select(n < zero, zero - n, n);
    if (!areBoth)
      distance = select(n < zero, zero - n, zero);
    Element bucket =
        select(distance < n.constant(exact), distance, n.constant(exact));
    for (int64_t j = 1; j < count - exact; ++j) {
      Element begin = n.constant(beginOfBucket(j, exact, m, count - exact));
      bucket = select(distance >= begin, n.constant(exact + j), bucket);
    }
    if (areBoth)
      bucket = select(n > zero, bucket + n.constant(count), bucket);
    return body.read(0, {bucket, body.index(1)});
  });
}

// Before the attention whose region the op is in, since it is the same for all
// scores.
static Value expandOutside(RelativeBiasOp op, OpBuilder &b) {
  auto attention = dyn_cast<AttentionOp>(op->getParentOp());
  auto argument = dyn_cast<BlockArgument>(op.getTable());
  if (!attention || !argument || argument.getArgNumber() == 0)
    return expandBuckets(op, op.getTable(), b);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(attention);
  Region &region = *argument.getOwner()->getParent();
  MutableOperandRange operands = &region == &attention.getScore()
                                     ? attention.getScoreOperandsMutable()
                                     : attention.getFactorOperandsMutable();
  Value outside = operands[argument.getArgNumber() - 1].get();
  Value table = expandBuckets(op, outside, b);
  operands.append(table);
  return region.addArgument(table.getType(), op.getLoc());
}

// s + table[clamp(distance, -m, m) + m, h]
static Values decompose(RelativeBiasOp op, OpBuilder &b) {
  Value table = op.getBuckets() ? expandOutside(op, b) : Value(op.getTable());
  int64_t m = (*sizesOf(table)[0].asNumber() - 1) / 2;
  DistanceBuilder<RelativeBiasOp> builder(op, b);
  builder.generic().table(table);
  return {builder.build([&](GenericBody &body, Element distance) {
    Element most = distance.constant(m);
    // The sum would wrap around; a read takes care of what is below -m.
    if (op.getOffset())
      distance = select(distance < most, distance, most);
    Element row = distance + most;
    return cast(body.read(0, {row, body.index(1)}), builder.type());
  })};
}

//===-- Parts of attention ------------------------------------------------===//

namespace {
/// The state of attention over all keys, of those over parts.
class PartMerger {
public:
  PartMerger(MergeAttentionOp op, OpBuilder &b)
      : op(op), b(b), loc(op.getLoc()),
        type(accumulatorOf(op.getMaxima().front())),
        rows(sizesOf(op.getMaxima().front())),
        parts(sizesOf(op.getUnnormalized().front())) {
    maximum =
        ofRows(SmallVector<Value>(op.getMaxima()), [&](GenericBody &body) {
          Element largest = body.input(0);
          for (unsigned i = 1; i < op.getMaxima().size(); ++i)
            largest = heddle::maximum(largest, body.input(i));
          return largest;
        });
    for (Value own : op.getMaxima())
      factors.push_back(ofRows({own, maximum}, [](GenericBody &body) {
        return factorOfPart(body.input(0), body.input(1));
      }));
    SmallVector<Value> inputs(op.getSums());
    inputs.append(factors);
    sum = ofRows(inputs, [&](GenericBody &body) {
      return addProducts(body, factors.size());
    });
  }

  Value result(AttentionResult kind) {
    switch (kind) {
    case AttentionResult::Maximum:
      return maximum;
    case AttentionResult::Sum:
      return sum;
    case AttentionResult::LogSumExp:
      return ofRows({maximum, sum}, [](GenericBody &body) {
        return body.input(0) + apply<math::LogOp>(body.input(1));
      });
    default:
      return ofChannels(kind == AttentionResult::Output);
    }
  }

private:
  Value ofRows(ArrayRef<Value> inputs,
               llvm::function_ref<Element(GenericBody &)> body) {
    return buildElementwise(b, loc, rows, inputs, type, body);
  }

  // input(0) * input(n) + input(1) * input(n + 1) + ...
  static Element addProducts(GenericBody &body, unsigned n) {
    Element total = body.input(0) * body.input(n);
    for (unsigned i = 1; i < n; ++i)
      total = total + body.input(i) * body.input(n + i);
    return total;
  }

  Value ofChannels(bool isNormalized) {
    GenericBuilder g(b, loc, parts);
    HeadLayout layout = op.getLayoutOfParts();
    SmallVector<AffineExpr> row;
    for (unsigned batch : layout.batches)
      row.push_back(g.dim(batch));
    int64_t channels = *parts[layout.channel].asNumber();
    int64_t heads = *rows[rows.size() - 2].asNumber();
    row.push_back(layout.head
                      ? g.dim(*layout.head)
                      : g.dim(layout.channel).floorDiv(channels / heads));
    row.push_back(g.dim(layout.length));
    for (Value part : op.getUnnormalized())
      g.input(part);
    for (Value factor : factors)
      g.input(factor, row);
    if (isNormalized)
      g.input(sum, row);
    g.result(type);
    return g.build([&](GenericBody &body) {
      Element total = addProducts(body, factors.size());
      if (!isNormalized)
        return total;
      Element divisor = body.input(2 * factors.size()),
              zero = total.constant(0);
      return select(divisor == zero, zero, total / divisor);
    });
  }

  MergeAttentionOp op;
  OpBuilder &b;
  Location loc;
  Type type;
  Sizes rows, parts;
  Value maximum, sum;
  SmallVector<Value> factors;
};
} // namespace

static Values decompose(MergeAttentionOp op, OpBuilder &b) {
  PartMerger merger(op, b);
  Values results;
  for (AttentionResult kind : op.getWantedResults())
    results.push_back(merger.result(kind));
  return results;
}

void registerScoreDecompositions(MLIRContext *context) {
  attachDecompositions<SoftcapOp, AlibiOp, RelativeBiasOp, MergeAttentionOp>(
      context);
}

} // namespace heddle
