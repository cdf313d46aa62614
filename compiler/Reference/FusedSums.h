// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums as code may compute them, where numbers overflow. A product that is
// added to something is not rounded in between (fused multiply-add): of
// -3.5e38 + 1.6e37 the first may be finite in code. And a sum may begin with
// what its kernel adds to it later: with -inf, and then it does not become NaN
// where it overflows, as inf - inf is.

#ifndef HEDDLE_COMPILER_REFERENCE_FUSEDSUMS_H
#define HEDDLE_COMPILER_REFERENCE_FUSEDSUMS_H

#include "compiler/Reference/ScalarMath.h"

#include <cmath>

namespace heddle::reference {

/// Whether the kernel adds something to `x`, which stands in the body of a
/// heddle.generic or is the result of one. The combination of a reduction is no
/// such addition.
bool isAddedTo(mlir::Value x);

/// Whether `result` has become infinite of finite operands.
bool isOverflow(const Scalar &result, llvm::ArrayRef<Scalar> operands);

/// The terms of a sum.
struct SumOfTerms {
  double count = 0, magnitudes = 0; ///< the latter of finite terms
  bool hasPositive = false, hasNegative = false;
  bool overflowsUp = false, overflowsDown = false; ///< products that overflow

  void add(double term, bool isOverflow) {
    ++count;
    if (std::isfinite(term))
      magnitudes += std::abs(term);
    hasPositive |= term > 0;
    hasNegative |= term < 0;
    overflowsUp |= isOverflow && term > 0;
    overflowsDown |= isOverflow && term < 0;
  }
  bool overflows() const { return overflowsUp || overflowsDown; }
  /// Whether products that overflow may leave a finite sum in code.
  bool mayBeFinite() const {
    return (overflowsUp && hasNegative) || (overflowsDown && hasPositive);
  }
};

} // namespace heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_FUSEDSUMS_H
