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

/// The model may be compiled for several targets: the program of the first has
/// what callers see, and those of others the same constants. Each names the
/// next one's.
struct GlueOptions {
  std::string name;   ///< the model's: "stories" gives stories_prefill
  std::string target; ///< "opencl"; empty for the first
  /// The target after this one, and of the last one the first; none where there
  /// is one.
  std::optional<std::string> next;
  uint64_t fingerprint = 0;
  /// Of the weights file that the object is to have inside; 0 for none.
  uint64_t embeddedSize = 0;
  /// What a device runs, in the order in which kernels launch it.
  std::vector<DeviceFunction> deviceFunctions;

  /// What all symbols of a target's program begin with: C has no names with
  /// dots.
  std::string prefixOf(llvm::StringRef target) const {
    return target.empty() ? name : name + "." + target.str();
  }
  std::string prefix() const { return prefixOf(target); }
};

/// Adds to `module`, which has the host program:
///   <prefix>_model         constant heddle_model
///   <prefix>_<entry>(...)  the C entry points of the generated header, in the
///                          first target's program
void emitGlue(llvm::Module &module, const ModelPlan &plan,
              const MachineModel &machine, const GlueOptions &options);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_GLUE_H
