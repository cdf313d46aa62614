// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs any pass of the compiler on MLIR text; for the lit tests.

#include "compiler/Pipeline.h"
#include "compiler/tools/common/Version.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  heddle::setVersionPrinter();
  heddle::registerPasses();
  mlir::DialectRegistry registry;
  heddle::registerDialects(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "heddle optimizer driver\n", registry));
}
