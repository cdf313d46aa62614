// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that --explain-masks and --tune are about, as the command line says
// them.

#ifndef HEDDLE_COMPILER_TOOLS_HEDDLEC_CALLOPTIONS_H
#define HEDDLE_COMPILER_TOOLS_HEDDLEC_CALLOPTIONS_H

#include "compiler/Host/EntryPlan.h"

#include <map>

namespace heddle {

struct CallOptions {
  std::string entry; ///< the entry point; empty for all
  /// "name=value", and "name=file.npy" or "name=number".
  std::vector<std::string> sizes, inputs;

  /// The sizes by their names. Fails where `plan`, of the model that is called
  /// `model`, lacks the entry point or a size.
  llvm::Expected<std::map<std::string, int64_t>>
  parseSizes(const ModelPlan &plan, llvm::StringRef model) const;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_HEDDLEC_CALLOPTIONS_H
