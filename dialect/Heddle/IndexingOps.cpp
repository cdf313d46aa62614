// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/Verification.h"

using namespace mlir;
using namespace heddle;

static int64_t rankOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank();
}

static LogicalResult verifyRank(Operation *op, StringRef what, Value value,
                                int64_t rank) {
  if (rankOf(value) == rank)
    return success();
  return op->emitOpError("expected ")
         << what << " of rank " << rank << ", found " << value.getType();
}

// Demands equal sizes of all dimensions but `axis`.
static LogicalResult expectSizesBut(Operation *op, int64_t axis, Value expected,
                                    Value found) {
  for (auto [dim, sizes] :
       llvm::enumerate(llvm::zip_equal(sizesOf(expected), sizesOf(found))))
    if (int64_t(dim) != axis &&
        failed(expectSize(op, "the size of dimension " + std::to_string(dim),
                          std::get<0>(sizes), std::get<1>(sizes))))
      return failure();
  return success();
}

// Checks that an index of `op` is of dimensions of its input, and has a number
// for each of them.
template <typename Op> static LogicalResult verifyCoordinates(Op op) {
  int64_t rank = rankOf(op.getInput()), axis = op.getAxis();
  if (failed(verifyAxis(op, axis, rank)))
    return failure();
  if (!op.getCoordinates())
    return success();
  int64_t count = *op.getCoordinates();
  if (count < 1 || count > rank - axis)
    return op.emitOpError("expected from 1 to ")
           << rank - axis << " coordinates from axis " << axis << " on, found "
           << count;
  ArrayRef<int64_t> shape = op.getIndices().getType().getShape();
  if (shape.empty() || shape.back() != count)
    return op.emitOpError("expected indices whose last dimension has the size ")
           << count << ", found " << op.getIndices().getType();
  return success();
}

// The sizes of `op`'s input, with those of its indices in the place of the
// dimensions that an index is of.
template <typename Op> static Sizes chosenSizes(Op op) {
  Sizes sizes = sizesOf(op.getInput()), indices = sizesOf(op.getIndices());
  if (op.getCoordinates())
    indices.pop_back();
  auto *axis = sizes.begin() + op.getAxis();
  axis = sizes.erase(axis, axis + op.getCoordinates().value_or(1));
  sizes.insert(axis, indices.begin(), indices.end());
  return sizes;
}

//===-- heddle.gather -----------------------------------------------------===//

LogicalResult GatherOp::verify() {
  // C1, C2
  return verifyCoordinates(*this);
}

LogicalResult GatherOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(chosenSizes(*this));
  return success();
}

//===-- heddle.gather_elements --------------------------------------------===//

LogicalResult GatherElementsOp::verify() {
  // C1
  if (failed(verifyRank(*this, "indices", getIndices(), rankOf(getInput()))))
    return failure();
  return verifyAxis(*this, getAxis(), rankOf(getInput()));
}

LogicalResult GatherElementsOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getIndices()));
  // C2
  return expectSizesBut(*this, getAxis(), getInput(), getIndices());
}

//===-- heddle.scatter ----------------------------------------------------===//

LogicalResult ScatterOp::verify() {
  // C1, C4
  if (failed(verifyCoordinates(*this)))
    return failure();
  // C2
  int64_t indexRank = rankOf(getIndices()) - (getCoordinates() ? 1 : 0);
  int64_t count = getCoordinates().value_or(1);
  if (failed(verifyRank(*this, "updates", getUpdates(),
                        rankOf(getInput()) - count + indexRank)))
    return failure();
  Type type = getElementTypeOrSelf(getInput());
  if (getElementTypeOrSelf(getUpdates()) != type)
    return emitOpError("expected updates of ")
           << type << ", found " << getUpdates().getType();
  // C3
  if (getKind() == ScatterKind::Add && type.isInteger(1))
    return emitOpError("cannot add elements of i1");
  if (getKind() != ScatterKind::Assign && isStorageFloat(type))
    return emitOpError("cannot combine elements of ") << type;
  return success();
}

LogicalResult ScatterOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getInput()));
  // C2
  for (auto [dim, sizes] : llvm::enumerate(
           llvm::zip_equal(chosenSizes(*this), sizesOf(getUpdates()))))
    if (failed(expectSize(*this,
                          "the size of dimension " + std::to_string(dim) +
                              " of updates",
                          std::get<0>(sizes), std::get<1>(sizes))))
      return failure();
  return success();
}

//===-- heddle.iota -------------------------------------------------------===//

LogicalResult IotaOp::verify() {
  // C1
  return verifyAxis(*this, getAxis(), getSizes().size());
}

LogicalResult IotaOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(toSizes(getSizes()));
  return success();
}

//===-- heddle.one_hot ----------------------------------------------------===//

LogicalResult OneHotOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getIndices()));
  results.back().push_back(getDepth());
  return success();
}

//===-- heddle.where ------------------------------------------------------===//

LogicalResult WhereOp::verify() {
  // C2
  Type type = getElementTypeOrSelf(getResult());
  for (Value value : {getX(), getY()})
    if (getElementTypeOrSelf(value) != type)
      return emitOpError("expected elements of ")
             << type << ", found " << value.getType();
  return success();
}

LogicalResult WhereOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  // C1
  FailureOr<Sizes> sizes = broadcastSizes(
      *this, {sizesOf(getCondition()), sizesOf(getX()), sizesOf(getY())});
  if (failed(sizes))
    return failure();
  results.push_back(*sizes);
  return success();
}

//===-- heddle.cast -------------------------------------------------------===//

LogicalResult CastOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getInput()));
  return success();
}
