// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// %y = heddle.linear %x, %w
//   -> %q, %s = heddle.quantize %w; %d = heddle.dequantize %q, %s
//      %y = heddle.linear %x, %d
//   or %c = heddle.cast %w; %y = heddle.linear %x, %c

#include "compiler/Prepare/LinearLayers.h"
#include "compiler/Prepare/Passes.h"
#include "compiler/Weights/WeightInterfaces.h"
#include "dialect/Heddle/KernelAttributes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Regex.h"

namespace heddle {
#define GEN_PASS_DEF_CONVERTWEIGHTS
#include "compiler/Prepare/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {

/// Which matrices are converted.
class Choice {
public:
  explicit Choice(ArrayRef<llvm::Regex> kept)
      : kept(kept), keeps(kept.size()) {}

  // Of a matrix that a layer reads, or one for each expert.
  bool takes(Value matrix) {
    auto type = dyn_cast<RankedTensorType>(matrix.getType());
    return type && type.getRank() >= 2 && type.hasStaticShape() &&
           isa<Float32Type, BFloat16Type, Float16Type>(type.getElementType()) &&
           type.getNumElements() > 0 && madeOf(matrix) == Made::OfWeights;
  }

  /// Whether a matrix of weights is integers that are decoded.
  bool isDecoded(Value matrix) {
    auto known = decoded.find(matrix);
    if (known != decoded.end())
      return known->second;
    Operation *op = matrix.getDefiningOp();
    bool is = isa<DequantizeOp>(op) ||
              llvm::any_of(op->getOperands(),
                           [&](Value operand) { return isDecoded(operand); });
    return decoded[matrix] = is;
  }

  /// Of each pattern, whether a matrix stays because of it.
  ArrayRef<char> keepsAny() const { return keeps; }
  /// Of the weights that matrices are made of.
  ArrayRef<StringRef> names() const { return weights.getArrayRef(); }

private:
  enum class Made { OfWeights, OfConstants, OfOthers };

  // The kind of a value: OfWeights, none of which is to stay as it is.
  Made madeOf(Value value) {
    auto known = made.find(value);
    if (known != made.end())
      return known->second;
    Made of = Made::OfConstants;
    Operation *op = value.getDefiningOp();
    if (auto reference = dyn_cast_or_null<WeightRefOp>(op)) {
      of = Made::OfWeights;
      weights.insert(reference.getWeight());
      for (auto [pattern, keepsAny] : llvm::zip_equal(kept, keeps))
        if (pattern.match(reference.getWeight())) {
          of = Made::OfOthers;
          keepsAny = true;
        }
    } else if (!isa_and_nonnull<WeightExpressionOpInterface>(op)) {
      of = Made::OfOthers;
    } else {
      for (Value operand : op->getOperands()) {
        Made next = madeOf(operand);
        if (next != Made::OfConstants && of != Made::OfOthers)
          of = next;
      }
    }
    return made[value] = of;
  }

  ArrayRef<llvm::Regex> kept;
  std::vector<char> keeps;
  llvm::SetVector<StringRef> weights;
  llvm::DenseMap<Value, Made> made;
  llvm::DenseMap<Value, bool> decoded;
};

/// A matrix that a layer reads, and the dimension that it sums up.
struct Matrix {
  OpOperand *operand;
  unsigned axis;
};

} // namespace

// Floats may be the table of an embedding, too.
static SmallVector<Matrix> matricesOf(Operation *op, bool areFloats) {
  SmallVector<Matrix> matrices;
  auto add = [&](auto range, unsigned axis) {
    for (OpOperand &operand : range)
      matrices.push_back({&operand, axis});
  };
  auto addOne = [&](OpOperand &operand, unsigned axis) {
    matrices.push_back({&operand, axis});
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](LinearOp op) { addOne(op.getWeightMutable(), 1); })
      .Case([&](EmbeddingOp op) {
        if (areFloats)
          addOne(op.getTableMutable(), 1);
      })
      .Case([&](FeedForwardOp op) {
        addOne(op.getUpMutable(), 1);
        addOne(op.getDownMutable(), 1);
      })
      .Case([&](GatedFeedForwardOp op) {
        addOne(op.getGateMutable(), 1);
        addOne(op.getUpMutable(), 1);
        addOne(op.getDownMutable(), 1);
      })
      .Case([&](MultiHeadAttentionOp op) {
        add(op.getQueryWeightMutable(), 1);
        add(op.getKeyWeightMutable(), 1);
        add(op.getValueWeightMutable(), 1);
        add(op.getCombinedWeightMutable(), 1);
        addOne(op.getOutputWeightMutable(), 1);
      })
      .Case([&](ExpertLinearOp op) { addOne(op.getWeightMutable(), 2); })
      .Case([&](MixtureOfExpertsOp op) {
        addOne(op.getGateMutable(), 2);
        addOne(op.getUpMutable(), 2);
        addOne(op.getDownMutable(), 2);
        add(op.getSharedGateMutable(), 1);
        add(op.getSharedUpMutable(), 1);
        add(op.getSharedDownMutable(), 1);
      });
  return matrices;
}

namespace {

struct ConvertWeights : heddle::impl::ConvertWeightsBase<ConvertWeights> {
  using ConvertWeightsBase::ConvertWeightsBase;

