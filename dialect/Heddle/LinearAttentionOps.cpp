// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/Verification.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

template <typename Op> static LogicalResult verifyRecurrence(Op op) {
  // C4
  int64_t chunk = op.getChunk();
  if (chunk < 1 || chunk > 256 || !llvm::isPowerOf2_64(chunk))
    return op.emitOpError(
               "expected a chunk that is a power of two from 1 to 256, found ")
           << chunk;
  // C5
  return verifyAllOrNoneOfF64(op, "operands", op->getOperandTypes());
}

static LogicalResult expectSizes(Operation *op, StringRef what,
                                 ArrayRef<SizeAttr> expected, Value value) {
  for (auto [a, b] : llvm::zip_equal(expected, sizesOf(value)))
    if (failed(expectSize(op, what, a, b)))
      return failure();
  return success();
}

// C1, C2, C3; `strengths` may be null.
template <typename Op>
static LogicalResult inferRecurrence(Op op, Value strengths,
                                     SmallVectorImpl<Sizes> &results) {
  Sizes keys = sizesOf(op.getKey()), output = sizesOf(op.getValue());
  Sizes state = {keys[0], output[1], keys[3], output[3]};
  Sizes numbers = {keys[0], output[1], keys[2]};
  results.push_back(output);
  if (op.getFinalState())
    results.push_back(state);
  // C1
  if (failed(expectSizes(op, "the sizes of the query", keys, op.getQuery())) ||
      failed(expectSizes(op, "the sizes of the value",
                         {keys[0], output[1], keys[2], output[3]},
                         op.getValue())))
    return failure();
  std::optional<int64_t> heads = keys[1] ? keys[1].asNumber() : std::nullopt;
  std::optional<int64_t> all = output[1] ? output[1].asNumber() : std::nullopt;
  if (keys[1] != output[1] && !(heads && all && *heads && *all % *heads == 0))
    return op.emitOpError("expected as many heads of values as of keys, or a "
                          "multiple, found ")
           << op.getValue().getType() << " and " << op.getKey().getType();
  // C2
  if (strengths && failed(expectSizes(op, "the sizes of a token's numbers",
                                      numbers, strengths)))
    return failure();
  if (Value gates = op.getGates()) {
    if (cast<RankedTensorType>(gates.getType()).getRank() == 4)
      numbers.push_back(keys[3]);
    if (failed(
            expectSizes(op, "the sizes of a token's numbers", numbers, gates)))
      return failure();
  }
  // C3
  return op.getState()
             ? expectSizes(op, "the sizes of the state", state, op.getState())
             : success();
}

//===-- heddle.linear_attention -------------------------------------------===//

LogicalResult LinearAttentionOp::verify() { return verifyRecurrence(*this); }

LogicalResult LinearAttentionOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  return inferRecurrence(*this, Value(), results);
}

//===-- heddle.gated_delta_rule -------------------------------------------===//

LogicalResult GatedDeltaRuleOp::verify() { return verifyRecurrence(*this); }

LogicalResult GatedDeltaRuleOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  return inferRecurrence(*this, getStrengths(), results);
}
