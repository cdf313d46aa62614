// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Lowering/KernelBuilder.h"

using namespace mlir;
using namespace heddle;

// accumulator(n, m) = 0; accumulator(n, m) += x(k, m) * W(n, k)
// linear(n, m) = accumulator(n, m) + bias(n)
void heddle::lower(KernelBuilder &k, LinearOp op) {
  Type f32 = k.builder.getF32Type();
  Field input = k.field(op.getInput()), weight = k.field(op.getWeight());
  int64_t depth = op.getWeight().getType().getDimSize(1);
  int64_t channels = op.getWeight().getType().getDimSize(0);
  Location loc = k.loc();
  k.store(op.getInput());

  halide::FuncOp accumulator =
      k.func("accumulator", {"n", "m"}, f32,
             [&](OpBuilder &b, ValueRange) { return k.constantF(b, 0); });
  accumulator.setReduction(halide::Reduction::Contraction);
  StringRef name = accumulator.getSymName();
  KernelBuilder::Range range{"k", depth};
  k.update(accumulator, range, [&](OpBuilder &b, ValueRange v) {
    Value n = v[0], m = v[1], kk = v[2];
    Value product =
        arith::MulFOp::create(b, loc, k.toF32(b, k.read(b, input, kk, m)),
                              k.readPanel(b, weight, n, kk));
    Value sum =
        arith::AddFOp::create(b, loc, k.access(b, name, f32, {n, m}), product);
    halide::YieldOp::create(b, loc, sum, ValueRange());
  });
  halide::FuncOp linear =
      k.func("linear", {"n", "m"}, f32, [&](OpBuilder &b, ValueRange v) {
        Value sum = k.access(b, name, f32, {v[0], v[1]});
        if (!op.getBias())
          return sum;
        Value bias = k.access(b, k.field(op.getBias()).symbol, f32, {v[0]});
        return arith::AddFOp::create(b, loc, sum, bias).getResult();
      });
  k.setField(op.getResult(), {linear.getSymName().str(), f32, {channels}});
}
