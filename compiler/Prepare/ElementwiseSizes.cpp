// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops of arith and math on tensors work element by element: all operands and
// results have the same sizes.

#include "compiler/Prepare/Passes.h"

#include "dialect/Heddle/Verification.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle;

static LogicalResult inferElementwise(Operation *op,
                                      SmallVectorImpl<Sizes> &results) {
  if (op->getNumOperands() == 0) {
    for (Value result : op->getResults())
      results.push_back(sizesOf(result));
    return success();
  }
  Sizes first = sizesOf(op->getOperand(0));
  for (Value operand : op->getOperands()) {
    Sizes sizes = sizesOf(operand);
    if (sizes.size() != first.size())
      return op->emitOpError("expected operands of one rank");
    for (auto [expected, found] : llvm::zip_equal(first, sizes))
      if (failed(expectSize(op, "the size of all operands", expected, found)))
        return failure();
  }
  results.assign(op->getNumResults(), first);
  return success();
}

namespace {
template <typename Op>
struct ElementwiseSizes
    : SizesOpInterface::ExternalModel<ElementwiseSizes<Op>, Op> {
  LogicalResult inferSizes(Operation *op,
                           SmallVectorImpl<Sizes> &results) const {
    return inferElementwise(op, results);
  }
};
} // namespace

template <typename... Ops> static void attach(MLIRContext *context) {
  (Ops::template attachInterface<ElementwiseSizes<Ops>>(*context), ...);
}

void heddle::registerElementwiseSizes(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    attach<
#define GET_OP_LIST
#include "mlir/Dialect/Arith/IR/ArithOps.cpp.inc"
        >(context);
  });
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    attach<
#define GET_OP_LIST
#include "mlir/Dialect/Math/IR/MathOps.cpp.inc"
        >(context);
  });
}
