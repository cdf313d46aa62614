// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks that read tensors. What they keep of a tile follows from a summary of
// each block of keys (Prepare/SummarizeMasks.cpp) and from the task's rows;
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

// A func without coordinates: what `combine` makes of `term` of all rows.
template <typename Combine>
static std::string
emitOverRows(KernelBuilder &k, StringRef name, Type type, int64_t count,
             llvm::function_ref<Value(OpBuilder &, Value row)> term) {
  auto func = k.func(name, {}, type, [&](OpBuilder &b, ValueRange) {
    return term(b, k.constant(b, 0));
  });
  func->setAttr(kMaskAttr, k.builder.getUnitAttr());
  std::string symbol = func.getSymName().str();
  k.update(func, {{"row", count}}, [&](OpBuilder &b, ValueRange v) {
    Value old = k.access(b, symbol, type, {});
    Value next = Combine::create(b, k.loc(), old, term(b, v[0]));
    halide::YieldOp::create(b, k.loc(), next, ValueRange());
  });
  return symbol;
}

//===-- heddle.mask.documents ---------------------------------------------===//

// The numbers of the queries lie between `first` and `last`, and those of the
// keys of a block, too: a pair is kept only where the two ranges meet, and all
// are where both hold one number.
static MaskField lowerDocuments(KernelBuilder &builder, DocumentsMaskOp op) {
  KernelBuilder *k = &builder;
  Location loc = k->loc();
  MaskField mask;
  mask.keeps = [=](OpBuilder &b, const Point &at) mutable -> Value {
    Value key = limit(*k, b, at.key, k->keyCount);
    return arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::eq,
        k->read(b, op.getQueries(), {at.batch, at.query}),
        k->read(b, op.getKeys(), {at.batch, key}));
  };
  if (op.getSummary().empty()) {
    assumeNothing(builder, mask);
    return mask;
  }
  auto first = std::make_shared<std::string>();
  auto last = std::make_shared<std::string>();
  Type type = op.getQueries().getType().getElementType();
  mask.prepare = [=](const MaskField::Rows &rows) mutable {
    auto number = [&](OpBuilder &b, Value row) {
      Point at = rows.pointOf(b, row);
      return k->read(b, op.getQueries(), {at.batch, at.query});
    };
    *first = emitOverRows<arith::MinSIOp>(*k, "first_document", type,
                                          rows.count, number);
    *last = emitOverRows<arith::MaxSIOp>(*k, "last_document", type, rows.count,
                                         number);
  };
  auto compare = [=](OpBuilder &b, arith::CmpIPredicate kind, Value x,
                     Value y) -> Value {
    return arith::CmpIOp::create(b, loc, kind, x, y);
  };
  auto ofBlock = [=](OpBuilder &b, unsigned index, const Tile &tile) mutable {
    return readBlock(*k, b, op.getSummary()[index], tile.batch, tile.block);
  };
  mask.keepsAny = [=](OpBuilder &b, const Tile &tile) mutable -> Value {
    Value low = k->access(b, *first, type, {}),
          high = k->access(b, *last, type, {});
    Value begins =
        compare(b, arith::CmpIPredicate::sle, ofBlock(b, 0, tile), high);
    Value ends =
        compare(b, arith::CmpIPredicate::sge, ofBlock(b, 1, tile), low);
    return arith::AndIOp::create(b, loc, begins, ends);
  };
  mask.keepsAll = [=](OpBuilder &b, const Tile &tile) mutable -> Value {
    Value low = k->access(b, *first, type, {}),
          high = k->access(b, *last, type, {});
    Value result = compare(b, arith::CmpIPredicate::eq, low, high);
    for (unsigned index : {0, 1})
      result = arith::AndIOp::create(
          b, loc, result,
          compare(b, arith::CmpIPredicate::eq, ofBlock(b, index, tile), low));
    return result;
  };
  return mask;
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
