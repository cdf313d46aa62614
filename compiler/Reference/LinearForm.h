// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Nearly all the time of a model goes to matrix products with weights, which
// point by point would take hours.

#ifndef HEDDLE_COMPILER_REFERENCE_LINEARFORM_H
#define HEDDLE_COMPILER_REFERENCE_LINEARFORM_H

#include "dialect/Heddle/HeddleDialect.h"

namespace heddle::reference {

/// A heddle.generic that is `y[.., n] = sum_k x[.., k] * w[n, k]`.
struct LinearForm {
  unsigned x, w; ///< the numbers of its inputs

  static std::optional<LinearForm> of(GenericOp op);
};

} // namespace heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_LINEARFORM_H
