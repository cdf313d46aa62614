// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tensor.extract_slice %x[%i, 0] [1, 8] [1, 1] -> heddle.generic that reads %x
// at the number %i (BodyConversion.h)

#include "compiler/Prepare/ConvertElements.h"
#include "compiler/Prepare/ElementsBuilder.h"
#include "dialect/Heddle/Loops.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace heddle;

Value heddle::reshape(OpBuilder &b, Location loc, Value input,
                      const Sizes &sizes) {
  return ReshapeOp::create(b, loc, tensorOf(sizes, getElementTypeOrSelf(input)),
                           input, toArray(b.getContext(), sizes));
}

// Strides may be constants of `arith`, too.
static FailureOr<SmallVector<int64_t>>
stridesOf(OffsetSizeAndStrideOpInterface op) {
  SmallVector<int64_t> strides;
  for (OpFoldResult stride : op.getMixedStrides()) {
    std::optional<int64_t> number = getConstantIntValue(stride);
    if (!number)
      return op->emitOpError("expected strides that are constants");
    strides.push_back(*number);
  }
  return strides;
}

// Without the dimensions of size 1 that `dropped` has.
static Sizes withoutDims(const Sizes &sizes,
                         const llvm::SmallBitVector &dropped) {
  Sizes kept;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (!dropped.test(dim))
      kept.push_back(size);
  return kept;
}

// The part of `source` that begins at `starts`, numbers of some dimensions. A
// part that would reach past the end is the last one.
static FailureOr<Value>
sliceAtNumbers(Operation *op, Value source, const Sizes &sizes,
               ArrayRef<std::pair<unsigned, Value>> starts,
               ArrayRef<int64_t> strides, OpBuilder &b) {
  ElementsBuilder g(op, sizes, b);
  g.table(source);
  for (auto [dim, start] : starts)
    g.numbers(start);
  return g.build(
      getElementTypeOrSelf(source),
      [&](ElementsBuilder &body) -> FailureOr<Value> {
        SmallVector<Element> point = body.indices(sizes.size());
        SizeAttr one = SizeAttr::number(b.getContext(), 1);
        for (auto [dim, start] : starts) {
          FailureOr<Element> from = body.coordinate(start);
          if (failed(from))
            return failure();
          SizeAttr reach = (sizes[dim] - one) *
                           SizeAttr::number(b.getContext(), strides[dim]);
          Element last = body.size(sizesOf(source)[dim] - one - reach);
          Element first = maximum(minimum(*from, last), from->constant(0));
          point[dim] = first + point[dim] * first.constant(strides[dim]);
        }
        return body.read(source, point).value();
      });
}

// Along dimensions that begin at sizes it is a heddle.slice, which checks them.
FailureOr<Value> heddle::convert(tensor::ExtractSliceOp op, OpBuilder &b) {
  FailureOr<Sizes> sizes = sizesOfScalars(op, op.getMixedSizes());
  FailureOr<SmallVector<int64_t>> strides = stridesOf(op);
  if (failed(sizes) || failed(strides))
    return failure();
  Sizes part = sizesOf(op.getSource()), offsets;
  SmallVector<int64_t> steps = *strides;
  SmallVector<std::pair<unsigned, Value>> starts;
  for (auto [dim, offset] : llvm::enumerate(op.getMixedOffsets())) {
    offsets.push_back(sizeOfScalar(offset, b.getContext()));
    if (offsets[dim])
      continue;
    if (steps[dim] < 1 || steps[dim] > INT32_MAX)
      return op.emitOpError("expected strides from 1 to ")
             << INT32_MAX << " of what begins at a number, found "
             << steps[dim];
    starts.push_back({dim, llvm::cast<Value>(offset)});
    offsets[dim] = SizeAttr::number(b.getContext(), 0);
    part[dim] = (*sizes)[dim];
    steps[dim] = 1;
  }
  FailureOr<Value> slice = Value(op.getSource());
  if (!starts.empty())
    slice = sliceAtNumbers(op, *slice, part, starts, *strides, b);
  if (failed(slice))
    return failure();
  if (starts.size() < offsets.size())
    slice = Value(SliceOp::create(
        b, op.getLoc(), tensorOf(*sizes, op.getSourceType().getElementType()),
        *slice, toArray(b.getContext(), offsets),
        toArray(b.getContext(), *sizes), steps));
  if (op.getType().getRank() == op.getSourceType().getRank())
    return slice;
  return reshape(b, op.getLoc(), *slice,
                 withoutDims(*sizes, op.getDroppedDims()));
}

