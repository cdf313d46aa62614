// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What attention computes for each chunk of keys, from its scores to the sums
// of weighted values (LowerAttention.cpp has the formulas).

#include "compiler/Lowering/AttentionLowering.h"
#include "compiler/Lowering/GenericBody.h"
#include "compiler/Lowering/Names.h"
#include "dialect/Heddle/SumOfProducts.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::attention;

void AttentionLowering::emitQueryTile(StringRef name, double factor) {
  auto tile = reduction(k.func(
      name, {kChannel, kRow}, factorType(), [&](Builder &b, ValueRange v) {
        Value r = row(b, v[1]);
        Value q = readHead(b, op.getQuery(), queryOf(b, r), headOf(b, r), v[0],
                           headDim);
        return toFactor(b, factor == 1 ? q : mulF(b, q, factor));
      }));
  setExtents(tile, headDim);
}

// `number`, of which Halide knows nothing. It refuses funcs that it proves to
// be of no use, which depends on sizes.
static Value hidden(OpBuilder &b, Value number) {
  Type f32 = b.getF32Type(), i32 = b.getI32Type();
  Location loc = number.getLoc();
  Value bits = arith::BitcastOp::create(b, loc, f32, number);
  return arith::BitcastOp::create(b, loc, i32, bits);
}

void AttentionLowering::emitScores() {
  emitQueryTile(kQueryTile, scalesQueries ? scale : 1);
  // As many blocks at a time as fill the registers, then the rest one by one.
  auto scores = emitUndefined(kScores, i32);
  if (groupBlocks > 1) {
    emitScoreSum(kScoreGroup, groupBlocks);
    KernelBuilder::Range ranges[] = {{kMember, groupBlocks},
                                     {kGroup, chunkBlocks / groupBlocks}};
    k.update(scores, ranges, [&](Builder &b, ValueRange v) {
      Value j = v[0], i = v[1], c = v[3], member = v[4], group = v[5];
      where(b, arith::CmpIPredicate::slt, group,
            div(b, keptBlocks(b, c), groupBlocks));
      Value inGroup = add(b, mul(b, member, kBlock), j);
      Value sum = k.access(b, kScoreGroup, f32, {inGroup, i, group, c});
      Value jb = add(b, mul(b, group, groupBlocks), member);
      if (Value scale = keyScale(b, j, block(b, c, jb)))
        sum = mulF(b, sum, scale);
      halide::YieldOp::create(b, loc, bits(b, sum), ValueRange{j, i, jb, c});
    });
  }
  emitScoreSum(kScoreSum, 1);
  emitPerBlock(scores, Part::Kept, [&](Builder &b, ValueRange at) {
    if (groupBlocks > 1) {
      Value groups = div(b, keptBlocks(b, at[3]), groupBlocks);
      Value first = hidden(b, mul(b, groups, groupBlocks));
      where(b, arith::CmpIPredicate::sge, at[2], first);
    }
    Value sum = k.access(b, kScoreSum, f32, at);
    Value scale = keyScale(b, at[0], block(b, at[3], at[2]));
    return scale ? mulF(b, sum, scale) : sum;
  });
  if (!op.hasScore() && (scalesQueries || scale == 1))
    return;
  // All keys of whole blocks exist, so that what belongs to them lies side by
  // side.
  for (Part part : {Part::Whole, Part::Mixed})
    emitPerBlock(scores, part, [&](Builder &b, ValueRange at) {
      Value key = add(b, mul(b, block(b, at[3], at[2]), kBlock), at[0]);
      if (part == Part::Mixed)
        key = existingKey(b, key);
      return changeScore(b, readBits(b, kScores, at), at[1], key);
    });
}

// Generics of the region are computed where they are read.
Value AttentionLowering::emitRegion(Builder &b, Region &region,
                                    ArrayRef<Value> values, ValueRange operands,
                                    ArrayRef<Value> point) {
  Block &body = region.front();
  auto arguments = body.getArguments();
  for (auto [argument, value] :
       llvm::zip_equal(arguments.take_front(values.size()), values))
    k.setInline(argument, [value = value](OpBuilder &, ArrayRef<Value>) {
      return value;
    });
  for (auto [argument, operand] :
       llvm::zip_equal(arguments.drop_front(values.size()), operands))
    k.setField(argument, k.field(operand));
  for (auto generic : body.getOps<GenericOp>())
    for (auto [index, result] : llvm::enumerate(generic.getResults())) {
      auto compute = [this, generic](OpBuilder &b, ArrayRef<Value> point) {
        return GenericBodyEmitter(k, generic).emit(b, point);
      };
      // What is read several times is there already.
      auto known =
          std::make_shared<std::pair<SmallVector<Value>, SmallVector<Value>>>();
      k.setInline(
          result, [=, index = index](OpBuilder &b, ArrayRef<Value> point) {
            if (known->second.empty() || ArrayRef(known->first) != point)
              *known = {SmallVector<Value>(point), compute(b, point)};
            return known->second[index];
          });
    }
  return k.read(b, body.getTerminator()->getOperand(0), point);
}

