// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks that read tensors. What they keep of a tile follows from a summary of
// each block of keys (Attention/SummarizeMasks.cpp) and from the task's rows;
// without a summary, no tile is skipped and none is kept whole.

#include "compiler/Lowering/MaskLowering.h"
#include "compiler/Lowering/Names.h"
#include "runtime/heddle_abi.h"

using namespace mlir;
using namespace heddle;

using Point = MaskField::Point;
using Tile = MaskField::Tile;

static Value emitBool(KernelBuilder &k, OpBuilder &b, bool value) {
  return arith::ConstantIntOp::create(b, k.loc(), value, 1);
}

static void assumeNothing(KernelBuilder &k, MaskField &mask) {
  auto constant = [builder = &k](bool value) {
    return [=](OpBuilder &b, const Tile &) {
      return emitBool(*builder, b, value);
    };
  };
  mask.keepsAny = constant(true);
  mask.keepsAll = constant(false);
}

// `value`, or the last of `count`: tiles may reach past the last block.
static Value limit(KernelBuilder &k, OpBuilder &b, Value value, Value count) {
  Value last = arith::SubIOp::create(b, k.loc(), count, k.constant(b, 1));
  return arith::MinSIOp::create(b, k.loc(), value, last);
}

static Value readBlock(KernelBuilder &k, OpBuilder &b, Value summary,
                       Value batch, Value block) {
  return k.read(b, summary, {batch, limit(k, b, block, k.sizeOf(summary, 1))});
}

// A func without coordinates: what `Combine` makes of `initial` and `term` of
// all numbers of the range, of which there may be none.
template <typename Combine>
static std::string
emitOver(KernelBuilder &k, StringRef name, Type type,
         const KernelBuilder::Range &range,
         llvm::function_ref<Value(OpBuilder &)> initial,
         llvm::function_ref<Value(OpBuilder &, Value number)> term) {
  auto func = k.func(name, {}, type,
                     [&](OpBuilder &b, ValueRange) { return initial(b); });
  func->setAttr(kMaskAttr, k.builder.getUnitAttr());
  std::string symbol = func.getSymName().str();
  k.update(func, range, [&](OpBuilder &b, ValueRange v) {
    Value old = k.access(b, symbol, type, {});
    Value next = Combine::create(b, k.loc(), old, term(b, v[0]));
    halide::YieldOp::create(b, k.loc(), next, ValueRange());
  });
  return symbol;
}

//===-- heddle.mask.documents ---------------------------------------------===//

namespace {
/// The numbers of the queries lie between `first` and `last`, and those of the
/// keys of a block, too: a pair is kept only where the two ranges meet, and all
/// are where both hold one number. Where documents are packed one after the
/// other, the blocks from the first to the last that meets the queries are few.
class DocumentsMask {
public:
  DocumentsMask(KernelBuilder &k, DocumentsMaskOp op)
      : k(&k), op(op), type(op.getQueries().getType().getElementType()) {}

  MaskField lower() {
    MaskField mask;
    mask.keeps = [*this](OpBuilder &b, const Point &at) {
      Value key = limit(*k, b, at.key, k->keyCount);
      return compare(b, arith::CmpIPredicate::eq,
                     k->read(b, queries(), {at.batch, at.query}),
                     k->read(b, keys(), {at.batch, key}));
    };
    if (!hasSummary()) {
      assumeNothing(*k, mask);
      return mask;
    }
    mask.prepareBounds = [*this](const MaskField::Rows &rows) {
      emitNumbers(rows);
      emitBlocks(rows);
    };
    mask.keepsAny = [*this](OpBuilder &b, const Tile &tile) {
      return meets(b, tile.batch, tile.block);
    };
    mask.keepsAll = [*this](OpBuilder &b, const Tile &tile) {
      Value low = k->access(b, *first, type, {}),
            high = k->access(b, *last, type, {});
      Value result = compare(b, arith::CmpIPredicate::eq, low, high);
      for (unsigned part : {0, 1})
        result = arith::AndIOp::create(
            b, k->loc(), result,
            compare(b, arith::CmpIPredicate::eq,
                    ofBlock(b, part, tile.batch, tile.block), low));
      return result;
    };
    mask.begin = [*this](OpBuilder &b, const Tile &) {
      return keyOf(b, *beginBlock);
    };
    mask.end = [*this](OpBuilder &b, const Tile &) {
      return keyOf(b, *endBlock);
    };
    return mask;
  }

private:
  Value queries() const { return DocumentsMaskOp(op).getQueries(); }
  Value keys() const { return DocumentsMaskOp(op).getKeys(); }
  bool hasSummary() const { return !DocumentsMaskOp(op).getSummary().empty(); }
  Value summary(unsigned part) const {
    return DocumentsMaskOp(op).getSummary()[part];
  }

