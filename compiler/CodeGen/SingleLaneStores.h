// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_CODEGEN_SINGLELANESTORES_H
#define HEDDLE_COMPILER_CODEGEN_SINGLELANESTORES_H

#include "llvm/IR/Module.h"

namespace heddle {

/// Makes a masked store of one known lane a store of its element.
///
/// LLVM 22 does the same for x86, but forgets what it has taken into the store
/// before: a vector of i64 truncated to i8 is stored as one i64, over seven
/// bytes that are not its own (llvm/llvm-project#179489). Comes after the
/// optimisations, whose loops over few elements have such stores.
void expandSingleLaneStores(llvm::Module &module);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_SINGLELANESTORES_H
