// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_CODEGEN_DEVICEFUNCTION_H
#define HEDDLE_COMPILER_CODEGEN_DEVICEFUNCTION_H

#include <memory>
#include <string>

namespace heddle {

/// A function of a device, and a program that has it and may have others:
/// OpenCL C, or PTX.
struct DeviceFunction {
  std::string name;
  std::shared_ptr<const std::string> program;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_DEVICEFUNCTION_H
