// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the work of an attention op is divided, and what each part may see.
//
// The heads of a group read the same keys: their queries form rows
// r = s * group + head in group, which are computed in tiles of `rowTile`. A
// task is a tile of one key/value head of one sequence; it is one coordinate,
// so that what it needs has a size that Halide can prove (of three fused loops
// it cannot). Keys come in blocks of `kBlock`, and blocks in chunks of
// `chunkBlocks`.

#ifndef HEDDLE_COMPILER_LOWERING_ATTENTIONTASKS_H
#define HEDDLE_COMPILER_LOWERING_ATTENTIONTASKS_H

#include "compiler/Lowering/KernelBuilder.h"
#include "runtime/heddle_abi.h"

namespace heddle {

class AttentionTasks {
protected:
  using Builder = mlir::OpBuilder;
  using Value = mlir::Value;

  static constexpr int64_t kBlock = HEDDLE_CACHE_BLOCK;

  AttentionTasks(KernelBuilder &k, AttentionOp op);

  //===-- Tasks -----------------------------------------------------------===//

  struct Task {
    Value tile, head, batch;
  };
  Task taskOf(Builder &b, Value w);
  /// Row i of tile t; rows past the last repeat it, and are never written.
  Value row(Builder &b, Value i, Value t);

  //===-- Keys ------------------------------------------------------------===//

  /// Emits the funcs that say which keys a task needs:
  ///   key_limit(w)        before which key some row keeps keys
  ///   whole_limit(w)      before which key every row keeps all
  ///   grouped_blocks(w)   how many blocks are scored in whole groups
  /// They are funcs because Halide trims loops to a value, and not to all
  /// expressions that a mask can have.
  void emitLimits();
  Value keyLimit(Builder &b, Value w);
  Value wholeLimit(Builder &b, Value w);
  Value groupedBlocks(Builder &b, Value w);

  /// Whether row i of task w keeps `key`.
  Value keep(Builder &b, Value i, Value key, Value w);
  Value blockOfChunk(Builder &b, Value c, Value jb);

  /// Channel d of key j of block kb, and of value `key`, for the head of task
  /// w.
  Value readKey(Builder &b, Value j, Value d, Value kb, Value w);
  Value readValue(Builder &b, Value d, Value key, Value w);
  /// Channel d of a head, which has `dim`, of a token.
  Value readHead(Builder &b, Value from, Value batch, Value token, Value head,
                 Value d, int64_t dim);

  //===-- Parts of the keys -----------------------------------------------===//

  /// Which blocks or keys an update goes over: all that some row of the tile
  /// keeps, or of those the ones that every row keeps whole, or the others.
  enum class Part { Kept, Whole, Mixed };
  /// Restrict an update to the blocks, or keys, of `part`.
  void whereBlock(Builder &b, Value c, Value jb, Value w, Part part);
  void whereKey(Builder &b, Value kb, Value j, Value w, Part part);
  void where(Builder &b, mlir::arith::CmpIPredicate predicate, Value x,
             Value y);

  //===-- Integer maths ---------------------------------------------------===//

  Value add(Builder &b, Value x, Value y);
  Value mul(Builder &b, Value x, Value y);
  Value mul(Builder &b, Value x, int64_t y);
  Value div(Builder &b, Value x, int64_t y);
  Value rem(Builder &b, Value x, int64_t y);
  Value ceilDiv(Builder &b, Value x, int64_t y);

  KernelBuilder &k;
  AttentionOp op;
  mlir::Location loc;
  mlir::Type f32, i32;
  int64_t heads, kvHeads, group, headDim, valueDim;
  int64_t rowTile, chunkBlocks, groupBlocks;
  Value queries, keys, rows, tiles, chunks, tasks;

private:
  /// `limit` gets the sequence, the first and the last query of a task.
  void emitLimit(llvm::StringRef name,
                 llvm::function_ref<Value(Builder &, mlir::ValueRange)> limit);
  Value readRow(Builder &b, Value from, Value key, Value d, Task task);
};

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_ATTENTIONTASKS_H
