// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// heddle.generic, point by point.

#ifndef HEDDLE_COMPILER_REFERENCE_EVALUATEGENERIC_H
#define HEDDLE_COMPILER_REFERENCE_EVALUATEGENERIC_H

#include "compiler/Reference/Evaluate.h"
#include "compiler/Reference/ScalarMath.h"

namespace heddle::reference {

/// A tensor, and how far compiled code may be from each of its elements; no
/// errors where it has them exactly.
struct TensorWithErrors {
  Value values;
  Bounds errors;
};

/// The results of `op`; where roundings of its body count in some way, with
/// errors that follow from them and from those of its operands.
llvm::Expected<std::vector<TensorWithErrors>>
evaluateGeneric(GenericOp op, llvm::ArrayRef<TensorWithErrors> operands,
                const Environment &environment,
                std::optional<Rounding> rounding);

} // namespace heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_EVALUATEGENERIC_H
