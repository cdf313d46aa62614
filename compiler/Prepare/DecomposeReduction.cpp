// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/Decompositions.h"
#include "compiler/Prepare/GenericBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace heddle {

static Type elementOf(Value value) { return getElementTypeOrSelf(value); }

namespace {

/// A value with some axes, which are reduced: in the reductions' results they
/// have the size 1.
class AxisReduction {
public:
  AxisReduction(OpBuilder &b, Location loc, Value input, ArrayRef<int64_t> axes)
      : b(b), loc(loc), input(input), axes(axes), sizes(sizesOf(input)),
        type(accumulatorOf(input)) {}

  Type accumulatorType() const { return type; }

  /// The number of elements that become one.
  SizeAttr count() const {
    Sizes reduced;
    for (int64_t axis : axes)
      reduced.push_back(sizes[axis]);
    return product(b.getContext(), reduced);
  }

  /// combine(initial, term(x))...; `shift`, if any, is a result of another
  /// reduction.
  Value reduce(
      TypedAttr initial, llvm::function_ref<Element(Element, Element)> combine,
      llvm::function_ref<Element(Element x, std::optional<Element> shift)> term,
      Value shift = nullptr) {
    Sizes over = sizes, reduced;
    SmallVector<unsigned> reducedDims(sizes.size());
    for (int64_t axis : axes) {
      reducedDims[axis] = sizes.size() + reduced.size();
      reduced.push_back(sizes[axis]);
      over[axis] = SizeAttr::number(b.getContext(), 1);
    }
    // Without axes each element is all there is.
    if (reduced.empty())
      reduced.push_back(SizeAttr::number(b.getContext(), 1));
    GenericBuilder g(b, loc, over, reduced);
    SmallVector<AffineExpr> at = g.dims(0, sizes.size());
    for (int64_t axis : axes)
      at[axis] = g.dim(reducedDims[axis]);
    g.input(input, at);
    if (shift)
      g.input(shift);
    g.result(type, initial);
    return g.build([&](GenericBody &body) {
      std::optional<Element> shiftElement;
      if (shift)
        shiftElement = body.input(1);
      return combine(body.accumulator(0),
                     term(cast(body.input(0), type), shiftElement));
    });
  }

  Value sum(llvm::function_ref<Element(Element, std::optional<Element>)> term,
            Value shift = nullptr) {
    return reduce(
        numberOf(type, 0), [](Element x, Element y) { return x + y; }, term,
        shift);
  }

  Value largest() { return reduce(lowestOf(type), maximum, itself); }

  static Element itself(Element x, std::optional<Element>) { return x; }

private:
  OpBuilder &b;
  Location loc;
  Value input;
  ArrayRef<int64_t> axes;
  Sizes sizes;
  Type type;
};

} // namespace

//===-- heddle.reduce -----------------------------------------------------===//

// The largest element, or 0 where that is no number to subtract.
static Element finite(Element largest) {
  Element infinity = Element(
      largest.builder(),
      arith::ConstantOp::create(largest.builder(), highestOf(largest.type())));
  Element magnitude = apply<math::AbsFOp>(largest);
  return select(magnitude == infinity, largest.constant(0), largest);
}

// The reduction proper, in the accumulator's type.
static Value buildReduction(OpBuilder &b, ReduceOp op, AxisReduction &axes,
                            Value shift) {
  Type type = axes.accumulatorType();
  switch (op.getKind()) {
  case ReductionKind::Sum:
  case ReductionKind::Mean:
    return axes.sum(AxisReduction::itself);
  case ReductionKind::Max:
    return axes.largest();
  case ReductionKind::Min:
    return axes.reduce(highestOf(type), minimum, AxisReduction::itself);
  case ReductionKind::Product:
    return axes.reduce(
        numberOf(type, 1), [](Element x, Element y) { return x * y; },
        AxisReduction::itself);
  case ReductionKind::L2:
    return axes.sum([](Element x, std::optional<Element>) { return x * x; });
  case ReductionKind::LogSumExp:
    return axes.sum(
        [](Element x, std::optional<Element> shift) {
          return apply<math::ExpOp>(x - finite(*shift));
        },
        shift);
  case ReductionKind::Any:
    return axes.reduce(
        numberOf(type, 0), [](Element x, Element y) { return x | y; },
        AxisReduction::itself);
  case ReductionKind::All:
    return axes.reduce(
        b.getBoolAttr(true), [](Element x, Element y) { return x & y; },
        AxisReduction::itself);
  }
  llvm_unreachable("all reductions are covered");
}

