// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tensor.collapse_shape %x [[0, 1], [2]] -> heddle.reshape %x to [.., ..]

#include "compiler/Prepare/ConvertElements.h"
#include "compiler/Prepare/Passes.h"
#include "compiler/Prepare/ScalarSizes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace heddle {

static Type typeOf(const Sizes &sizes, Value like) {
  return tensorOf(sizes, getElementTypeOrSelf(like));
}

//===-- Shapes ------------------------------------------------------------===//

static FailureOr<Value> convert(tensor::CollapseShapeOp op, OpBuilder &b) {
  Sizes input = sizesOf(op.getSrc()), sizes;
  for (ReassociationIndicesRef group : op.getReassociationIndices()) {
    SizeAttr size = SizeAttr::number(b.getContext(), 1);
    for (int64_t dim : group)
      size = size * input[dim];
    sizes.push_back(size);
  }
  return reshape(b, op->getLoc(), op.getSrc(), sizes);
}

static FailureOr<Value> convert(tensor::ExpandShapeOp op, OpBuilder &b) {
  FailureOr<Sizes> sizes = sizesOfScalars(op, op.getMixedOutputShape());
  if (failed(sizes))
    return failure();
  if (product(b.getContext(), *sizes) !=
      product(b.getContext(), sizesOf(op.getSrc())))
    return op.emitOpError("expected an output shape of as many elements as the "
                          "source has");
  return reshape(b, op->getLoc(), op.getSrc(), *sizes);
}

static FailureOr<Value> convert(tensor::CastOp op, OpBuilder &) {
  if (!isa<RankedTensorType>(op.getType()))
    return op.emitOpError("expected a ranked tensor, found ") << op.getType();
  return op.getSource();
}

//===-- Parts -------------------------------------------------------------===//

static FailureOr<Value> convert(tensor::ConcatOp op, OpBuilder &b) {
  Sizes sizes = sizesOf(op.getInputs()[0]);
  for (Value input : op.getInputs().drop_front())
    sizes[op.getDim()] = sizes[op.getDim()] + sizesOf(input)[op.getDim()];
  return Value(ConcatOp::create(b, op.getLoc(),
                                typeOf(sizes, op.getInputs()[0]),
                                op.getInputs(), op.getDim()));
}

static FailureOr<Value> convert(tensor::PadOp op, OpBuilder &b) {
  FailureOr<Sizes> low = sizesOfScalars(op, op.getMixedLowPad());
  FailureOr<Sizes> high = sizesOfScalars(op, op.getMixedHighPad());
  if (failed(low) || failed(high))
    return failure();
  TypedAttr value;
  Value padding = op.getConstantPaddingValue();
  if (!padding || !matchPattern(padding, m_Constant(&value)))
    return op.emitOpError("expected a constant as padding");
  Sizes sizes = sizesOf(op.getSource());
  for (auto [size, before, after] : llvm::zip_equal(sizes, *low, *high))
    size = before + size + after;
  return Value(PadOp::create(b, op.getLoc(), typeOf(sizes, op.getSource()),
                             op.getSource(), toArray(b.getContext(), *low),
                             toArray(b.getContext(), *high), value));
}

//===-- The interface -----------------------------------------------------===//

namespace {
template <typename Op>
struct Conversion : ConvertOpInterface::ExternalModel<Conversion<Op>, Op> {
  LogicalResult convert(Operation *op, OpBuilder &b,
                        SmallVectorImpl<Value> &results) const {
    FailureOr<Value> value = heddle::convert(cast<Op>(op), b);
    if (succeeded(value))
      results.push_back(*value);
    return value;
  }
};
} // namespace

void registerTensorConversions(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    auto attach = [&](auto... ops) {
      (decltype(ops)::template attachInterface<Conversion<decltype(ops)>>(
           *context),
       ...);
    };
    attach(tensor::CollapseShapeOp(), tensor::ExpandShapeOp(), tensor::CastOp(),
           tensor::ExtractSliceOp(), tensor::InsertSliceOp(),
           tensor::ConcatOp(), tensor::PadOp(), tensor::GenerateOp(),
           tensor::SplatOp(), tensor::FromElementsOp(), tensor::InsertOp());
  });
}

} // namespace heddle
