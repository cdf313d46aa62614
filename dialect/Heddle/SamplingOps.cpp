// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/Verification.h"

using namespace mlir;
using namespace heddle;

namespace {
/// An operand that has a number for each row of logits.
struct RowNumbers {
  StringRef name;
  Value value;
};
} // namespace

static LogicalResult verifyRanks(Operation *op, Value logits,
                                 ArrayRef<RowNumbers> numbers) {
  int64_t rank = cast<ShapedType>(logits.getType()).getRank();
  // C1
  if (rank == 0)
    return op->emitOpError("expected logits of rank 1 or more");
  // C2
  for (const RowNumbers &each : numbers)
    if (int64_t found = cast<ShapedType>(each.value.getType()).getRank();
        found != rank - 1)
      return op->emitOpError("expected ")
             << each.name << " of rank " << rank - 1 << ", found " << found;
  return success();
}

static LogicalResult verifySizes(Operation *op, Value logits,
                                 ArrayRef<RowNumbers> numbers) {
  Sizes sizes = sizesOf(logits);
  // C1
  if (!isPositiveIn(op, sizes.back()))
    return op->emitOpError("expected 1 logit or more, found ")
           << sizes.back().str() << howToDeclare(sizes.back());
  sizes.pop_back();
  // C2
  for (const RowNumbers &each : numbers)
    for (auto [expected, found] : llvm::zip_equal(sizes, sizesOf(each.value)))
      if (failed(expectSize(op, ("a size of " + each.name).str(), expected,
                            found)))
        return failure();
  return success();
}

//===-- heddle.keep_likely ------------------------------------------------===//

static SmallVector<RowNumbers> numbersOf(KeepLikelyOp op) {
  return {{"temperature", op.getTemperature()},
          {"top_k", op.getTopK()},
          {"top_p", op.getTopP()}};
}

LogicalResult KeepLikelyOp::verify() {
  return verifyRanks(*this, getLogits(), numbersOf(*this));
}

LogicalResult KeepLikelyOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getLogits()));
  return verifySizes(*this, getLogits(), numbersOf(*this));
}

//===-- heddle.sample -----------------------------------------------------===//

static SmallVector<RowNumbers> numbersOf(SampleOp op) {
  return {{"temperature", op.getTemperature()},
          {"min_p", op.getMinP()},
          {"uniform", op.getUniform()}};
}

LogicalResult SampleOp::verify() {
  return verifyRanks(*this, getLogits(), numbersOf(*this));
}

LogicalResult SampleOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getLogits()));
  if (!results.back().empty())
    results.back().pop_back();
  return verifySizes(*this, getLogits(), numbersOf(*this));
}
