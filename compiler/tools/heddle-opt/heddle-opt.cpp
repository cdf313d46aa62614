// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs any pass of the compiler on MLIR text; for the lit tests.

#include "compiler/Pipeline.h"
#include "compiler/Support/Files.h"
#include "compiler/Support/ModuleFile.h"
#include "compiler/tools/common/Outputs.h"
#include "compiler/tools/common/Tool.h"
#include "compiler/tools/common/ToolMain.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace heddle;

static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readInput(llvm::StringRef name) {
  if (name != "-")
    return readModuleText(name);
  auto buffer = llvm::MemoryBuffer::getSTDIN();
  if (!buffer)
    return systemError(buffer.getError(),
                       "standard input: " + buffer.getError().message());
  if (llvm::Error error = checkModuleText((*buffer)->getBuffer(), "<stdin>"))
    return error;
  return std::move(*buffer);
}

static llvm::Error run(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "heddle optimizer driver\n", registry);
  auto buffer = readInput(input);
  if (!buffer)
    return buffer.takeError();
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  bool isDone = mlir::succeeded(
      mlir::MlirOptMain(stream, std::move(*buffer), registry, config));
  // A file is replaced by what is whole. Diagnostics have said what is not.
  if (isDone || output == "-")
    if (llvm::Error error = writeFile(output, text))
      return error;
  return isDone ? llvm::Error::success() : llvm::createStringError("");
}

int heddle_tool_main(int argc, char **argv) {
  startTool("heddle-opt");
  registerPasses();
  return finishTool(run(argc, argv));
}
