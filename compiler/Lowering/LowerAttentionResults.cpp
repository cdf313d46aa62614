// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What attention gives of the state of a task's rows (LowerAttention.cpp):
//
//   attention(d, h, g, s, b)    = state.output / sum, or 0 where the sum is 0
//   unnormalized(d, h, g, s, b) = state.output
//   log_sum_exp(s, h, g, b), maximum, sum
// which have one more variable where the keys are split,
//
// and of all pairs of the rows and a key, whose scores are computed again,
// block by block:
//
//   weights(key, s, h, g, b)    = keep ? exp(score - maximum) / sum : 0
//   column_sums(key, h, g, b)   = sum_s weights, tile after tile
//   masked_scores               = keep ? score : -inf
//   changed_, scaled_, raw_scores

#include "compiler/Lowering/AttentionLowering.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::attention;

void AttentionLowering::emitResults() {
  for (auto [result, value] :
       llvm::zip_equal(op.getWantedResults(), op.getResults()))
    if (!value.use_empty())
      emitResult(result, value);
}

void AttentionLowering::emitResult(AttentionResult result, Value value) {
  switch (result) {
  case AttentionResult::Output:
  case AttentionResult::Unnormalized:
    return emitChannels(result, value);
  case AttentionResult::LogSumExp:
  case AttentionResult::Maximum:
  case AttentionResult::Sum:
    return emitNumber(result, value);
  case AttentionResult::ColumnSums:
    return emitColumnSums(value);
  case AttentionResult::Weights:
  case AttentionResult::MaskedScores:
  case AttentionResult::ChangedScores:
  case AttentionResult::ScaledScores:
  case AttentionResult::RawScores:
    return emitMatrix(result, value);
  }
}

//===-- What results share ------------------------------------------------===//

halide::FuncOp AttentionLowering::emitStored(AttentionResult result,
                                             ArrayRef<StringRef> vars) {
  return reduction(k.func(resultFunc(result), vars, f32,
                          [&](Builder &b, ValueRange) -> Value {
                            return halide::UndefOp::create(b, loc, f32);
                          }));
}

Value AttentionLowering::whereRow(Builder &b, Value i) {
  Value r = add(b, mul(b, tile, rowTile), i);
  where(b, arith::CmpIPredicate::slt, r, rows);
  return r;
}

Value AttentionLowering::stateOf(Builder &b, int64_t index, Value i) {
  return k.access(b, kState, f32, {k.constant(b, 0), i}, index);
}

Value AttentionLowering::orNone(Builder &b, Value number, Value sum) {
  Value isNotEmpty = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE,
                                           sum, k.constantF(b, 0));
  return select(b, isNotEmpty, number, -kInfinity);
}

// The maximum of a row passes over scores that are NaN, so its sum, which does
// not, tells of them. An infinite maximum makes the sum NaN by itself.
Value AttentionLowering::orNaN(Builder &b, Value number, Value sum) {
  int32_t infinity = llvm::bit_cast<int32_t>(static_cast<float>(kInfinity));
  Value magnitude = arith::AndIOp::create(
      b, loc, bits(b, sum), k.constant(b, std::numeric_limits<int32_t>::max()));
  Value isNaN = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                                      magnitude, k.constant(b, infinity));
  Value isFinite =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bits(b, number),
                            k.constant(b, infinity));
  Value result = arith::SelectOp::create(
      b, loc, arith::AndIOp::create(b, loc, isNaN, isFinite), bits(b, sum),
      bits(b, number));
  return arith::BitcastOp::create(b, loc, f32, result);
}

//===-- Of rows -----------------------------------------------------------===//

halide::FuncOp AttentionLowering::emitOfRows(AttentionResult result,
                                             ArrayRef<StringRef> vars) {
  SmallVector<StringRef> all(vars);
  if (split)
    all.push_back(kSplitVar);
  return emitStored(result, all);
}

void AttentionLowering::yieldOfRow(Builder &b, Value number,
                                   ArrayRef<Value> at) {
  SmallVector<Value> all(at);
  if (split)
    all.push_back(split);
  halide::YieldOp::create(b, loc, number, all);
}

