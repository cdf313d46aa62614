// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention in one pass over the keys, chunk by chunk (Milakov and Gimelshein,
// arXiv:1805.02867), so that what is kept has a constant size.
//
// Coordinates of the funcs: j key in a block of 32, i row in the tile, jb block
// in the chunk, c chunk of keys, w task (AttentionTasks.h).
//
//   query_tile(d, i, w)            = Q * scale * log2(e)
//   score_group, score_sum         = sum_d query_tile * keys, of several blocks
//                                    at a time, then of single ones
//   scores(j, i, jb, c, w)         = those
//   block_max(j, i, c, w)          = max over the chunk's blocks of kept scores
//   maximum(i, c, w)               = row_max = max_j block_max
//   weights(j, i, jb, c, w)        = keep ? 2^(scores - maximum) : 0
//   block_sum, row_sum, sum        likewise, with +
//   value_sum(d, i, c, w)          = sum over the chunk's keys of weights *
//                                    values
//   state(d, i, w)                 = (output, maximum, sum), over the chunks
//   attention(d, h, g, s, b)       = output / sum, or 0 where the sum is 0; its
//                                    dimensions are those of the result
//
// Everything that runs over blocks is an update restricted to blocks that the
// tile sees, so that no other is read or computed.

#include "compiler/Lowering/AttentionFuncs.h"
#include "compiler/Lowering/AttentionTasks.h"
#include "compiler/Lowering/LoweringInterface.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::attention;

namespace {

// Stands for minus infinity: finite, so that differences are never NaN, and not
// above any finite score.
constexpr double kLowest = -std::numeric_limits<float>::max();

class AttentionLowering : AttentionTasks {
public:
  AttentionLowering(KernelBuilder &k, AttentionOp op) : AttentionTasks(k, op) {}

  void run() {
    emitLimits();
    emitScores();
    emitMaximum();
    emitWeights();
    emitSums();
    emitState();
    emitResult();
  }

private:
  //===-- Funcs over blocks -----------------------------------------------===//

  static constexpr StringRef blockVars[] = {kKey, kRow, kBlockOfChunk, kChunk,
                                            kTask};

  // (j, i, c, w, jb), as updates over blocks have it -> blockVars.
  static SmallVector<Value> blockOf(ValueRange v) {
    return {v[0], v[1], v[4], v[2], v[3]};
  }

  halide::FuncOp reduction(halide::FuncOp func) {
    func.setReduction(halide::Reduction::Attention);
    return func;
  }

  halide::FuncOp emitUndefined(StringRef name) {
    return reduction(
        k.func(name, blockVars, i32, [&](Builder &b, ValueRange) -> Value {
          return halide::UndefOp::create(b, loc, i32);
        }));
  }

  // Defines `func` in a part of a chunk's blocks; `body` gets its coordinates.
  void emitPerBlock(halide::FuncOp func, Part part,
                    llvm::function_ref<Value(Builder &, ValueRange)> body) {
    k.update(func, KernelBuilder::Range{kEachBlock, chunkBlocks},
             [&](Builder &b, ValueRange v) {
               SmallVector<Value> at(v.take_front(5));
               at[2] = v[5];
               whereBlock(b, at[3], at[2], at[4], part);
               halide::YieldOp::create(b, loc, bits(b, body(b, at)), at);
             });
  }

  // Of all keys of a block: row(i, c, w) = combine_j block(j, i, c, w).
  void emitOverKeys(
      StringRef row, StringRef block, double initial,
      llvm::function_ref<Value(Builder &, Value old, Value next)> combine) {
    auto func = reduction(
        k.func(row, {kRow, kChunk, kTask}, f32, [&](Builder &b, ValueRange) {
          return k.constantF(b, initial);
        }));
    k.update(func, KernelBuilder::Range{kKey, kBlock},
             [&](Builder &b, ValueRange v) {
               Value old = k.access(b, row, f32, v.take_front(3));
               Value next = k.access(b, block, f32, {v[3], v[0], v[1], v[2]});
               yield(b, combine(b, old, next));
             });
  }

