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
  reduction(k.func(kQueryTile, {kChannel, kRow}, f32,
                   [&](Builder &b, ValueRange v) -> Value {
                     Value r = row(b, v[1]);
                     Value q = readHead(b, op.getQuery(), queryOf(b, r),
                                        headOf(b, r), v[0], headDim);
                     return arith::MulFOp::create(b, loc, q,
                                                  k.constantF(b, scale));
                   }));
  // As many blocks at a time as fill the registers, then the rest one by one.
  auto scores = emitUndefined(kScores);
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
      halide::YieldOp::create(b, loc, bits(b, sum), ValueRange{j, i, jb, c});
    });
  }
  emitScoreSum(kScoreSum, 1);
  emitPerBlock(scores, Part::Kept, [&](Builder &b, ValueRange at) {
    if (groupBlocks > 1) {
      Value groups = div(b, keptBlocks(b, at[3]), groupBlocks);
      where(b, arith::CmpIPredicate::sge, at[2], mul(b, groups, groupBlocks));
    }
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
             Value j = v[0], i = v[1], jb = v[2], c = v[3], d = v[4];
             Value each = add(b, mul(b, jb, blocks), div(b, j, kBlock));
             Value key = readKey(b, rem(b, j, kBlock), d, block(b, c, each));
             Value q = k.access(b, kQueryTile, f32, {d, i});
             Value old = k.access(b, name, f32, v.take_front(4));
             yield(b, arith::AddFOp::create(
                          b, loc, old, arith::MulFOp::create(b, loc, q, key)));
           });
}

void AttentionLowering::emitMaximum() {
  auto lowest = [&](Builder &b, ValueRange) { return k.constantF(b, kLowest); };
  auto blockMax =
      reduction(k.func(kBlockMaximum, {kKey, kRow, kChunk}, f32, lowest));
  for (Part part : {Part::Whole, Part::Mixed})
    k.update(blockMax, KernelBuilder::Range{kBlockOfChunk, chunkBlocks},
             [&](Builder &b, ValueRange v) {
               SmallVector<Value> at = blockOf(v);
               whereBlock(b, at[3], at[2], part);
               Value score = readBits(b, kScores, at);
               Value kept = selectKept(b, part, at, score, kLowest);
               Value old = k.access(b, kBlockMaximum, f32, v.take_front(3));
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
      Value maximum = readBits(b, kMaximum, {at[1], at[3]});
      Value difference =
          arith::SubFOp::create(b, loc, readBits(b, kScores, at), maximum);
      Value weight = emitExp2NotAbove0(k, b, difference);
      return selectKept(b, part, at, weight, 0);
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
             Value next = readBits(b, kWeights, at);
             yield(b, arith::AddFOp::create(b, loc, old, next));
           });
  emitOverKeys(kRowSum, kBlockSum, 0,
               [&](Builder &b, Value old, Value next) -> Value {
                 return arith::AddFOp::create(b, loc, old, next);
               });
  emitPerRow(kSum, kRowSum);
  auto valueSum =
      reduction(k.func(kValueSum, {kChannel, kRow, kChunk}, f32, zero));
  emitValueSum(valueSum, Part::Whole);
  emitValueSum(valueSum, Part::Mixed);
}

// Adds the keys of `part`. Of those that not every row keeps, a weight of 0
// is not enough: 0 times the NaN or infinity of a dropped value is NaN. The
// weight of a key that is kept is never 0 (emitExp2NotAbove0).
void AttentionLowering::emitValueSum(halide::FuncOp valueSum, Part part) {
  KernelBuilder::Range ranges[] = {{kKey, kBlock},
                                   {kBlockOfChunk, chunkBlocks}};
  k.update(valueSum, ranges, [&](Builder &b, ValueRange v) {
    Value d = v[0], i = v[1], c = v[2], j = v[3], jb = v[4];
    whereKey(b, c, jb, j, part);
    Value key = add(b, mul(b, block(b, c, jb), kBlock), j);
    Value weight = readBits(b, kWeights, {j, i, jb, c});
    Value product = arith::MulFOp::create(b, loc, weight, readValue(b, d, key));
    Value old = k.access(b, kValueSum, f32, v.take_front(3));
    Value sum = arith::AddFOp::create(b, loc, old, product);
    if (part == Part::Mixed) {
      Value isKept = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE,
                                           weight, k.constantF(b, 0));
      sum = arith::SelectOp::create(b, loc, isKept, sum, old);
    }
    yield(b, sum);
  });
}
