// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// heddle-run bench --entry: how long a call of any entry point takes.

#ifndef HEDDLE_TOOLS_BENCHENTRY_H
#define HEDDLE_TOOLS_BENCHENTRY_H

#include "compiler/tools/common/Artifact.h"

#include <map>

namespace heddle {

/// Prints the median time of `runs` calls of `entry`, after one to warm up,
/// whose inputs are made up (MadeUpCall.h), and, if it is asked for, what each
/// kernel takes.
llvm::Error benchEntry(const Artifact &artifact, const heddle_weights &weights,
                       heddle_threads &threads, llvm::StringRef entry,
                       const std::map<std::string, int64_t> &sizes,
                       int64_t runs, bool perKernel);

} // namespace heddle

#endif // HEDDLE_TOOLS_BENCHENTRY_H
