// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scatter of tokens into a cache:
//
//   thread for each channel of each token, head, and sequence:
//     cache(...) = value, where the token is no padding
//
// Scales have no channels.

#include "compiler/Lowering/Names.h"
#include "compiler/Schedule/Gpu/Strategies.h"
#include "compiler/Schedule/LoopNames.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::halide;

void heddle::gpu::scheduleScatter(Scheduler &s, OutputOp output) {
  FuncOp func = s.func(output.getFunc());
  SmallVector<StringRef> order;
  if (llvm::is_contained(func.getVars().getAsValueRange<StringAttr>(),
                         kAppendChannelVar))
    order.push_back(kAppendChannelVar);
  llvm::append_values(order, StringRef(kAppendTokenVar),
                      StringRef(kAppendHeadVar), StringRef(kAppendSequenceVar));
  // No two tokens have one place.
  s.updateOf(func.getSymName())
      .reorder(order)
      .allowRaceConditions()
      .gpuThreads(order);
}