  void emitPerRow(StringRef name, StringRef value) {
    reduction(k.func(name, {kRow, kChunk, kTask}, i32,
                     [&](Builder &b, ValueRange at) {
                       return bits(b, k.access(b, value, f32, at));
                     }));
  }

  void yield(Builder &b, Value value) {
    halide::YieldOp::create(b, loc, value, ValueRange());
  }

  // What is read at coordinates that loops count is stored as bits of type i32.
  // Halide gives memory that has become free to the next func of the same type
  // (CodeGen_Posix), and were that a sum that the schedule keeps in registers,
  // it would lie in this memory too.
  Value bits(Builder &b, Value value) {
    return arith::BitcastOp::create(b, loc, i32, value);
  }
  Value readBits(Builder &b, StringRef func, ValueRange at) {
    return arith::BitcastOp::create(b, loc, f32, k.access(b, func, i32, at));
  }

  // `value`, or `other` where the key of `at` is not kept.
  Value selectKept(Builder &b, Part part, ValueRange at, Value value,
                   double other) {
    if (part == Part::Whole)
      return value;
    Value first = mul(b, blockOfChunk(b, at[3], at[2]), kBlock);
    Value kept = keep(b, at[1], add(b, first, at[0]), at[4]);
    return arith::SelectOp::create(b, loc, kept, value, k.constantF(b, other));
  }

  //===-- The funcs -------------------------------------------------------===//

