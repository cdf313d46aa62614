// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Children of a tool, which do not outlive it: programs, and work that may
// crash.

#ifndef HEDDLE_COMPILER_SUPPORT_CHILDPROCESS_H
#define HEDDLE_COMPILER_SUPPORT_CHILDPROCESS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace heddle {

/// Runs `program`, a path, and waits for it. `arguments` start with its name.
/// Its temporary files go to the folder `temporary` ($TMPDIR), and its standard
/// output to the file `output`, if it is named. Fails where it cannot be
/// started, exits with another status than 0 or is ended by a signal.
llvm::Error runProgram(llvm::StringRef program,
                       llvm::ArrayRef<std::string> arguments,
                       const std::string &temporary,
                       const std::string &output = "");

/// Does `work` in a copy of this process and gives its result. Where a signal
/// ends the copy, the error is what `describeEnd` makes of the signal. Only the
/// calling thread exists in the copy, so that no other may hold what `work`
/// needs; an error that is reported there already is empty.
llvm::Expected<std::string>
runInChild(llvm::function_ref<llvm::Expected<std::string>()> work,
           llvm::function_ref<std::string(int signal)> describeEnd);

/// Whether this process is such a copy, whose files are its parent's to remove.
bool isChild();

/// Ends the child that is running, with all that it has started, and waits for
/// their end. Safe in signal handlers.
void endChild();

} // namespace heddle

#endif // HEDDLE_COMPILER_SUPPORT_CHILDPROCESS_H
