// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The targets of a run, which become one object.

#ifndef HEDDLE_COMPILER_TOOLS_HEDDLEC_TARGETPROGRAM_H
#define HEDDLE_COMPILER_TOOLS_HEDDLEC_TARGETPROGRAM_H

#include "compiler/CodeGen/Glue.h"
#include "compiler/Host/Passes.h"
#include "compiler/Lowering/Names.h"
#include "compiler/tools/common/ScratchFile.h"
#include "compiler/tools/heddlec/Compilation.h"

namespace heddle {

/// The model for one target.
struct TargetProgram {
  MachineModel machine;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ModelPlan plan;
  GlueOptions glue;
  std::string weightsPath; ///< as it is for now; empty where they are embedded
  /// The weights file that becomes a part of the object, or is no output.
  ScratchFile scratchWeights;

  mlir::ModuleOp pipelines() {
    return module->lookupSymbol<mlir::ModuleOp>(kPipelinesModule);
  }
  mlir::ModuleOp host() {
    return module->lookupSymbol<mlir::ModuleOp>(kHostModule);
  }
};

/// Fails where several targets are asked for what only one can have.
llvm::Error checkTargets(const CompilationOptions &options);

/// Those that `options` name, the first one first, without names and modules.
llvm::Expected<std::vector<TargetProgram>>
chooseTargets(const CompilationOptions &options);

/// Whether entry points have the same arguments and sizes on all targets, as
/// callers see one for all.
bool haveEqualEntries(llvm::ArrayRef<TargetProgram> targets);

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_HEDDLEC_TARGETPROGRAM_H
