// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/TextEntries/TokenCounts.h"

using namespace mlir;
using namespace heddle;
using reference::Tensor;

// Calls `visit` with what each probed call makes of `wanted`; false where that
// cannot be computed, or where `visit` says so.
static bool visitCalls(
    func::FuncOp function, DecoderSizes &sizes, ArrayRef<Value> wanted,
    const TensorSource *tensors,
    llvm::function_ref<bool(const DecoderCall &, Probe::Results &)> visit) {
  SizeProbe probe(function, sizes, wanted, tensors);
  if (!probe)
    return false;
  for (const DecoderCall &call : probe.calls()) {
    auto results = probe.evaluate(call);
    if (!results) {
      llvm::consumeError(results.takeError());
      return false;
    }
    if (!visit(call, *results))
      return false;
  }
  sizes.mostTokens = probe.mostTokens();
  return true;
}

// The dimensions of a tensor of integers that are not 1, after the number of
// sequences, which is the first, or 1 of what they share; nothing if it is
// another tensor.
static std::optional<Sizes> wideSizesOf(Value value,
                                        const DecoderSizes &sizes) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() == 0 || type.getElementType().isInteger(1) ||
      !isa<IntegerType>(type.getElementType()))
    return std::nullopt;
  Sizes all = sizesOf(value);
  bool isShared = all.front().asNumber() == 1;
  if (!isShared &&
      all.front() != SizeAttr::symbol(value.getContext(), sizes.batch))
    return std::nullopt;
  all.erase(all.begin());
  llvm::erase_if(all, [](SizeAttr size) { return size.asNumber() == 1; });
  return isShared && all.empty() ? std::nullopt : std::optional(all);
}

static bool isCount(const Tensor &tensor, TokenCount count,
                    const DecoderCall &call) {
  for (int64_t element : llvm::seq<int64_t>(0, tensor.data.size())) {
    int64_t expected = count == TokenCount::Total ? call.total : call.past();
    if (count == TokenCount::Places)
      expected += element % call.length;
    if (tensor.integer(element) != expected)
      return false;
  }
  return true;
}

SmallVector<CountedTokens>
heddle::findTokenCounts(func::FuncOp function, DecoderSizes &sizes,
                        const TensorSource *tensors) {
  SmallVector<CountedTokens> found;
  SmallVector<Value> wanted;
  SizeAttr length = SizeAttr::symbol(function.getContext(), sizes.length);
  for (auto [op, isOfTokens] : opsOfSizes(function, sizes))
    for (Value value : op->getResults()) {
      auto wide = isOfTokens ? wideSizesOf(value, sizes) : std::nullopt;
      bool isOfPlaces = wide && *wide == Sizes{length};
      if (!wide || (!wide->empty() && !isOfPlaces))
        continue;
      for (TokenCount count :
           {TokenCount::Past, TokenCount::Total, TokenCount::Places})
        if ((count == TokenCount::Places) == isOfPlaces) {
          found.push_back({value, count});
          wanted.push_back(value);
        }
    }
  llvm::BitVector isOne(found.size(), true);
  bool areKnown = visitCalls(
      function, sizes, wanted, tensors,
      [&](const DecoderCall &call, Probe::Results &results) {
        for (auto [index, candidate] : llvm::enumerate(found))
          if (!isCount(*results[index].tensor(), candidate.count, call))
            isOne.reset(index);
        return isOne.any();
      });
  SmallVector<CountedTokens> counts;
  if (areKnown)
    for (unsigned index : isOne.set_bits())
      counts.push_back(found[index]);
  return counts;
}

bool heddle::placesTokensBehind(func::FuncOp function, DecoderSizes &sizes,
                                Value indices, const TensorSource *tensors) {
  return visitCalls(function, sizes, indices, tensors,
                    [&](const DecoderCall &call, Probe::Results &results) {
                      const Tensor &at = *results.front().tensor();
                      int64_t heads = at.shape[1];
                      for (int64_t row : llvm::seq<int64_t>(0, at.rows())) {
                        int64_t token = row % call.length,
                                head = row / call.length % heads,
                                sequence = row / call.length / heads;
                        if (at.integer(3 * row) != sequence ||
                            at.integer(3 * row + 1) != head ||
                            at.integer(3 * row + 2) != call.past() + token)
                          return false;
                      }
                      return true;
                    });
}
