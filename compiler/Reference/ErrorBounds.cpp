// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/ErrorBounds.h"

#include "compiler/Reference/Evaluate.h"
#include "compiler/Reference/FloatRange.h"
#include "compiler/Reference/Roundings.h"

#include <algorithm>
#include <cmath>
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
                   std::numeric_limits<double>::quiet_NaN());
  return bounds;
}

static bool isNaN(double bound) { return std::isnan(bound); }

void ErrorBounds::follow(Operation *op, ArrayRef<Value> results,
                         const Environment &values) {
  // Masks, caches and integers of control flow have no bounds.
  if (!llvm::any_of(op->getResultTypes(),
                    llvm::IsaPred<RankedTensorType, FloatType>))
    return;
  PrecisionOf precision(op);
  auto known = dyn_cast<ErrorBoundOpInterface>(op);
  SmallVector<Bounds> found = known ? known.boundErrors(*this, values, results)
                                    : unknownBounds(results);
  bool isKnown =
      known && llvm::none_of(op->getOperands(), [&](mlir::Value operand) {
        return llvm::any_of(of(operand), isNaN);
      });
  for (auto [name, bound] : llvm::zip_equal(op->getResults(), found)) {
    // The error of what may be infinite may be any.
    if (isKnown)
      std::replace_if(bound.begin(), bound.end(), isNaN, kInfinity);
    bounds[name] = std::move(bound);
  }
}

} // namespace heddle::reference
