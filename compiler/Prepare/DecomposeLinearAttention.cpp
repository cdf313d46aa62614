// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.linear_attention
//   -> products over the tokens of all chunks, and a scan over the chunks
// heddle.gated_delta_rule
//   -> such products, and an scf.for over chunks

#include "compiler/Prepare/ChannelDecays.h"
#include "compiler/Prepare/Decompositions.h"
#include "compiler/Prepare/GenericBuilder.h"
#include "compiler/Prepare/TriangularInverse.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace heddle {

static Element exponential(Element x) { return apply<math::ExpOp>(x); }

namespace {
/// What chunks have that does not depend on the state before them, for all of
/// them. With C tokens in a chunk and n chunks, [batch, heads, n, C, ..]:
struct Chunks {
  Value query; ///< exp(G_i) q_i
  Value key;   ///< exp(G - G_j) k_j
  /// exp(G_i - G_j) (q_i . k_j) where j <= i, or 0: [batch, heads, n, C, C]
  Value scores;
  /// What each key adds to the state S is value, or value - probe S.
  Value value, probe;
  Value decay; ///< exp(G): [batch, heads, n], or of key channels, or null
};

/// Decomposes one op. The .td has the formulas.
class Recurrence {
public:
  template <typename Op>
  Recurrence(OpBuilder &b, Op op)
      : b(b), loc(op.getLoc()), type(accumulatorOf(op.getQuery())),
        query(op.getQuery()), key(op.getKey()), value(op.getValue()),
        gates(op.getGates()), state(op.getState()),
        wantsState(bool(op.getFinalState())) {
    Sizes keys = sizesOf(key), values = sizesOf(value);
    batch = keys[0], heads = values[1], length = keys[2], keyDim = keys[3];
    valueDim = values[3];
    query = repeatHeads(query);
    key = repeatHeads(key);
    // Of a text that is known to be short, no more than it has.
    int64_t tokens = op.getChunk();
    if (std::optional<int64_t> known = length.asNumber())
      tokens = std::clamp<int64_t>(llvm::PowerOf2Ceil(*known), 1, tokens);
    chunk = number(tokens);
    // Without a token there is a chunk that leaves the state.
    chunks = max(ceilDiv(length, chunk), number(1));
  }

  Values linear() {
    Chunks all = prepare();
    all.value = split(value);
    return chunks.asNumber() == 1 ? run(all) : runAtOnce(all);
  }

  Values deltaRule(Value strengths) {
    Chunks all = prepare();
    Value own = split(strengths);
    Value solved = invertUnitTriangular(b, loc, collisions(own));
    all.value = product(solved, weigh(split(value), own));
    all.probe = product(solved, decay(weigh(keys, own), sums));
    return run(all);
  }

private:
  SizeAttr number(int64_t value) {
    return SizeAttr::number(b.getContext(), value);
  }
  // The sizes of something that each chunk has.
  Sizes perChunk(std::initializer_list<SizeAttr> others) {
    Sizes sizes = {batch, heads, chunks};
    sizes.append(others);
    return sizes;
  }

  Value reshape(Value x, const Sizes &sizes) {
    return ReshapeOp::create(b, loc, tensorOf(sizes, type), x,
                             toArray(b.getContext(), sizes));
  }

  /// x y, y^T where `isTransposed`, of the last two dimensions.
  Value product(Value x, Value y, bool isTransposed = false) {
    Sizes sizes = sizesOf(x), right = sizesOf(y);
    sizes.back() = right[right.size() - (isTransposed ? 2 : 1)];
    return MatmulOp::create(b, loc, tensorOf(sizes, type), x, y,
                            /*transposeA=*/false, isTransposed);
  }

  /// x^T y
  Value productOfColumns(Value x, Value y) {
    Sizes sizes = sizesOf(x);
    sizes[sizes.size() - 2] = sizes.back();
    sizes.back() = sizesOf(y).back();
    return MatmulOp::create(b, loc, tensorOf(sizes, type), x, y,
                            /*transposeA=*/true, /*transposeB=*/false);
  }

  /// [batch, K, length, channels] -> [batch, heads, length, channels]: K heads,
  /// each for heads / K that lie side by side.
  Value repeatHeads(Value x) {
    Sizes sizes = sizesOf(x);
    if (sizes[1] == heads)
      return x;
    int64_t group = *heads.asNumber() / *sizes[1].asNumber();
    sizes[1] = heads;
    GenericBuilder g(b, loc, sizes);
    g.input(x, {g.dim(0), g.dim(1).floorDiv(group), g.dim(2), g.dim(3)});
    g.result(type);
    return g.build([](GenericBody &body) { return body.input(0); });
  }

