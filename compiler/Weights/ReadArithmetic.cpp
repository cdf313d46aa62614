// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Boxes of tensors of floats that are computed, in double precision.

#include "compiler/Weights/WeightInterfaces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle;

using Numbers = std::vector<double>;

static bool isReal(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value));
}

static Numbers numbersOf(const ElementBlock &block) {
  Numbers numbers(block.elements());
  for (auto [index, number] : llvm::enumerate(numbers))
    number = loadNumber(block.data.data(), block.type, index);
  return numbers;
}

static ElementBlock blockOf(const Numbers &numbers, ArrayRef<int64_t> sizes) {
  ElementBlock block(HEDDLE_TYPE_F64, sizes);
  std::memcpy(block.data.data(), numbers.data(), block.data.size());
  return block;
}

//===-- element by element ------------------------------------------------===//

static double apply(arith::NegFOp, double a) { return -a; }
static double apply(math::AbsFOp, double a) { return std::abs(a); }
static double apply(math::SqrtOp, double a) { return std::sqrt(a); }
static double apply(math::RsqrtOp, double a) { return 1 / std::sqrt(a); }
static double apply(math::ExpOp, double a) { return std::exp(a); }
static double apply(arith::ExtFOp, double a) { return a; }
static double apply(arith::AddFOp, double a, double b) { return a + b; }
static double apply(arith::SubFOp, double a, double b) { return a - b; }
static double apply(arith::MulFOp, double a, double b) { return a * b; }
static double apply(arith::DivFOp, double a, double b) { return a / b; }

static double roundToResult(Operation *op, double a) {
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  return roundTo(findElementType(type)->type, a);
}
static double apply(arith::TruncFOp op, double a) {
  return roundToResult(op, a);
}
static double apply(CastOp op, double a) { return roundToResult(op, a); }

// Results of the calls above, which a member of an op would hide.
template <typename Op> static void compute(Op op, MutableArrayRef<Numbers> x) {
  for (auto [index, number] : llvm::enumerate(x[0])) {
    if constexpr (Op::template hasTrait<OpTrait::OneOperand>())
      number = apply(op, number);
    else
      number = apply(op, number, x[1][index]);
  }
}

//===-- sums --------------------------------------------------------------===//

static bool canReduce(ReduceOp op) {
  ReductionKind kind = op.getKind();
  return isReal(op.getInput()) &&
         (kind == ReductionKind::Sum || kind == ReductionKind::Mean ||
          kind == ReductionKind::L2);
}

static llvm::Expected<ElementBlock> readReduction(ReduceOp op, const Box &box,
                                                  BoxEvaluation &reader) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op.getInput().getType()).getShape();
  Box inInput;
  // For each dimension of the input, how far the result's element moves.
  std::vector<Offsets> dense = denseOffsets(box.sizes), to;
  int64_t count = 1;
  size_t next = 0;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (llvm::is_contained(op.getAxes(), dim)) {
      inInput.offsets.push_back(0);
      inInput.sizes.push_back(size);
      to.emplace_back(size, 0);
      count *= size;
      next += op.getKeepSizes();
      continue;
    }
    inInput.offsets.push_back(box.offsets[next]);
    inInput.sizes.push_back(box.sizes[next]);
    to.push_back(dense[next++]);
  }
  llvm::Expected<ElementBlock> input = reader.read(op.getInput(), inInput);
  if (!input)
    return input;
  Numbers terms = numbersOf(*input), sums(box.elements(), 0.0);
  SmallVector<int64_t> at(shape.size(), 0);
  for (double term : terms) {
    int64_t element = 0;
    for (auto [offsets, index] : llvm::zip_equal(to, at))
      element += offsets[index];
    sums[element] += op.getKind() == ReductionKind::L2 ? term * term : term;
    for (size_t dim = at.size(); dim-- > 0; at[dim] = 0)
      if (++at[dim] < inInput.sizes[dim])
        break;
  }
  for (double &sum : sums)
    sum = op.getKind() == ReductionKind::L2     ? std::sqrt(sum)
          : op.getKind() == ReductionKind::Mean ? sum / double(count)
                                                : sum;
  return blockOf(sums, box.sizes);
}

//===-- models ------------------------------------------------------------===//

namespace {
template <typename Op>
struct Elementwise
    : WeightExpressionOpInterface::ExternalModel<Elementwise<Op>, Op> {
  bool canReadBox(Operation *op) const {
    return isReal(op->getResult(0)) && llvm::all_of(op->getOperands(), isReal);
  }
  llvm::Expected<ElementBlock> readBox(Operation *op, unsigned, const Box &box,
                                       BoxEvaluation &reader) const {
    SmallVector<Numbers, 2> operands;
    for (Value operand : op->getOperands()) {
      llvm::Expected<ElementBlock> block = reader.read(operand, box);
      if (!block)
        return block;
      operands.push_back(numbersOf(*block));
    }
    compute(cast<Op>(op), operands);
    return blockOf(operands.front(), box.sizes);
  }
};

struct Reduced : WeightExpressionOpInterface::ExternalModel<Reduced, ReduceOp> {
  bool canReadBox(Operation *op) const { return canReduce(cast<ReduceOp>(op)); }
  llvm::Expected<ElementBlock> readBox(Operation *op, unsigned, const Box &box,
                                       BoxEvaluation &reader) const {
    return readReduction(cast<ReduceOp>(op), box, reader);
  }
};

/// One number for all elements.
struct Constant
    : WeightExpressionOpInterface::ExternalModel<Constant, arith::ConstantOp> {
  bool canReadBox(Operation *op) const {
    auto value =
        dyn_cast<SplatElementsAttr>(cast<arith::ConstantOp>(op).getValue());
    return value && isReal(op->getResult(0));
  }
  llvm::Expected<ElementBlock> readBox(Operation *op, unsigned, const Box &box,
                                       BoxEvaluation &) const {
    auto value =
        cast<SplatElementsAttr>(cast<arith::ConstantOp>(op).getValue());
    APFloat number = value.getSplatValue<APFloat>();
    bool losesInfo;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    return blockOf(Numbers(box.elements(), number.convertToDouble()),
                   box.sizes);
  }
};

template <typename... Ops> void attachElementwise(MLIRContext *context) {
  (Ops::template attachInterface<Elementwise<Ops>>(*context), ...);
}
} // namespace

void heddle::registerWeightArithmetic(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attachElementwise<CastOp>(context);
    ReduceOp::attachInterface<Reduced>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    attachElementwise<arith::NegFOp, arith::ExtFOp, arith::TruncFOp,
                      arith::AddFOp, arith::SubFOp, arith::MulFOp,
                      arith::DivFOp>(context);
    arith::ConstantOp::attachInterface<Constant>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    attachElementwise<math::AbsFOp, math::SqrtOp, math::RsqrtOp, math::ExpOp>(
        context);
  });
}
