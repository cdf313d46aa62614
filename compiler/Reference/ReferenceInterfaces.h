// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How ops say what the reference has to know of them: ReferenceInterfaces.td.

#ifndef HEDDLE_COMPILER_REFERENCE_REFERENCEINTERFACES_H
#define HEDDLE_COMPILER_REFERENCE_REFERENCEINTERFACES_H

#include "compiler/Reference/ErrorBounds.h"
#include "compiler/Reference/Evaluator.h"
#include "compiler/Reference/Perturbation.h"

#include "mlir/IR/OpDefinition.h"

namespace heddle::reference {
using Results = Evaluator::Results;
} // namespace heddle::reference

#include "compiler/Reference/ReferenceInterfaces.h.inc"

#endif // HEDDLE_COMPILER_REFERENCE_REFERENCEINTERFACES_H
