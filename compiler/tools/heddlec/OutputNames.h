// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the files and the symbols of a run are called.

#ifndef HEDDLE_COMPILER_TOOLS_HEDDLEC_OUTPUTNAMES_H
#define HEDDLE_COMPILER_TOOLS_HEDDLEC_OUTPUTNAMES_H

#include "compiler/tools/heddlec/Compilation.h"

namespace heddle {

struct OutputNames {
  std::string base;   ///< path of the header and the weights, without extension
  std::string binary; ///< path of the object, library or program
  std::string prefix; ///< what all symbols begin with; a C identifier
};

/// Fails where the files of a run could not have their names, before there is
/// anything to be written.
llvm::Expected<OutputNames> chooseNames(const CompilationOptions &options);

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_HEDDLEC_OUTPUTNAMES_H