Value AttentionLowering::termOf(Builder &b, Value q, Value element, Value i,
                                Value key, Value d) {
  if (!op.hasTerm())
    return mulF(b, q, element);
  MaskField::Point at = pointOf(b, i);
  return emitRegion(b, op.getTerm(), {q, element}, op.getTermOperands(),
                    {at.batch, at.head, at.query, existingKey(b, key), d});
}

Value AttentionLowering::scaleSum(Builder &b, Value sum) {
  return scalesQueries || scale == 1 ? sum : mulF(b, sum, scale);
}

Value AttentionLowering::changeScore(Builder &b, Value score, Value i,
                                     Value key) {
  score = scaleSum(b, score);
  if (!op.hasScore())
    return score;
  MaskField::Point at = pointOf(b, i);
  return emitRegion(b, op.getScore(), score, op.getScoreOperands(),
                    {at.batch, at.head, at.query, key});
}

Value AttentionLowering::exponential(Builder &b, Value x) {
  return emitExp2NotAbove0(k, b, mulF(b, x, llvm::numbers::log2e));
}

Value AttentionLowering::weightOf(Builder &b, Value score, Value maximum) {
  return isSoftmax ? exponential(b, subF(b, score, maximum)) : score;
}

void AttentionLowering::emitScoreSum(StringRef name, int64_t blocks) {
  auto sum =
      reduction(k.func(name, blockVars, f32, [&](Builder &b, ValueRange) {
        return k.constantF(b, 0);
      }));
  SmallVector<KernelBuilder::Range> domain{{kChannel, headDim}};
  if (hasPairs)
    domain = {{kTermVar, kPair}, {kChannel, headDim / kPair}};
  k.update(sum, domain, [&](Builder &b, ValueRange v) {
    Value j = v[0], i = v[1], jb = v[2], c = v[3];
    Value each = add(b, mul(b, jb, blocks), div(b, j, kBlock));
    Value kb = block(b, c, each), inBlock = rem(b, j, kBlock);
    Value old = k.access(b, name, f32, v.take_front(4));
    if (hasPairs) {
      Value term = v[4], pair = v[5];
      Value q = queryAt(b, kQueryTile, k.compose(b, pair, kPair, term), i);
      Value key = readPairOfKey(b, inBlock, pair, term, kb);
      return yield(b, addProduct(b, old, q, k.toF32(b, key)));
    }
    Value d = v[4];
    Value term =
        termOf(b, queryAt(b, kQueryTile, d, i), readKey(b, inBlock, d, kb), i,
               add(b, mul(b, kb, kBlock), inBlock), d);
    yield(b, addF(b, old, term));
  });
}

Type AttentionLowering::factorType() {
  return op.roundsFactors() ? Type(k.builder.getBF16Type()) : f32;
}

Value AttentionLowering::toFactor(Builder &b, Value x) {
  return op.roundsFactors()
             ? arith::TruncFOp::create(b, loc, factorType(), x).getResult()
             : x;
}

Value AttentionLowering::queryAt(Builder &b, StringRef queries, Value d,
                                 Value i) {
  return k.toF32(b, k.access(b, queries, factorType(), {d, i}));
}

Value AttentionLowering::addProduct(Builder &b, Value sum, Value x, Value y) {
  Value product = mulF(b, x, y);
  Value next = addF(b, sum, product);
  if (hasPairs)
    for (Value value : {product, next})
      value.getDefiningOp()->setAttr(halide::kReorderedAttr, b.getUnitAttr());
  return next;
}

