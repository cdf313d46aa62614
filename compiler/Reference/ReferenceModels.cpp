// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Evaluate.h"

#include "compiler/Reference/ReferenceInterfaces.cpp.inc"

void heddle::reference::registerReferenceModels(
    mlir::DialectRegistry &registry) {
  registerAttention(registry);
  registerCaches(registry);
  registerControlFlow(registry);
  registerElementwise(registry);
  registerGeneric(registry);
  registerLayers(registry);
  registerLinear(registry);
  registerMasks(registry);
  registerMultiHeadAttention(registry);
  registerWeights(registry);
}
