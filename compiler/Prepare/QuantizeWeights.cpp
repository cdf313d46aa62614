// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// %y = heddle.linear %x, %w
//   -> %q, %s = heddle.quantize %w; %d = heddle.dequantize %q, %s
//      %y = heddle.linear %x, %d

#include "compiler/Prepare/Passes.h"
#include "compiler/Weights/WeightInterfaces.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Regex.h"

namespace heddle {
#define GEN_PASS_DEF_QUANTIZEWEIGHTS
#include "compiler/Prepare/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {

/// Which matrices are quantised.
class Choice {
public:
  explicit Choice(ArrayRef<llvm::Regex> kept) : kept(kept) {}

  // Of an operand of a layer, which is of rank 2 where it is a matrix.
  bool takes(Value matrix) {
    auto type = dyn_cast<RankedTensorType>(matrix.getType());
    bool isMatrix =
        type && type.getRank() == 2 &&
        isa<Float32Type, BFloat16Type, Float16Type>(type.getElementType());
    return isMatrix && type.hasStaticShape() && type.getNumElements() > 0 &&
           !matrix.getDefiningOp<arith::ConstantOp>() && isOfWeights(matrix);
  }

private:
  // Whether a value follows from weights, none of which is to stay as it is,
  // and constants.
  bool isOfWeights(Value value) {
    Operation *op = value.getDefiningOp();
    if (auto reference = dyn_cast_or_null<WeightRefOp>(op))
      return llvm::none_of(kept, [&](const llvm::Regex &pattern) {
        return pattern.match(reference.getWeight());
      });
    return isa_and_nonnull<WeightExpressionOpInterface>(op) &&
           llvm::all_of(op->getOperands(),
                        [&](Value operand) { return isOfWeights(operand); });
  }

  ArrayRef<llvm::Regex> kept;
};

struct QuantizeWeights : heddle::impl::QuantizeWeightsBase<QuantizeWeights> {
  using QuantizeWeightsBase::QuantizeWeightsBase;

  void runOnOperation() override {
    if ((bits != 8 && bits != 4) || group < 0) {
      getOperation().emitError("expected 8 or 4 bits and groups of at least 0, "
                               "found bits=")
          << int64_t(bits) << " group=" << int64_t(group);
      return signalPassFailure();
    }
    std::vector<llvm::Regex> kept;
    for (const std::string &pattern : keep) {
      std::string error;
      if (!kept.emplace_back(pattern).isValid(error)) {
        getOperation().emitError("keep: expected a regular expression, found '")
            << pattern << "': " << error;
        return signalPassFailure();
      }
      auto isMatch = [&](WeightOp weight) {
        return kept.back().match(weight.getSymName());
      };
      if (llvm::none_of(getOperation().getOps<WeightOp>(), isMatch)) {
        getOperation().emitError(
            "keep: expected the name of a weight to match '")
            << pattern << "', found none";
        return signalPassFailure();
      }
    }
    Choice choice(kept);
    llvm::MapVector<Value, SmallVector<OpOperand *>> readers;
    getOperation().walk([&](Operation *op) {
      if (!isa<LinearOp, FeedForwardOp, GatedFeedForwardOp,
               MultiHeadAttentionOp>(op))
        return;
      for (OpOperand &operand : op->getOpOperands())
        if (choice.takes(operand.get()))
          readers[operand.get()].push_back(&operand);
    });
    if (readers.empty()) {
      getOperation().emitError("expected a linear layer that reads a matrix of "
                               "weights, found none to quantize");
      return signalPassFailure();
    }
    for (auto &[matrix, operands] : readers) {
      Value decoded = quantize(matrix);
      for (OpOperand *operand : operands)
        operand->set(decoded);
    }
  }

private:
  // The matrix of integers, decoded.
  Value quantize(Value matrix) {
    OpBuilder b(matrix.getContext());
    b.setInsertionPointAfter(matrix.getDefiningOp());
    Location loc = matrix.getLoc();
    auto type = cast<RankedTensorType>(matrix.getType());
    int64_t outputs = type.getDimSize(0), inputs = type.getDimSize(1);
    // Of inputs that have no whole groups, 4 bits with a scale for all of them
    // would be too few.
    bool hasGroups = group > 0 && inputs % group == 0;
    int64_t size = hasGroups ? int64_t(group) : inputs;
    bool isHalved = bits == 4 && hasGroups;
    Type codes = b.getIntegerType(isHalved ? 4 : 8);
    Type scale = hasGroups ? Type(b.getBF16Type()) : b.getF32Type();
    auto scales = RankedTensorType::get({outputs, inputs / size}, scale);
    auto quantized =
        QuantizeOp::create(b, loc, type.clone(codes), scales, matrix,
                           /*axis=*/1, /*group=*/size,
                           /*least_squares=*/isHalved);
    return DequantizeOp::create(b, loc, type.clone(b.getF32Type()),
                                quantized.getCodes(), quantized.getScales(),
                                /*zeros=*/Value(), /*axis=*/1);
  }
};

} // namespace
