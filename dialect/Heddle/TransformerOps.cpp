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

// What a cache is given with. Stacks have no `layer`.
template <typename Op> static LogicalResult verifyCache(Op op, bool hasLayer) {
  bool hasCache = bool(op.getCache());
  if (hasCache == bool(op.getStarts()) && hasCache == bool(op.getLengths()) &&
      hasCache == hasLayer)
    return success();
  return op.emitOpError("expected a cache with what appends to it, or neither");
}

template <typename Op>
static LogicalResult inferTypes(typename Op::Adaptor adaptor,
                                SmallVectorImpl<Type> &results) {
  results.push_back(adaptor.getInput().getType());
  if (adaptor.getCache())
    results.push_back(adaptor.getCache().getType());
  return success();
}

//===-- Layers ------------------------------------------------------------===//

LogicalResult EncoderLayerOp::verify() {
  // C3
  return failure(failed(verifyOptions(*this)) ||
                 failed(verifyCache(*this, getLayer().has_value())));
}

LogicalResult EncoderLayerOp::verifyRegions() {
  // C4
  return verifyRegion(*this, "score", getScore(), getScoreOperands(), 1, 4);
}

LogicalResult EncoderLayerOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location>,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &results) {
  return inferTypes<EncoderLayerOp>(adaptor, results);
}

LogicalResult DecoderLayerOp::verify() {
  // C3
  return failure(failed(verifyOptions(*this)) ||
                 failed(verifyCache(*this, getLayer().has_value())));
}

LogicalResult DecoderLayerOp::verifyRegions() {
  // C4
  return failure(failed(verifyRegion(*this, "score", getScore(),
                                     getScoreOperands(), 1, 4)) ||
                 failed(verifyRegion(*this, "memory_score", getMemoryScore(),
                                     getMemoryScoreOperands(), 1, 4)));
}

LogicalResult DecoderLayerOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location>,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &results) {
  return inferTypes<DecoderLayerOp>(adaptor, results);
}

//===-- Stacks ------------------------------------------------------------===//

LogicalResult EncoderOp::verify() {
  // C3, C4
  return failure(failed(verifyOptions(*this)) ||
                 failed(verifyLayers(*this, getLayers())) ||
                 failed(verifyCache(*this, bool(getCache()))));
}

LogicalResult EncoderOp::verifyRegions() {
  // C5
  return verifyRegion(*this, "score", getScore(), getScoreOperands(), 1, 4);
}

LogicalResult EncoderOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location>,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &results) {
  return inferTypes<EncoderOp>(adaptor, results);
}

LogicalResult DecoderOp::verify() {
  // C3, C4
  return failure(failed(verifyOptions(*this)) ||
                 failed(verifyLayers(*this, getLayers())) ||
                 failed(verifyCache(*this, bool(getCache()))));
}

LogicalResult DecoderOp::verifyRegions() {
  // C5
  return failure(failed(verifyRegion(*this, "score", getScore(),
                                     getScoreOperands(), 1, 4)) ||
                 failed(verifyRegion(*this, "memory_score", getMemoryScore(),
                                     getMemoryScoreOperands(), 1, 4)));
}

LogicalResult DecoderOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location>,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &results) {
  return inferTypes<DecoderOp>(adaptor, results);
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

LogicalResult EncoderDecoderOp::verifyRegions() {
  // C6
  return failure(failed(verifyRegion(*this, "source_score", getSourceScore(),
                                     getSourceScoreOperands(), 1, 4)) ||
                 failed(verifyRegion(*this, "target_score", getTargetScore(),
                                     getTargetScoreOperands(), 1, 4)) ||
                 failed(verifyRegion(*this, "memory_score", getMemoryScore(),
                                     getMemoryScoreOperands(), 1, 4)));
}
