// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Failures of the runtime, as the compiler and its tools hand them on.

#ifndef HEDDLE_COMPILER_RUNTIMEERROR_H
#define HEDDLE_COMPILER_RUNTIMEERROR_H

#include "runtime/heddle.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace heddle {

/// The runtime's message; success for HEDDLE_OK.
inline llvm::Error toError(heddle_status status, const heddle_error &error) {
  if (status == HEDDLE_OK)
    return llvm::Error::success();
  return llvm::createStringError(llvm::Twine(error.message));
}

} // namespace heddle

#endif // HEDDLE_COMPILER_RUNTIMEERROR_H
