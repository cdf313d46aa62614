// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Lowering/KernelBuilder.h"

using namespace mlir;
using namespace heddle;

// Sums over the channels are made of `lanes` partial sums, which one vector
// holds:
//   partial(l, m) += x(r * lanes + l, m)^2
//   total(m) += partial(l, m)
//   norm(c, m) = x(c, m) / sqrt(total(m) / channels + epsilon) * w(c)
void heddle::lower(KernelBuilder &k, RMSNormOp op) {
  Type f32 = k.builder.getF32Type();
  Location loc = k.loc();
  Field input = k.field(op.getInput()), weight = k.field(op.getWeight());
  int64_t channels = op.getWeight().getType().getDimSize(0);
  int64_t lanes = k.machine.lanes;
  while (channels % lanes)
    lanes /= 2;

  auto zero = [&](OpBuilder &b, ValueRange) { return k.constantF(b, 0); };
  halide::FuncOp partial = k.func("partial", {"l", "m"}, f32, zero);
  partial.setReduction(halide::Reduction::Row);
  k.update(
      partial, KernelBuilder::Range{"r", channels / lanes},
      [&](OpBuilder &b, ValueRange v) {
        Value c = arith::AddIOp::create(
            b, loc, arith::MulIOp::create(b, loc, v[2], k.constant(b, lanes)),
            v[0]);
        Value x = k.read(b, input, c, v[1]);
        Value sum = k.access(b, partial.getSymName(), f32, {v[0], v[1]});
        Value square = arith::MulFOp::create(b, loc, x, x);
        halide::YieldOp::create(
            b, loc, arith::AddFOp::create(b, loc, sum, square)->getResults(),
            ValueRange());
      });
  halide::FuncOp total = k.func("total", {"m"}, f32, zero);
  total.setReduction(halide::Reduction::Row);
  k.update(total, KernelBuilder::Range{"r", lanes},
           [&](OpBuilder &b, ValueRange v) {
             Value sum = k.access(b, total.getSymName(), f32, {v[0]});
             Value next = k.access(b, partial.getSymName(), f32, {v[1], v[0]});
             halide::YieldOp::create(
                 b, loc, arith::AddFOp::create(b, loc, sum, next)->getResults(),
                 ValueRange());
           });
  // One value a row, computed before the loop over channels.
  halide::FuncOp inverse =
      k.func("inverse", {"m"}, f32, [&](OpBuilder &b, ValueRange v) -> Value {
        Value mean = arith::MulFOp::create(
            b, loc, k.access(b, total.getSymName(), f32, {v[0]}),
            k.constantF(b, 1.0 / channels));
        Value shifted = arith::AddFOp::create(
            b, loc, mean, k.constantF(b, op.getEpsilon().convertToDouble()));
        return arith::DivFOp::create(b, loc, k.constantF(b, 1.0),
                                     math::SqrtOp::create(b, loc, shifted));
      });
  halide::FuncOp norm =
      k.func("norm", {"c", "m"}, f32, [&](OpBuilder &b, ValueRange v) -> Value {
        Value x = k.read(b, input, v[0], v[1]);
        Value scale = k.access(b, inverse.getSymName(), f32, {v[1]});
        Value w = k.access(b, weight.symbol, f32, {v[0]});
        Value scaled = arith::MulFOp::create(b, loc, x, scale);
        return arith::MulFOp::create(b, loc, scaled, w);
      });
  k.setField(op.getResult(), {norm.getSymName().str(), f32, {channels}});
}
