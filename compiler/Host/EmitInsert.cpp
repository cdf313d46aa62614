// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.insert -> copies of the part's rows, and of the whole tensor where
// that is not in place.

#include "compiler/Host/EntryEmitter.h"
#include "compiler/Host/InsertInPlace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace heddle;

// Those rows that lie inside.
void EntryEmitter::emitInsert(InsertOp op) {
  bool inPlace = isInPlace(op);
  SizeAttr bytes = bytesOf(op.getType());
  Value target =
      bytesAt(storageOf(inPlace ? op.getTensor() : op.getResult(), op), bytes);
  if (!inPlace)
    copy(storageOf(op.getTensor(), op), target, bytes);
  Value source =
      bytesAt(storageOf(op.getPart(), op), bytesOf(op.getPart().getType()));

  Sizes whole = sizesOf(op.getTensor());
  unsigned axis = op.getAxis();
  Value outer = emit(product(context, ArrayRef(whole).take_front(axis)));
  Value inner = emit(product(context, ArrayRef(whole).drop_front(axis + 1)) *
                     number(bytesOfElement(op.getType().getElementType())));
  Value size = emit(whole[axis]), rows = emit(sizesOf(op.getPart())[axis]);

  auto zero = arith::ConstantIndexOp::create(b, loc, 0);
  auto one = arith::ConstantIndexOp::create(b, loc, 1);
  // Any start that leaves nothing inside is as good as the nearest such.
  Value start = scalars.lookup(op.getStart());
  start = arith::MaxSIOp::create(b, loc, start,
                                 arith::SubIOp::create(b, loc, zero, rows));
  start = arith::MinSIOp::create(b, loc, start, size);
  Value first = arith::MaxSIOp::create(b, loc, start, zero);
  Value end = arith::MinSIOp::create(
      b, loc, arith::AddIOp::create(b, loc, start, rows), size);
  Value skipped = arith::SubIOp::create(b, loc, first, start);
  Value count = arith::MulIOp::create(
      b, loc, arith::SubIOp::create(b, loc, end, first), inner);

  auto loop = scf::ForOp::create(b, loc, zero, outer, one);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  auto partOf = [&](Value memory, Value rows, Value first) {
    Value row = arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, loop.getInductionVar(), rows),
        first);
    return memref::ViewOp::create(
        b, loc, cast<MemRefType>(memory.getType()), memory,
        arith::MulIOp::create(b, loc, row, inner), count);
  };
  Value from = partOf(source, rows, skipped), to = partOf(target, size, first);
  copyBytes(from, to);
}
