// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// %y = heddle.linear %x, %w                      (%w integers that are decoded)
//   -> %q, %s = heddle.quantize %x; %d = heddle.dequantize %q, %s
//      %y = heddle.linear %d, %w
//
// and so with heddle.expert_linear.
//
// Zeros and minimums of a matrix are no part of products of integers. A number
// m of each group, the zero times the scale, or the minimum, multiplies the sum
// of the group's inputs:
//
//   %y = linear(d, codes * scales) - linear(sums of groups of d, m)

#include "compiler/Prepare/DecodedWeights.h"
#include "compiler/Prepare/GroupSums.h"
#include "compiler/Prepare/InputErrors.h"
#include "compiler/Prepare/LinearLayers.h"
#include "compiler/Prepare/Passes.h"
#include "compiler/Weights/WeightInterfaces.h"
#include "dialect/Heddle/SumOfProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace heddle {
#define GEN_PASS_DEF_QUANTIZEACTIVATIONS
#include "compiler/Prepare/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

// Fewer terms are not worth the scales that multiply their sum.
static constexpr int64_t kFewestTerms = 16;

// Integers of 8 bits or fewer with scales, of weights alone.
static DequantizeOp decodedOf(Value matrix) {
  auto isNarrow = [](Value integers) {
    return getElementTypeOrSelf(integers).getIntOrFloatBitWidth() <= 8;
  };
  auto decoded = matrix.getDefiningOp<DequantizeOp>();
  auto rank = [&] { return sizesOf(matrix).size(); };
  bool fits = decoded && (rank() == 2 || rank() == 3) &&
              decoded.getAxis() + 1 == rank() && isNarrow(decoded.getCodes()) &&
              (!decoded.getZeros() || isNarrow(decoded.getZeros()));
  return fits && followsFromWeights(matrix) ? decoded : DequantizeOp();
}

// Integers of weights alone, of any kind, that products may have.
static bool isDecodedWeight(Value matrix) {
  return matrix.getDefiningOp<DequantizeOp>() && followsFromWeights(matrix);
}

// The inputs that share a scale: those that whole groups of the matrix have, or
// a part of one; of 8 bits as few as the matrix allows, as they are off by
// more. 0 where no number of them is good. Terms are added up in pairs, of
// which four of half bytes share a place (#heddle.layout).
static int64_t chooseGroup(Value weight, unsigned bits) {
  DequantizeOp matrix = decodedOf(weight);
  if (!matrix)
    return 0;
  auto shape = cast<RankedTensorType>(matrix.getType()).getShape();
  if (shape.end()[-2] < kFewestTileColumns)
    return 0;
  int64_t step = isHalfByte(getElementTypeOrSelf(matrix.getCodes())) ? 8 : 2;
  int64_t inputs = shape.back();
  int64_t ofMatrix = groupSizeOf(matrix);
  int64_t most = std::min(mostTerms(bits), bits == 8 ? ofMatrix : inputs);
  for (int64_t group = most; group >= kFewestTerms; --group) {
    bool fits = group % ofMatrix == 0 || ofMatrix % group == 0;
    int64_t terms = std::min(group, ofMatrix);
    if (inputs % group == 0 && fits && terms % step == 0 &&
        terms >= kFewestTerms)
      return group;
  }
  return 0;
}

