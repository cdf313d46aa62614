// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Failures of the runtime, as the compiler and its tools hand them on.

#ifndef HEDDLE_COMPILER_RUNTIMEERROR_H
#define HEDDLE_COMPILER_RUNTIMEERROR_H

#include "compiler/Support/Memory.h"
#include "runtime/heddle.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace heddle {

/// The runtime's message; success for HEDDLE_OK. One of memory says so first,
/// and nothing else where there is hardly any: then the rest is of no interest.
inline llvm::Error toError(heddle_status status, const heddle_error &error) {
  if (status == HEDDLE_OK)
    return llvm::Error::success();
  llvm::StringRef message(error.message);
  if (status != HEDDLE_OUT_OF_MEMORY || message.starts_with(kOutOfMemory))
    return llvm::createStringError(message);
  if (canMap(kScarceBytes))
    return llvm::createStringError(kOutOfMemory + llvm::Twine(": ") + message);
  return llvm::createStringError(kOutOfMemory);
}

} // namespace heddle

#endif // HEDDLE_COMPILER_RUNTIMEERROR_H