void AttentionLowering::emitExtremes() {
  auto block = reduction(
      k.func(kBlockExtremes, {kKey, kRow, kChunk}, {f32, f32},
             [&](Builder &b, ValueRange) -> SmallVector<Value> {
               return {k.constantF(b, kLowest), k.constantF(b, -kLowest)};
             }));
  for (Part part : {Part::Whole, Part::Mixed})
    k.update(
        block, {{kBlockOfChunk, chunkBlocks}}, [&](Builder &b, ValueRange v) {
          SmallVector<Value> at = blockOf(v);
          whereBlock(b, at[3], at[2], part);
          Value score = readBits(b, kScores, at);
          Value kept = selectKept(b, part, at, score, k.constantF(b, kLowest));
          auto old = [&](Extreme extreme) {
            return k.access(b, kBlockExtremes, f32, v.take_front(3), extreme);
          };
          // A score that is NaN is left to make its weight NaN, so that
          // each of these is one instruction.
          auto isLess = [&](Value x, Value y) -> Value {
            return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x,
                                         y);
          };
          Value maximum = old(Maximum), minimum = old(Minimum);
          maximum = arith::SelectOp::create(b, loc, isLess(maximum, kept), kept,
                                            maximum);
          if (part == Part::Whole)
            minimum = arith::SelectOp::create(b, loc, isLess(score, minimum),
                                              score, minimum);
          halide::YieldOp::create(b, loc, {maximum, minimum}, ValueRange());
        });
  if (isSoftmax)
    emitOverKeys(kRowMaximum, kBlockExtremes, kBlock, Maximum, kLowest,
                 [&](Builder &b, Value old, Value next) -> Value {
                   return arith::MaximumFOp::create(b, loc, old, next);
                 });
  emitOverKeys(kRowMinimum, kBlockExtremes, kBlock, Minimum, -kLowest,
               [&](Builder &b, Value old, Value next) -> Value {
                 return arith::MinimumFOp::create(b, loc, old, next);
               });
  reduction(k.func(kExtremes, {kRow, kChunk}, {i32, i32},
                   [&](Builder &b, ValueRange at) -> SmallVector<Value> {
                     auto row = [&](StringRef func) {
                       return bits(b, k.access(b, func, f32, at));
                     };
                     Value maximum =
                         isSoftmax ? row(kRowMaximum) : k.constant(b, 0);
                     return {maximum, row(kRowMinimum)};
                   }));
  emitPlainBlocks();
}

// All whole blocks of a chunk are plain, or none is.
void AttentionLowering::emitPlainBlocks() {
  auto plain = reduction(
      k.func(kPlainBlocks, {kChunk}, i32,
             [&](Builder &b, ValueRange v) { return wholeBlocks(b, v[0]); }));
  k.update(plain, {{kRow, rowTile}}, [&](Builder &b, ValueRange v) {
    Value c = v[0], i = v[1];
    Value isDropped =
        isMinusInfinity(b, readBits(b, kExtremes, {i, c}, Minimum));
    yield(b, arith::SelectOp::create(b, loc, isDropped, k.constant(b, 0),
                                     k.access(b, kPlainBlocks, i32, c)));
  });
  reduction(k.func(kRestKeys, {kChunk}, i32, [&](Builder &b, ValueRange v) {
    Value areMixed =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                              plainBlocks(b, v[0]), wholeBlocks(b, v[0]));
    return arith::SelectOp::create(b, loc, areMixed, mixedKeys(b, v[0]),
                                   k.constant(b, kBlock));
  }));
}

void AttentionLowering::emitWeights() {
  auto weights = emitUndefined(kWeights, weightType());
  for (Part part : {Part::Plain, Part::Rest})
    emitPerBlock(weights, part, [&](Builder &b, ValueRange at) -> Value {
      Value score = readBits(b, kScores, at);
      Value maximum = readBits(b, kExtremes, {at[1], at[3]}, Maximum);
      Value weight = toFactor(b, weightOf(b, score, maximum));
      weight = arith::BitcastOp::create(b, loc, weightType(), weight);
      if (part == Part::Plain)
        return weight;
      Value dropped = droppedWeight(b);
      if (!isSoftmax) {
        Value isNegativeZero = arith::CmpIOp::create(
            b, loc, arith::CmpIPredicate::eq, weight, dropped);
        weight = arith::SelectOp::create(b, loc, isNegativeZero,
                                         k.constant(b, 0), weight);
      }
      weight = arith::SelectOp::create(b, loc, isMinusInfinity(b, score),
                                       dropped, weight);
      return selectKept(b, part, at, weight, dropped);
    });
}

