// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results of ONNX Runtime, where the user has it.

#ifndef HEDDLE_COMPILER_TOOLS_HEDDLERUN_ONNXRUNTIME_H
#define HEDDLE_COMPILER_TOOLS_HEDDLERUN_ONNXRUNTIME_H

#include "compiler/tools/common/Artifact.h"

namespace heddle {

/// Calls the entry point run of `artifact` with inputs that are made up, and
/// the ONNX file `model` with the same, in ONNX Runtime: Node.js has to find
/// its package onnxruntime-node, in $NODE_PATH say. Returns a line for each
/// output; fails where one is off by more than a thousandth, and 1e-5 of the
/// largest element.
llvm::Expected<std::string>
compareWithOnnxRuntime(const Artifact &artifact, const heddle_weights *weights,
                       const heddle_context &context, llvm::StringRef model);

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_HEDDLERUN_ONNXRUNTIME_H