static Values decompose(ReduceOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  AxisReduction axes(b, loc, op.getInput(), op.getAxes());
  Value shift =
      op.getKind() == ReductionKind::LogSumExp ? axes.largest() : Value();
  Value reduced = buildReduction(b, op, axes, shift);
  reduced = dropAxes(b, loc, reduced, op.getAxes(), op.getKeepSizes());
  Type type = elementOf(op.getResult());
  SmallVector<Value> inputs{reduced};
  if (shift)
    inputs.push_back(dropAxes(b, loc, shift, op.getAxes(), op.getKeepSizes()));
  bool isDone = elementOf(reduced) == type;
  switch (op.getKind()) {
  case ReductionKind::Mean:
  case ReductionKind::L2:
  case ReductionKind::LogSumExp:
    break;
  default:
    if (isDone)
      return {reduced};
  }
  return {buildElementwise(
      b, loc, sizesOf(op.getResult()), inputs, type, [&](GenericBody &body) {
        Element x = body.input(0);
        if (op.getKind() == ReductionKind::Mean)
          x = x / body.size(axes.count(), x.type());
        if (op.getKind() == ReductionKind::L2)
          x = apply<math::SqrtOp>(x);
        if (op.getKind() == ReductionKind::LogSumExp)
          x = apply<math::LogOp>(x) + finite(body.input(1));
        return cast(x, type);
      })};
}

//===-- heddle.softmax ----------------------------------------------------===//

static Value buildSoftmax(OpBuilder &b, Location loc, Value input, int64_t axis,
                          bool isLogarithm) {
  AxisReduction along(b, loc, input, axis);
  Sizes sizes = sizesOf(input);
  Type type = elementOf(input), sumType = along.accumulatorType();
  Value largest = along.largest();
  auto shifted = [&](GenericBody &body) {
    return cast(body.input(0), sumType) - body.input(1);
  };
  if (isLogarithm) {
    Value sum = along.sum(
        [](Element x, std::optional<Element> shift) {
          return apply<math::ExpOp>(x - *shift);
        },
        largest);
    return buildElementwise(
        b, loc, sizes, {input, largest, sum}, type, [&](GenericBody &body) {
          Element logarithm = apply<math::LogOp>(body.input(2));
          return cast(shifted(body) - logarithm, type);
        });
  }
  Value exponentials = buildElementwise(
      b, loc, sizes, {input, largest}, sumType,
      [&](GenericBody &body) { return apply<math::ExpOp>(shifted(body)); });
  Value sum =
      AxisReduction(b, loc, exponentials, axis).sum(AxisReduction::itself);
  Value inverse = buildElementwise(
      b, loc, sizesOf(sum), sum, sumType, [&](GenericBody &body) {
        return body.input(0).constant(1) / body.input(0);
      });
  return buildElementwise(b, loc, sizes, {exponentials, inverse}, type,
                          [&](GenericBody &body) {
                            return cast(body.input(0) * body.input(1), type);
                          });
}

static Values decompose(SoftmaxOp op, OpBuilder &b) {
  return {buildSoftmax(b, op.getLoc(), op.getInput(), op.getAxis(), false)};
}

static Values decompose(LogSoftmaxOp op, OpBuilder &b) {
  return {buildSoftmax(b, op.getLoc(), op.getInput(), op.getAxis(), true)};
}

void registerReductionDecompositions(MLIRContext *context) {
  attachDecompositions<ReduceOp, SoftmaxOp, LogSoftmaxOp>(context);
}

} // namespace heddle
