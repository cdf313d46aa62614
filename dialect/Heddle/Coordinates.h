// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Coordinates at which a heddle.generic reads its inputs, as sizes in which the
// dimensions are symbols, too: their normal form makes equal coordinates equal,
// and semi-affine maps, which MLIR does not simplify, simple.

#ifndef HEDDLE_DIALECT_HEDDLE_COORDINATES_H
#define HEDDLE_DIALECT_HEDDLE_COORDINATES_H

#include "dialect/Heddle/Sizes.h"

#include "mlir/IR/AffineMap.h"

namespace heddle {

/// The symbol that stands for dimension `index`.
SizeAttr dimensionSymbol(mlir::MLIRContext *context, unsigned index);
/// The dimension that `size` stands for, if it does.
std::optional<unsigned> asDimension(SizeAttr size);
/// Whether a dimension stands in `coordinate`.
bool usesDimension(SizeAttr coordinate);
/// Whether this one does.
bool usesDimension(SizeAttr coordinate, unsigned dimension);
/// Whether this one stands outside of a quotient: `d0 floordiv 32` is the same
/// for neighbours.
bool tellsApart(SizeAttr coordinate, unsigned dimension);

/// An expression of a map whose symbols are these sizes.
SizeAttr toCoordinate(mlir::AffineExpr expression,
                      llvm::ArrayRef<SizeAttr> symbols);

/// The other way round; sizes are added to `symbols`, which are shared by the
/// expressions of several maps. Null where it is not affine in the dimensions.
mlir::AffineExpr toAffine(SizeAttr coordinate, Sizes &symbols);

/// The smallest and the largest value where dimensions have these extents; none
/// where that is not known.
std::optional<std::pair<SizeAttr, SizeAttr>>
rangeOf(SizeAttr coordinate, llvm::ArrayRef<SizeAttr> extents);

/// The same coordinate where dimensions have these extents: quotients that are
/// 0, remainders that are the number itself, and dimensions of extent 1 are
/// gone.
SizeAttr simplify(SizeAttr coordinate, llvm::ArrayRef<SizeAttr> extents);

} // namespace heddle

#endif // HEDDLE_DIALECT_HEDDLE_COORDINATES_H
