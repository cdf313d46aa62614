// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Evaluate.h"

#include "compiler/Reference/ReferenceInterfaces.cpp.inc"

void heddle::reference::registerReferenceModels(
    mlir::DialectRegistry &registry) {
  registerAttention(registry);
  registerCaches(registry);
  registerControlFlow(registry);
  registerConvolution(registry);
  registerDropout(registry);
  registerElementwise(registry);
  registerExperts(registry);
  registerGeneric(registry);
  registerIndexing(registry);
  registerLayers(registry);
  registerLinear(registry);
  registerLinearAttention(registry);
  registerMasks(registry);
  registerMultiHeadAttention(registry);
  registerNorms(registry);
  registerPositions(registry);
  registerProducts(registry);
  registerQuantization(registry);
  registerRecurrent(registry);
  registerReductions(registry);
  registerSampling(registry);
  registerScores(registry);
  registerShapes(registry);
  registerWeights(registry);
}
