// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/ErrorBounds.h"

#include "compiler/Reference/Evaluate.h"

#include <limits>

using namespace mlir;

namespace heddle::reference {

ArrayRef<double> ErrorBounds::of(mlir::Value value) const {
  auto found = bounds.find(value);
  return found == bounds.end() ? ArrayRef<double>() : ArrayRef(found->second);
}

SmallVector<Bounds> unknownBounds(ArrayRef<Value> results) {
  SmallVector<Bounds> bounds(results.size());
  for (auto [result, bound] : llvm::zip_equal(results, bounds))
    if (result.isTensor())
      bound.assign(result.tensor()->data.size(),
                   std::numeric_limits<double>::infinity());
  return bounds;
}

void ErrorBounds::follow(Operation *op, ArrayRef<Value> results,
                         const Environment &values) {
  // Masks, caches and integers of control flow have no bounds.
  if (!llvm::any_of(op->getResultTypes(),
                    llvm::IsaPred<RankedTensorType, FloatType>))
    return;
  auto known = dyn_cast<ErrorBoundOpInterface>(op);
  SmallVector<Bounds> found = known ? known.boundErrors(*this, values, results)
                                    : unknownBounds(results);
  for (auto [name, bound] : llvm::zip_equal(op->getResults(), found))
    bounds[name] = std::move(bound);
}

} // namespace heddle::reference