Value AttentionLowering::factorOf(Builder &b, Value i, Value key) {
  MaskField::Point at = pointOf(b, i);
  return emitRegion(b, op.getFactors(), k.constantF(b, 1),
                    op.getFactorOperands(), {at.batch, at.head, at.query, key});
}

void AttentionLowering::emitFactored() {
  if (!op.hasFactors())
    return;
  auto factored = emitUndefined(kFactored, i32);
  for (Part part : {Part::Whole, Part::Mixed})
    emitPerBlock(factored, part, [&](Builder &b, ValueRange at) {
      Value key = add(b, mul(b, block(b, at[3], at[2]), kBlock), at[0]);
      if (part == Part::Mixed)
        key = existingKey(b, key);
      return mulF(b, weightAt(b, at), factorOf(b, at[1], key));
    });
}

void AttentionLowering::emitSums() {
  auto zero = [&](Builder &b, ValueRange) { return k.constantF(b, 0); };
  auto blockSum = reduction(k.func(kBlockSum, {kKey, kRow, kChunk}, f32, zero));
  k.update(blockSum, KernelBuilder::Range{kBlockOfChunk, chunkBlocks},
           [&](Builder &b, ValueRange v) {
             SmallVector<Value> at = blockOf(v);
             whereBlock(b, at[3], at[2], Part::Kept);
             Value old = k.access(b, kBlockSum, f32, v.take_front(3));
             Value next = weightAt(b, at);
             yield(b, arith::AddFOp::create(b, loc, old, next));
           });
  StringRef sums = kBlockSum;
  for (const FoldedSums &folded : kFoldedSums) {
    reduction(k.func(folded.func, {kKey, kRow, kChunk}, f32,
                     [&](Builder &b, ValueRange v) {
                       Value other = add(b, v[0], k.constant(b, folded.count));
                       return addF(b, k.access(b, sums, f32, v),
                                   k.access(b, sums, f32, {other, v[1], v[2]}));
                     }));
    sums = folded.func;
  }
  emitOverKeys(kRowSum, sums, std::end(kFoldedSums)[-1].count, /*index=*/0,
               /*initial=*/0, [&](Builder &b, Value old, Value next) -> Value {
                 return arith::AddFOp::create(b, loc, old, next);
               });
  emitPerRow(kSum, kRowSum);
  if (hasPairs)
    emitLargestValues();
  auto valueSum =
      reduction(k.func(kValueSum, {kChannel, kRow, kChunk}, f32, zero));
  if (hasPairs) {
    for (Pairs pairs : {Pairs::Plain, Pairs::Finite, Pairs::Others})
      emitSumOfPairs(valueSum, pairs);
    return;
  }
  emitValueSum(valueSum, Part::Plain);
  emitValueSum(valueSum, Part::Rest);
}

// Adds the keys of `part`. Of those that not every row keeps, a weight of 0
// is not enough, as 0 times the NaN or infinity of a dropped value is NaN: such
// a value becomes 0.
void AttentionLowering::emitValueSum(halide::FuncOp valueSum, Part part) {
  KernelBuilder::Range ranges[] = {{kKey, kBlock},
                                   {kBlockOfChunk, chunkBlocks}};
  k.update(valueSum, ranges, [&](Builder &b, ValueRange v) {
    Value d = v[0], i = v[1], c = v[2], j = v[3], jb = v[4];
    whereKey(b, c, jb, j, part);
    SmallVector<Value> at{j, i, jb, c};
    auto zeroIfDropped = [&](Value x) -> Value {
      if (part != Part::Rest)
        return x;
      return arith::SelectOp::create(b, loc, isDropped(b, at),
                                     k.constantF(b, 0), x);
    };
    Value weight = op.hasFactors() ? zeroIfDropped(readBits(b, kFactored, at))
                                   : weightAt(b, at);
    Value kb = block(b, c, jb),
          value = zeroIfDropped(readValue(b, j, d, kb, part));
    if (Value scale = valueScale(b, j, kb))
      weight = mulF(b, weight, zeroIfDropped(scale));
    Value old = k.access(b, kValueSum, f32, v.take_front(3));
    yield(b, addProduct(b, old, weight, value));
  });
}

