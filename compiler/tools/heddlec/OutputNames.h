// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the files and the symbols of a run are called.

#ifndef HEDDLE_COMPILER_TOOLS_HEDDLEC_OUTPUTNAMES_H
#define HEDDLE_COMPILER_TOOLS_HEDDLEC_OUTPUTNAMES_H

#include "compiler/tools/heddlec/Compilation.h"

namespace heddle {

class TensorSource;

struct OutputNames {
  std::string base;   ///< path of the header and the weights, without extension
  std::string binary; ///< path of the object, library or program
  std::string prefix; ///< what all symbols begin with; a C identifier
  std::vector<std::string> files; ///< all that are written, but for pages

  /// The file of weights of a target, which is empty for the first:
  /// "base.weights", "base.opencl.weights".
  std::string weightsOf(llvm::StringRef target) const;
};

/// Fails where the files of a run could not have their names, before there is
/// anything to be written. `others` are the targets after the first.
llvm::Expected<OutputNames> chooseNames(const CompilationOptions &options,
                                        llvm::ArrayRef<std::string> others);

/// Fails where one of `outputs` is a file that the run reads, by this name or
/// another. `tensors` are those of the model; null for none.
llvm::Error checkInputsAreKept(const CompilationOptions &options,
                               const TensorSource *tensors,
                               llvm::ArrayRef<std::string> outputs);

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_HEDDLEC_OUTPUTNAMES_H
