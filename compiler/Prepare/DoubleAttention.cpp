// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.attention of f64 -> a heddle.generic for each step of its formula:
//
//   masked = mask ? score(scale * sum over c of Q * K) : -inf
//   maximum = max over k of masked
//   weight = masked = -inf ? 0 : exp(masked - maximum)
//   sum = sum over k of weight
//   share = sum = 0 ? 0 : weight / sum * factor
//   output = sum over k of share * V

#include "compiler/Prepare/DoubleAttention.h"

#include "compiler/Prepare/GenericBuilder.h"
#include "compiler/Prepare/MaskFormula.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

#include <limits>

using namespace mlir;
using namespace heddle;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Nothing at a key whose score is -inf reaches a result, not even NaN.
Element dropIf(Element isDropped, Element x) {
  return select(isDropped, x.constant(0), x);
}

class DoubleAttention {
public:
  DoubleAttention(OpBuilder &b, AttentionOp op, Value query, Value key,
                  Value value)
      : b(b), op(op), loc(op.getLoc()), type(op.getComputedType()),
        space(op.getScoreSpace()), query(query), key(key), value(value),
        pairs(space.begin(), space.end()),
        rows(ArrayRef<SizeAttr>(pairs).drop_back()) {}

  SmallVector<Value> run() {
    raw = op.hasTerm() ? sumTerms() : multiply();
    scaled = scaleScores();
    changed = inlined(op.getScore(), scaled, op.getScoreOperands());
    masked = dropKeys();
    maximum = findMaximum();
    weights = weigh();
    sums = sumWeights();
    if (op.hasFactors())
      factors = inlined(op.getFactors(), ones(), op.getFactorOperands());
    return llvm::map_to_vector(
        op.getWantedResults(),
        [&](AttentionResult result) { return build(result); });
  }

private:
  bool isSoftmax() { return op.getNormalize() == Normalization::Softmax; }

  // The place of keys and values that a query of head dim(1) sees.
  SmallVector<AffineExpr> ofKey(GenericBuilder &g, AffineExpr k, AffineExpr c) {
    int64_t group = op.getHeads() / op.getKvHeads();
    return {g.dim(0), g.dim(1).floorDiv(group), k, c};
  }

  Value multiply() {
    GenericBuilder g(b, loc, pairs, {sizesOf(query)[3]});
    g.input(query, {g.dim(0), g.dim(1), g.dim(2), g.dim(4)});
    g.input(key, ofKey(g, g.dim(3), g.dim(4)));
    g.result(type, 0.0);
    return g.build([](GenericBody &body) {
      return body.accumulator(0) + body.input(0) * body.input(1);
    });
  }

  // Terms are of all pairs and channels.
  Value sumTerms() {
    Sizes all = pairs;
    all.push_back(sizesOf(query)[3]);
    auto repeat = [&](Value x, bool isKey) {
      GenericBuilder g(b, loc, all);
      g.input(x, isKey ? ofKey(g, g.dim(3), g.dim(4))
                       : SmallVector<AffineExpr>{g.dim(0), g.dim(1), g.dim(2),
                                                 g.dim(4)});
      g.result(type);
      return g.build([](GenericBody &body) { return body.input(0); });
    };
    Value terms =
        inlined(op.getTerm(), {repeat(query, false), repeat(key, true)},
                op.getTermOperands());
    return sumLast(terms);
  }

  Value sumLast(Value x) {
    Sizes sizes = sizesOf(x);
    SizeAttr last = sizes.pop_back_val();
    GenericBuilder g(b, loc, sizes, {last});
    g.input(x, g.dims(0, sizes.size() + 1));
    g.result(type, 0.0);
    return g.build(
        [](GenericBody &body) { return body.accumulator(0) + body.input(0); });
  }

  Value scaleScores() {
    return buildElementwise(b, loc, pairs, raw, type, [&](GenericBody &body) {
      Element x = body.input(0);
      return x * x.constant(op.getScaleOrDefault());
    });
  }

  // The value that `region` yields for arguments of its own and operands;
  // without a region, the first argument.
  Value inlined(Region &region, ValueRange own, ValueRange operands) {
    if (region.empty())
      return own.front();
    IRMapping mapping;
    Block &body = region.front();
    mapping.map(body.getArguments().take_front(own.size()), own);
    mapping.map(body.getArguments().drop_front(own.size()), operands);
    for (Operation &inside : body.without_terminator())
      b.clone(inside, mapping);
    return mapping.lookup(body.getTerminator()->getOperand(0));
  }

  Value ones() {
    GenericBuilder g(b, loc, pairs);
    g.result(type);
    return g.build(
        [&](GenericBody &body) { return body.constant(numberOf(type, 1)); });
  }

  Value dropKeys() {
    if (!op.getMask())
      return changed;
    GenericBuilder g(b, loc, pairs);
    g.input(changed);
    MaskFormula mask(g, op.getMask(), space);
    g.result(type);
    return g.build([&](GenericBody &body) {
      Element score = body.input(0);
      return select(mask.keeps(body), score, score.constant(-kInfinity));
    });
  }

  // The maximum is that of the numbers: a NaN makes its weight NaN anyway.
  static Element orLowest(Element x) {
    return select(isNaN(x), x.constant(-kInfinity), x);
  }

  // [batch, heads, queries]
  Value findMaximum() {
    GenericBuilder g(b, loc, rows, {pairs.back()});
    g.input(masked, g.dims(0, 4));
    g.result(type, -kInfinity);
    Value largest = g.build([](GenericBody &body) {
      return ::heddle::maximum(body.accumulator(0), orLowest(body.input(0)));
    });
    if (!op.getSinks())
      return largest;
    return withSinks(largest, [](GenericBody &body) {
      return ::heddle::maximum(body.input(0), orLowest(body.input(1)));
    });
  }

