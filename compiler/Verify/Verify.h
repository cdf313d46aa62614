// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares a compiled model with the reference evaluator: `heddlec --verify`
// and `heddle-run verify`.

#ifndef HEDDLE_COMPILER_VERIFY_VERIFY_H
#define HEDDLE_COMPILER_VERIFY_VERIFY_H

#include "compiler/Host/EntryPlan.h"
#include "compiler/Import/TensorSource.h"
#include "runtime/heddle.h"

#include <functional>

namespace heddle {

/// A compiled model, and what it was compiled from.
struct VerifyInput {
  mlir::ModuleOp original; ///< as imported, before any pass
  mlir::ModuleOp module;   ///< kernels and launches, as `plan` was made of them
  const ModelPlan &plan;
  const TensorSource
      *tensors;              ///< null where the module has the weights' values
  const heddle_model &model; ///< compiled from `plan`
  const heddle_weights &weights;
  int threads; ///< that it runs on; 0 is one for each CPU
  /// Told what is compared next, in the copy of this process: "call 2 of 4:
  /// prefill, kernel 3 of 36: prefill_linear".
  std::function<void(const llvm::Twine &part)> progress;
};

/// Whether `model` looks as if it were compiled from `plan`: an error says what
/// differs first.
llvm::Error checkCompiledFrom(const ModelPlan &plan, const heddle_model &model);

/// Called before any parallel loop of LLVM's, whose threads a copy of the
/// process would lack.
void prepareVerify();

/// Runs every entry point on random inputs, in a copy of this process that may
/// crash, and in the reference evaluator
///   - each of its kernels, on the inputs that it had there, so that errors do
///     not add up from kernel to kernel (ErrorBounds.h has the tolerances);
///   - the model as it was imported, call after call, so that what fusion does
///     to it is tested, too (Perturbation.h has the tolerances).
/// Workspace, outputs and caches hold NaN before. Returns two lines for each
/// entry point, or an error that names the first kernel, or the place in a
/// cache or an output, that is outside of its tolerance, or the kernel that
/// crashed. No other thread of this process may hold what the copy needs:
/// LLVM's parallel loops are to have had one thread so far, as prepareVerify
/// makes them have.
llvm::Expected<std::string> verify(const VerifyInput &input);

} // namespace heddle

#endif // HEDDLE_COMPILER_VERIFY_VERIFY_H
