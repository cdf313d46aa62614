// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_TRANSLATE_OPENCLTEXT_H
#define HEDDLE_COMPILER_TRANSLATE_OPENCLTEXT_H

#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace heddle {

/// What a kernel is in OpenCL C, without what a program begins with.
struct OpenClText {
  std::string text;
  bool hasDoubles; ///< f64, which not all devices have
};

/// A program of all `kernels`: drivers take about as long for what it begins
/// with as for a kernel.
std::string joinOpenCl(llvm::ArrayRef<OpenClText> kernels);

} // namespace heddle

#endif // HEDDLE_COMPILER_TRANSLATE_OPENCLTEXT_H
