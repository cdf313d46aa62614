// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/Verification.h"

using namespace mlir;
using namespace heddle;

static int64_t rankOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank();
}

static SizeAttr number(Operation *op, int64_t value) {
  return SizeAttr::number(op->getContext(), value);
}

//===-- heddle.transpose --------------------------------------------------===//

LogicalResult TransposeOp::verify() {
  // C1
  SmallVector<int64_t> sorted(getPermutation());
  llvm::sort(sorted);
  auto identity = llvm::to_vector(llvm::seq<int64_t>(rankOf(getInput())));
  if (sorted == identity)
    return success();
  return emitOpError("expected a permutation of the ")
         << identity.size() << " dimensions, found [" << getPermutation()
         << "]";
}

LogicalResult TransposeOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  Sizes input = sizesOf(getInput());
  results.push_back(llvm::map_to_vector<4>(
      getPermutation(), [&](int64_t dim) { return input[dim]; }));
  return success();
}

//===-- heddle.reshape ----------------------------------------------------===//

static bool isInferred(SizeAttr size) { return size.asNumber() == -1; }

LogicalResult ReshapeOp::verify() {
  // C1
  size_t count = llvm::count_if(toSizes(getSizes()), isInferred);
  if (count > 1)
    return emitOpError("expected at most one size of -1, found ") << count;
  for (SizeAttr size : toSizes(getSizes()))
    if (size.asNumber() && *size.asNumber() < -1)
      return emitOpError("expected sizes of at least -1, found ")
             << *size.asNumber();
  return success();
}

LogicalResult ReshapeOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  Sizes sizes = toSizes(getSizes());
  SizeAttr elements = product(getContext(), sizesOf(getInput()));
  auto *inferred = llvm::find_if(sizes, isInferred);
  if (inferred != sizes.end()) {
    *inferred = number(*this, 1);
    SizeAttr others = product(getContext(), sizes);
    if (others.asNumber() == 0)
      return emitOpError("expected no size of -1 beside a size of 0");
    *inferred = floorDiv(elements, others);
  }
  // C2
  SizeAttr found = product(getContext(), sizes);
  if (found != elements)
    return emitOpError("expected sizes of ")
           << elements.str() << " elements, found " << found.str();
  results.push_back(sizes);
  return success();
}

//===-- heddle.expand -----------------------------------------------------===//

LogicalResult ExpandOp::verify() {
  // C1
  return verifyAxes(*this, getAxes(), rankOf(getInput()) + getAxes().size());
}

LogicalResult ExpandOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  Sizes sizes = sizesOf(getInput());
  for (int64_t axis : getAxes())
    sizes.insert(sizes.begin() + axis, number(*this, 1));
  results.push_back(sizes);
  return success();
}

//===-- heddle.squeeze ----------------------------------------------------===//

LogicalResult SqueezeOp::verify() {
  // C1
  return verifyAxes(*this, getAxes(), rankOf(getInput()));
}

LogicalResult SqueezeOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  Sizes sizes = sizesOf(getInput());
  for (int64_t axis : llvm::reverse(getAxes())) {
    // C2
    if (failed(expectSize(*this, "the size of a squeezed dimension",
                          number(*this, 1), sizes[axis])))
      return failure();
    sizes.erase(sizes.begin() + axis);
  }
  results.push_back(sizes);
  return success();
}

//===-- heddle.slice ------------------------------------------------------===//

LogicalResult SliceOp::verify() {
  // C1
  size_t rank = rankOf(getInput());
  if (getOffsets().size() != rank || getSizes().size() != rank ||
      getSteps().size() != rank)
    return emitOpError("expected ")
           << rank << " offsets, sizes and steps, found " << getOffsets().size()
           << ", " << getSizes().size() << " and " << getSteps().size();
  if (llvm::is_contained(getSteps(), 0))
    return emitOpError("expected steps other than 0");
  for (auto [dim, size] : llvm::enumerate(toSizes(getSizes())))
    if (std::optional<int64_t> number = size.asNumber(); number && *number < 0)
      return emitOpError("expected a size of at least 0 of dimension ")
             << dim << ", found " << *number;
  return success();
}

LogicalResult SliceOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(toSizes(getSizes()));
  Sizes offsets = toSizes(getOffsets()), input = sizesOf(getInput());
  for (auto [dim, step] : llvm::enumerate(getSteps())) {
    // C2
    SizeAttr first = offsets[dim];
    SizeAttr last = first + (results.back()[dim] - number(*this, 1)) * step;
    if (step < 0)
      std::swap(first, last);
    SizeAttr end = input[dim] - number(*this, 1);
    for (SizeAttr distance : {first, end - last})
      if (!isNeverNegativeIn(*this, distance))
        return emitOpError("expected elements of dimension ")
               << dim << " from 0 to " << end.str() << ", found " << first.str()
               << " to " << last.str() << howToDeclare(distance);
  }
  return success();
}

//===-- heddle.concat -----------------------------------------------------===//