void AttentionLowering::emitChannels(AttentionResult result, Value value) {
  // As they lie in memory: heads beside each other, or the tokens of one.
  HeadLayout layout = op.getLayoutOfOutput();
  bool isOutside = layout.head && *layout.head < layout.length;
  SmallVector<StringRef> vars{kChannel, kMemberVar, kGroupVar, kQueryVar,
                              kSequenceVar};
  if (isOutside)
    vars = {kChannel, kQueryVar, kMemberVar, kGroupVar, kSequenceVar};
  halide::FuncOp func = emitOfRows(result, vars);
  k.update(func, {{kRow, rowTile}}, [&](Builder &b, ValueRange v) {
    Value d = v[0], i = v.back();
    Value r = whereRow(b, i);
    Value number = k.access(b, kState, f32, {d, i}, 0);
    if (result == AttentionResult::Output)
      number = mulF(b, number, readBits(b, kInverse, {i}));
    Value member = rem(b, r, group), query = queryOf(b, r);
    SmallVector<Value> at{d, member, head, query, batch};
    if (isOutside)
      at = {d, query, member, head, batch};
    yieldOfRow(b, number, at);
  });
  Field field{func.getSymName().str(), f32, {}, {group, kvHeads}};
  if (layout.head)
    field.splitDim = isOutside ? 2 : 1;
  else
    field.split.insert(field.split.begin(), valueDim);
  k.setField(value, field);
}

void AttentionLowering::emitNumber(AttentionResult result, Value value) {
  halide::FuncOp func =
      emitOfRows(result, {kQueryVar, kMemberVar, kGroupVar, kSequenceVar});
  k.update(func, {{kRow, rowTile}}, [&](Builder &b, ValueRange v) {
    Value i = v.back();
    Value r = whereRow(b, i);
    Value sum = stateOf(b, 2, i), number = sum;
    if (result != AttentionResult::Sum) {
      number = stateOf(b, 1, i);
      number = result == AttentionResult::LogSumExp
                   ? addF(b, number, math::LogOp::create(b, loc, sum))
                   : orNaN(b, number, sum);
      number = orNone(b, number, sum);
    }
    yieldOfRow(b, number, {queryOf(b, r), rem(b, r, group), head, batch});
  });
  Field field{func.getSymName().str(), f32, {}, {group, kvHeads}};
  field.splitDim = 1;
  k.setField(value, field);
}

//===-- Of pairs ----------------------------------------------------------===//

Value AttentionLowering::elementOf(Builder &b, AttentionResult result,
                                   Value sum, Value i, Value key) {
  if (result == AttentionResult::RawScores)
    return sum;
  if (result == AttentionResult::ScaledScores)
    return scaleSum(b, sum);
  sum = changeScore(b, sum, i, key);
  if (result == AttentionResult::ChangedScores)
    return sum;
  Value isKept = keep(b, i, key);
  if (result == AttentionResult::MaskedScores)
    return select(b, isKept, sum, -kInfinity);
  Value weight = weightOf(b, sum, stateOf(b, 1, i));
  if (op.hasFactors())
    weight = mulF(b, weight, factorOf(b, i, key));
  weight = mulF(b, weight, readBits(b, kInverse, {i}));
  weight = select(b, isKept, weight, 0);
  return arith::SelectOp::create(b, loc, isMinusInfinity(b, sum),
                                 k.constantF(b, 0), weight);
}

// Blocks of keys as they lie, of which the last may not be whole.
void AttentionLowering::emitMatrixSum(StringRef name, StringRef queries) {
  StringRef vars[] = {kKey, kRow, kBlockOfChunk};
  auto sum = reduction(k.func(name, vars, f32, [&](Builder &b, ValueRange) {
    return k.constantF(b, 0);
  }));
  k.update(sum, {{kChannel, headDim}}, [&](Builder &b, ValueRange v) {
    Value j = v[0], i = v[1], kb = v[2], d = v[3];
    Value q = queryAt(b, queries, d, i);
    Value term = termOf(b, q, readScaledKey(b, j, d, kb), i,
                        add(b, mul(b, kb, kBlock), j), d);
    Value old = k.access(b, name, f32, v.take_front(3));
    yield(b, addF(b, old, term));
  });
}