  // A row's number, changed by the sink of its head.
  Value withSinks(ValueRange ofRows,
                  llvm::function_ref<Element(GenericBody &)> change) {
    GenericBuilder g(b, loc, rows);
    g.input(ofRows.front());
    g.input(op.getSinks(), {g.dim(1)});
    for (Value more : ofRows.drop_front())
      g.input(more);
    g.result(type);
    return g.build(change);
  }

  static Element exponential(Element x, Element maximum) {
    return dropIf(x == x.constant(-kInfinity), apply<math::ExpOp>(x - maximum));
  }

  Value weigh() {
    GenericBuilder g(b, loc, pairs);
    g.input(masked);
    if (isSoftmax())
      g.input(maximum, g.dims(0, 3));
    g.result(type);
    return g.build([&](GenericBody &body) {
      Element x = body.input(0);
      return isSoftmax() ? exponential(x, body.input(1))
                         : dropIf(x == x.constant(-kInfinity), x);
    });
  }

  Value sumWeights() {
    Value sum = sumLast(weights);
    if (!op.getSinks())
      return sum;
    return withSinks({sum, maximum}, [](GenericBody &body) {
      return body.input(0) + exponential(body.input(1), body.input(2));
    });
  }

  Value multiplyValues(Value shares, bool isNormalized) {
    Sizes over = rows;
    over.push_back(sizesOf(value)[3]);
    GenericBuilder g(b, loc, over, {pairs.back()});
    AffineExpr k = g.dim(4);
    SmallVector<AffineExpr> pair{g.dim(0), g.dim(1), g.dim(2), k};
    g.input(shares, pair);
    g.input(masked, pair);
    g.input(value, ofKey(g, k, g.dim(3)));
    g.result(type, 0.0);
    Value output = g.build([](GenericBody &body) {
      Element score = body.input(1);
      return body.accumulator(0) + dropIf(score == score.constant(-kInfinity),
                                          body.input(0) * body.input(2));
    });
    if (!isNormalized)
      return output;
    GenericBuilder whole(b, loc, over);
    whole.input(output);
    whole.input(sums, whole.dims(0, 3));
    whole.result(type);
    return whole.build([](GenericBody &body) {
      return select(isNaN(body.input(1)), body.input(1), body.input(0));
    });
  }

  Value sumColumns(Value shares) {
    GenericBuilder g(b, loc, {pairs[0], pairs[1], pairs[3]}, {pairs[2]});
    g.input(shares, {g.dim(0), g.dim(1), g.dim(3), g.dim(2)});
    g.result(type, 0.0);
    return g.build(
        [](GenericBody &body) { return body.accumulator(0) + body.input(0); });
  }

  Value ofRows(llvm::function_ref<Element(Element maximum, Element sum)> f) {
    return buildElementwise(
        b, loc, rows, {maximum, sums}, type,
        [&](GenericBody &body) { return f(body.input(0), body.input(1)); });
  }

  Value build(AttentionResult result) {
    switch (result) {
    case AttentionResult::RawScores:
      return raw;
    case AttentionResult::ScaledScores:
      return scaled;
    case AttentionResult::ChangedScores:
      return changed;
    case AttentionResult::MaskedScores:
      return masked;
    case AttentionResult::Weights:
      return shares(true);
    case AttentionResult::ColumnSums:
      return sumColumns(shares(true));
    case AttentionResult::Output:
      return multiplyValues(shares(true), true);
    case AttentionResult::Unnormalized:
      return multiplyValues(shares(false), false);
    case AttentionResult::Sum:
      return sums;
    case AttentionResult::Maximum:
      return ofRows([](Element maximum, Element sum) {
        Element isNoNumber =
            isNaN(sum) & !(maximum == maximum.constant(kInfinity));
        return select(isNoNumber, sum, maximum);
      });
    case AttentionResult::LogSumExp:
      return ofRows([](Element maximum, Element sum) {
        return maximum + apply<math::LogOp>(sum);
      });
    }
    llvm_unreachable("all results are covered");
  }

  // Weights times factors, of their sum where they are normalized.
  Value shares(bool isNormalized) {
    isNormalized &= op.getNormalize() != Normalization::None;
    if (!isNormalized && !factors)
      return weights;
    GenericBuilder g(b, loc, pairs);
    g.input(weights);
    g.input(masked);
    g.input(sums, g.dims(0, 3));
    if (factors)
      g.input(factors);
    g.result(type);
    return g.build([&](GenericBody &body) {
      Element share = body.input(0), score = body.input(1), sum = body.input(2);
      if (isNormalized)
        share = dropIf(sum == sum.constant(0), share / sum);
      if (factors)
        share = share * body.input(3);
      return dropIf(score == score.constant(-kInfinity), share);
    });
  }

  OpBuilder &b;
  AttentionOp op;
  Location loc;
  FloatType type;
  ScoreSpace space;
  Value query, key, value;
  Sizes pairs, rows; ///< [batch, heads, queries, keys], and without the keys
  Value raw, scaled, changed, masked, weights, factors; // of pairs
  Value maximum, sums;                                  // of rows
};

} // namespace

SmallVector<Value> heddle::attendInDouble(OpBuilder &b, AttentionOp op,
                                          Value query, Value key, Value value) {
  return DoubleAttention(b, op, query, key, value).run();
}
