// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tools that are installed beside this one, as processes of their own.

#ifndef HEDDLE_COMPILER_TOOLS_HEDDLEC_SIBLINGTOOL_H
#define HEDDLE_COMPILER_TOOLS_HEDDLEC_SIBLINGTOOL_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace heddle {

/// The standard output of the tool `name`, called with `arguments`. Temporary
/// files go to `folder`. Fails where the tool does, after it has said why.
llvm::Expected<std::string> runTool(llvm::StringRef name,
                                    llvm::ArrayRef<std::string> arguments,
                                    const std::string &folder);

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_HEDDLEC_SIBLINGTOOL_H