// Values are finite where their magnitudes, as bits, are below infinity's. The
// blocks that are looked at are those that not every row keeps whole.
void AttentionLowering::emitLargestValues() {
  constexpr int16_t magnitudeBits = 0x7fff, infinity = 0x7f80; // of bf16
  Type i16 = k.builder.getI16Type();
  auto none = [&](Builder &b, ValueRange) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI16IntegerAttr(0));
  };
  StringRef vars[] = {kChannel, kBlockOfChunk, kChunk};
  auto inPlace = reduction(k.func(kLargestInPlace, vars, i16, none));
  k.update(inPlace, KernelBuilder::Range{kKey, kBlock / kPair},
           [&](Builder &b, ValueRange v) {
             Value d = div(b, v[0], kPair), term = rem(b, v[0], kPair);
             Value value =
                 readPairOfValue(b, v[3], term, d, block(b, v[2], v[1]));
             Value bits = arith::BitcastOp::create(b, loc, i16, value);
             Value magnitude = arith::AndIOp::create(
                 b, loc, bits,
                 arith::ConstantOp::create(b, loc,
                                           b.getI16IntegerAttr(magnitudeBits)));
             Value old = k.access(b, kLargestInPlace, i16, v.take_front(3));
             yield(b, arith::MaxSIOp::create(b, loc, old, magnitude));
           });
  auto largest =
      reduction(k.func(kLargestValue, {kBlockOfChunk, kChunk}, i16, none));
  k.update(largest, KernelBuilder::Range{kChannel, kPair * valueDim},
           [&](Builder &b, ValueRange v) {
             Value old = k.access(b, kLargestValue, i16, v.take_front(2));
             Value next = k.access(b, kLargestInPlace, i16, {v[2], v[0], v[1]});
             yield(b, arith::MaxSIOp::create(b, loc, old, next));
           });
  auto finite = reduction(
      k.func(kFiniteBlocks, {kChunk}, i32,
             [&](Builder &b, ValueRange v) { return keptBlocks(b, v[0]); }));
  k.update(finite, KernelBuilder::Range{kEachBlock, chunkBlocks},
           [&](Builder &b, ValueRange v) {
             Value c = v[0], jb = v[1];
             whereBlock(b, c, jb, Part::Rest);
             Value bits = k.access(b, kLargestValue, i16, {jb, c});
             Value limit = arith::ConstantOp::create(
                 b, loc, b.getI16IntegerAttr(infinity));
             Value isFinite = arith::CmpIOp::create(
                 b, loc, arith::CmpIPredicate::slt, bits, limit);
             Value old = finiteBlocks(b, c);
             Value first = arith::MinSIOp::create(b, loc, old, jb);
             yield(b, arith::SelectOp::create(b, loc, isFinite, old, first));
           });
}

Value AttentionLowering::finiteBlocks(Builder &b, Value c) {
  return k.access(b, kFiniteBlocks, i32, c);
}

void AttentionLowering::wherePairs(Builder &b, Value c, Value jb, Value pair,
                                   Pairs pairs) {
  if (pairs == Pairs::Plain)
    return whereBlock(b, c, jb, Part::Plain);
  whereBlock(b, c, jb, Part::Rest);
  if (pairs == Pairs::Finite)
    return where(b, arith::CmpIPredicate::slt, jb, finiteBlocks(b, c));
  where(b, arith::CmpIPredicate::sge, jb, finiteBlocks(b, c));
  where(b, arith::CmpIPredicate::slt, pair, restPairs(b, c));
}

// Pairs of keys, as emitValueSum has them one by one. Where values are finite,
// a weight of 0 is enough, and tile registers can multiply all rows.
void AttentionLowering::emitSumOfPairs(halide::FuncOp valueSum, Pairs pairs) {
  KernelBuilder::Range ranges[] = {
      {kTermVar, kPair}, {kKey, kBlock / kPair}, {kBlockOfChunk, chunkBlocks}};
  k.update(valueSum, ranges, [&](Builder &b, ValueRange v) {
    Value d = v[0], i = v[1], c = v[2], term = v[3], pair = v[4], jb = v[5];
    wherePairs(b, c, jb, pair, pairs);
    SmallVector<Value> at{k.compose(b, pair, kPair, term), i, jb, c};
    Value value = readPairOfValue(b, pair, term, d, block(b, c, jb));
    if (pairs == Pairs::Others) {
      Value zero = k.constantF(b, 0);
      zero = arith::TruncFOp::create(b, loc, factorType(), zero);
      value = arith::SelectOp::create(b, loc, isDropped(b, at), zero, value);
    }
    Value old = k.access(b, kValueSum, f32, v.take_front(3));
    yield(b, addProduct(b, old, weightAt(b, at), k.toF32(b, value)));
  });
}
