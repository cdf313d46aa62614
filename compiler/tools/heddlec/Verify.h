// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares a compiled model with the reference evaluator: `heddlec --verify`.

#ifndef HEDDLE_COMPILER_TOOLS_HEDDLEC_VERIFY_H
#define HEDDLE_COMPILER_TOOLS_HEDDLEC_VERIFY_H

#include "compiler/CodeGen/EntryPlan.h"
#include "compiler/Import/SafeTensors.h"

namespace heddle {

/// What has been compiled.
struct VerifyInput {
  mlir::ModuleOp module; ///< kernels and launches, as `plan` was made of them
  const ModelPlan &plan;
  const SafeTensors *tensors; ///< null where the module has the weights' values
  llvm::StringRef prefix;
  llvm::StringRef object;  ///< the object file's bytes
  llvm::StringRef weights; ///< the weights file's path
};

/// Runs every entry point on random inputs in this process and each of its
/// kernels, on the inputs that it had there, in the reference evaluator as
/// well; so errors do not add up from kernel to kernel. Tolerances are those of
/// ErrorBounds.h. Workspace, outputs and caches hold NaN before. Returns one
/// line for each entry point, or an error that names the first kernel outside
/// of its tolerance. Needs `cc`.
llvm::Expected<std::string> verify(const VerifyInput &input);

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_HEDDLEC_VERIFY_H