  bool hasGateOfChannels() const {
    return gates &&
           llvm::cast<RankedTensorType>(gates.getType()).getRank() == 4;
  }

  //===-- All chunks ------------------------------------------------------===//

  /// [batch, heads, length, ..] -> [batch, heads, n, C, ..], 0 past the text:
  /// there nothing is added to the state, and nothing decays.
  Value split(Value x) {
    Sizes sizes = sizesOf(x), low(sizes.size(), number(0)), high = low;
    high[2] = chunks * chunk - length;
    if (high[2].asNumber() != 0) {
      sizes[2] = chunks * chunk;
      x = PadOp::create(b, loc, tensorOf(sizes, type), x,
                        toArray(b.getContext(), low),
                        toArray(b.getContext(), high), numberOf(type, 0));
    }
    sizes[2] = chunks;
    sizes.insert(sizes.begin() + 3, chunk);
    return reshape(x, sizes);
  }

  /// x_i n_i
  Value weigh(Value x, Value numbers) {
    GenericBuilder g(b, loc, sizesOf(x));
    g.input(x);
    g.input(numbers, g.dims(0, 4));
    g.result(type);
    return g.build(
        [](GenericBody &body) { return body.input(0) * body.input(1); });
  }

  /// x times exp of sums of gates, where there are any
  Value decay(Value x, Value sums) {
    return sums ? multiplyExponential(b, loc, x, sums) : x;
  }

  /// The sum of the gates after token j up to token i: [batch, heads, n, C, C].
  /// The difference G_i - G_j would lose small gates beside large ones, and be
  /// NaN after one of -inf.
  Value sumBetween(Value own) {
    GenericBuilder g(b, loc, perChunk({chunk, chunk}));
    g.input(own, g.dims(0, 4));
    g.result(type);
    Value after = g.build([](GenericBody &body) {
      Element gate = body.input(0);
      return select(body.index(4) < body.index(3), gate, gate.constant(0));
    });
    return sumUpTo(b, loc, after);
  }

  /// exp(G - G_j) k_j
  Value decayToEnd(Value x) {
    if (hasGateOfChannels())
      return decay(x, sumAfter(b, loc, ownGates));
    if (!sums)
      return x;
    GenericBuilder g(b, loc, sizesOf(x));
    g.input(x);
    SmallVector<AffineExpr> last = g.dims(0, 3);
    last.append({g.size(chunk - number(1)), g.dim(3)});
    g.input(between, last);
    g.result(type);
    return g.build([](GenericBody &body) {
      return body.input(0) * exponential(body.input(1));
    });
  }

  /// exp(G_i - G_j) x_ij, times strengths_i if there are any, where j < i, or
  /// also where they are equal; 0 elsewhere.
  Value decayBetween(Value x, bool withDiagonal, Value strengths = Value()) {
    GenericBuilder g(b, loc, sizesOf(x));
    g.input(x);
    if (sums)
      g.input(between);
    if (strengths)
      g.input(strengths, g.dims(0, 4));
    g.result(type);
    return g.build([&](GenericBody &body) {
      Element y = body.input(0), i = body.index(3), j = body.index(4);
      if (sums)
        y = y * exponential(body.input(1));
      if (strengths)
        y = y * body.input(sums ? 2 : 1);
      return select(withDiagonal ? j <= i : j < i, y, y.constant(0));
    });
  }

  Chunks prepare() {
    Chunks all;
    queries = split(query);
    keys = split(key);
    if (gates) {
      ownGates = split(gates);
      sums = sumUpTo(b, loc, ownGates);
      if (!hasGateOfChannels())
        between = sumBetween(ownGates);
      Sizes sizes = sizesOf(sums);
      sizes.erase(sizes.begin() + 3);
      GenericBuilder g(b, loc, sizes);
      SmallVector<AffineExpr> last = g.dims(0, 3);
      last.push_back(g.size(chunk - number(1)));
      if (hasGateOfChannels())
        last.push_back(g.dim(3));
      g.input(sums, last);
      g.result(type);
      all.decay =
          g.build([](GenericBody &body) { return exponential(body.input(0)); });
    }
    all.query = decay(queries, sums);
    all.key = decayToEnd(keys);
    all.scores = products(queries, /*withDiagonal=*/true);
    return all;
  }

  /// exp(G_i - G_j) (x_i . k_j), as decayBetween has it.
  Value products(Value x, bool withDiagonal, Value strengths = Value()) {
    if (hasGateOfChannels())
      return multiplyDecayed(b, loc,
                             {x, keys, ownGates, withDiagonal, strengths});
    return decayBetween(product(x, keys, /*isTransposed=*/true), withDiagonal,
                        strengths);
  }

  /// A of the .td.
  Value collisions(Value strengths) {
    return products(keys, /*withDiagonal=*/false, strengths);
  }

