// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scatter of tokens into a cache:
//
//   parallel head (serial where each sequence has one token)
//     for sequence, for token
//       for channel, unrolled, in vectors: cache(...) = value
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
  SmallVector<StringRef> order;
  std::optional<int64_t> channels;
  for (auto [dim, var] : llvm::enumerate(func.getVars()))
    if (cast<StringAttr>(var).getValue() == kAppendChannelVar)
      channels = output.getStaticExtents()[dim];
  if (channels)
    order.push_back(kAppendChannelVar);
  llvm::append_values(order, StringRef(kAppendTokenVar),
                      StringRef(kAppendSequenceVar), StringRef(kAppendHeadVar));
  stage.reorder(order);
  // Values lie side by side in the cache. Keys are 32 positions apart, but are
  // computed side by side where they are turned or rounded.
  if (channels)
    stage.vectorize(kAppendChannelVar, s.vectorOf(*channels));
  constexpr int64_t mostUnrolled = 256;
  if (channels && *channels <= mostUnrolled)
    stage.unroll(kAppendChannelVar);
  UpdateOp update = s.update(func.getSymName());
  if (update.getStaticExtents()[0] != 1)
    stage.parallel(kAppendHeadVar);
}
