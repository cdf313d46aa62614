// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/Verification.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

// C4
static LogicalResult verifyChunk(Operation *op, int64_t chunk) {
  if (chunk >= 1 && chunk <= 256 && llvm::isPowerOf2_64(chunk))
    return success();
  return op->emitOpError(
             "expected a chunk that is a power of two from 1 to 256, found ")
         << chunk;
}

static LogicalResult expectSizes(Operation *op, StringRef what,
                                 ArrayRef<SizeAttr> expected, Value value) {
  for (auto [a, b] : llvm::zip_equal(expected, sizesOf(value)))
    if (failed(expectSize(op, what, a, b)))
      return failure();
  return success();
}

// C1, C2, C3; `numbers` are those that tokens have one of.
template <typename Op>
static LogicalResult inferRecurrence(Op op, ArrayRef<Value> numbers,
                                     SmallVectorImpl<Sizes> &results) {
  Sizes keys = sizesOf(op.getKey()), output = sizesOf(op.getValue());
  Sizes state = {keys[0], keys[1], keys[3], output[3]};
  results.push_back(output);
  if (op.getFinalState())
    results.push_back(state);
  // C1
  if (failed(expectSizes(op, "the sizes of the query", keys, op.getQuery())) ||
      failed(expectSizes(op, "the sizes of the value",
                         {keys[0], keys[1], keys[2], output[3]},
                         op.getValue())))
    return failure();
  // C2
  for (Value value : numbers)
    if (value && failed(expectSizes(op, "the sizes of a token's numbers",
                                    ArrayRef(keys).drop_back(), value)))
      return failure();
  // C3
  return op.getState()
             ? expectSizes(op, "the sizes of the state", state, op.getState())
             : success();
}

//===-- heddle.linear_attention -------------------------------------------===//

LogicalResult LinearAttentionOp::verify() {
  return verifyChunk(*this, getChunk());
}

LogicalResult LinearAttentionOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  return inferRecurrence(*this, {getGates()}, results);
}

//===-- heddle.gated_delta_rule -------------------------------------------===//

LogicalResult GatedDeltaRuleOp::verify() {
  return verifyChunk(*this, getChunk());
}

LogicalResult GatedDeltaRuleOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  return inferRecurrence(*this, {getStrengths(), getGates()}, results);
}
