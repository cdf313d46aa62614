// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What callers see of a model: its description and the functions of the
// generated header.

#ifndef HEDDLE_COMPILER_CODEGEN_GLUE_H
#define HEDDLE_COMPILER_CODEGEN_GLUE_H

#include "compiler/CodeGen/DeviceFunction.h"
#include "compiler/Host/EntryPlan.h"
#include "compiler/Target/MachineModel.h"

#include "llvm/IR/Module.h"

namespace heddle {

struct GlueOptions {
  std::string prefix; ///< of all symbols: "stories" gives stories_prefill
  uint64_t fingerprint = 0;
  /// Of the weights file that the object is to have inside; 0 for none.
  uint64_t embeddedSize = 0;
  /// What a device runs, in the order in which kernels launch it.
  std::vector<DeviceFunction> deviceFunctions;
};

/// Adds to `module`, which has the host program:
///   <prefix>_model         constant heddle_model
///   <prefix>_<entry>(...)  the C entry points of the generated header
void emitGlue(llvm::Module &module, const ModelPlan &plan,
              const MachineModel &machine, const GlueOptions &options);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_GLUE_H
