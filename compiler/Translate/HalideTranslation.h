// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a scheduled halide.pipeline to LLVM bitcode, through Halide. This
// library is the only one that includes Halide.h; this header does not.

#ifndef HEDDLE_COMPILER_TRANSLATE_HALIDETRANSLATION_H
#define HEDDLE_COMPILER_TRANSLATE_HALIDETRANSLATION_H

#include "compiler/Target/MachineModel.h"
#include "compiler/Translate/OpenClText.h"
#include "dialect/Halide/HalideDialect.h"

#include "llvm/Support/MemoryBuffer.h"

#include <variant>

namespace heddle {

enum class TranslationOutput {
  Bitcode,       ///< LLVM 14 bitcode, no runtime
  Statement,     ///< the lowered statement as text
  StatementHtml, ///< and as a page
};

/// A function of a device.
struct TranslatedFunction {
  std::string name;
  /// In OpenCL C, or LLVM 14 bitcode of what a thread does, for CUDA.
  std::variant<OpenClText, std::string> code;
  int64_t threads; ///< of a block
  /// Of each argument, where what it points to begins: at a multiple of so many
  /// bytes.
  std::vector<int64_t> alignments;
};

struct Translation {
  std::unique_ptr<llvm::MemoryBuffer> output;
  std::vector<TranslatedFunction> functions; ///< where a device runs the kernel
};

/// Compiles `pipeline` into a function
///   int name(void *user_context, int32_t params...,
///            halide_buffer_t *inputs..., halide_buffer_t *outputs...)
/// with the arguments in the order of their ops. On a device buffers are in its
/// memory, and the function launches what the device runs by calls of
/// heddle_launch (OffloadKernels.h), which hand `user_context` on. What Halide
/// rejects is reported at the pipeline's location. Halide counts names per
/// process, so output is reproducible where pipelines are translated in one
/// order; not thread-safe.
mlir::FailureOr<Translation> translateToHalide(halide::PipelineOp pipeline,
                                               const MachineModel &machine,
                                               TranslationOutput output);

/// Options that decide, besides pipelines and machines, what Halide makes of
/// them: its $HL_LLVM_ARGS, which this sets where nobody has.
std::string optionsOfHalide();

} // namespace heddle

#endif // HEDDLE_COMPILER_TRANSLATE_HALIDETRANSLATION_H
