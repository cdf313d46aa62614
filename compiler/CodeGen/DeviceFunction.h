// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_CODEGEN_DEVICEFUNCTION_H
#define HEDDLE_COMPILER_CODEGEN_DEVICEFUNCTION_H

#include "compiler/Translate/OpenClText.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace heddle {

/// A function of a device, and a program that has it and may have others:
/// OpenCL C, or PTX.
struct DeviceFunction {
  std::string name;
  std::shared_ptr<const std::string> program;
};

/// One that a kernel launches: OpenCL C, or a program of PTX.
struct KernelFunction {
  std::string name;
  std::variant<OpenClText, std::string> code;
};

/// Has the module of a kernel say which functions it launches, by their
/// numbers.
void addFunctions(llvm::Module &kernel,
                  llvm::ArrayRef<KernelFunction> functions);

/// The functions that the bitcode of a kernel says it launches.
llvm::Expected<std::vector<KernelFunction>>
readFunctions(llvm::MemoryBufferRef kernel);

/// Takes their list out of a program, which is linked with them.
void removeFunctions(llvm::Module &kernel);

/// One program of OpenCL C, or one of PTX for each function.
std::vector<DeviceFunction> toPrograms(std::vector<KernelFunction> functions);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_DEVICEFUNCTION_H
