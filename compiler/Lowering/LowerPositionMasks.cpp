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

  // The offset is any integer. A very large and a very small one are limited to
  // such with which the diagonal, and all that is kept near it, are past the
  // keys or before them, so that sums do not overflow.
  Value at(OpBuilder &b, Value batch, Value query) {
    Location loc = k->loc();
    int64_t plus = op.getPlus();
    if (op.getOffset()) {
      Value offset = k->readNumber(b, op.getOffset(), batch);
      Value most = add(b, k->keyCount, left + std::max<int64_t>(-plus, 0));
      offset = arith::MinSIOp::create(b, loc, offset, most);
      offset = arith::MaxSIOp::create(b, loc, offset,
                                      k->constant(b, -(int64_t(1) << 30)));
      query = arith::AddIOp::create(b, loc, query, offset);
    } else if (*op.getAlign() == Alignment::BottomRight) {
      Value shift = arith::SubIOp::create(b, loc, k->keyCount, k->queryCount);
      query = arith::AddIOp::create(b, loc, query, shift);
    }
    return add(b, query, plus);
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
