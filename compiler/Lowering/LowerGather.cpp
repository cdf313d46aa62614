// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that choose rows: embedding and last_token.

#include "compiler/Fusion/Sizes.h"
#include "compiler/Lowering/KernelBuilder.h"

using namespace mlir;
using namespace heddle;

// embedding(c, m) = table(clamp(ids(m)), c). The table has the layout of a
// contraction's weight, so that it can be shared with the output projection.
void heddle::lower(KernelBuilder &k, EmbeddingOp op) {
  Type f32 = k.builder.getF32Type();
  Location loc = k.loc();
  Field ids = k.field(op.getIds()), table = k.field(op.getTable());
  int64_t rows = op.getTable().getType().getDimSize(0);
  halide::FuncOp embedding =
      k.func("embedding", {"c", "m"}, f32, [&](OpBuilder &b, ValueRange v) {
        Value id = k.access(b, ids.symbol, ids.type, {v[1]});
        id = arith::MaxSIOp::create(b, loc, id, k.constant(b, 0));
        id = arith::MinSIOp::create(b, loc, id, k.constant(b, rows - 1));
        return k.readPanel(b, table, id, v[0]);
      });
  k.setField(op.getResult(), {embedding.getSymName().str(),
                              f32,
                              {op.getTable().getType().getDimSize(1)}});
}

// last(c, b) = x(c, b * length + lengths(b) - 1)
void heddle::lower(KernelBuilder &k, LastTokenOp op) {
  Type f32 = k.builder.getF32Type();
  Location loc = k.loc();
  Field input = k.field(op.getInput()), lengths = k.field(op.getLengths());
  Value length = k.lengthOf(op.getInput());
  Value rows = k.rowsOf(op.getInput());
  halide::FuncOp last =
      k.func("last", {"c", "m"}, f32, [&](OpBuilder &b, ValueRange v) {
        Value count = k.access(b, lengths.symbol, lengths.type, {v[1]});
        Value row = arith::MulIOp::create(b, loc, v[1], length);
        row = arith::AddIOp::create(b, loc, row, count);
        row = arith::SubIOp::create(b, loc, row, k.constant(b, 1));
        row = k.promiseBelow(b, row, rows);
        return k.read(b, input, v[0], row);
      });
  k.setField(op.getResult(), {last.getSymName().str(), f32, input.channels});
}
