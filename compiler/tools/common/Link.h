// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What needs more than an object: libraries and programs, linked by the C
// compiler.

#ifndef HEDDLE_COMPILER_TOOLS_COMMON_LINK_H
#define HEDDLE_COMPILER_TOOLS_COMMON_LINK_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace heddle {

/// A static library of the file `object`, which is called `member` there.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
makeStaticLibrary(llvm::StringRef object, llvm::StringRef member);
/// Makes `path` a shared library of the file `object`, with the runtime inside.
/// Needs `cc` (or $CC).
llvm::Error linkSharedLibrary(llvm::StringRef path, llvm::StringRef object);
/// Makes `path` a program with the model `prefix`: of the file `source` of the
/// runtime's programs, compiled with `definition`, if it is not empty. The
/// object has so many files of a tokenizer (embedFiles), 0 of a program without
/// one. Needs `cc`.
llvm::Error linkExecutable(llvm::StringRef path, llvm::StringRef object,
                           llvm::StringRef prefix, llvm::StringRef source,
                           llvm::StringRef definition, size_t files);

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_COMMON_LINK_H
