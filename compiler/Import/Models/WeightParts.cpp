// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of weights, and weights in other shapes and orders.

#include "compiler/Import/Models/ModelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

Value ModelBuilder::rows(Value weight, int64_t first, int64_t count) {
  SmallVector<int64_t> sizes(
      cast<RankedTensorType>(weight.getType()).getShape());
  SmallVector<int64_t> offsets(sizes.size(), 0);
  offsets[0] = first;
  sizes[0] = count;
  return slicedWeight(weight, offsets, sizes);
}

static ArrayAttr toArray(MLIRContext *context, ArrayRef<int64_t> numbers) {
  Sizes sizes;
  for (int64_t number : numbers)
    sizes.push_back(SizeAttr::number(context, number));
  return heddle::toArray(context, sizes);
}

Value ModelBuilder::decoded(const DecodedMatrix &m, Location loc) {
  auto type = cast<RankedTensorType>(m.codes.getType()).clone(b.getF32Type());
  Value value = DequantizeOp::create(b, loc, type, m.codes, m.scales, m.zeros,
                                     m.minimums, m.axis);
  decodedMatrices[value] = m;
  return value;
}

Value ModelBuilder::slicedCodes(Value weight, ArrayRef<int64_t> offsets,
                                ArrayRef<int64_t> sizes,
                                ArrayRef<int64_t> steps) {
  auto found = decodedMatrices.find(weight);
  if (found == decodedMatrices.end())
    return {};
  DecodedMatrix part = found->second;
  auto type = cast<RankedTensorType>(weight.getType());
  if (sizes[part.axis] != type.getDimSize(part.axis) ||
      (!steps.empty() && steps[part.axis] != 1))
    return {};
  for (Value *each : {&part.codes, &part.scales, &part.zeros, &part.minimums}) {
    if (!*each)
      continue;
    SmallVector<int64_t> own(sizes);
    own[part.axis] =
        cast<RankedTensorType>(each->getType()).getDimSize(part.axis);
    *each = slicedWeight(*each, offsets, own, steps);
  }
  return decoded(part, weight.getLoc());
}

Value ModelBuilder::slicedWeight(Value weight, ArrayRef<int64_t> offsets,
                                 ArrayRef<int64_t> sizes,
                                 ArrayRef<int64_t> steps) {
  SmallVector<int64_t> ones(sizes.size(), 1);
  auto type = RankedTensorType::get(sizes, getElementTypeOrSelf(weight));
  if (type == weight.getType())
    return weight;
  if (Value part = slicedCodes(weight, offsets, sizes, steps))
    return part;
  if (auto gather = weight.getDefiningOp<GatherOp>()) {
    // The inputs of a matrix in another order.
    size_t axis = gather.getAxis();
    bool isWhole =
        sizes[axis] ==
        cast<RankedTensorType>(weight.getType()).getDimSize(int64_t(axis));
    if (isWhole && (steps.empty() || steps[axis] == 1))
      return gathered(slicedWeight(gather.getInput(), offsets, sizes, steps),
                      gather.getIndices(), int64_t(axis));
  }
  return SliceOp::create(b, weight.getLoc(), type, weight,
                         ::toArray(b.getContext(), offsets),
                         ::toArray(b.getContext(), sizes),
                         b.getDenseI64ArrayAttr(steps.empty() ? ones : steps));
}

Value ModelBuilder::stacked(ValueRange matrices) {
  SmallVector<DecodedMatrix> parts; // with those that are not decoded as codes
  for (Value matrix : matrices) {
    auto found = decodedMatrices.find(matrix);
    parts.push_back(found == decodedMatrices.end() ? DecodedMatrix{matrix}
                                                   : found->second);
  }
  bool areAlike = true;
  auto stack = [&](Value DecodedMatrix::*part) -> Value {
    SmallVector<Value> planes;
    Value first = parts.front().*part;
    for (const DecodedMatrix &each : parts) {
      Value plane = each.*part;
      areAlike &= bool(plane) == bool(first) &&
                  (!plane ||
                   getElementTypeOrSelf(plane) == getElementTypeOrSelf(first));
      if (!areAlike || !plane)
        continue;
      SmallVector<int64_t> shape{1};
      llvm::append_range(shape,
                         cast<RankedTensorType>(plane.getType()).getShape());
      planes.push_back(reshaped(plane, shape));
    }
    return planes.empty() || !areAlike ? Value() : concat(planes, 0);
  };
  DecodedMatrix all = {stack(&DecodedMatrix::codes),
                       stack(&DecodedMatrix::scales),
                       stack(&DecodedMatrix::zeros),
                       stack(&DecodedMatrix::minimums), parts.front().axis + 1};
  Location loc = matrices.front().getLoc();
  if (!areAlike) {
    fail("'" + cast<NameLoc>(loc).getName().getValue() +
         "': expected the matrices of all experts to be stored in the same "
         "types, found others");
    return zeros(
        {int64_t(matrices.size()),
         cast<RankedTensorType>(matrices.front().getType()).getDimSize(0),
         cast<RankedTensorType>(matrices.front().getType()).getDimSize(1)});
  }
  return all.scales ? decoded(all, loc) : all.codes;
}

Value ModelBuilder::gathered(Value x, ArrayRef<int32_t> indices, int64_t axis) {
  if (indices.empty())
    return x;
  auto type = RankedTensorType::get({int64_t(indices.size())}, b.getI32Type());
  return gathered(x,
                  arith::ConstantOp::create(
                      b, x.getLoc(), DenseElementsAttr::get(type, indices)),
                  axis);
}

Value ModelBuilder::gathered(Value x, Value indices, int64_t axis) {
  return GatherOp::create(b, x.getLoc(), x.getType(), x, indices,
                          b.getI64IntegerAttr(axis), IntegerAttr(), UnitAttr());
}

Value ModelBuilder::repeated(Value x, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, getElementTypeOrSelf(x));
  if (type == x.getType())
    return x;
  return BroadcastOp::create(b, x.getLoc(), type, x,
                             ::toArray(b.getContext(), shape));
}

Value ModelBuilder::transposed(Value weight, ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(weight.getType());
  SmallVector<int64_t> shape;
  for (int64_t from : permutation)
    shape.push_back(type.getDimSize(from));
  return TransposeOp::create(b, weight.getLoc(), type.clone(shape), weight,
                             b.getDenseI64ArrayAttr(permutation));
}

Value ModelBuilder::zeros(ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, b.getF32Type());
  return arith::ConstantOp::create(b, at("nothing"), b.getZeroAttr(type));
}

Value ModelBuilder::reshaped(Value x, ArrayRef<int64_t> shape) {
  return ReshapeOp::create(
      b, x.getLoc(), RankedTensorType::get(shape, getElementTypeOrSelf(x)), x,
      ::toArray(b.getContext(), shape));
}
