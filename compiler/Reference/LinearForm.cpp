// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/LinearForm.h"

#include "compiler/Fusion/Contraction.h"
#include "dialect/Heddle/Coordinates.h"

using namespace mlir;

namespace heddle::reference {

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
  std::optional<Contraction> contraction = Contraction::of(op);
  if (!contraction || op.getReduce().size() != 1 ||
      !cast<FloatAttr>(op.getInitial()[0]).getValue().isZero())
    return std::nullopt;
  unsigned rank = op.getOver().size();
  auto rows = llvm::to_vector(llvm::seq<unsigned>(rank - 1));
  rows.push_back(rank);
  if (!isReadAt(op, contraction->rows, rows) ||
      !isReadAt(op, contraction->columns, {rank - 1, rank}))
    return std::nullopt;
  return LinearForm{contraction->rows, contraction->columns};
}

} // namespace heddle::reference
