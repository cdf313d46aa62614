// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all tools do first, and how they end where they cannot go on.

#ifndef HEDDLE_COMPILER_TOOLS_COMMON_TOOL_H
#define HEDDLE_COMPILER_TOOLS_COMMON_TOOL_H

#include "llvm/Support/Error.h"

namespace heddle {

/// Prepares the program `name` for bad days, before it does anything else:
///   - SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU and SIGPIPE end its children,
///     remove its unfinished files, and then end it as they would by default;
///   - a file that grows past the limit of its size is an error of the write;
///   - where memory runs out, in whatever library, one line says "out of
///     memory", and unfinished files are removed;
///   - the same where LLVM or the program itself fails.
/// Also makes --version print this project's.
void startTool(const char *name);

/// From here on interrupts no longer end the program: it is about to give its
/// files their names, and to end.
void ignoreInterrupts();

/// Prints `error` as one of the program's and returns the exit status 1; 0 for
/// success. An empty message has been printed as a diagnostic.
int finishTool(llvm::Error error);

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_COMMON_TOOL_H
