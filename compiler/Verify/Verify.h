// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares a compiled model with the reference evaluator: `heddlec --verify`
// and `heddle-run verify`.

#ifndef HEDDLE_COMPILER_VERIFY_VERIFY_H
#define HEDDLE_COMPILER_VERIFY_VERIFY_H

#include "compiler/Host/EntryPlan.h"
#include "compiler/Import/SafeTensors.h"
#include "runtime/heddle.h"

namespace heddle {

/// A compiled model, and what it was compiled from.
struct VerifyInput {
  mlir::ModuleOp original; ///< as imported, before any pass
  mlir::ModuleOp module;   ///< kernels and launches, as `plan` was made of them
  const ModelPlan &plan;
  const SafeTensors *tensors; ///< null where the module has the weights' values
  const heddle_model &model;  ///< compiled from `plan`
  const heddle_weights &weights;
  heddle_threads &threads;
};

/// Whether `model` looks as if it were compiled from `plan`: an error says what
/// differs first.
llvm::Error checkCompiledFrom(const ModelPlan &plan, const heddle_model &model);

/// Runs every entry point on random inputs in this process, and in the
/// reference evaluator
///   - each of its kernels, on the inputs that it had there, so that errors do
///     not add up from kernel to kernel (ErrorBounds.h has the tolerances);
///   - the model as it was imported, call after call, so that what fusion does
///     to it is tested, too (Perturbation.h has the tolerances).
/// Workspace, outputs and caches hold NaN before. Returns two lines for each
/// entry point, or an error that names the first kernel, or the place in a
/// cache or an output, that is outside of its tolerance.
llvm::Expected<std::string> verify(const VerifyInput &input);

} // namespace heddle

#endif // HEDDLE_COMPILER_VERIFY_VERIFY_H