namespace {
/// The integers that inputs become.
struct InputGrid {
  unsigned bits;
  int64_t group; ///< that shares a scale, or 0 where there is no good one
};

struct QuantizeActivations
    : heddle::impl::QuantizeActivationsBase<QuantizeActivations> {
  using QuantizeActivationsBase::QuantizeActivationsBase;

  void runOnOperation() override {
    if (bits != 8 && bits != 16) {
      getOperation().emitError("expected inputs of 8 or 16 bits, found ")
          << std::to_string(bits);
      return signalPassFailure();
    }
    exposeProducts(getOperation(), isDecodedWeight);
    exposeLinearLayers(getOperation(), [&](Value operand) {
      return chooseGrid(operand).group > 0;
    });
    for (LinearLayer layer : linearLayersOf(getOperation())) {
      Value input = layer.input().get(), weight = layer.weight().get();
      bool isF32 = getElementTypeOrSelf(input).isF32();
      InputGrid grid = isF32 ? chooseGrid(weight) : InputGrid{};
      if (grid.group == 0) {
        if (required && isF32 && decodedOf(weight))
          layer->emitWarning("computed in f32, as no ")
              << kFewestTerms << " inputs or more, in pairs, have one scale of "
              << "the matrix, or it has fewer than " << kFewestTileColumns
              << " outputs";
        continue;
      }
      DequantizeOp matrix = decodedOf(weight);
      layer.input().assign(quantized(input, grid));
      if (matrix.getZeros() || matrix.getMinimums())
        separateOffsets(layer, matrix);
    }
    if (!required || !known.empty())
      return;
    getOperation().emitError("int")
        << std::to_string(bits)
        << " arithmetic: expected a linear layer whose matrix is integers of "
           "8 bits or fewer with a scale for 16 inputs or more, which "
           "--weight-type=int8 and int4 make, found none";
    signalPassFailure();
  }

private:
  InputGrid chooseGrid(Value weight) {
    for (unsigned width = bits; width <= 16; width *= 2) {
      int64_t group = chooseGroup(weight, width);
      if (group > 0 && quantizationError(width, group) <= largestError)
        return {width, group};
    }
    return {};
  }

  // Integers, decoded; once for all that read `x`.
  Value quantized(Value x, InputGrid grid) {
    Value &value = known[{x, {grid.bits, grid.group}}];
    if (value)
      return value;
    OpBuilder b(x.getContext());
    b.setInsertionPointAfterValue(x);
    Sizes sizes = sizesOf(x), groups = groupsOf(sizes, grid.group);
    int64_t axis = sizes.size() - 1;
    auto codes = QuantizeOp::create(
        b, x.getLoc(), tensorOf(sizes, b.getIntegerType(grid.bits)),
        tensorOf(groups, b.getF32Type()), x, axis, grid.group,
        /*least_squares=*/false);
    return value = DequantizeOp::create(b, x.getLoc(), codes.getCodes(),
                                        codes.getScales(), axis);
  }

  // The matrix of scaled integers alone, less what remains times sums.
  void separateOffsets(LinearLayer layer, DequantizeOp matrix) {
    OpBuilder b(layer.operator->());
    Location loc = layer->getLoc();
    Value scaled = DequantizeOp::create(b, loc, matrix.getCodes(),
                                        matrix.getScales(), matrix.getAxis());
    // Before the product, whose kernel computes them, too.
    Value input = layer.input().get();
    Value sums = sumsOf(input, groupSizeOf(matrix));
    SmallVector<Value> products;
    for (Value offsets : {zerosOf(b, matrix), Value(matrix.getMinimums())})
      if (offsets)
        products.push_back(layer.build(b, sums, offsets, /*hasBias=*/false));
    Value y = layer.build(b, input, scaled, /*hasBias=*/true);
    for (Value product : products)
      y = arith::SubFOp::create(b, loc, y, product);
    layer->replaceAllUsesWith(ValueRange(y));
    layer->erase();
    if (matrix->use_empty())
      matrix.erase();
  }

  // Zeros times scales.
  static Value zerosOf(OpBuilder &b, DequantizeOp matrix) {
    if (!matrix.getZeros())
      return {};
    return DequantizeOp::create(b, matrix.getLoc(), matrix.getZeros(),
                                matrix.getScales(), matrix.getAxis());
  }

  // The sums of groups, once for all that read them.
  Value sumsOf(Value x, int64_t group) {
    Value &value = sums[{x, group}];
    if (!value) {
      OpBuilder b(x.getContext());
      b.setInsertionPointAfterValue(x);
      value = sumsOfGroups(b, x, group);
    }
    return value;
  }

  llvm::DenseMap<std::pair<Value, std::pair<unsigned, int64_t>>, Value> known;
  llvm::DenseMap<std::pair<Value, int64_t>, Value> sums;
};
} // namespace