  void runOnOperation() override {
    element = llvm::StringSwitch<Type>(type)
                  .Case("int8", IntegerType::get(&getContext(), 8))
                  .Case("int4", IntegerType::get(&getContext(), 4))
                  .Case("bf16", BFloat16Type::get(&getContext()))
                  .Case("f16", Float16Type::get(&getContext()))
                  .Case("f32", Float32Type::get(&getContext()))
                  .Default(nullptr);
    if (!element || group < 0) {
      getOperation().emitError("expected int8, int4, bf16, f16 or f32, and "
                               "groups of at least 0, found type=")
          << type << " group=" << int64_t(group);
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
    }
    Choice choice(kept);
    bool isFloat = isa<FloatType>(element);
    // Floats are multiplied with others of their type as they are.
    if (!isFloat)
      exposeProducts(getOperation(),
                     [&](Value matrix) { return choice.takes(matrix); });
    using Reading = std::tuple<Value, unsigned, int64_t>;
    llvm::MapVector<Reading, SmallVector<OpOperand *>> readers;
    bool keepsAny = false;
    getOperation().walk([&](Operation *op) {
      auto bits = op->getAttrOfType<IntegerAttr>(kLeastBitsAttr);
      int64_t leastBits = bits ? bits.getInt() : 0;
      for (auto [operand, axis] : matricesOf(op, isFloat)) {
        Value matrix = operand->get();
        if (!choice.takes(matrix))
          continue;
        // Integers have 8 bits at most.
        int64_t most = isFloat ? element.getIntOrFloatBitWidth() : 8;
        if (leastBits > most || (isFloat ? choice.isDecoded(matrix)
                                         : isOfGrid(matrix, axis, leastBits)))
          keepsAny = true;
        else
          readers[{matrix, axis, leastBits}].push_back(operand);
      }
    });
    for (auto [pattern, isFound] : llvm::zip(keep, choice.keepsAny()))
      if (!isFound) {
        getOperation().emitError("keep: expected '")
            << pattern
            << "' to match a weight that a layer reads as a matrix, which are "
            << llvm::join(choice.names(), ", ");
        return signalPassFailure();
      }
    if (readers.empty() && !keepsAny) {
      getOperation().emitError("expected a layer that reads a matrix of "
                               "weights, found none to convert");
      return signalPassFailure();
    }
    for (auto &[reading, operands] : readers) {
      auto [matrix, axis, leastBits] = reading;
      Value converted =
          isFloat ? convert(matrix) : quantize(matrix, axis, leastBits);
      for (OpOperand *operand : operands)
        operand->set(converted);
    }
  }

private:
  Value convert(Value matrix) {
    if (getElementTypeOrSelf(matrix) == element)
      return matrix;
    OpBuilder b(matrix.getContext());
    b.setInsertionPointAfter(matrix.getDefiningOp());
    auto result = cast<RankedTensorType>(matrix.getType()).clone(element);
    return CastOp::create(b, matrix.getLoc(), result, matrix);
  }

  /// The integers that a matrix becomes.
  struct Grid {
    bool hasGroups;
    int64_t size; ///< of a group
    Type codes;
  };

  Grid gridOf(Value matrix, unsigned axis, int64_t leastBits) {
    int64_t inputs = cast<RankedTensorType>(matrix.getType()).getDimSize(axis);
    // Of inputs that have no whole groups, 4 bits with a scale for all of them
    // would be too few.
    bool hasGroups = group > 0 && inputs % group == 0;
    bool isHalved = element.isInteger(4) && hasGroups && leastBits <= 4;
    return {hasGroups, hasGroups ? int64_t(group) : inputs,
            IntegerType::get(&getContext(), isHalved ? 4 : 8)};
  }

  // Whether a matrix has such integers, or with a finer grid, which would lose
  // by being made again.
  bool isOfGrid(Value matrix, unsigned axis, int64_t leastBits) {
    auto decoded = matrix.getDefiningOp<DequantizeOp>();
    if (!decoded || decoded.getZeros() || decoded.getMinimums() ||
        decoded.getAxis() != axis)
      return false;
    Grid grid = gridOf(matrix, axis, leastBits);
    int64_t groups =
        cast<RankedTensorType>(decoded.getScales().getType()).getDimSize(axis);
    int64_t size =
        cast<RankedTensorType>(matrix.getType()).getDimSize(axis) / groups;
    return getElementTypeOrSelf(decoded.getCodes()) == grid.codes &&
           grid.size % size == 0;
  }

  // The matrix of integers, decoded.
  Value quantize(Value matrix, unsigned axis, int64_t leastBits) {
    OpBuilder b(matrix.getContext());
    b.setInsertionPointAfter(matrix.getDefiningOp());
    Location loc = matrix.getLoc();
    auto type = cast<RankedTensorType>(matrix.getType());
    Grid grid = gridOf(matrix, axis, leastBits);
    bool isHalved = grid.codes.isInteger(4);
    Type scale = grid.hasGroups ? Type(b.getBF16Type()) : b.getF32Type();
    SmallVector<int64_t> groups(type.getShape());
    groups[axis] /= grid.size;
    auto quantized = QuantizeOp::create(
        b, loc, type.clone(grid.codes), RankedTensorType::get(groups, scale),
        matrix, axis, /*group=*/grid.size, /*least_squares=*/isHalved);
    return DequantizeOp::create(b, loc, quantized.getCodes(),
                                quantized.getScales(), axis);
  }

  Type element;
};

} // namespace
