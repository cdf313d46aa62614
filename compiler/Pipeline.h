// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the passes: one function a stage, named for what it produces. No
// other place knows it.

#ifndef HEDDLE_COMPILER_PIPELINE_H
#define HEDDLE_COMPILER_PIPELINE_H

#include "compiler/Import/ImportOptions.h"
#include "compiler/Target/MachineModel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"

namespace heddle {

struct PipelineOptions {
  std::string targetCpu = "native"; ///< as LLVM names it, or "native"
  std::string device; ///< what runs the kernels, if it is not the CPU
  /// Replaces schedules, configurations of kernels and layouts; may be empty.
  std::string scheduleFile;
  bool fusionRemarks = false; ///< report where each op went
};

/// The dialects that models are made of.
void registerDialects(mlir::DialectRegistry &registry);
/// All passes, under their own names and as --heddle-to-kernels,
/// --heddle-to-halide and --heddle-to-schedule.
void registerPasses();

/// heddle ops -> those that the reference evaluates: sizes are known, and
/// tensor ops are heddle.generic.
void buildToReference(mlir::OpPassManager &passes);
/// The same, at once. Reports what cannot be done.
mlir::LogicalResult prepareReference(mlir::ModuleOp module);
/// Makes integers or other floats of the matrices of linear layers, and of what
/// these read, if `options` say so and `machine` multiplies them, the CPU or
/// one of several targets. Before any other pass.
mlir::LogicalResult convertWeights(mlir::ModuleOp module,
                                   const ImportOptions &options,
                                   const MachineModel &machine, bool hasDevice);
/// What a model has besides where a device runs it, on all of its targets; and
/// what it is compared with then. Before any other pass.
mlir::LogicalResult addForDevices(mlir::ModuleOp module);
/// heddle ops -> kernels with their configurations, and launches.
void buildToKernels(mlir::OpPassManager &passes,
                    const PipelineOptions &options);
/// kernels -> Halide algorithms.
void buildToHalide(mlir::OpPassManager &passes);
/// launches -> the host program, beside what is there.
void buildToHost(mlir::OpPassManager &passes);
/// The host program's module alone -> the llvm dialect. Names begin with
/// `prefix`.
void buildToLLVM(mlir::OpPassManager &passes, llvm::StringRef prefix);
/// Halide algorithms -> algorithms with schedules.
void buildToSchedule(mlir::OpPassManager &passes,
                     const PipelineOptions &options);

} // namespace heddle

#endif // HEDDLE_COMPILER_PIPELINE_H