  //===-- All states at once ----------------------------------------------===//

  /// What the states of n + 1 chunks' beginnings are the scan of: the first
  /// one, and then what each chunk adds.
  Value addedBefore(const Chunks &all) {
    Value gained = productOfColumns(all.key, all.value);
    GenericBuilder g(b, loc,
                     {batch, heads, chunks + number(1), keyDim, valueDim});
    if (state)
      g.input(state, {g.dim(0), g.dim(1), g.dim(3), g.dim(4)});
    g.table(gained);
    g.result(type);
    return g.build([&](GenericBody &body) {
      Element c = body.index(2), before = c - c.constant(1);
      Element added = body.read(0, {body.index(0), body.index(1), before,
                                    body.index(3), body.index(4)});
      Element first = state ? body.input(0) : added.constant(0);
      return select(c == c.constant(0), first, added);
    });
  }

  /// By how much each of them lets the one before decay: [batch, heads, n + 1],
  /// or of key channels.
  Value decaysBefore() {
    Sizes sizes = {batch, heads, chunks + number(1)};
    if (hasGateOfChannels())
      sizes.push_back(keyDim);
    GenericBuilder g(b, loc, sizes);
    g.table(sums);
    g.result(type);
    return g.build([&](GenericBody &body) {
      SmallVector<Element> point = body.indices(sizes.size());
      Element c = point[2];
      point[2] = c - c.constant(1);
      point.insert(point.begin() + 3, body.size(chunk) - c.constant(1));
      Element sum = body.read(0, point);
      return select(c == c.constant(0), sum.constant(0), sum);
    });
  }

  /// x_c plus what lies `shift` before, decayed by exp(g_c) if `decays` are
  /// given: of a sum of gates that is such a sum itself, neither.
  Value addShifted(Value x, Value shift, Value decays = Value()) {
    Sizes sizes = sizesOf(x);
    GenericBuilder g(b, loc, sizes);
    g.input(x);
    g.input(shift, {});
    if (decays)
      g.input(decays, g.dims(0, sizesOf(decays).size()));
    g.table(x);
    g.result(type);
    return g.build([&](GenericBody &body) {
      SmallVector<Element> point = body.indices(sizes.size());
      Element c = point[2], by = asCoordinate(body.input(1));
      point[2] = c - by;
      Element before = body.read(0, point);
      if (decays)
        before = before * exponential(body.input(2));
      Element own = body.input(0);
      return select(c < by, own, own + before);
    });
  }

  /// The states before each chunk, and after the last: by sums over 1, 2, 4,
  /// .. of them (Hillis and Steele, "Data Parallel Algorithms", 1986), so that
  /// no state waits for all that come before it.
  Value scan(Value added, Value decays) {
    SmallVector<Value> first{arith::ConstantIndexOp::create(b, loc, 1), added};
    if (decays)
      first.push_back(decays);
    Value count = SizeOp::create(b, loc, b.getIndexType(), chunks + number(1));
    auto loop = scf::WhileOp::create(
        b, loc, TypeRange(ValueRange(first)), first,
        [&](OpBuilder &, Location, ValueRange carried) {
          Value isLess = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::ult, carried[0], count);
          scf::ConditionOp::create(b, loc, isLess, carried);
        },
        [&](OpBuilder &, Location, ValueRange carried) {
          Value shift = FromNumberOp::create(b, loc, carried[0]);
          SmallVector<Value> next{
              arith::AddIOp::create(b, loc, carried[0], carried[0])};
          next.push_back(
              addShifted(carried[1], shift, decays ? carried[2] : Value()));
          if (decays)
            next.push_back(addShifted(carried[2], shift));
          scf::YieldOp::create(b, loc, next);
        });
    return loop.getResult(1);
  }

  Values runAtOnce(const Chunks &all) {
    Value states = scan(addedBefore(all), gates ? decaysBefore() : Value());
    GenericBuilder before(b, loc, perChunk({keyDim, valueDim}));
    before.input(states, before.dims(0, 5));
    before.result(type);
    Value ofState =
        product(all.query,
                before.build([](GenericBody &body) { return body.input(0); }));
    Value output =
        arith::AddFOp::create(b, loc, ofState, product(all.scores, all.value));
    Values results = {join(output)};
    if (wantsState) {
      GenericBuilder last(b, loc, {batch, heads, keyDim, valueDim});
      last.input(states, {last.dim(0), last.dim(1), last.size(chunks),
                          last.dim(2), last.dim(3)});
      last.result(type);
      results.push_back(
          last.build([](GenericBody &body) { return body.input(0); }));
    }
    return results;
  }

  //===-- Chunk after chunk -----------------------------------------------===//

