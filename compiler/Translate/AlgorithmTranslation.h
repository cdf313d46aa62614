// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to this folder: Halide objects of a pipeline, by their IR names.

#ifndef HEDDLE_COMPILER_TRANSLATE_ALGORITHMTRANSLATION_H
#define HEDDLE_COMPILER_TRANSLATE_ALGORITHMTRANSLATION_H

#include "compiler/Translate/OutputGuards.h"

#include <Halide.h>

#include <map>
#include <set>

namespace heddle {

/// A definition of a func, or a specialization of one, and the loops that
/// directives may name; splits replace some by others.
struct TranslatedStage {
  Halide::Stage stage;
  std::map<std::string, Halide::VarOrRVar> loops;
};

struct TranslatedPipeline {
  std::map<std::string, Halide::Func> funcs;
  std::map<std::string, Halide::ImageParam> inputs;
  std::map<std::string, Halide::Expr> sizes;     ///< the parameters, by size
  std::map<std::string, TranslatedStage> stages; ///< by stageKey
  std::vector<Halide::Argument> arguments;
  std::vector<Halide::Func> outputs;
  /// Of inputs, where it is more than that of their elements.
  std::map<std::string, int64_t> alignments;
  OutputGuards guards;         ///< none on a CPU
  std::set<std::string> tiles; ///< funcs in tile registers, by Halide's names
  /// On a device, how many tasks there are, each of them the value of the
  /// variable kTaskVariable; undefined of a pipeline that is none. The argument
  /// of that name is for the CPU.
  Halide::Expr tasks;
  /// Of those, how many run one after the other; undefined where all run at
  /// once.
  Halide::Expr tasksInOrder;
};

inline constexpr const char *kTaskVariable = "task";

/// The key of a func's pure definition, or of one of its updates.
std::string stageKey(llvm::StringRef func, std::optional<uint64_t> update);

/// Builds the algorithm. Throws Halide::Error where Halide rejects it.
mlir::LogicalResult translateAlgorithm(halide::PipelineOp pipeline,
                                       bool isOnDevice,
                                       TranslatedPipeline &result);

/// Applies the schedule; what Halide rejects is reported at the directive.
mlir::LogicalResult translateSchedule(halide::ScheduleOp schedule,
                                      TranslatedPipeline &pipeline,
                                      bool isOnDevice);

} // namespace heddle

#endif // HEDDLE_COMPILER_TRANSLATE_ALGORITHMTRANSLATION_H
