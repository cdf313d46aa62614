// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/Decompositions.h"
#include "compiler/Prepare/GenericBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace heddle {

static Values decompose(DequantizeOp op, OpBuilder &b) {
  Sizes codes = sizesOf(op.getCodes()), scales = sizesOf(op.getScales());
  int64_t axis = op.getAxis();
  int64_t group = *codes[axis].asNumber() / *scales[axis].asNumber();
  GenericBuilder g(b, op.getLoc(), codes);
  SmallVector<AffineExpr> at = g.dims(0, codes.size()), ofGroup = at;
  ofGroup[axis] = scales[axis].asNumber() == 1 ? b.getAffineConstantExpr(0)
                                               : at[axis].floorDiv(group);
  g.input(op.getCodes(), at);
  for (Value part : op.getParts())
    g.input(part, ofGroup);
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  g.result(f32);
  return {g.build([&](GenericBody &body) {
    Element code = body.input(0);
    if (op.getZeros())
      code = cast(code, i32) - cast(body.input(2), i32);
    Element value = cast(code, f32) * cast(body.input(1), f32);
    unsigned last = op.getParts().size();
    return op.getMinimums() ? value - cast(body.input(last), f32) : value;
  })};
}

// The largest magnitude of each group, divided by the largest code. Magnitudes
// are in the order of their bits, NaN above all, and integers are compared in
// one instruction.
static Value buildScales(QuantizeOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  Sizes over = sizesOf(op.getScales());
  int64_t axis = op.getAxis();
  Type f32 = b.getF32Type(), i32 = b.getI32Type();
  GenericBuilder largest(b, loc, over,
                         {SizeAttr::number(b.getContext(), op.getGroup())});
  SmallVector<AffineExpr> at = largest.dims(0, over.size());
  at[axis] = at[axis] * op.getGroup() + largest.dim(over.size());
  largest.input(op.getInput(), at);
  largest.result(i32, 0.0);
  Value magnitudes = largest.build([&](GenericBody &body) {
    Element magnitude = apply<math::AbsFOp>(cast(body.input(0), f32));
    return maximum(body.accumulator(0), bitcast(magnitude, i32));
  });
  Type type = getElementTypeOrSelf(op.getScales());
  GenericBuilder scales(b, loc, over);
  scales.input(magnitudes);
  scales.result(type);
  return scales.build([&](GenericBody &body) {
    Element magnitude = bitcast(body.input(0), f32);
    Element scale = magnitude / magnitude.constant(op.getLargest());
    Element most = scale.constant(
        APFloat::getLargest(llvm::cast<FloatType>(type).getFloatSemantics())
            .convertToDouble());
    Element isInfinite =
        scale == scale.constant(std::numeric_limits<double>::infinity());
    return cast(select(isInfinite, scale, minimum(scale, most)), type);
  });
}

static Values decompose(QuantizeOp op, OpBuilder &b) {
  Value scales = buildScales(op, b);
  Sizes over = sizesOf(op.getInput());
  Type f32 = b.getF32Type();
  GenericBuilder g(b, op.getLoc(), over);
  SmallVector<AffineExpr> at = g.dims(0, over.size()), ofGroup = at;
  ofGroup[op.getAxis()] = at[op.getAxis()].floorDiv(op.getGroup());
  g.input(op.getInput(), at);
  g.input(scales, ofGroup);
  Type type = getElementTypeOrSelf(op.getCodes());
  g.result(type);
  Value codes = g.build([&](GenericBody &body) {
    Element x = cast(body.input(0), f32), scale = cast(body.input(1), f32);
    Element least = x.constant(op.getLowest());
    Element most = x.constant(op.getLargest());
    Element code = apply<math::RoundEvenOp>(x / scale);
    Element isNone = (scale == scale.constant(0)) | isNaN(code);
    code = select(code < most, code, most);
    code = select(code > least, code, least);
    code = select(isNone, x.constant(0), code);
    return toInteger(code, type);
  });
  return {codes, scales};
}

void registerQuantizationDecompositions(MLIRContext *context) {
  attachDecompositions<DequantizeOp, QuantizeOp>(context);
}

} // namespace heddle
