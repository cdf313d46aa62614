// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far a computed tensor is from the reference's, beside what is allowed.

#ifndef HEDDLE_COMPILER_REFERENCE_DEVIATION_H
#define HEDDLE_COMPILER_REFERENCE_DEVIATION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace heddle::reference {

/// An element of a computed tensor beside the reference's.
struct Deviation {
  size_t element;
  double got, want, tolerance;

  double error() const;
  /// The error in units of the tolerance. An infinite tolerance is met by
  /// anything; infinite is the ratio of what must be exact and is not, zeros of
  /// another sign included, of what is NaN on one side, and where the tolerance
  /// is NaN. NaN meets NaN.
  double ratio() const;
};

/// The element with the largest ratio, among those in [0, got.size()) that
/// `isCompared` holds for, rather one whose tolerance is finite; none if there
/// are none. No tolerances mean 0.
std::optional<Deviation>
findWorst(llvm::ArrayRef<double> got, llvm::ArrayRef<double> want,
          llvm::ArrayRef<double> tolerances,
          llvm::function_ref<bool(size_t element)> isCompared);

} // namespace heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_DEVIATION_H
