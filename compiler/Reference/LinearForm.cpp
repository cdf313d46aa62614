// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/LinearForm.h"

#include "dialect/Heddle/Coordinates.h"

using namespace mlir;

namespace heddle::reference {

// The input whose element `value` is, as it is or wider.
static std::optional<unsigned> inputOf(GenericOp op, mlir::Value value) {
  if (auto wider = value.getDefiningOp<arith::ExtFOp>())
    value = wider.getIn();
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &op.getBody().front() ||
      argument.getArgNumber() >= op.getInputs().size())
    return std::nullopt;
  return argument.getArgNumber();
}

// Whether the body adds products of both inputs to 0, in f32.
static bool sumsProducts(GenericOp op) {
  auto combiner = op.getCombiner(0);
  if (!combiner || !isa<arith::AddFOp>(combiner->op) ||
      !combiner->op->getResult(0).getType().isF32() ||
      !cast<FloatAttr>(op.getInitial()[0]).getValue().isZero())
    return false;
  auto product = combiner->term.getDefiningOp<arith::MulFOp>();
  if (!product)
    return false;
  std::optional<unsigned> left = inputOf(op, product.getLhs());
  std::optional<unsigned> right = inputOf(op, product.getRhs());
  return left && right && left != right;
}

// Whether input `index` is all of a tensor, read at these dimensions.
static bool isReadAt(GenericOp op, unsigned index,
                     ArrayRef<unsigned> dimensions) {
  Sizes at = op.getCoordinates(index), sizes = sizesOf(op.getInputs()[index]);
  Sizes extents = op.getExtents();
  if (at.size() != dimensions.size())
    return false;
  for (auto [coordinate, size, dimension] :
       llvm::zip_equal(at, sizes, dimensions))
    if (size != extents[dimension] ||
        (asDimension(coordinate) != dimension &&
         !(coordinate.asNumber() == 0 && size.asNumber() == 1)))
      return false;
  return true;
}

std::optional<LinearForm> LinearForm::of(GenericOp op) {
  unsigned rank = op.getOver().size();
  // A single column is no matrix: point by point is as fast.
  if (rank == 0 || op.getReduce().size() != 1 || op.getNumResults() != 1 ||
      op.getInputs().size() != 2 || !op.getTables().empty() ||
      op.getExtents()[rank - 1].asNumber() == 1 || !sumsProducts(op))
    return std::nullopt;
  auto rows = llvm::to_vector(llvm::seq<unsigned>(rank - 1));
  rows.push_back(rank);
  for (unsigned x : {0, 1})
    if (isReadAt(op, x, rows) && isReadAt(op, 1 - x, {rank - 1, rank}))
      return LinearForm{x, 1 - x};
  return std::nullopt;
}

} // namespace heddle::reference
