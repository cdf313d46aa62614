// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention in one pass over the keys, chunk by chunk (Milakov and Gimelshein,
// arXiv:1805.02867), so that what is kept has a constant size.
//
// A pipeline computes one task (AttentionTasks.h). Coordinates of its funcs: j
// key in a block of 32, i row in the tile, jb block in the chunk, as they are
// visited, c chunk of keys.
//
//   query_tile(d, i)               = Q * scale, or Q where sums are scaled
//   score_group, score_sum         = sum_d query_tile * keys, of several blocks
//                                    at a time, then of single ones
//   scores(j, i, jb, c)            = those
//   block_extremes(j, i, c)        = (max, min) over the chunk's blocks: of
//                                    scores that are kept, and of whole blocks
//   extremes(i, c)                 = (maximum, minimum) of all j; the maximum
//                                    is 0 where weights are scores
//   plain_blocks(c)                = how many blocks need no mask: the whole
//                                  ones, or none where some score is -inf,
//                                  which drops its key
//   rest_keys(c)                   = the end of the keys that some row keeps in
//                                  a block of the others
//   weights(j, i, jb, c)           = keep ? e^(scores - maximum) : -0, which
//                                  no key that is kept has
//   block_sum, row_sum, sum        likewise, with +; 32 sums of a block become
//                                  16, 8 and 4 (sums_16, sums_8, sums_4), as
//                                  each of 32 additions waits for the last
//   factored_weights(j, i, jb, c)  = weights * factor, where there are factors
//   largest_value(jb, c)           = the largest magnitude of a block's values,
//                                    where they are in pairs (first that of
//                                    each of their places, largest_in_place)
//   finite_blocks(c)               = the first block that is not plain and has
//                                    values that are not finite
//   value_sum(d, i, c)             = sum over the chunk's keys of weights *
//                                    values
//   state(d, i)                    = (output, maximum, sum), over the chunks
// and what results are made of that (LowerAttentionResults.cpp). Scores have no
// factor of log2(e), with which finite ones would be infinite.
//
// Everything that runs over blocks is an update restricted to blocks that the
// tile sees, so that no other is read or computed.

#include "compiler/Lowering/AttentionLowering.h"
#include "compiler/Lowering/LoweringInterface.h"
#include "compiler/Lowering/Names.h"
#include "dialect/Heddle/KernelAttributes.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::attention;

void AttentionLowering::run() {
  // Far keys have weights of e^x for any x. The inverse of a sum of scores may
  // be subnormal.
  if (isSoftmax)
    k.pipeline->setAttr(kFlushAttr, k.builder.getUnitAttr());
  emitBlocks();
  emitScores();
  emitExtremes();
  emitWeights();
  emitFactored();
  emitSums();
  emitState();
  emitInverse();
  emitResults();
}

//===-- Of a task ---------------------------------------------------------===//

// (output, maximum, sum) are rescaled to the larger maximum as chunks arrive.
void AttentionLowering::emitState() {
  auto state =
      reduction(k.func(kState, {kChannel, kRow}, {f32, f32, f32},
                       [&](Builder &b, ValueRange v) -> SmallVector<Value> {
                         auto [maximum, sum] = initialState(b, v[1]);
                         return {k.constantF(b, 0), maximum, sum};
                       }));
  setExtents(state, valueDim);
  KernelBuilder::Range range{kChunk, ShapedType::kDynamic, chunks};
  k.update(state, range, [&](Builder &b, ValueRange v) {
    Value d = v[0], i = v[1], c = v[2];
    whereChunk(b, c);
    auto old = [&](int64_t index) {
      return k.access(b, kState, f32, v.take_front(2), index);
    };
    Value rowMax = readBits(b, kExtremes, {i, c}, Maximum);
    Value rowSum = readBits(b, kSum, {i, c});
    Value valueSum = k.access(b, kValueSum, f32, {d, i, c});
    // One of the two is 1, so one exponential does.
    Value isOldLess = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT,
                                            old(1), rowMax);
    Value maximum = arith::SelectOp::create(b, loc, isOldLess, rowMax, old(1));
    Value minimum = arith::SelectOp::create(b, loc, isOldLess, old(1), rowMax);
    Value shrink = exponential(b, subF(b, minimum, maximum));
    Value one = k.constantF(b, 1);
    Value shrinkOld = arith::SelectOp::create(b, loc, isOldLess, shrink, one);
    Value shrinkNew = arith::SelectOp::create(b, loc, isOldLess, one, shrink);
    Value output =
        addF(b, mulF(b, old(0), shrinkOld), mulF(b, valueSum, shrinkNew));
    Value sum = addF(b, mulF(b, old(2), shrinkOld), mulF(b, rowSum, shrinkNew));
    halide::YieldOp::create(b, loc, {output, maximum, sum}, ValueRange());
  });
}

