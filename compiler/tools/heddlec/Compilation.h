// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One run of the compiler, from a model's path to files.

#ifndef HEDDLE_COMPILER_TOOLS_HEDDLEC_COMPILATION_H
#define HEDDLE_COMPILER_TOOLS_HEDDLEC_COMPILATION_H

#include "compiler/CodeGen/Sanitize.h"
#include "compiler/Import/ModelImport.h"
#include "compiler/Pipeline.h"
#include "compiler/tools/heddlec/CallOptions.h"

#include "llvm/Support/Error.h"

#include <chrono>

namespace heddle {

/// What a run makes; each needs all before it.
enum class Stage {
  Heddle,
  Kernels,
  Halide,
  Masks,  ///< what attention skips
  Tuning, ///< configurations, which are measured here
  Schedule,
  Host,
  Statement,
  StatementHtml,
  Device, ///< programs for one
  LLVM,
  Assembly,
  Object,
  Library,
  Shared,
  Executable,
};

struct CompilationOptions {
  std::string input; ///< a file or folder that importModel takes
  ImportOptions import;
  std::string
      output; ///< empty: standard output for text, else the input's name
  Stage stage = Stage::Object;
  std::string prefix; ///< empty: the output's name
  /// What runs the kernels of each target, as PipelineOptions::device: several
  /// become one object.
  std::vector<std::string> devices;
  PipelineOptions pipeline; ///< of all targets
  Sanitizer sanitizer = Sanitizer::None;
  bool useCache = true;      ///< the user's, of kernels
  bool embedWeights = false; ///< in the object; no file of weights is made
  bool takesIds = false;     ///< of Stage::Executable, in place of text
  bool reportsQuantization = false; ///< on standard output
  bool reportsImport = false;       ///< on standard output
  std::string text;    ///< a file that the report tells the perplexity of
  bool verify = false; ///< compare with the reference evaluator
  CallOptions calls;   ///< of Stage::Masks and Stage::Tuning
  std::chrono::seconds tuningTime{0}; ///< of Stage::Tuning
  bool showProgress = false;

  /// Whether the model is made to be run.
  bool needsWeights() const {
    return stage >= Stage::Object || stage == Stage::Tuning;
  }
};

/// Compiles. Every output file appears complete or not at all. An error with an
/// empty message means that diagnostics have been printed.
llvm::Error compile(const CompilationOptions &options);

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_HEDDLEC_COMPILATION_H
