// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Lowering/Names.h"
#include "compiler/Schedule/Gpu/Strategies.h"

using namespace mlir;
using namespace heddle;

void heddle::scheduleOnDevice(Scheduler &s, halide::OutputOp output) {
  halide::FuncOp func = s.func(output.getFunc());
  if (func.getReduction() == halide::Reduction::Scatter)
    return gpu::scheduleScatter(s, output);
  if (func.getReduction() == halide::Reduction::Attention)
    return gpu::scheduleAttention(s, output);
  for (halide::FuncOp inside : s.computedInside(func))
    if (inside->hasAttr(kTileAttr))
      return gpu::scheduleProduct(s, output, inside);
  gpu::scheduleGeneric(s, output);
}
