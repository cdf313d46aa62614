// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/LayerShapes.h"
#include "dialect/Heddle/Verification.h"

using namespace mlir;
using namespace heddle;

// C1, C2
template <typename Op> static LogicalResult verifyOptions(Op op) {
  int64_t heads = op.getHeads();
  return failure(
      failed(verifyHeads(op, heads, op.getKvHeads().value_or(heads))) ||
      failed(verifyEpsilon(op, op.getEpsilon())));
}

// C3
static LogicalResult verifyLayers(Operation *op, int64_t layers) {
  if (layers >= 1)
    return success();
  return op->emitOpError("expected at least one layer, found ") << layers;
}

LogicalResult EncoderLayerOp::verify() { return verifyOptions(*this); }

LogicalResult DecoderLayerOp::verify() { return verifyOptions(*this); }

LogicalResult EncoderOp::verify() {
  return failure(failed(verifyOptions(*this)) ||
                 failed(verifyLayers(*this, getLayers())));
}

LogicalResult DecoderOp::verify() {
  return failure(failed(verifyOptions(*this)) ||
                 failed(verifyLayers(*this, getLayers())));
}

LogicalResult EncoderDecoderOp::verify() {
  if (failed(verifyOptions(*this)) ||
      failed(verifyLayers(*this, getEncoderLayers())) ||
      failed(verifyLayers(*this, getDecoderLayers())))
    return failure();
  // C4
  RankedTensorType target = getTarget().getType(), found = getType();
  bool fits = getProjection() ? target.getShape().drop_back() ==
                                    found.getShape().drop_back()
                              : target == found;
  if (!fits)
    return emitOpError("expected a result of the type of the target, ")
           << target
           << (getProjection() ? ", but for the number of channels" : "")
           << ", found " << found;
  // C5
  if (getSoftmax() && !getProjection())
    return emitOpError("expected a projection whose softmax this is");
  return success();
}
