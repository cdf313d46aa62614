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
/// Makes `path` a program that continues token ids with the model `prefix`, or
/// text where the object has the files of a tokenizer (embedFiles), so many.
/// Needs `cc`.
llvm::Error linkExecutable(llvm::StringRef path, llvm::StringRef object,
                           llvm::StringRef prefix, size_t files);

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_COMMON_LINK_H