void AttentionLowering::emitOverPairs(AttentionResult result,
                                      halide::FuncOp func,
                                      ArrayRef<Store> stores) {
  std::string name = resultFunc(result);
  std::string queries = kQueryTile.str();
  if (result == AttentionResult::RawScores && scalesQueries && scale != 1) {
    queries = kQueriesPrefix.str() + name;
    emitQueryTile(queries, 1);
  }
  std::string whole = kWholePrefix.str() + name;
  std::string last = kLastPrefix.str() + name;
  emitMatrixSum(whole, queries);
  emitMatrixSum(last, queries);
  Value wholeBlocks = div(k.builder, keys, kBlock);
  // None where all blocks are whole, as where there are no keys.
  Value lastBlocks =
      sub(k.builder, ceilDiv(k.builder, keys, kBlock), wholeBlocks);
  auto rangesOf = [&](Value blocks) {
    return SmallVector<KernelBuilder::Range>{
        {kKey, kBlock},
        {kRow, rowTile},
        {kEachBlock, ShapedType::kDynamic, blocks}};
  };
  unsigned rank = func.getRank();
  auto emit = [&](Builder &b, Store store, StringRef from, ValueRange v,
                  Value kb) {
    Value j = v[rank], i = v[rank + 1];
    Value key = add(b, mul(b, kb, kBlock), j);
    store(b, v.take_front(rank), i, key, [&]() -> Value {
      Value sum = k.access(b, from, f32, {j, i, kb});
      return elementOf(b, result, sum, i, key);
    });
  };
  for (Store store : stores) {
    k.update(func, rangesOf(wholeBlocks), [&](Builder &b, ValueRange v) {
      emit(b, store, whole, v, v[rank + 2]);
    });
    k.update(func, rangesOf(lastBlocks), [&](Builder &b, ValueRange v) {
      where(b, arith::CmpIPredicate::slt, v[rank], rem(b, keys, kBlock));
      emit(b, store, last, v, add(b, wholeBlocks, v[rank + 2]));
    });
  }
}

void AttentionLowering::emitMatrix(AttentionResult result, Value value) {
  halide::FuncOp func = emitStored(
      result, {kKeyVar, kQueryVar, kMemberVar, kGroupVar, kSequenceVar});
  auto store = [&](Builder &b, ValueRange, Value i, Value key,
                   llvm::function_ref<Value()> element) {
    Value r = whereRow(b, i);
    halide::YieldOp::create(
        b, loc, element(),
        ValueRange{key, queryOf(b, r), rem(b, r, group), head, batch});
  };
  emitOverPairs(result, func, Store(store));
  Field field{func.getSymName().str(), f32, {}, {group, kvHeads}};
  field.splitDim = 2;
  k.setField(value, field);
}

// The tiles of a head's queries come one after the other, and the first query
// finds anything there.
void AttentionLowering::emitColumnSums(Value value) {
  AttentionResult result = AttentionResult::ColumnSums;
  halide::FuncOp func =
      emitStored(result, {kKeyVar, kMemberVar, kGroupVar, kSequenceVar});
  auto clear = [&](Builder &b, ValueRange, Value i, Value key,
                   llvm::function_ref<Value()>) {
    Value r = whereRow(b, i);
    where(b, arith::CmpIPredicate::slt, r, k.constant(b, group));
    halide::YieldOp::create(b, loc, k.constantF(b, 0),
                            ValueRange{key, r, head, batch});
  };
  auto accumulate = [&](Builder &b, ValueRange, Value i, Value key,
                        llvm::function_ref<Value()> element) {
    Value r = whereRow(b, i);
    SmallVector<Value> at{key, rem(b, r, group), head, batch};
    Value old = k.access(b, func.getSymName(), f32, at);
    halide::YieldOp::create(b, loc, addF(b, old, element()), at);
  };
  Store stores[] = {clear, accumulate};
  emitOverPairs(result, func, stores);
  Field field{func.getSymName().str(), f32, {}, {group, kvHeads}};
  field.splitDim = 1;
  k.setField(value, field);
}
