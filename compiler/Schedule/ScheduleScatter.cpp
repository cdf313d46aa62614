// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scatter of tokens into a cache:
//
//   parallel head (serial where each sequence has one token)
//     for sequence, for token
//       for channel: cache(...) = value
//
// Scales have no channels.

#include "compiler/Lowering/Names.h"
#include "compiler/Schedule/Scheduler.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::halide;

void heddle::scheduleScatter(Scheduler &s, OutputOp output) {
  FuncOp func = s.func(output.getFunc());
  auto stage = s.updateOf(func.getSymName());
  auto isVar = [](Attribute var) {
    return cast<StringAttr>(var).getValue() == kAppendChannelVar;
  };
  SmallVector<StringRef> order;
  if (llvm::any_of(func.getVars(), isVar))
    order.push_back(kAppendChannelVar);
  llvm::append_values(order, StringRef(kAppendTokenVar),
                      StringRef(kAppendSequenceVar), StringRef(kAppendHeadVar));
  stage.reorder(order);
  // Values lie side by side in the cache; keys are 32 positions apart.
  if (isVar(func.getVars()[0]))
    stage.vectorize(kAppendChannelVar,
                    s.vectorOf(output.getStaticExtents()[0]));
  UpdateOp update = s.update(func.getSymName());
  if (update.getStaticExtents()[0] != 1)
    stage.parallel(kAppendHeadVar);
}
