// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks that compare positions with numbers: of a tile, its first and last
// query and key say whether any pair, and whether all are kept.

#include "compiler/Lowering/MaskLowering.h"

using namespace mlir;
using namespace heddle;

using Point = MaskField::Point;
using Tile = MaskField::Tile;

static Value emitCompare(KernelBuilder &k, OpBuilder &b,
                         arith::CmpIPredicate kind, Value lhs, Value rhs) {
  return arith::CmpIOp::create(b, k.loc(), kind, lhs, rhs);
}

//===-- Along the diagonal ------------------------------------------------===//

namespace {
/// The key at which each query stands.
template <typename Op> class Diagonal {
public:
  /// Keys up to `left` before the diagonal may be kept.
  Diagonal(KernelBuilder &k, Op op, int64_t left = 0)
      : k(&k), op(op), left(left) {}

  Value at(OpBuilder &b, Value batch, Value query) {
    Value offset = op.getOffset() ? offsetOf(b, batch) : alignment(b);
    if (offset)
      query = arith::AddIOp::create(b, k->loc(), query, offset);
    if (std::optional<int64_t> plus = op.getShift().asNumber())
      return add(b, query, *plus);
    return arith::AddIOp::create(b, k->loc(), query, sizeAdded(b));
  }

  Value add(OpBuilder &b, Value value, int64_t number) {
    if (number == 0)
      return value;
    return arith::AddIOp::create(b, k->loc(), value, k->constant(b, number));
  }

  /// A mask that keeps the keys which are at most `right` after the diagonal.
  MaskField keepUpTo(int64_t right) {
    auto holds = [=, *this](OpBuilder &b, Value batch, Value query,
                            Value key) mutable -> Value {
      Value last = add(b, at(b, batch, query), right);
      return emitCompare(*k, b, arith::CmpIPredicate::sle, key, last);
    };
    MaskField mask;
    mask.keeps = [=](OpBuilder &b, const Point &at) mutable {
      return holds(b, at.batch, at.query, at.key);
    };
    mask.keepsAny = [=](OpBuilder &b, const Tile &tile) mutable {
      return holds(b, tile.batch, tile.lastQuery, tile.firstKey);
    };
    mask.keepsAll = [=](OpBuilder &b, const Tile &tile) mutable {
      return holds(b, tile.batch, tile.firstQuery, tile.lastKey);
    };
    mask.end = [=, *this](OpBuilder &b, const Tile &tile) mutable {
      return add(b, at(b, tile.batch, tile.lastQuery), right + 1);
    };
    return mask;
  }

  /// One that keeps those which are at most `left` before it.
  MaskField keepFrom() {
    auto holds = [*this](OpBuilder &b, Value batch, Value query,
                         Value key) mutable -> Value {
      Value first = add(b, at(b, batch, query), -left);
      return emitCompare(*k, b, arith::CmpIPredicate::sge, key, first);
    };
    MaskField mask;
    mask.keeps = [=](OpBuilder &b, const Point &at) mutable {
      return holds(b, at.batch, at.query, at.key);
    };
    mask.keepsAny = [=](OpBuilder &b, const Tile &tile) mutable {
      return holds(b, tile.batch, tile.firstQuery, tile.lastKey);
    };
    mask.keepsAll = [=](OpBuilder &b, const Tile &tile) mutable {
      return holds(b, tile.batch, tile.lastQuery, tile.firstKey);
    };
    mask.begin = [*this](OpBuilder &b, const Tile &tile) mutable {
      return add(b, at(b, tile.batch, tile.firstQuery), -left);
    };
    return mask;
  }

private:
  Value limit(OpBuilder &b, Value value, Value least, Value most) {
    value = arith::MinSIOp::create(b, k->loc(), value, most);
    return arith::MaxSIOp::create(b, k->loc(), value, least);
  }

  // The offset is any integer. A very large and a very small one are limited to
  // such with which the diagonal, and all that is kept near it, are past the
  // keys or before them, so that sums do not overflow.
  Value offsetOf(OpBuilder &b, Value batch) {
    int64_t plus = *op.getShift().asNumber();
    return limit(b, k->readNumber(b, op.getOffset(), batch),
                 k->constant(b, -(int64_t(1) << 30)),
                 add(b, k->keyCount, left + std::max<int64_t>(-plus, 0)));
  }

  bool isBottomRight() {
    return op.getAlign() && *op.getAlign() == Alignment::BottomRight;
  }

  Value alignment(OpBuilder &b) {
    if (!isBottomRight())
      return {};
    return arith::SubIOp::create(b, k->loc(), k->keyCount, k->queryCount);
  }

  // `plus` that is a size, limited in the same way. With bottom_right it is the
  // last query that stands at the last key.
  Value sizeAdded(OpBuilder &b) {
    Value before = k->queryCount, after = k->keyCount;
    if (isBottomRight())
      std::swap(before, after);
    constexpr int64_t mostRight = 1 << 24;
    Value least =
        arith::SubIOp::create(b, k->loc(), k->constant(b, -mostRight), before);
    return limit(b, k->size(op.getShift()), least, add(b, after, left));
  }

  KernelBuilder *k;
  Op op;
  int64_t left;
};
} // namespace

