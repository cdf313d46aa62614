// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Calls that are made to be measured: of what sizes and inputs nobody gives,
// usual ones are made up.

#ifndef HEDDLE_COMPILER_TOOLS_COMMON_MADEUPCALL_H
#define HEDDLE_COMPILER_TOOLS_COMMON_MADEUPCALL_H

#include "compiler/tools/common/EntryCall.h"

#include <map>

namespace heddle {

/// A call of `entry` with usualSizes of those given. Lengths are the longest
/// that it takes, and starts as large as these leave room for, so that the last
/// query stands at a cache's last position; ids are drawn from those that there
/// are, and so are other integers with a range, from 0 to 1 those without;
/// floats are normal, and those in caches positive. `artifact` must outlive it.
llvm::Expected<EntryCall>
makeUpCall(const Artifact &artifact, const heddle_entry &entry,
           const std::map<std::string, int64_t> &sizes);

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_COMMON_MADEUPCALL_H
