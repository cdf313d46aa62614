// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What attention computes for each chunk of keys, from its scores to the sums
// of weighted values (LowerAttention.cpp has the formulas).

#include "compiler/Lowering/AttentionLowering.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::attention;

void AttentionLowering::emitScores() {
  double scale = op.getScale().convertToDouble() * llvm::numbers::log2e;
  k.func(kQueryTile, {kChannel, kRow, kTask}, f32,
         [&](Builder &b, ValueRange v) -> Value {
           Task task = taskOf(b, v[2]);
           Value r = row(b, v[1], task.tile);
           Value head = add(b, mul(b, task.head, group), rem(b, r, group));
           Value q = readHead(b, op.getQuery(), task.batch, div(b, r, group),
                              head, v[0], headDim);
           return arith::MulFOp::create(b, loc, q, k.constantF(b, scale));
         });
  // As many blocks at a time as fill the registers, then the rest one by one.
  auto scores = emitUndefined(kScores);
  if (groupBlocks > 1) {
    emitScoreSum(kScoreGroup, groupBlocks);
    KernelBuilder::Range ranges[] = {{kMember, groupBlocks},
                                     {kGroup, chunkBlocks / groupBlocks}};
    k.update(scores, ranges, [&](Builder &b, ValueRange v) {
      Value j = v[0], i = v[1], c = v[3], w = v[4], member = v[5], group = v[6];
      Value first = mul(b, group, groupBlocks);
      where(b, arith::CmpIPredicate::slt, blockOfChunk(b, c, first),
            groupedBlocks(b, w));
      Value inGroup = add(b, mul(b, member, kBlock), j);
      Value sum = k.access(b, kScoreGroup, f32, {inGroup, i, group, c, w});
      halide::YieldOp::create(b, loc, bits(b, sum),
                              ValueRange{j, i, add(b, first, member), c, w});
    });
  }
  emitScoreSum(kScoreSum, 1);
  emitPerBlock(scores, Part::Kept, [&](Builder &b, ValueRange at) {
    if (groupBlocks > 1)
      where(b, arith::CmpIPredicate::sge, blockOfChunk(b, at[3], at[2]),
            groupedBlocks(b, at[4]));
    return k.access(b, kScoreSum, f32, at);
  });
}

void AttentionLowering::emitScoreSum(StringRef name, int64_t blocks) {
  auto sum =
      reduction(k.func(name, blockVars, f32, [&](Builder &b, ValueRange) {
        return k.constantF(b, 0);
      }));
  k.update(sum, KernelBuilder::Range{kChannel, headDim},
           [&](Builder &b, ValueRange v) {
             Value j = v[0], i = v[1], jb = v[2], c = v[3], w = v[4], d = v[5];
             Value first = mul(b, jb, blocks);
             Value kb = add(b, blockOfChunk(b, c, first), div(b, j, kBlock));
             Value key = readKey(b, rem(b, j, kBlock), d, kb, w);
             Value q = k.access(b, kQueryTile, f32, {d, i, w});
             Value old = k.access(b, name, f32, v.take_front(5));
             yield(b, arith::AddFOp::create(
                          b, loc, old, arith::MulFOp::create(b, loc, q, key)));
           });
}

void AttentionLowering::emitMaximum() {
  auto lowest = [&](Builder &b, ValueRange) { return k.constantF(b, kLowest); };
  auto blockMax = reduction(
      k.func(kBlockMaximum, {kKey, kRow, kChunk, kTask}, f32, lowest));
  for (Part part : {Part::Whole, Part::Mixed})
    k.update(blockMax, KernelBuilder::Range{kBlockOfChunk, chunkBlocks},
             [&](Builder &b, ValueRange v) {
               SmallVector<Value> at = blockOf(v);
               whereBlock(b, at[3], at[2], at[4], part);
               Value score = readBits(b, kScores, at);
               Value kept = selectKept(b, part, at, score, kLowest);
               Value old = k.access(b, kBlockMaximum, f32, v.take_front(4));
               // A score that is NaN is left to make its weight NaN, so that
               // this is one instruction.
               Value isLarger = arith::CmpFOp::create(
                   b, loc, arith::CmpFPredicate::OLT, old, kept);
               yield(b, arith::SelectOp::create(b, loc, isLarger, kept, old));
             });
  emitOverKeys(kRowMaximum, kBlockMaximum, kLowest,
               [&](Builder &b, Value old, Value next) -> Value {
                 return arith::MaximumFOp::create(b, loc, old, next);
               });
  emitPerRow(kMaximum, kRowMaximum);
}

void AttentionLowering::emitWeights() {
  auto weights = emitUndefined(kWeights);
  for (Part part : {Part::Whole, Part::Mixed})
    emitPerBlock(weights, part, [&](Builder &b, ValueRange at) -> Value {
      Value maximum = readBits(b, kMaximum, {at[1], at[3], at[4]});
      Value difference =
          arith::SubFOp::create(b, loc, readBits(b, kScores, at), maximum);
      Value weight = emitExp2NotAbove0(k, b, difference);
      return selectKept(b, part, at, weight, 0);
    });
}

void AttentionLowering::emitSums() {
  auto zero = [&](Builder &b, ValueRange) { return k.constantF(b, 0); };
  auto blockSum =
      reduction(k.func(kBlockSum, {kKey, kRow, kChunk, kTask}, f32, zero));
  k.update(blockSum, KernelBuilder::Range{kBlockOfChunk, chunkBlocks},
           [&](Builder &b, ValueRange v) {
             SmallVector<Value> at = blockOf(v);
             whereBlock(b, at[3], at[2], at[4], Part::Kept);
             Value old = k.access(b, kBlockSum, f32, v.take_front(4));
             Value next = readBits(b, kWeights, at);
             yield(b, arith::AddFOp::create(b, loc, old, next));
           });
  emitOverKeys(kRowSum, kBlockSum, 0,
               [&](Builder &b, Value old, Value next) -> Value {
                 return arith::AddFOp::create(b, loc, old, next);
               });
  emitPerRow(kSum, kRowSum);
  auto valueSum =
      reduction(k.func(kValueSum, {kChannel, kRow, kChunk, kTask}, f32, zero));
  emitValueSum(valueSum, Part::Whole);
  emitValueSum(valueSum, Part::Mixed);
}

// Adds the keys of `part`. Of those that not every row keeps, a weight of 0
// is not enough: 0 times the NaN or infinity of a dropped value is NaN.
void AttentionLowering::emitValueSum(halide::FuncOp valueSum, Part part) {
  KernelBuilder::Range ranges[] = {{kKey, kBlock},
                                   {kBlockOfChunk, chunkBlocks}};
  k.update(valueSum, ranges, [&](Builder &b, ValueRange v) {
    Value d = v[0], i = v[1], c = v[2], w = v[3], j = v[4], jb = v[5];
    Value kb = blockOfChunk(b, c, jb);
    Value key = add(b, mul(b, kb, kBlock), j);
    whereKey(b, kb, j, w, part);
    Value weight = readBits(b, kWeights, {j, i, jb, c, w});
    Value product =
        arith::MulFOp::create(b, loc, weight, readValue(b, d, key, w));
    if (part == Part::Mixed)
      product = arith::SelectOp::create(b, loc, keep(b, i, key, w), product,
                                        k.constantF(b, 0));
    Value old = k.access(b, kValueSum, f32, v.take_front(4));
    yield(b, arith::AddFOp::create(b, loc, old, product));
  });
}