// keep = key <= query + offset(batch)
static MaskField lowerCausal(KernelBuilder &k, CausalMaskOp op) {
  return Diagonal(k, op).keepUpTo(0);
}

static MaskField lowerWindow(KernelBuilder &k, WindowMaskOp op) {
  Diagonal diagonal(k, op, op.getLeft().value_or(0));
  if (!op.getLeft())
    return diagonal.keepUpTo(*op.getRight());
  if (!op.getRight())
    return diagonal.keepFrom();
  return combineAnd(k, diagonal.keepFrom(), diagonal.keepUpTo(*op.getRight()));
}

//===-- heddle.mask.lengths -----------------------------------------------===//

// keep = key < lengths(batch)
static MaskField lowerKeyLengths(KernelBuilder *k, LengthsMaskOp op) {
  auto length = [=](OpBuilder &b, Value batch) mutable {
    return k->readNumber(b, op.getLengths(), batch);
  };
  auto isBelow = [=](OpBuilder &b, Value batch, Value key) mutable {
    return emitCompare(*k, b, arith::CmpIPredicate::slt, key,
                       clampLimit(*k, b, length(b, batch)));
  };
  MaskField mask;
  mask.keeps = [=](OpBuilder &b, const Point &at) mutable {
    return isBelow(b, at.batch, at.key);
  };
  mask.keepsAny = [=](OpBuilder &b, const Tile &tile) mutable {
    return isBelow(b, tile.batch, tile.firstKey);
  };
  mask.keepsAll = [=](OpBuilder &b, const Tile &tile) mutable {
    return isBelow(b, tile.batch, tile.lastKey);
  };
  mask.end = [=](OpBuilder &b, const Tile &tile) mutable {
    return length(b, tile.batch);
  };
  return mask;
}

// keep = query < lengths(batch), which may be any integer: Halide adds numbers
// to both sides.
static MaskField lowerQueryLengths(KernelBuilder *k, LengthsMaskOp op) {
  auto isBelow = [=](OpBuilder &b, Value batch, Value query) mutable {
    Value length = arith::MaxSIOp::create(
        b, k->loc(), k->readNumber(b, op.getLengths(), batch),
        k->constant(b, 0));
    length = arith::MinSIOp::create(b, k->loc(), length, k->queryCount);
    return emitCompare(*k, b, arith::CmpIPredicate::slt, query, length);
  };
  MaskField mask;
  mask.keeps = [=](OpBuilder &b, const Point &at) mutable {
    return isBelow(b, at.batch, at.query);
  };
  mask.keepsAny = [=](OpBuilder &b, const Tile &tile) mutable {
    return isBelow(b, tile.batch, tile.firstQuery);
  };
  mask.keepsAll = [=](OpBuilder &b, const Tile &tile) mutable {
    return isBelow(b, tile.batch, tile.lastQuery);
  };
  // Without such a query the tile has no keys.
  mask.end = [=](OpBuilder &b, const Tile &tile) mutable -> Value {
    return arith::SelectOp::create(b, k->loc(),
                                   isBelow(b, tile.batch, tile.firstQuery),
                                   k->keyCount, k->constant(b, 0));
  };
  return mask;
}

static MaskField lowerLengths(KernelBuilder &k, LengthsMaskOp op) {
  return op.getOf() == ScoreDim::Query ? lowerQueryLengths(&k, op)
                                       : lowerKeyLengths(&k, op);
}

void heddle::registerPositionMaskLowerings(MLIRContext *context) {
  CausalMaskOp::attachInterface<MaskModel<CausalMaskOp, lowerCausal>>(*context);
  WindowMaskOp::attachInterface<MaskModel<WindowMaskOp, lowerWindow>>(*context);
  LengthsMaskOp::attachInterface<MaskModel<LengthsMaskOp, lowerLengths>>(
      *context);
}