// The one dimension along which a slice that is whole along all others begins
// at a number.
static std::optional<unsigned> axisOf(tensor::InsertSliceOp op,
                                      const Sizes &sizes,
                                      ArrayRef<int64_t> strides) {
  Sizes whole = sizesOf(op.getDest());
  std::optional<unsigned> axis;
  for (auto [dim, offset] : llvm::enumerate(op.getMixedOffsets())) {
    if (strides[dim] != 1)
      return std::nullopt;
    if (isZeroInteger(offset) && sizes[dim] == whole[dim])
      continue;
    if (axis || !llvm::isa<Value>(offset))
      return std::nullopt;
    axis = dim;
  }
  return axis;
}

// Where the slice is, its elements; elsewhere those of the destination. What a
// loop writes part by part is a heddle.insert, after all that reads the tensor
// as it was before.
FailureOr<Value> heddle::convert(tensor::InsertSliceOp op, OpBuilder &b) {
  FailureOr<Sizes> sizes = sizesOfScalars(op, op.getMixedSizes());
  FailureOr<SmallVector<int64_t>> strides = stridesOf(op);
  if (failed(sizes) || failed(strides))
    return failure();
  for (int64_t stride : *strides)
    if (stride < 1 || stride > INT32_MAX)
      return op.emitOpError("expected strides that are constants from 1 to ")
             << INT32_MAX;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  Sizes kept = withoutDims(*sizes, dropped);
  if (kept != sizesOf(op.getSource()))
    return op.emitOpError("expected a source of the type ")
           << tensorOf(kept, op.getSourceType().getElementType()) << ", found "
           << op.getSource().getType();
  std::optional<unsigned> axis = axisOf(op, *sizes, *strides);
  if (axis && replacesCarried(op.getResult(), op.getDest())) {
    OpBuilder last(op->getBlock()->getTerminator());
    Value part = reshape(last, op.getLoc(), op.getSource(), *sizes);
    return Value(InsertOp::create(
        last, op.getLoc(), part, op.getDest(),
        llvm::cast<Value>(op.getMixedOffsets()[*axis]), *axis));
  }
  ElementsBuilder g(op, sizesOf(op.getDest()), b);
  g.input(op.getDest());
  g.table(op.getSource());
  g.numbers(op.getOffsets());
  return g.build(
      op.getType().getElementType(),
      [&](ElementsBuilder &body) -> FailureOr<Value> {
        Element before = body.input(0);
        SmallVector<Element> coordinates;
        std::optional<Element> isInSlice;
        auto expect = [&](Element condition) {
          isInSlice = isInSlice ? *isInSlice & condition : condition;
        };
        for (auto [dim, offset] : llvm::enumerate(op.getMixedOffsets())) {
          FailureOr<Element> first = body.coordinate(offset);
          if (failed(first))
            return failure();
          Element from = body.index(dim) - *first;
          Element stride = from.constant((*strides)[dim]);
          if (dropped.test(dim))
            expect(from == from.constant(0));
          else if ((*strides)[dim] == 1)
            coordinates.push_back(from);
          else {
            expect(remainder(from, stride) == from.constant(0));
            coordinates.push_back(from / stride);
          }
        }
        Element read = body.read(op.getSource(), coordinates, before);
        return (isInSlice ? select(*isInSlice, read, before) : read).value();
      });
}
