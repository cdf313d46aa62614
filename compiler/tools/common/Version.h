// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_TOOLS_COMMON_VERSION_H
#define HEDDLE_COMPILER_TOOLS_COMMON_VERSION_H

namespace heddle {

/// Makes --version print Heddle's version, and LLVM's, on which object
/// code depends, too. To be called before the command line is parsed.
void setVersionPrinter();

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_COMMON_VERSION_H
