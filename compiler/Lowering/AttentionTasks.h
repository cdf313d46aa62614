// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the work of an attention op is divided, and what each part may see.
//
// The heads of a group read the same keys: their queries form rows
// r = s * group + head in group, which are computed in tiles of `rowTile`. A
// task is a tile of one key/value head of one sequence. Keys come in blocks of
// `kBlock`, and blocks in chunks of `chunkBlocks`. Where there are splits of
// the keys, a task has those of one: every `splits`-th block.
//
// Of a chunk a task visits the blocks of which some row keeps a key: first
// those that every row keeps whole, then the others. Which these are is asked
// of the mask, block by block, so that any mask skips what it can:
//
//   begin_key, end_key          between which keys the rows keep any
//   block_kind(slot, c)         0: no row keeps a key; 1: some; 2: all keep all
//   blocks_before(slot, c)      of those before it, how many are of kind 2, and
//                               not 0, and how many keys those of kind 1 have
//                               at most, up to end_key
//   block_order(jb, c)          the slot of the block that is visited as jb-th
//
// Without a mask only the last block may be of kind 1, and none of these funcs
// is needed.

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

  //===-- Rows ------------------------------------------------------------===//

  /// Row i of the tile; rows past the last repeat it, and are never written.
  Value row(Builder &b, Value i);
  /// The head of the query that row r belongs to, and its query.
  Value headOf(Builder &b, Value r);
  Value queryOf(Builder &b, Value r);

  //===-- Keys ------------------------------------------------------------===//

  /// Emits the funcs above.
  void emitBlocks();
  /// Block jb of chunk c, in the order in which they are visited.
  Value block(Builder &b, Value c, Value jb);

  /// How many blocks of chunk c are visited: none past the chunk's are, even
  /// where this is more. And how many of them are kept whole, or plain.
  Value keptBlocks(Builder &b, Value c);
  Value wholeBlocks(Builder &b, Value c);
  Value plainBlocks(Builder &b, Value c);
  /// Past which no key of its mixed blocks is kept.
  Value mixedKeys(Builder &b, Value c);

  /// `key`, or the last one.
  Value existingKey(Builder &b, Value key);
  /// A pair of row i and no key.
  MaskField::Point pointOf(Builder &b, Value i);
  /// Whether row i keeps `key`.
  Value keep(Builder &b, Value i, Value key);

  /// Channel d of key, and of value, j of block kb, for the task's head. All
  /// keys of a plain block exist.
  Value readKey(Builder &b, Value j, Value d, Value kb);
  /// The scale of a cached key, and of a cached value, which `readKey` and
  /// `readValue` leave out: the sum over a key's channels, and the weight of a
  /// value, are multiplied by it. Null where nothing is left out.
  Value keyScale(Builder &b, Value j, Value kb);
  Value valueScale(Builder &b, Value j, Value kb);
  /// A key with its scale.
  Value readScaledKey(Builder &b, Value j, Value d, Value kb);
  /// Elements of operands that are read in pairs, as bf16: channel
  /// 2 * pair + term of key j, and channel d of value 2 * pair + term.
  Value readPairOfKey(Builder &b, Value j, Value pair, Value term, Value kb);
  Value readPairOfValue(Builder &b, Value pair, Value term, Value d, Value kb);
  /// `x`, rounded to bf16 where factors are, and back.
  Value rounded(Builder &b, Value x);
  /// Channel d of a head, which has `dim`, of a token.
  Value readHead(Builder &b, Value from, Value token, Value head, Value d,
                 int64_t dim);

  //===-- Parts of the keys -----------------------------------------------===//

  /// Which blocks an update goes over: all that some row of the tile keeps; of
  /// those the ones that every row keeps whole, or the others; or, once scores
  /// are known, the ones of which no score drops a key either, or the others.
  enum class Part { Kept, Whole, Mixed, Plain, Rest };
  Value readValue(Builder &b, Value j, Value d, Value kb, Part part);
  /// Restrict an update to the blocks, or keys, of `part`.
  void whereBlock(Builder &b, Value c, Value jb, Part part);
  void whereKey(Builder &b, Value c, Value jb, Value j, Part part);
  /// The number of pairs of a block of the rest, past which none is kept.
  Value restPairs(Builder &b, Value c);
  /// Restricts an update over chunks to those that may have such blocks.
  void whereChunk(Builder &b, Value c);
  void where(Builder &b, mlir::arith::CmpIPredicate predicate, Value x,
             Value y);

  //===-- Integer maths ---------------------------------------------------===//

  Value add(Builder &b, Value x, Value y);
  Value sub(Builder &b, Value x, Value y);
  Value mul(Builder &b, Value x, Value y);
  Value mul(Builder &b, Value x, int64_t y);
  Value div(Builder &b, Value x, int64_t y);
  Value rem(Builder &b, Value x, int64_t y);
  Value ceilDiv(Builder &b, Value x, int64_t y);

  KernelBuilder &k;
  AttentionOp op;
  mlir::Location loc;
  mlir::Type f32, i32;
  int64_t heads, kvHeads, group, headDim, valueDim, splits;
  int64_t rowTile, chunkBlocks, groupBlocks;
  bool hasPairs; ///< whether keys and values are read in pairs of bf16
  Value queries, keys, rows, chunks;
  /// The task's.
  Value tile, head, batch;
  Value split; ///< null where there is one

private:
  const MaskField *mask();
  /// The pairs of the task's rows and no key.
  MaskField::Tile tileOf(Builder &b);
  void emitBound(llvm::StringRef name, const MaskField::TilePredicate &bound,
                 Value otherwise);
  enum class Kind { None, Mixed, Whole };
  enum Count { WholeBlocks, KeptBlocks, MixedKeys };
  void emitKind();
  void emitCounts();
  void emitOrder();
  /// How many of the first `blocks` blocks are the task's from chunk c on.
  Value inChunk(Builder &b, Value blocks, Value c);
  /// A block of chunk c.
  Value blockIn(Builder &b, Value slot, Value c);
  Value hasKind(Builder &b, mlir::arith::CmpIPredicate predicate, Value slot,
                Value c, Kind kind);
  Value countOf(Builder &b, Count count, Value c);
  Value beginKey(Builder &b);
  Value endKey(Builder &b);
  Value firstBlock(Builder &b);
  Value readCached(Builder &b, Value from, Value kb, Value j, Value d);
  /// The scale of `from`, a part of a cache whose heads are those of the op.
  Value scaleOf(Builder &b, Value from, Value kb, Value j);
  /// Whether reads of `from` leave out its scales.
  bool leavesOutScales(Value from);
};

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_ATTENTIONTASKS_H
