// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes of a call that can be broadcast together.

#ifndef HEDDLE_COMPILER_VERIFY_VERIFYBROADCASTS_H
#define HEDDLE_COMPILER_VERIFY_VERIFYBROADCASTS_H

#include "compiler/Host/EntryPlan.h"

namespace heddle {

/// The symbols of sizes that are broadcast, and that calls may choose: where
/// there are caches, those that count nothing of them.
llvm::SmallVector<unsigned> broadcastSymbolsOf(const EntryPlan &entry);

/// Makes these sizes of a call what they are broadcast to, but for those of
/// `ones`, which are 1.
void matchBroadcasts(const EntryPlan &entry,
                     llvm::MutableArrayRef<int64_t> sizes,
                     llvm::SmallVector<unsigned> ones = {});

} // namespace heddle

#endif // HEDDLE_COMPILER_VERIFY_VERIFYBROADCASTS_H