  /// What chunk `step` has of `x`: the only one, if there is no step.
  Value partOf(Value x, Value step) {
    Sizes sizes = sizesOf(x);
    sizes.erase(sizes.begin() + 2);
    if (!step)
      return reshape(x, sizes);
    GenericBuilder g(b, loc, sizes);
    g.input(step, {});
    g.table(x);
    g.result(type);
    return g.build([&](GenericBody &body) {
      SmallVector<Element> point = body.indices(sizes.size());
      point.insert(point.begin() + 2, asCoordinate(body.input(0)));
      return body.read(0, point);
    });
  }

  /// The state after a chunk, and its output: [batch, heads, C, value
  /// channels].
  std::pair<Value, Value> advance(const Chunks &all, Value before, Value step) {
    Value added = partOf(all.value, step);
    if (all.probe)
      added = arith::SubFOp::create(b, loc, added,
                                    product(partOf(all.probe, step), before));
    Value ofState = product(partOf(all.query, step), before);
    Value ofChunk = product(partOf(all.scores, step), added);
    Value output = arith::AddFOp::create(b, loc, ofState, ofChunk);
    Value gained = productOfColumns(partOf(all.key, step), added);
    if (!all.decay)
      return {arith::AddFOp::create(b, loc, before, gained), output};
    GenericBuilder g(b, loc, sizesOf(before));
    g.input(before);
    Value decay = partOf(all.decay, step);
    g.input(decay, g.dims(0, sizesOf(decay).size()));
    g.input(gained);
    g.result(type);
    Value after = g.build([](GenericBody &body) {
      return body.input(0) * body.input(1) + body.input(2);
    });
    return {after, output};
  }

  Value zeros(const Sizes &sizes) {
    GenericBuilder g(b, loc, sizes);
    g.result(type);
    return g.build(
        [&](GenericBody &body) { return body.constant(numberOf(type, 0)); });
  }

  /// `outputs` with that of chunk `index`.
  Value insert(Value outputs, Value output, Value index) {
    Sizes sizes = sizesOf(outputs);
    sizes[2] = number(1);
    return InsertOp::create(b, loc, reshape(output, sizes), outputs, index,
                            /*axis=*/2);
  }

  /// [batch, heads, n, C, ..] -> [batch, heads, length, ..]
  Value join(Value outputs) {
    Sizes sizes = {batch, heads, chunks * chunk, valueDim};
    Value rows = reshape(outputs, sizes);
    if (sizes[2] == length)
      return rows;
    sizes[2] = length;
    GenericBuilder g(b, loc, sizes);
    g.table(rows);
    g.result(type);
    return g.build([](GenericBody &body) {
      return body.read(
          0, {body.index(0), body.index(1), body.index(2), body.index(3)});
    });
  }

  Values run(const Chunks &all) {
    Value first = state ? state : zeros({batch, heads, keyDim, valueDim});
    Values results;
    if (chunks.asNumber() == 1) {
      auto [after, output] = advance(all, first, Value());
      results = {join(output), after};
    } else {
      Value start = arith::ConstantIndexOp::create(b, loc, 0);
      Value end = SizeOp::create(b, loc, b.getIndexType(), chunks);
      Value one = arith::ConstantIndexOp::create(b, loc, 1);
      Value none = zeros(perChunk({chunk, valueDim}));
      auto loop = scf::ForOp::create(
          b, loc, start, end, one, ValueRange{first, none},
          [&](OpBuilder &, Location, Value index, ValueRange carried) {
            Value step = FromNumberOp::create(b, loc, index);
            auto [after, output] = advance(all, carried[0], step);
            Value outputs = insert(carried[1], output, index);
            scf::YieldOp::create(b, loc, ValueRange{after, outputs});
          });
      results = {join(loop.getResult(1)), loop.getResult(0)};
    }
    if (!wantsState)
      results.pop_back();
    return results;
  }

  OpBuilder &b;
  Location loc;
  Type type;
  Value query, key, value, gates, state;
  bool wantsState;
  SizeAttr batch, heads, length, keyDim, valueDim, chunk, chunks;
  Value queries, keys; ///< the tokens of chunks
  /// Gates, G_i, and, of gates of heads, what sumBetween gives; null where
  /// there are none.
  Value ownGates, sums, between;
};
} // namespace

static Values decompose(LinearAttentionOp op, OpBuilder &b) {
  return Recurrence(b, op).linear();
}

static Values decompose(GatedDeltaRuleOp op, OpBuilder &b) {
  return Recurrence(b, op).deltaRule(op.getStrengths());
}

void registerLinearAttentionDecompositions(MLIRContext *context) {
  attachDecompositions<LinearAttentionOp, GatedDeltaRuleOp>(context);
}

} // namespace heddle