  Value compare(OpBuilder &b, arith::CmpIPredicate kind, Value x,
                Value y) const {
    return arith::CmpIOp::create(b, k->loc(), kind, x, y);
  }

  // The least number of a block, and the largest.
  Value ofBlock(OpBuilder &b, unsigned part, Value batch, Value block) const {
    return readBlock(*k, b, summary(part), batch, block);
  }

  Value meets(OpBuilder &b, Value batch, Value block) const {
    Value begins =
        compare(b, arith::CmpIPredicate::sle, ofBlock(b, 0, batch, block),
                k->access(b, *last, type, {}));
    Value ends =
        compare(b, arith::CmpIPredicate::sge, ofBlock(b, 1, batch, block),
                k->access(b, *first, type, {}));
    return arith::AndIOp::create(b, k->loc(), begins, ends);
  }

  Value keyOf(OpBuilder &b, StringRef block) const {
    return arith::MulIOp::create(b, k->loc(),
                                 k->access(b, block, b.getI32Type(), {}),
                                 k->constant(b, HEDDLE_CACHE_BLOCK));
  }

  void emitNumbers(const MaskField::Rows &rows) const {
    auto number = [&](OpBuilder &b, Value row) {
      Point at = rows.pointOf(b, row);
      return k->read(b, queries(), {at.batch, at.query});
    };
    auto ofFirst = [&](OpBuilder &b) { return number(b, k->constant(b, 0)); };
    KernelBuilder::Range all{"row", rows.count};
    *first = emitOver<arith::MinSIOp>(*k, "first_document", type, all, ofFirst,
                                      number);
    *last = emitOver<arith::MaxSIOp>(*k, "last_document", type, all, ofFirst,
                                     number);
  }

  void emitBlocks(const MaskField::Rows &rows) const {
    Type i32 = k->builder.getI32Type();
    KernelBuilder::Range all = k->rangeOf("block", sizesOf(summary(0))[1]);
    auto choose = [&](OpBuilder &b, Value block, Value met, Value otherwise) {
      Value batch = rows.pointOf(b, k->constant(b, 0)).batch;
      return arith::SelectOp::create(b, k->loc(), meets(b, batch, block), met,
                                     otherwise);
    };
    *beginBlock = emitOver<arith::MinSIOp>(
        *k, "begin_block", i32, all,
        [&](OpBuilder &) { return k->sizeOf(summary(0), 1); },
        [&](OpBuilder &b, Value block) {
          return choose(b, block, block, k->sizeOf(summary(0), 1));
        });
    *endBlock = emitOver<arith::MaxSIOp>(
        *k, "end_block", i32, all,
        [&](OpBuilder &b) { return k->constant(b, 0); },
        [&](OpBuilder &b, Value block) {
          Value next =
              arith::AddIOp::create(b, k->loc(), block, k->constant(b, 1));
          return choose(b, block, next, k->constant(b, 0));
        });
  }

  KernelBuilder *k;
  DocumentsMaskOp op;
  Type type;
  /// The funcs above, once they are emitted.
  std::shared_ptr<std::string> first = std::make_shared<std::string>(),
                               last = std::make_shared<std::string>(),
                               beginBlock = std::make_shared<std::string>(),
                               endBlock = std::make_shared<std::string>();
};
} // namespace

static MaskField lowerDocuments(KernelBuilder &k, DocumentsMaskOp op) {
  return DocumentsMask(k, op).lower();
}

//===-- heddle.mask.dense -------------------------------------------------===//

