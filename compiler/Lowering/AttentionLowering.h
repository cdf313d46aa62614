// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to this folder: the funcs that attention is lowered to, one method
// each. LowerAttention.cpp has their formulas, and those of a task;
// LowerAttentionChunk.cpp has those of a chunk of keys, and
// LowerAttentionResults.cpp the results.

#ifndef HEDDLE_COMPILER_LOWERING_ATTENTIONLOWERING_H
#define HEDDLE_COMPILER_LOWERING_ATTENTIONLOWERING_H

#include "compiler/Lowering/AttentionFuncs.h"
#include "compiler/Lowering/AttentionTasks.h"

#include <limits>

namespace heddle {

class AttentionLowering : AttentionTasks {
public:
  AttentionLowering(KernelBuilder &k, AttentionOp op)
      : AttentionTasks(k, op), scale(op.getScaleOrDefault()),
        scalesQueries(!op.hasTerm() && std::abs(scale) <= 1),
        isSoftmax(op.getNormalize() == Normalization::Softmax) {}

  void run();

private:
  /// Stands for minus infinity: finite, so that differences are never NaN, and
  /// not above any finite score.
  static constexpr double kLowest = -std::numeric_limits<float>::max();
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  double scale;
  /// Whether queries are multiplied by the scale once, rather than each sum: a
  /// large one could make a finite score infinite.
  bool scalesQueries;
  bool isSoftmax; ///< or weights are scores

  //===-- Of a chunk of keys ----------------------------------------------===//

  void emitQueryTile(llvm::StringRef name, double factor);
  void emitScores();
  /// What is summed up over the channels: of row i, which has `q` there, and of
  /// `key`, which has `element`.
  Value termOf(Builder &b, Value q, Value element, Value i, Value key, Value d);
  /// The scaled score, of a sum over the channels.
  Value scaleSum(Builder &b, Value sum);
  /// What scale and the score region make of the sum of row i and `key`, which
  /// exists.
  Value changeScore(Builder &b, Value score, Value i, Value key);
  /// What `region` yields at `point`, of arguments of its own that are
  /// `values`.
  Value emitRegion(Builder &b, mlir::Region &region,
                   llvm::ArrayRef<Value> values, mlir::ValueRange operands,
                   llvm::ArrayRef<Value> point);
  /// e^x, for x <= 0.
  Value exponential(Builder &b, Value x);
  /// What a score that is not -inf becomes: e^(score - maximum).
  Value weightOf(Builder &b, Value score, Value maximum);
  /// Sums over the channels for groups of `blocks` blocks, with j going over
  /// all of their keys and jb counting the groups.
  void emitScoreSum(llvm::StringRef name, int64_t blocks);
  enum Extreme { Maximum, Minimum };
  void emitExtremes();
  void emitPlainBlocks();
  void emitWeights();
  /// The factor of the weight of row i and `key`, which exists.
  Value factorOf(Builder &b, Value i, Value key);
  void emitFactored();
  void emitSums();
  void emitValueSum(halide::FuncOp valueSum, Part part);
  void emitLargestValues();
  /// Which pairs of keys a sum goes over: those of plain blocks, of other
  /// blocks whose values are all finite, or of blocks with other values.
  enum class Pairs { Plain, Finite, Others };
  void emitSumOfPairs(halide::FuncOp valueSum, Pairs pairs);
  /// Restricts an update over pairs of keys to `pairs`.
  void wherePairs(Builder &b, Value c, Value jb, Value pair, Pairs pairs);
  /// The end of a chunk's blocks whose values are finite, plain ones or not.
  Value finiteBlocks(Builder &b, Value c);
  /// The type that factors of products are rounded to: bf16, or f32.
  mlir::Type factorType();
  Value toFactor(Builder &b, Value x);
  /// Channel d of row i in a func of queries, in f32.
  Value queryAt(Builder &b, llvm::StringRef queries, Value d, Value i);
  /// `sum` + `x` * `y`, of which one instruction may add up a pair.
  Value addProduct(Builder &b, Value sum, Value x, Value y);

  //===-- Of a task -------------------------------------------------------===//

  void emitState();
  /// The maximum and the sum that row i begins with.
  std::pair<Value, Value> initialState(Builder &b, Value i);
  /// What each row has of the state, instead of (output, maximum, sum): the
  /// sum's reciprocal, or 0.
  void emitInverse();

  //===-- Results ---------------------------------------------------------===//

