// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// %y = heddle.linear %x, %w                      (%w integers that are decoded)
//   -> %q, %s = heddle.quantize %x; %d = heddle.dequantize %q, %s
//      %y = heddle.linear %d, %w

#include "compiler/Prepare/DecodedWeights.h"
#include "compiler/Prepare/Decompositions.h"
#include "compiler/Prepare/Passes.h"
#include "compiler/Weights/WeightInterfaces.h"

namespace heddle {
#define GEN_PASS_DEF_QUANTIZEACTIVATIONS
#include "compiler/Prepare/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

// i32 holds the sum of so many products of i16 and i8, whatever they are.
static constexpr int64_t kMostTerms = 256;
// Fewer terms are not worth the scales that multiply their sum.
static constexpr int64_t kFewestTerms = 16;

// Integers of 8 bits with scales, of weights alone.
static DequantizeOp decodedOf(Value matrix) {
  auto decoded = matrix.getDefiningOp<DequantizeOp>();
  bool isInteger =
      decoded && !decoded.getZeros() && decoded.getAxis() == 1 &&
      getElementTypeOrSelf(decoded.getCodes()).isInteger(8) &&
      !getElementTypeOrSelf(decoded.getCodes()).isUnsignedInteger();
  return isInteger && followsFromWeights(matrix) ? decoded : DequantizeOp();
}

// The inputs that share a scale: those that whole groups of the matrix have, or
// a part of one. 0 where no number of them is good.
static int64_t chooseGroup(DequantizeOp matrix) {
  auto columns = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getDimSize(1);
  };
  int64_t inputs = columns(matrix.getCodes());
  int64_t ofMatrix = inputs / columns(matrix.getScales());
  for (int64_t group = std::min(kMostTerms, inputs); group >= kFewestTerms;
       --group) {
    bool fits = group % ofMatrix == 0 || ofMatrix % group == 0;
    int64_t terms = std::min(group, ofMatrix);
    if (inputs % group == 0 && fits && terms % 2 == 0 && terms >= kFewestTerms)
      return group;
  }
  return 0;
}

namespace {
struct QuantizeActivations
    : heddle::impl::QuantizeActivationsBase<QuantizeActivations> {
  void runOnOperation() override {
    exposeLinearLayers();
    getOperation()->walk([&](LinearOp op) {
      DequantizeOp matrix = decodedOf(op.getWeight());
      auto type = cast<RankedTensorType>(op.getInput().getType());
      int64_t group =
          matrix && type.getElementType().isF32() ? chooseGroup(matrix) : 0;
      if (group != 0)
        op.getInputMutable().assign(quantized(op.getInput(), group));
    });
    if (!known.empty())
      return;
    getOperation().emitError(
        "int16 arithmetic: expected a linear layer whose matrix is integers of "
        "8 bits with a scale for 16 inputs or more, which --weight-type=int8 "
        "makes, found none");
    signalPassFailure();
  }

private:
  // What is between the two matrices of a feed-forward layer is their own.
  void exposeLinearLayers() {
    SmallVector<Operation *> layers;
    getOperation()->walk([&](Operation *op) {
      if (isa<FeedForwardOp, GatedFeedForwardOp>(op) &&
          llvm::any_of(op->getOperands(), decodedOf))
        layers.push_back(op);
    });
    for (Operation *op : layers) {
      OpBuilder b(op);
      op->replaceAllUsesWith(cast<DecomposeOpInterface>(op).decompose(b));
      op->erase();
    }
  }

  // Integers of 16 bits, decoded; once for all that read `x`.
  Value quantized(Value x, int64_t group) {
    Value &value = known[{x, group}];
    if (value)
      return value;
    OpBuilder b(x.getContext());
    b.setInsertionPointAfterValue(x);
    auto type = cast<RankedTensorType>(x.getType());
    int64_t axis = type.getRank() - 1;
    SmallVector<int64_t> groups(type.getShape());
    groups[axis] /= group;
    auto plain = RankedTensorType::get(type.getShape(), b.getF32Type());
    auto codes = QuantizeOp::create(b, x.getLoc(), plain.clone(b.getI16Type()),
                                    plain.clone(groups), x, axis, group,
                                    /*least_squares=*/false);
    return value =
               DequantizeOp::create(b, x.getLoc(), type, codes.getCodes(),
                                    codes.getScales(), /*zeros=*/Value(), axis);
  }

  llvm::DenseMap<std::pair<Value, int64_t>, Value> known;
};
} // namespace