// A sink is a score that is there from the beginning, of the first split. One
// of -inf is none. Its weight is exp(sink - sink), which of +inf is NaN. The
// maximum passes over NaN, as it does in keys.
std::pair<Value, Value> AttentionLowering::initialState(Builder &b, Value i) {
  if (!op.getSinks())
    return {k.constantF(b, isSoftmax ? kLowest : 0), k.constantF(b, 0)};
  Value sink = k.toF32(b, k.read(b, op.getSinks(), headOf(b, row(b, i))));
  Value lowest = k.constantF(b, kLowest), zero = k.constantF(b, 0);
  Value isAbove =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, sink, lowest);
  Value maximum = arith::SelectOp::create(b, loc, isAbove, sink, lowest);
  Value weight = addF(b, k.constantF(b, 1), subF(b, sink, sink));
  Value sum =
      arith::SelectOp::create(b, loc, isMinusInfinity(b, sink), zero, weight);
  if (!split)
    return {maximum, sum};
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, split,
                                        k.constant(b, 0));
  return {arith::SelectOp::create(b, loc, isFirst, maximum, lowest),
          arith::SelectOp::create(b, loc, isFirst, sum, zero)};
}

// A division for each row rather than for each channel.
void AttentionLowering::emitInverse() {
  reduction(
      k.func(kInverse, {kRow}, i32, [&](Builder &b, ValueRange v) -> Value {
        if (op.getNormalize() == Normalization::None)
          return bits(b, k.constantF(b, 1));
        Value sum = stateOf(b, 2, v[0]);
        Value zero = k.constantF(b, 0);
        Value isEmpty =
            arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, sum, zero);
        Value one = k.constantF(b, 1);
        return bits(b, arith::SelectOp::create(
                           b, loc, isEmpty, zero,
                           arith::DivFOp::create(b, loc, one, sum)));
      }));
}

//===-- Funcs over blocks -------------------------------------------------===//

SmallVector<Value> AttentionLowering::blockOf(ValueRange v) {
  return {v[0], v[1], v[3], v[2]};
}

halide::FuncOp AttentionLowering::reduction(halide::FuncOp func) {
  func.setReduction(halide::Reduction::Attention);
  return func;
}

void AttentionLowering::setExtents(halide::FuncOp func, int64_t channels) {
  Sizes extents{SizeAttr::number(op.getContext(), channels),
                SizeAttr::number(op.getContext(), rowTile)};
  func->setAttr(kExtentsAttr, toArray(op.getContext(), extents));
}

halide::FuncOp AttentionLowering::emitUndefined(StringRef name, Type type) {
  return reduction(
      k.func(name, blockVars, type, [&](Builder &b, ValueRange) -> Value {
        return halide::UndefOp::create(b, loc, type);
      }));
}

void AttentionLowering::emitPerBlock(
    halide::FuncOp func, Part part,
    llvm::function_ref<Value(Builder &, ValueRange)> body) {
  k.update(func, KernelBuilder::Range{kEachBlock, chunkBlocks},
           [&](Builder &b, ValueRange v) {
             SmallVector<Value> at(v.take_front(4));
             at[2] = v[4];
             whereBlock(b, at[3], at[2], part);
             halide::YieldOp::create(b, loc, bits(b, body(b, at)), at);
           });
}

