// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// "name=value" on a command line.

#ifndef HEDDLE_COMPILER_TOOLS_COMMON_NAMEDVALUE_H
#define HEDDLE_COMPILER_TOOLS_COMMON_NAMEDVALUE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <map>
#include <string>

namespace heddle {

/// Splits "name=value"; both are nonempty. `option` is named in the error.
llvm::Expected<std::pair<llvm::StringRef, llvm::StringRef>>
splitPair(llvm::StringRef text, llvm::StringRef option);

/// The sizes of "--size batch=1,length=128", by name.
llvm::Expected<std::map<std::string, int64_t>>
parseSizes(llvm::ArrayRef<std::string> texts);
/// The same, which have to be some of `known`, which may repeat. `model` is
/// named in the error.
llvm::Expected<std::map<std::string, int64_t>>
parseSizes(llvm::ArrayRef<std::string> texts, llvm::StringRef model,
           llvm::ArrayRef<llvm::StringRef> known);

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_COMMON_NAMEDVALUE_H
