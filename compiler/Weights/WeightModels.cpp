// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Weights/WeightInterfaces.h"

#include "compiler/Weights/WeightInterfaces.cpp.inc"

void heddle::registerWeightExpressions(mlir::DialectRegistry &registry) {
  registerWeightArithmetic(registry);
  registerWeightMovements(registry);
  registerWeightQuantization(registry);
}