  void emitResults();
  void emitResult(AttentionResult result, Value value);
  void emitChannels(AttentionResult result, Value value);
  void emitNumber(AttentionResult result, Value value);
  void emitMatrix(AttentionResult result, Value value);
  void emitColumnSums(Value value);
  /// A result with something for each row of the task, and an element of it.
  halide::FuncOp emitOfRows(AttentionResult result,
                            llvm::ArrayRef<llvm::StringRef> vars);
  void yieldOfRow(Builder &b, Value number, llvm::ArrayRef<Value> at);
  Value stateOf(Builder &b, int64_t index, Value i);
  /// The maximum `number`, or NaN where `sum` is and there is no infinity.
  Value orNaN(Builder &b, Value number, Value sum);
  /// `number`, or -inf where no key is kept.
  Value orNone(Builder &b, Value number, Value sum);
  /// Row i, to which an update is restricted if it exists.
  Value whereRow(Builder &b, Value i);
  /// The func of a result that updates write: nothing is in it.
  halide::FuncOp emitStored(AttentionResult result,
                            llvm::ArrayRef<llvm::StringRef> vars);
  /// What a matrix has for row i and `key`, of the sum over the channels.
  Value elementOf(Builder &b, AttentionResult result, Value sum, Value i,
                  Value key);
  void emitMatrixSum(llvm::StringRef name, llvm::StringRef queries);
  /// Emits the sums of `result` and updates of `func` over all rows and keys:
  /// `store` gets the func's variables, row i, a key and, as a function, what
  /// the matrix has for them.
  using Store =
      llvm::function_ref<void(Builder &, mlir::ValueRange vars, Value i,
                              Value key, llvm::function_ref<Value()> element)>;
  void emitOverPairs(AttentionResult result, halide::FuncOp func,
                     llvm::ArrayRef<Store> stores);

  //===-- Funcs over blocks -----------------------------------------------===//

  static constexpr llvm::StringRef blockVars[] = {
      attention::kKey, attention::kRow, attention::kBlockOfChunk,
      attention::kChunk};

  /// (j, i, c, jb), as updates over blocks have it -> blockVars.
  static llvm::SmallVector<Value> blockOf(mlir::ValueRange v);
  halide::FuncOp reduction(halide::FuncOp func);
  /// Says the sizes of a func of the task's rows.
  void setExtents(halide::FuncOp func, int64_t channels);
  halide::FuncOp emitUndefined(llvm::StringRef name, mlir::Type type);
  /// Defines `func` in a part of a chunk's blocks; `body` gets its coordinates.
  void
  emitPerBlock(halide::FuncOp func, Part part,
               llvm::function_ref<Value(Builder &, mlir::ValueRange)> body);
  /// Of `keys` numbers of a block: row(i, c, w) = combine_j block(j, i, c, w).
  void emitOverKeys(
      llvm::StringRef row, llvm::StringRef block, int64_t keys, int64_t index,
      double initial,
      llvm::function_ref<Value(Builder &, Value old, Value next)> combine);
  void emitPerRow(llvm::StringRef name, llvm::StringRef value);
  void yield(Builder &b, Value value);

  /// What is read at coordinates that loops count is stored as bits of type
  /// i32. Halide gives memory that has become free to the next func of the same
  /// type (CodeGen_Posix), and were that a sum that the schedule keeps in
  /// registers, it would lie in this memory too.
  Value bits(Builder &b, Value value);
  /// -0, as bits: the weight of a dropped key. A kept one has another, also
  /// where that is 0.
  Value droppedWeight(Builder &b);
  /// The bits of a weight; the weight in f32, and whether its key is dropped.
  mlir::Type weightType();
  Value weightAt(Builder &b, mlir::ValueRange at);
  Value isDropped(Builder &b, mlir::ValueRange at);
  Value readBits(Builder &b, llvm::StringRef func, mlir::ValueRange at,
                 int64_t index = 0);
  Value isMinusInfinity(Builder &b, Value number);
  /// `value`, or `other` where the key of `at` is not kept.
  Value selectKept(Builder &b, Part part, mlir::ValueRange at, Value value,
                   Value other);

  Value addF(Builder &b, Value x, Value y);
  Value subF(Builder &b, Value x, Value y);
  Value mulF(Builder &b, Value x, Value y);
  Value mulF(Builder &b, Value x, double y);
  Value select(Builder &b, Value condition, Value x, double y);
};

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_ATTENTIONLOWERING_H