void AttentionLowering::emitOverKeys(
    StringRef row, StringRef block, int64_t keys, int64_t index, double initial,
    llvm::function_ref<Value(Builder &, Value old, Value next)> combine) {
  auto func =
      reduction(k.func(row, {kRow, kChunk}, f32, [&](Builder &b, ValueRange) {
        return k.constantF(b, initial);
      }));
  k.update(func, KernelBuilder::Range{kKey, keys},
           [&](Builder &b, ValueRange v) {
             Value old = k.access(b, row, f32, v.take_front(2));
             Value next = k.access(b, block, f32, {v[2], v[0], v[1]}, index);
             yield(b, combine(b, old, next));
           });
}

void AttentionLowering::emitPerRow(StringRef name, StringRef value) {
  reduction(k.func(name, {kRow, kChunk}, i32, [&](Builder &b, ValueRange at) {
    return bits(b, k.access(b, value, f32, at));
  }));
}

void AttentionLowering::yield(Builder &b, Value value) {
  halide::YieldOp::create(b, loc, value, ValueRange());
}

Value AttentionLowering::bits(Builder &b, Value value) {
  if (value.getType().isInteger())
    return value;
  return arith::BitcastOp::create(b, loc, i32, value);
}

Value AttentionLowering::droppedWeight(Builder &b) {
  if (op.roundsFactors())
    return arith::ConstantOp::create(b, loc, b.getI16IntegerAttr(-0x8000));
  return k.constant(b, std::numeric_limits<int32_t>::min());
}

Type AttentionLowering::weightType() {
  return op.roundsFactors() ? Type(k.builder.getI16Type()) : i32;
}

Value AttentionLowering::weightAt(Builder &b, ValueRange at) {
  Value bits = k.access(b, kWeights, weightType(), at);
  return k.toF32(b, arith::BitcastOp::create(b, loc, factorType(), bits));
}

Value AttentionLowering::isDropped(Builder &b, ValueRange at) {
  Value bits = k.access(b, kWeights, weightType(), at);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, bits,
                               droppedWeight(b));
}

Value AttentionLowering::readBits(Builder &b, StringRef func, ValueRange at,
                                  int64_t index) {
  return arith::BitcastOp::create(b, loc, f32,
                                  k.access(b, func, i32, at, index));
}

// By its bits: what Halide's maxima give is promised to be finite, so that LLVM
// takes a comparison of it with infinity for false.
Value AttentionLowering::isMinusInfinity(Builder &b, Value number) {
  int32_t infinity = llvm::bit_cast<int32_t>(static_cast<float>(-kInfinity));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                               bits(b, number), k.constant(b, infinity));
}

Value AttentionLowering::selectKept(Builder &b, Part part, ValueRange at,
                                    Value value, Value other) {
  if (part == Part::Whole || part == Part::Plain)
    return value;
  Value first = mul(b, block(b, at[3], at[2]), kBlock);
  Value kept = keep(b, at[1], add(b, first, at[0]));
  return arith::SelectOp::create(b, loc, kept, value, other);
}

//===-- Scalar maths ------------------------------------------------------===//

Value AttentionLowering::addF(Builder &b, Value x, Value y) {
  return arith::AddFOp::create(b, loc, x, y);
}

Value AttentionLowering::subF(Builder &b, Value x, Value y) {
  return arith::SubFOp::create(b, loc, x, y);
}

Value AttentionLowering::mulF(Builder &b, Value x, Value y) {
  return arith::MulFOp::create(b, loc, x, y);
}

Value AttentionLowering::mulF(Builder &b, Value x, double y) {
  return mulF(b, x, k.constantF(b, y));
}

Value AttentionLowering::select(Builder &b, Value condition, Value x,
                                double y) {
  return arith::SelectOp::create(b, loc, condition, x, k.constantF(b, y));
}

static void lower(KernelBuilder &k, AttentionOp op) {
  AttentionLowering(k, op).run();
}

void heddle::registerAttentionLowering(MLIRContext *context) {
  AttentionOp::attachInterface<LoweringModel<AttentionOp, lower>>(*context);
}
