// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_CODEGEN_DEVICEFUNCTION_H
#define HEDDLE_COMPILER_CODEGEN_DEVICEFUNCTION_H

#include <string>

namespace heddle {

/// A function of a device, and a program that has it: OpenCL C, or PTX.
struct DeviceFunction {
  std::string name;
  std::string code;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_DEVICEFUNCTION_H
