// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to this folder: what the lowerings of masks share. A mask becomes
// predicates over pairs of a query and a key, and over tiles of such pairs, of
// which attention skips those that keep none and compares nothing in those that
// keep all (KernelBuilder.h, MaskField).

#ifndef HEDDLE_COMPILER_LOWERING_MASKLOWERING_H
#define HEDDLE_COMPILER_LOWERING_MASKLOWERING_H

#include "compiler/Lowering/LoweringInterface.h"

namespace heddle {

/// A limit of keys, which may be any integer, from none to all of them.
mlir::Value clampLimit(KernelBuilder &k, mlir::OpBuilder &b, mlir::Value limit);

/// The mask that keeps what both keep.
MaskField combineAnd(KernelBuilder &k, const MaskField &x, const MaskField &y);

inline auto asTuple(const MaskField::Point &at) {
  return std::make_tuple(at.batch, at.head, at.query, at.key);
}

inline auto asTuple(const MaskField::Tile &tile) {
  return std::make_tuple(tile.batch, tile.firstQuery, tile.lastQuery,
                         tile.firstKey, tile.lastKey, tile.block, tile.slot,
                         tile.chunk);
}

/// What is emitted again at the same place for the same arguments is there
/// already: masks that several masks share would be emitted once for each path
/// to them.
template <typename Where>
std::function<mlir::Value(mlir::OpBuilder &, const Where &)> remember(
    const std::function<mlir::Value(mlir::OpBuilder &, const Where &)> &emit) {
  if (!emit)
    return {};
  struct Last {
    mlir::Block *block = nullptr;
    Where where;
    mlir::Value value;
  };
  auto last = std::make_shared<Last>();
  return [=](mlir::OpBuilder &b, const Where &where) -> mlir::Value {
    if (last->block != b.getBlock() || asTuple(last->where) != asTuple(where))
      *last = {b.getBlock(), where, emit(b, where)};
    return last->value;
  };
}

/// `prepare`, but once, however many masks share it.
inline std::function<void(const MaskField::Rows &)>
rememberOnce(const std::function<void(const MaskField::Rows &)> &prepare) {
  if (!prepare)
    return {};
  auto isDone = std::make_shared<bool>(false);
  return [=](const MaskField::Rows &rows) {
    if (!std::exchange(*isDone, true))
      prepare(rows);
  };
}

template <typename Op, MaskField (*Lower)(KernelBuilder &, Op)>
struct MaskModel
    : LoweringOpInterface::ExternalModel<MaskModel<Op, Lower>, Op> {
  void lower(mlir::Operation *op, KernelBuilder &k) const {
    MaskField mask = Lower(k, llvm::cast<Op>(op));
    k.setMask(op->getResult(0), {remember(mask.keeps), remember(mask.keepsAny),
                                 remember(mask.keepsAll), remember(mask.begin),
                                 remember(mask.end), rememberOnce(mask.prepare),
                                 rememberOnce(mask.prepareBounds)});
  }
};

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_MASKLOWERING_H
