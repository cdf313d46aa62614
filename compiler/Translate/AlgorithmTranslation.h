// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to this folder: Halide objects of a pipeline, by their IR names.

#ifndef HEDDLE_COMPILER_TRANSLATE_ALGORITHMTRANSLATION_H
#define HEDDLE_COMPILER_TRANSLATE_ALGORITHMTRANSLATION_H

#include "dialect/Halide/HalideDialect.h"

#include <Halide.h>

#include <map>

namespace heddle {

struct TranslatedPipeline {
  std::map<std::string, Halide::Func> funcs;
  std::map<std::string, Halide::ImageParam> inputs;
  /// Vars and RVars that schedules may name, by stage and name; splits add
  /// more.
  std::map<std::pair<std::string, std::string>, Halide::VarOrRVar> vars;
  std::vector<Halide::Argument> arguments;
  std::vector<Halide::Func> outputs;
};

/// The key of a func's pure definition, or of one of its updates, in `vars`.
std::string stageKey(llvm::StringRef func, std::optional<uint64_t> update);

/// Builds the algorithm. Throws Halide::Error where Halide rejects it.
mlir::LogicalResult translateAlgorithm(halide::PipelineOp pipeline,
                                       TranslatedPipeline &result);

/// Applies the schedule. Throws Halide::Error where Halide rejects it.
mlir::LogicalResult translateSchedule(halide::ScheduleOp schedule,
                                      TranslatedPipeline &pipeline);

/// Halide's type of a scalar.
Halide::Type toHalideType(mlir::Type type);

} // namespace heddle

#endif // HEDDLE_COMPILER_TRANSLATE_ALGORITHMTRANSLATION_H
