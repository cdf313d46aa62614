// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tensor.collapse_shape %x [[0, 1], [2]] -> heddle.reshape %x to [.., ..]

#include "compiler/Prepare/BodyConversion.h"
#include "compiler/Prepare/GenericBuilder.h"
#include "compiler/Prepare/Passes.h"
#include "compiler/Prepare/ScalarSizes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

static Type typeOf(const Sizes &sizes, Value like) {
  return tensorOf(sizes, getElementTypeOrSelf(like));
}

static Value reshape(OpBuilder &b, Operation *op, Value input,
                     const Sizes &sizes) {
  return ReshapeOp::create(b, op->getLoc(), typeOf(sizes, input), input,
                           toArray(b.getContext(), sizes));
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
  return reshape(b, op, op.getSrc(), sizes);
}

static FailureOr<Value> convert(tensor::ExpandShapeOp op, OpBuilder &b) {
  FailureOr<Sizes> sizes = sizesOfScalars(op, op.getMixedOutputShape());
  if (failed(sizes))
    return failure();
  if (product(b.getContext(), *sizes) !=
      product(b.getContext(), sizesOf(op.getSrc())))
    return op.emitOpError("expected an output shape of as many elements as the "
                          "source has");
  return reshape(b, op, op.getSrc(), *sizes);
}

static FailureOr<Value> convert(tensor::CastOp op, OpBuilder &) {
  if (!isa<RankedTensorType>(op.getType()))
    return op.emitOpError("expected a ranked tensor, found ") << op.getType();
  return op.getSource();
}

//===-- Parts -------------------------------------------------------------===//

static FailureOr<Value> convert(tensor::ExtractSliceOp op, OpBuilder &b) {
  FailureOr<Sizes> offsets = sizesOfScalars(op, op.getMixedOffsets());
  FailureOr<Sizes> sizes = sizesOfScalars(op, op.getMixedSizes());
  if (failed(offsets) || failed(sizes))
    return failure();
  if (llvm::any_of(op.getStaticStrides(), ShapedType::isDynamic))
    return op.emitOpError("expected strides that are constants");
  Value slice =
      SliceOp::create(b, op.getLoc(), typeOf(*sizes, op.getSource()),
                      op.getSource(), toArray(b.getContext(), *offsets),
                      toArray(b.getContext(), *sizes), op.getStaticStrides());
  if (op.getType().getRank() == op.getSourceType().getRank())
    return slice;
  Sizes kept;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (auto [dim, size] : llvm::enumerate(*sizes))
    if (!dropped.test(dim))
      kept.push_back(size);
  return reshape(b, op, slice, kept);
}

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

// Where the slice is, its elements; elsewhere those of the destination.
static FailureOr<Value> convert(tensor::InsertSliceOp op, OpBuilder &b) {
  FailureOr<Sizes> offsets = sizesOfScalars(op, op.getMixedOffsets());
  FailureOr<Sizes> sizes = sizesOfScalars(op, op.getMixedSizes());
  if (failed(offsets) || failed(sizes))
    return failure();
  for (int64_t stride : op.getStaticStrides())
    if (stride < 1 || stride > INT32_MAX)
      return op.emitOpError("expected strides that are constants from 1 to ")
             << INT32_MAX;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  Sizes kept;
  for (auto [dim, size] : llvm::enumerate(*sizes))
    if (!dropped.test(dim))
      kept.push_back(size);
  if (kept != sizesOf(op.getSource()))
    return op.emitOpError("expected a source of the type ")
           << typeOf(kept, op.getSource()) << ", found "
           << op.getSource().getType();
  GenericBuilder g(b, op.getLoc(), sizesOf(op.getDest()));
  g.input(op.getDest());
  g.table(op.getSource());
  g.result(getElementTypeOrSelf(op.getDest()));
  return g.build([&](GenericBody &body) {
    Element before = body.input(0);
    SmallVector<Element> coordinates;
    std::optional<Element> isInSlice;
    auto expect = [&](Element condition) {
      isInSlice = isInSlice ? *isInSlice & condition : condition;
    };
    for (auto [dim, offset] : llvm::enumerate(*offsets)) {
      Element from = body.index(dim) - body.size(offset);
      Element stride = from.constant(op.getStaticStride(dim));
      if (dropped.test(dim))
        expect(from == from.constant(0));
      else if (op.getStaticStride(dim) == 1)
        coordinates.push_back(from);
      else {
        expect(remainder(from, stride) == from.constant(0));
        coordinates.push_back(from / stride);
      }
    }
    Element read = body.read(0, coordinates, before);
    return isInSlice ? select(*isInSlice, read, before) : read;
  });
}