LogicalResult ConcatOp::verify() {
  // C1
  if (getInputs().empty())
    return emitOpError("expected at least one input");
  int64_t rank = rankOf(getInputs()[0]);
  for (Value input : getInputs())
    if (rankOf(input) != rank)
      return emitOpError("expected inputs of rank ")
             << rank << ", found " << input.getType();
  if (failed(verifyAxis(*this, getAxis(), rank)))
    return failure();
  // C2
  Type type = getElementTypeOrSelf(getResult());
  for (Value input : getInputs())
    if (getElementTypeOrSelf(input) != type)
      return emitOpError("expected inputs of ")
             << type << ", found " << input.getType();
  return success();
}

LogicalResult ConcatOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  Sizes sizes = sizesOf(getInputs()[0]);
  size_t axis = getAxis();
  for (Value input : getInputs().drop_front()) {
    // C2
    for (auto [dim, size] : llvm::enumerate(sizesOf(input)))
      if (dim == axis)
        sizes[dim] = sizes[dim] + size;
      else if (failed(expectSize(*this, "the size of all inputs", sizes[dim],
                                 size)))
        return failure();
  }
  results.push_back(sizes);
  return success();
}

//===-- heddle.insert -----------------------------------------------------===//

LogicalResult InsertOp::verify() {
  // C1
  int64_t rank = rankOf(getTensor());
  if (failed(verifyAxis(*this, getAxis(), rank)))
    return failure();
  if (rankOf(getPart()) != rank)
    return emitOpError("expected a part of rank ")
           << rank << ", found " << getPart().getType();
  // C2
  Type type = getElementTypeOrSelf(getTensor());
  if (getElementTypeOrSelf(getPart()) != type)
    return emitOpError("expected a part of ")
           << type << ", found " << getPart().getType();
  return success();
}

LogicalResult InsertOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  // C2
  Sizes sizes = sizesOf(getTensor());
  for (auto [dim, size] : llvm::enumerate(sizesOf(getPart())))
    if (dim != getAxis() &&
        failed(expectSize(*this, "the size of the tensor", sizes[dim], size)))
      return failure();
  results.push_back(sizes);
  return success();
}

//===-- heddle.split ------------------------------------------------------===//

LogicalResult SplitOp::verify() {
  // C1
  if (failed(verifyAxis(*this, getAxis(), rankOf(getInput()))))
    return failure();
  // C2
  if (getSizes().size() != getNumResults())
    return emitOpError("expected ")
           << getNumResults() << " sizes, found " << getSizes().size();
  // C4
  for (SizeAttr size : toSizes(getSizes()))
    if (size.asNumber().value_or(0) < 0)
      return emitOpError("expected sizes of at least 0, found ") << size.str();
  return success();
}

LogicalResult SplitOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  Sizes input = sizesOf(getInput());
  SizeAttr sum = number(*this, 0);
  for (SizeAttr size : toSizes(getSizes())) {
    sum = sum + size;
    results.push_back(input);
    results.back()[getAxis()] = size;
  }
  // C3
  return expectSize(*this, "the sum of the sizes", input[getAxis()], sum);
}

//===-- heddle.pad --------------------------------------------------------===//

LogicalResult PadOp::verify() {
  // C1
  size_t rank = rankOf(getInput());
  if (getLow().size() != rank || getHigh().size() != rank)
    return emitOpError("expected ")
           << rank << " sizes of padding on each side, found "
           << getLow().size() << " and " << getHigh().size();
  // C2
  Type type = getElementTypeOrSelf(getInput());
  if (getValue().getType() != type)
    return emitOpError("expected a value of type ")
           << type << ", found " << getValue();
  return success();
}

LogicalResult PadOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  Sizes sizes = sizesOf(getInput());
  for (auto [size, low, high] :
       llvm::zip_equal(sizes, toSizes(getLow()), toSizes(getHigh())))
    size = low + size + high;
  results.push_back(sizes);
  return success();
}

//===-- heddle.broadcast --------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  // C1
  if (int64_t(getSizes().size()) < rankOf(getInput()))
    return emitOpError("expected at least ")
           << rankOf(getInput()) << " sizes, found " << getSizes().size();
  return success();
}

LogicalResult BroadcastOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  // C2
  results.push_back(toSizes(getSizes()));
  return expectBroadcasts(*this, sizesOf(getInput()), results.back());
}

//===-- heddle.broadcast_tensors ------------------------------------------===//

LogicalResult BroadcastTensorsOp::verify() {
  // C1
  if (getInputs().empty())
    return emitOpError("expected at least one input");
  if (getNumResults() != getInputs().size())
    return emitOpError("expected ")
           << getInputs().size() << " results, found " << getNumResults();
  int64_t rank = 0;
  for (Value input : getInputs())
    rank = std::max(rank, rankOf(input));
  for (auto [index, input, result] :
       llvm::enumerate(getInputs(), getResults())) {
    Type type = getElementTypeOrSelf(input);
    if (rankOf(result) != rank || getElementTypeOrSelf(result) != type)
      return emitOpError("expected result ")
             << index << " to be of rank " << rank << " and of " << type
             << ", found " << result.getType();
  }
  return success();
}

LogicalResult BroadcastTensorsOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  // C2
  FailureOr<Sizes> common =
      broadcastSizes(*this, llvm::map_to_vector(getInputs(), [](Value input) {
        return sizesOf(input);
      }));
  if (failed(common))
    return failure();
  results.assign(getNumResults(), *common);
  return success();
}