namespace {
class DenseMask {
public:
  DenseMask(KernelBuilder &k, DenseMaskOp op) : k(&k), op(op) {}

  MaskField lower() {
    MaskField mask;
    mask.keeps = [*this](OpBuilder &b, const Point &at) mutable {
      Value key =
          divide(b, limit(*k, b, at.key, k->keyCount), op.getKeyBlock());
      return read(b, op.getMask(), at, key);
    };
    if (op.getSummary().empty()) {
      assumeNothing(*k, mask);
      return mask;
    }
    mask.prepare = [*this](const MaskField::Rows &rows) mutable {
      emitRows<arith::OrIOp>(*any, "keeps_any", 0, false, rows);
      emitRows<arith::AndIOp>(*all, "keeps_all", 1, true, rows);
    };
    mask.keepsAny = [*this](OpBuilder &b, const Tile &tile) {
      return k->access(b, *any, b.getI1Type(), {tile.slot, tile.chunk});
    };
    mask.keepsAll = [*this](OpBuilder &b, const Tile &tile) {
      return k->access(b, *all, b.getI1Type(), {tile.slot, tile.chunk});
    };
    return mask;
  }

private:
  Value divide(OpBuilder &b, Value value, int64_t block) {
    if (block == 1)
      return value;
    return arith::FloorDivSIOp::create(b, k->loc(), value,
                                       k->constant(b, block));
  }

  // `tensor` is the mask or a summary of it, which `key` counts blocks in.
  Value read(OpBuilder &b, Value tensor, const Point &at, Value key) {
    SizeAttr one = SizeAttr::number(op.getContext(), 1);
    Sizes sizes = sizesOf(tensor);
    SmallVector<Value> coordinates;
    for (unsigned index = 0; index < sizes.size(); ++index) {
      Value coordinate;
      switch (op.getDim(index)) {
      case ScoreDim::Batch:
        coordinate = at.batch;
        break;
      case ScoreDim::Head:
        coordinate = at.head;
        break;
      case ScoreDim::Query:
        coordinate = divide(b, at.query, op.getQueryBlock());
        break;
      case ScoreDim::Key:
        coordinate = key;
        break;
      }
      coordinates.push_back(sizes[index] == one ? k->constant(b, 0)
                                                : coordinate);
    }
    return k->read(b, tensor, coordinates);
  }

  // A func over (slot, chunk): what `Combine` makes of the summary of a block
  // for all rows.
  template <typename Combine>
  void emitRows(std::string &symbol, StringRef name, unsigned index,
                bool neutral, const MaskField::Rows &rows) {
    Type i1 = k->builder.getI1Type();
    Value summary = op.getSummary()[index];
    auto func = k->func(name, {"slot", "c"}, i1, [&](OpBuilder &b, ValueRange) {
      return emitBool(*k, b, neutral);
    });
    func->setAttr(kMaskAttr, k->builder.getUnitAttr());
    symbol = func.getSymName().str();
    k->update(func, {{"row", rows.count}}, [&](OpBuilder &b, ValueRange v) {
      Value block = rows.blockOf(b, v[0], v[1]);
      if (std::optional<unsigned> dim = op.findDim(ScoreDim::Key))
        block = limit(*k, b, block, k->sizeOf(summary, *dim));
      Value old = k->access(b, symbol, i1, {v[0], v[1]});
      Value next = read(b, summary, rows.pointOf(b, v[2]), block);
      halide::YieldOp::create(
          b, k->loc(), Combine::create(b, k->loc(), old, next).getResult(),
          ValueRange());
    });
  }

  KernelBuilder *k;
  DenseMaskOp op;
  std::shared_ptr<std::string> any = std::make_shared<std::string>(),
                               all = std::make_shared<std::string>();
};
} // namespace

static MaskField lowerDense(KernelBuilder &k, DenseMaskOp op) {
  return DenseMask(k, op).lower();
}

void heddle::registerTensorMaskLowerings(MLIRContext *context) {
  DocumentsMaskOp::attachInterface<MaskModel<DocumentsMaskOp, lowerDocuments>>(
      *context);
  DenseMaskOp::attachInterface<MaskModel<DenseMaskOp, lowerDense>>(*context);
}