  void emitScores() {
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
        Value j = v[0], i = v[1], c = v[3], w = v[4], member = v[5],
              group = v[6];
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

  // Sums over the channels for groups of `blocks` blocks, with j going over all
  // of their keys and jb counting the groups.
  void emitScoreSum(StringRef name, int64_t blocks) {
    auto sum =
        reduction(k.func(name, blockVars, f32, [&](Builder &b, ValueRange) {
          return k.constantF(b, 0);
        }));
    k.update(
        sum, KernelBuilder::Range{kChannel, headDim},
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

  void emitMaximum() {
    auto lowest = [&](Builder &b, ValueRange) {
      return k.constantF(b, kLowest);
    };
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

  void emitWeights() {
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

  void emitSums() {
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
    auto valueSum = reduction(
        k.func(kValueSum, {kChannel, kRow, kChunk, kTask}, f32, zero));
    emitValueSum(valueSum, Part::Whole);
    emitValueSum(valueSum, Part::Mixed);
  }

  // Adds the keys of `part`. Of those that not every row keeps, a weight of 0
  // is not enough: 0 times the NaN or infinity of a dropped value is NaN.
  void emitValueSum(halide::FuncOp valueSum, Part part) {
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

  // (output, maximum, sum) are rescaled to the larger maximum as chunks arrive.
  void emitState() {
    auto state =
        reduction(k.func(kState, {kChannel, kRow, kTask}, {f32, f32, f32},
                         [&](Builder &b, ValueRange) -> SmallVector<Value> {
                           return {k.constantF(b, 0), k.constantF(b, kLowest),
                                   k.constantF(b, 0)};
                         }));
    KernelBuilder::Range range{kChunk, ShapedType::kDynamic, chunks};
    k.update(state, range, [&](Builder &b, ValueRange v) {
      Value d = v[0], i = v[1], w = v[2], c = v[3];
      whereBlock(b, c, k.constant(b, 0), w, Part::Kept);
      auto old = [&](int64_t index) {
        return k.access(b, kState, f32, v.take_front(3), index);
      };
      auto mulF = [&](Value x, Value y) -> Value {
        return arith::MulFOp::create(b, loc, x, y);
      };
      Value rowMax = readBits(b, kMaximum, {i, c, w});
      Value rowSum = readBits(b, kSum, {i, c, w});
      Value valueSum = k.access(b, kValueSum, f32, {d, i, c, w});
      // One of the two is 1, so one exponential does.
      Value isOldLess = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT,
                                              old(1), rowMax);
      Value maximum =
          arith::SelectOp::create(b, loc, isOldLess, rowMax, old(1));
      Value minimum =
          arith::SelectOp::create(b, loc, isOldLess, old(1), rowMax);
      Value shrink = emitExp2NotAbove0(
          k, b, arith::SubFOp::create(b, loc, minimum, maximum));
      Value one = k.constantF(b, 1);
      Value shrinkOld = arith::SelectOp::create(b, loc, isOldLess, shrink, one);
      Value shrinkNew = arith::SelectOp::create(b, loc, isOldLess, one, shrink);
      Value output = arith::AddFOp::create(b, loc, mulF(old(0), shrinkOld),
                                           mulF(valueSum, shrinkNew));
      Value sum = arith::AddFOp::create(b, loc, mulF(old(2), shrinkOld),
                                        mulF(rowSum, shrinkNew));
      halide::YieldOp::create(b, loc, {output, maximum, sum}, ValueRange());
    });
  }

  void emitResult() {
    // A division for each row rather than for each channel.
    reduction(k.func(
        kInverse, {kRow, kTask}, i32, [&](Builder &b, ValueRange v) -> Value {
          Value first = k.constant(b, 0);
          Value sum = k.access(b, kState, f32, {first, v[0], v[1]}, 2);
          Value zero = k.constantF(b, 0);
          Value isEmpty = arith::CmpFOp::create(
              b, loc, arith::CmpFPredicate::OEQ, sum, zero);
          Value one = k.constantF(b, 1);
          Value inverse = arith::SelectOp::create(
              b, loc, isEmpty, zero, arith::DivFOp::create(b, loc, one, sum));
          return bits(b, inverse);
        }));
    // As they lie in memory: heads beside each other, or the tokens of one.
    SmallVector<StringRef> vars{kChannel, "h", "g", "s", "b"};
    if (op.hasHeadsOutside())
      vars = {kChannel, "s", "h", "g", "b"};
    auto attention =
        k.func(kOutput, vars, f32, [&](Builder &b, ValueRange) -> Value {
          return halide::UndefOp::create(b, loc, f32);
        });
    reduction(attention);
    KernelBuilder::Range ranges[] = {{kRow, rowTile},
                                     {kTask, ShapedType::kDynamic, tasks}};
    k.update(attention, ranges, [&](Builder &b, ValueRange v) {
      Value d = v[0], i = v[5], w = v[6];
      Task task = taskOf(b, w);
      Value r = add(b, mul(b, task.tile, rowTile), i);
      where(b, arith::CmpIPredicate::slt, r, rows);
      Value output = k.access(b, kState, f32, {d, i, w}, 0);
      Value inverse = readBits(b, kInverse, {i, w});
      Value result = arith::MulFOp::create(b, loc, output, inverse);
      Value member = rem(b, r, group), token = div(b, r, group);
      SmallVector<Value> at{d, member, task.head, token, task.batch};
      if (op.hasHeadsOutside())
        at = {d, token, member, task.head, task.batch};
      halide::YieldOp::create(b, loc, result, at);
    });
    Field field{attention.getSymName().str(), f32, {}, {}};
    field.split = {group, kvHeads};
    if (op.hasHeadsOutside())
      field.splitDim = 2;
    else
      field.split.insert(field.split.begin(), valueDim);
    k.setField(op.getResult(), field);
  }
};

} // namespace

static void lower(KernelBuilder &k, AttentionOp op) {
  AttentionLowering(k, op).run();
}

void heddle::registerAttentionLowering(MLIRContext *context) {
  AttentionOp::attachInterface<LoweringModel<AttentionOp, lower>>(*context);
}