//===-- Elements ----------------------------------------------------------===//

// A tensor whose elements `fill` makes.
static FailureOr<Value>
generate(Operation *op, const Sizes &sizes, ArrayRef<Value> tables,
         OpBuilder &b,
         llvm::function_ref<FailureOr<Value>(BodyConversion &)> fill) {
  Location loc = op->getLoc();
  for (Value table : tables)
    if (table.getDefiningOp<tensor::EmptyOp>())
      return op->emitOpError("reads tensor.empty, whose elements are nothing");
  auto generic = GenericOp::create(
      b, loc, typeOf(sizes, op->getResult(0)), ValueRange(), tables,
      toArray(b.getContext(), sizes), b.getArrayAttr({}), b.getArrayAttr({}),
      b.getArrayAttr({}), b.getArrayAttr({}));
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&generic.getBody());
  for (Value table : tables)
    body->addArgument(table.getType(), loc);
  BodyConversion conversion(op, generic, tables, b);
  FailureOr<Value> element = fill(conversion);
  if (failed(element))
    return failure();
  YieldOp::create(b, loc, *element);
  return generic.getResult(0);
}

static FailureOr<Value> convert(tensor::GenerateOp op, OpBuilder &b) {
  FailureOr<Sizes> sizes = sizesOfScalars(
      op, getMixedValues(op.getType().getShape(), op.getDynamicExtents(), b));
  if (failed(sizes))
    return failure();
  Block &body = op.getBody().front();
  return generate(
      op, *sizes, tablesOf(body).takeVector(), b,
      [&](BodyConversion &conversion) -> FailureOr<Value> {
        for (BlockArgument index : body.getArguments())
          conversion.mapIndex(index, index.getArgNumber());
        if (failed(conversion.convert(body, /*dimensions=*/{})))
          return failure();
        FailureOr<SmallVector<Value>> yielded = conversion.yielded(body);
        return succeeded(yielded) ? yielded->front() : FailureOr<Value>();
      });
}

static FailureOr<Value> convert(tensor::SplatOp op, OpBuilder &b) {
  FailureOr<Sizes> sizes = sizesOfScalars(
      op, getMixedValues(op.getType().getShape(), op.getDynamicSizes(), b));
  if (failed(sizes))
    return failure();
  return generate(op, *sizes, tablesOf(op.getInput()).takeVector(), b,
                  [&](BodyConversion &conversion) {
                    return conversion.bring(op.getInput());
                  });
}

//===-- The interface -----------------------------------------------------===//

namespace {
template <typename Op>
struct Conversion : ConvertOpInterface::ExternalModel<Conversion<Op>, Op> {
  LogicalResult convert(Operation *op, OpBuilder &b,
                        SmallVectorImpl<Value> &results) const {
    FailureOr<Value> value = ::convert(cast<Op>(op), b);
    if (succeeded(value))
      results.push_back(*value);
    return value;
  }
};
} // namespace

void heddle::registerTensorConversions(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    auto attach = [&](auto... ops) {
      (decltype(ops)::template attachInterface<Conversion<decltype(ops)>>(
           *context),
       ...);
    };
    attach(tensor::CollapseShapeOp(), tensor::ExpandShapeOp(), tensor::CastOp(),
           tensor::ExtractSliceOp(), tensor::InsertSliceOp(),
           tensor::ConcatOp(), tensor::PadOp(), tensor::GenerateOp(),
           tensor::SplatOp());
  });
}
