// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/Decompositions.h"
#include "compiler/Prepare/LogitRows.h"

using namespace mlir;

namespace heddle {

// What is kept is all from a least logit on. Its bits are found digit by digit,
// from the highest one, by the weights of all logits from each of 16 on: 8
// times two kernels, and nothing is sorted. Weights of top_k are all 1.
//
// Each digit's kernels are those of the one before, as all that differs is in
// tensors. So are those of top_k and of top_p.
static constexpr int64_t kDigits = 8, kRadix = 16;

namespace {
/// Values without a dimension of their own have one number for each row.
class LikelyBuilder : LogitRows {
public:
  LikelyBuilder(KeepLikelyOp op, OpBuilder &b)
      : LogitRows(b, op, op.getLogits()), op(op), i32(b.getI32Type()),
        largest(LogitRows::largest()), parts(countOf(vocabulary, width)) {}

  Value build();

private:
  /// The key of a logit: i32, in their order.
  Element key(Element x);

  /// 1 for each logit [rows, vocabulary].
  Value ones();
  /// How many logits are to be kept, as f32.
  Value targetOfTopK();
  /// Of what has at least the key `least` [rows, vocabulary]; 0 of others.
  Value weightsFrom(Value least);
  /// The weight of what is to be kept at least.
  Value targetOfTopP(Value weights);
  /// The largest key that what has at least that much weighs `target` together.
  Value findLeast(Value weights, Value target);
  /// The logits from both keys on.
  Value keepFrom(Value topK, Value topP);

  KeepLikelyOp op;
  Type i32;
  Value largest;
  SizeAttr parts;
};
} // namespace

// Floats are ordered as their bits are, but negative ones the other way round.
Element LikelyBuilder::key(Element x) {
  ImplicitLocOpBuilder &body = x.builder();
  x = select(x == x.constant(0), x.constant(0), x); // -0 is 0
  Element bits = bitcast(x, i32);
  Element others = bits.constant(INT32_MAX);
  Element flipped(body,
                  arith::XOrIOp::create(body, bits.value(), others.value()));
  return select(bits < bits.constant(0), flipped, bits);
}

Value LikelyBuilder::ones() {
  GenericBuilder g = begin({vocabulary});
  g.result(f32);
  return g.build(
      [&](GenericBody &body) { return body.constant(numberOf(f32, 1)); });
}

Value LikelyBuilder::targetOfTopK() {
  GenericBuilder g = begin({});
  addRowInputs(g, op.getTopK());
  g.result(f32);
  return g.build([&](GenericBody &body) {
    Element k = body.input(0), all = body.size(vocabulary);
    return cast(select((k > k.constant(0)) & (k < all), k, all), f32);
  });
}

Value LikelyBuilder::weightsFrom(Value least) {
  GenericBuilder g = begin({vocabulary});
  addTables(g, {largest, op.getTemperature(), least});
  g.result(f32);
  return g.build([&](GenericBody &body) {
    Element x = logit(body, body.index(rank()));
    Element w = weight(x, readRow(body, 1), readRow(body, 2));
    return select(key(x) >= readRow(body, 3), w, w.constant(0));
  });
}

// The largest logit has the weight 1, which is kept whatever top_p is.
Value LikelyBuilder::targetOfTopP(Value weights) {
  Value sum = reduce(
      0, [&](GenericBuilder &g) { g.table(weights); },
      [&](GenericBody &body, Element place) {
        return read(body, 0, place, body.constant(numberOf(f32, 0)));
      },
      [](Element x, Element y) { return x + y; });
  GenericBuilder target = begin({});
  addRowInputs(target, {op.getTopP(), sum});
  target.result(f32);
  return target.build([&](GenericBody &body) {
    Element share = body.input(0) * body.input(1);
    return select(share > share.constant(1), share, share.constant(1));
  });
}

Value LikelyBuilder::findLeast(Value weights, Value target) {
  GenericBuilder begins = begin({});
  begins.result(i32);
  begins.result(i32);
  SmallVector<Value> state =
      begins.buildAll([&](GenericBody &body) -> SmallVector<Element> {
        return {body.constant(b.getI32IntegerAttr(INT32_MIN)),
                body.constant(b.getI32IntegerAttr(1 << 28))};
      });
  SizeAttr radix = number(kRadix);
  for (int64_t digit = 0; digit < kDigits; ++digit) {
    // The weights from each candidate on, in each part.
    GenericBuilder ofParts = begin({radix, parts}, {number(width)});
    addTables(ofParts, {weights, state[0], state[1]});
    ofParts.result(f32, 0.0);
    Value sums = ofParts.build([&](GenericBody &body) {
      Element candidate = body.index(rank());
      Element part = body.index(rank() + 1);
      Element place = part * part.constant(width) + body.index(rank() + 2);
      Element least = readRow(body, 2) + candidate * readRow(body, 3);
      Element sum = body.accumulator(0), zero = sum.constant(0);
      return sum + select(key(logit(body, place)) >= least,
                          read(body, 1, place, zero), zero);
    });
    GenericBuilder ofAll = begin({radix}, {parts});
    ofAll.table(sums);
    ofAll.result(f32, 0.0);
    Value all = ofAll.build([&](GenericBody &body) {
      SmallVector<Element> point = body.indices(rank() + 2);
      return body.accumulator(0) + body.read(0, point);
    });
    // The last candidate from which on there is enough.
    GenericBuilder last = begin({}, {radix});
    addInput(last, all, last.dim(rank()));
    last.table(target);
    last.result(i32, 0);
    Value found = last.build([&](GenericBody &body) {
      Element candidate = body.index(rank()), zero = candidate.constant(0);
      Element isEnough = body.input(0) >= readRow(body, 0);
      return body.accumulator(0) +
             cast(isEnough & (candidate > zero), candidate.type());
    });
    GenericBuilder next = begin({});
    addRowInputs(next, found);
    next.table(state[0]);
    next.table(state[1]);
    next.result(i32);
    next.result(i32);
    state = next.buildAll([&](GenericBody &body) -> SmallVector<Element> {
      Element step = readRow(body, 1);
      return {readRow(body, 0) + body.input(0) * step,
              step / step.constant(kRadix)};
    });
  }
  return state[0];
}

Value LikelyBuilder::keepFrom(Value topK, Value topP) {
  GenericBuilder g = begin({vocabulary});
  addTables(g, {largest, topK, topP, op.getTopP()});
  Type type = getElementTypeOrSelf(logits);
  g.result(type);
  return g.build([&](GenericBody &body) {
    Element x = logit(body, body.index(rank()));
    Element largest = readRow(body, 1), share = readRow(body, 4);
    Element isFinite = largest - largest == largest.constant(0);
    Element isLess =
        (key(x) < readRow(body, 2)) |
        ((share < share.constant(1)) & (key(x) < readRow(body, 3)));
    Element none = body.constant(lowestOf(f32));
    return cast(select(isLess & isFinite, none, x), type);
  });
}

Value LikelyBuilder::build() {
  Value topK = findLeast(ones(), targetOfTopK());
  Value weights = weightsFrom(topK);
  return keepFrom(topK, findLeast(weights, targetOfTopP(weights)));
}

static Values decompose(KeepLikelyOp op, OpBuilder &b) {
  return {LikelyBuilder(op, b).build()};
}

void registerLikelyDecompositions(MLIRContext *context) {
  attachDecompositions<KeepLikelyOp>(context);
}

} // namespace heddle
