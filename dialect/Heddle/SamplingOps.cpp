// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/Verification.h"

using namespace mlir;
using namespace heddle;

//===-- heddle.sample -----------------------------------------------------===//

LogicalResult SampleOp::verify() {
  int64_t rank = cast<ShapedType>(getLogits().getType()).getRank();
  int64_t others = cast<ShapedType>(getTemperature().getType()).getRank();
  // C1
  if (rank == 0)
    return emitOpError("expected logits of rank 1 or more");
  // C2
  if (others != rank - 1)
    return emitOpError("expected temperature, min_p and uniform of rank ")
           << rank - 1 << ", found " << others;
  return success();
}

LogicalResult SampleOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  Sizes sizes = sizesOf(getLogits());
  // C1
  SizeAttr others = sizes.back() - SizeAttr::number(getContext(), 1);
  if (!isNeverNegativeIn(*this, others))
    return emitOpError("expected 1 logit or more, found ")
           << sizes.back().str() << howToDeclare(others);
  sizes.pop_back();
  // C2
  std::pair<StringRef, Value> numbers[] = {
      {"a size of the temperature", getTemperature()},
      {"a size of min_p", getMinP()},
      {"a size of uniform", getUniform()}};
  for (auto [what, value] : numbers)
    for (auto [expected, found] : llvm::zip_equal(sizes, sizesOf(value)))
      if (failed(expectSize(*this, what, expected, found)))
        return failure();
  results.push_back(sizes);
  return success();
}
