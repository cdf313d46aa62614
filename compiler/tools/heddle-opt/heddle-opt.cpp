// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs any pass of the compiler on MLIR text; for the lit tests.

#include "compiler/Fusion/Passes.h"
#include "compiler/Lowering/Passes.h"
#include "compiler/Schedule/Passes.h"
#include "dialect/Halide/HalideDialect.h"
#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::registerTransformsPasses();
  heddle::registerFusionPasses();
  heddle::registerLoweringPasses();
  heddle::registerSchedulePasses();
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                  mlir::math::MathDialect, heddle::HeddleDialect,
                  heddle::halide::HalideDialect>();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "heddle optimizer driver\n", registry));
}
