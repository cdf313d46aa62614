// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Lowering/KernelBuilder.h"

using namespace mlir;
using namespace heddle;

// With e in [0, d/2), half in {0, 1}, and the angle of position p = starts + s
// as the sum of a fine and a coarse one (see heddle.rotary_table):
//   cosine(e, m) = cos(fine) cos(coarse) - sin(fine) sin(coarse)
//   rotary(e, 0, h, m) = x(e) cosine - x(e + d/2) sine
//   rotary(e, 1, h, m) = x(e + d/2) cosine + x(e) sine
void heddle::lower(KernelBuilder &k, RotaryOp op) {
  Type f32 = k.builder.getF32Type();
  Location loc = k.loc();
  k.store(op.getInput());
  Field input = k.field(op.getInput()), table = k.field(op.getTable());
  int64_t half = op.getHeadDim() / 2, heads = op.getHeads();

  auto add = [&](OpBuilder &b, Value x, Value y) -> Value {
    return arith::AddIOp::create(b, loc, x, y);
  };
  auto times = [&](OpBuilder &b, Value x, Value y) -> Value {
    return arith::MulFOp::create(b, loc, x, y);
  };
  // The cosine (part 0) or sine (part 1) of the token in row m.
  auto angle = [&](OpBuilder &b, Value e, Value m, bool isSine) -> Value {
    auto [batch, token] = k.splitRow(b, op.getInput(), m);
    Value start = k.read(b, k.field(op.getStarts()), Value(), batch);
    // Padding may be past the last position; its angle is anything.
    Value position = arith::MinSIOp::create(
        b, loc, add(b, start, token), k.constant(b, op.getPositions() - 1));
    position = k.promiseBelow(b, position, k.constant(b, op.getPositions()));
    Value rows = k.constant(b, RotaryTableOp::kFineRows);
    Value fine = halide::ModOp::create(b, loc, position, rows);
    Value coarse =
        add(b, rows, arith::FloorDivSIOp::create(b, loc, position, rows));
    auto entry = [&](int64_t part, Value row) {
      return k.access(b, table.symbol, f32, {e, k.constant(b, part), row});
    };
    if (isSine)
      return arith::AddFOp::create(b, loc,
                                   times(b, entry(1, fine), entry(0, coarse)),
                                   times(b, entry(0, fine), entry(1, coarse)));
    return arith::SubFOp::create(b, loc,
                                 times(b, entry(0, fine), entry(0, coarse)),
                                 times(b, entry(1, fine), entry(1, coarse)));
  };
  halide::FuncOp rotary = k.func(
      "rotary", {"e", "half", "h", "m"}, f32,
      [&](OpBuilder &b, ValueRange v) -> Value {
        Value e = v[0], m = v[3];
        Value base =
            arith::MulIOp::create(b, loc, v[2], k.constant(b, 2 * half));
        Value first = k.read(b, input, add(b, base, e), m);
        Value second =
            k.read(b, input, add(b, add(b, base, e), k.constant(b, half)), m);
        Value cosine = angle(b, e, m, false), sine = angle(b, e, m, true);
        Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                              v[1], k.constant(b, 0));
        Value rotated0 = arith::SubFOp::create(b, loc, times(b, first, cosine),
                                               times(b, second, sine));
        Value rotated1 = arith::AddFOp::create(b, loc, times(b, second, cosine),
                                               times(b, first, sine));
        return arith::SelectOp::create(b, loc, isFirst, rotated0, rotated1);
      });
  k.setField(op.getResult(),
             {rotary.getSymName().str(), f32, {half, 2, heads}});
}
