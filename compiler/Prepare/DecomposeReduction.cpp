// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/Decompositions.h"
#include "compiler/Prepare/GenericBuilder.h"
#include "compiler/Target/MachineModel.h"

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
        type(accumulatorOf(elementOf(input))) {}

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
    g.result(initial.getType(), initial);
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

// f(inputs...), elementwise, each broadcast to `over`.
static Value buildElementwise(OpBuilder &b, Location loc, const Sizes &over,
                              ValueRange inputs, Type type,
                              llvm::function_ref<Element(GenericBody &)> body) {
  GenericBuilder g(b, loc, over);
  for (Value input : inputs)
    g.input(input);
  g.result(type);
  return g.build(body);
}

// `value` without `axes`, which have the size 1.
static Value dropAxes(OpBuilder &b, Location loc, Value value,
                      ArrayRef<int64_t> axes, bool keep) {
  if (keep || axes.empty())
    return value;
  Sizes sizes = sizesOf(value);
  for (int64_t axis : llvm::reverse(axes))
    sizes.erase(sizes.begin() + axis);
  return SqueezeOp::create(b, loc, tensorOf(sizes, elementOf(value)), value,
                           axes);
}

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

//===-- heddle.arg_reduce -------------------------------------------------===//

// Whether `x` comes before `y`, which stands before it.
static Element isBetter(ExtremumKind kind, Element x, Element y) {
  Element isBeyond = kind == ExtremumKind::Max ? x > y : x < y;
  if (!x.isFloat())
    return isBeyond;
  return isBeyond | (isNaN(x) & !isNaN(y));
}

// What is to run `op`, if that is a device: the reference has no target.
static std::optional<DeviceModel> deviceOf(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  if (!module->hasAttr(kTargetAttr))
    return std::nullopt;
  FailureOr<MachineModel> machine = MachineModel::of(module);
  return failed(machine) ? std::nullopt : machine->device;
}

namespace {
/// The best elements along an axis, and where they are.
struct ExtremumBuilder {
  ArgReduceOp op;
  OpBuilder &b;
  unsigned axis = op.getAxis();
  Type type = elementOf(op.getInput());
  Sizes sizes = sizesOf(op.getInput());

  GenericBuilder begin(int64_t count, SizeAttr steps) {
    Sizes over = sizes;
    over[axis] = SizeAttr::number(b.getContext(), count);
    return GenericBuilder(b, op.getLoc(), over, {steps});
  }

  SmallVector<Value>
  end(GenericBuilder &g,
      llvm::function_ref<SmallVector<Element>(GenericBody &)> candidate) {
    bool isMax = op.getKind() == ExtremumKind::Max;
    g.result(type, isMax ? lowestOf(type) : highestOf(type));
    g.result(b.getI32Type(), 0);
    return g.buildAll([&](GenericBody &body) -> SmallVector<Element> {
      SmallVector<Element> next = candidate(body);
      Element best = body.accumulator(0), place = body.accumulator(1);
      Element isNew = isBetter(op.getKind(), next[0], best);
      if (next.size() > 2) // it may come before the best one
        isNew = isNew | (!isBetter(op.getKind(), best, next[0]) & next[2]);
      return {select(isNew, next[0], best), select(isNew, next[1], place)};
    });
  }

  Value ofAll() {
    unsigned rank = sizes.size();
    GenericBuilder g = begin(1, sizes[axis]);
    SmallVector<AffineExpr> at = g.dims(0, rank);
    at[axis] = g.dim(rank);
    g.input(op.getInput(), at);
    return end(g, [&](GenericBody &body) -> SmallVector<Element> {
      return {body.input(0), body.index(rank)};
    })[1];
  }

  // Threads go along strands side by side, where one would search all: what is
  // best and where it is are no reduction in any order. Strand s of n has the
  // elements s, s + n, s + 2 n and so on.
  Value ofStrands(int64_t count, int64_t steps) {
    unsigned rank = sizes.size();
    MLIRContext *context = b.getContext();
    GenericBuilder g = begin(count, SizeAttr::number(context, steps));
    SmallVector<AffineExpr> at = g.dims(0, rank);
    at[axis] = g.dim(rank) * count + g.dim(axis);
    g.input(op.getInput(), at);
    SmallVector<Value> strands =
        end(g, [&](GenericBody &body) -> SmallVector<Element> {
          Element step = body.index(rank);
          return {body.input(0),
                  step * step.constant(count) + body.index(axis)};
        });
    GenericBuilder merge = begin(1, SizeAttr::number(context, count));
    at[axis] = merge.dim(rank);
    for (Value strand : strands)
      merge.input(strand, at);
    return end(merge, [](GenericBody &body) -> SmallVector<Element> {
      return {body.input(0), body.input(1),
              body.input(1) < body.accumulator(1)};
    })[1];
  }

  Value build() {
    std::optional<int64_t> size = sizes[axis].asNumber();
    std::optional<DeviceModel> device = deviceOf(op);
    bool isLong = size && device && *size >= device->longAxis &&
                  *size % device->strands == 0;
    return isLong ? ofStrands(device->strands, *size / device->strands)
                  : ofAll();
  }
};
} // namespace

static Values decompose(ArgReduceOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  unsigned axis = op.getAxis();
  Value index = ExtremumBuilder{op, b}.build();
  index = dropAxes(b, loc, index, int64_t(axis), op.getKeepSizes());
  Type indexType = elementOf(op.getResult());
  if (indexType.isInteger(32))
    return {index};
  return {buildElementwise(
      b, loc, sizesOf(index), index, indexType,
      [&](GenericBody &body) { return cast(body.input(0), indexType); })};
}

//===-- heddle.cumulative_sum ---------------------------------------------===//

// So many elements are summed for each of them; what stands before a block of
// so many is summed once. Sums of n elements take about 64 + n / 64 steps each.
static constexpr int64_t kSumBlock = 64;

namespace {
/// What `op` says of the elements that count for another.
struct SumOrder {
  bool isExclusive, isReverse;

  Element counts(Element from, Element to) const {
    if (isReverse)
      std::swap(from, to);
    return isExclusive ? from < to : from <= to;
  }
};
} // namespace

// sum over j of x[.., j, ..], where j counts for i
static Value sumEach(OpBuilder &b, Location loc, Value input, unsigned axis,
                     Type type, SumOrder order) {
  Sizes sizes = sizesOf(input);
  unsigned rank = sizes.size();
  GenericBuilder g(b, loc, sizes, {sizes[axis]});
  SmallVector<AffineExpr> at = g.dims(0, rank);
  at[axis] = g.dim(rank);
  g.input(input, at);
  g.result(type, 0.0);
  return g.build([&](GenericBody &body) {
    Element isCounted = order.counts(body.index(rank), body.index(axis));
    Element x = cast(body.input(0), type);
    return body.accumulator(0) + select(isCounted, x, x.constant(0));
  });
}

// sum over r < 64 of x[.., 64 k + r, ..], [.., k, ..]; or, for each s < 64,
// over those r that count for it, [.., k, s, ..]
static Value sumBlocks(OpBuilder &b, Location loc, Value input, unsigned axis,
                       SizeAttr blocks, Type type,
                       std::optional<SumOrder> order) {
  SizeAttr width = SizeAttr::number(b.getContext(), kSumBlock);
  Sizes over = sizesOf(input);
  unsigned rank = over.size();
  over[axis] = blocks;
  if (order)
    over.insert(over.begin() + axis + 1, width);
  unsigned reduced = over.size();
  GenericBuilder g(b, loc, over, {width});
  g.table(input);
  g.result(type, 0.0);
  return g.build([&](GenericBody &body) {
    SmallVector<Element> point;
    for (unsigned dim = 0; dim < rank; ++dim)
      point.push_back(body.index(dim + (order && dim > axis ? 1 : 0)));
    Element place = body.index(reduced);
    point[axis] = point[axis] * place.constant(kSumBlock) + place;
    Type element = elementOf(input);
    Element x =
        cast(body.read(0, point, body.constant(numberOf(element, 0))), type);
    if (order)
      x = select(order->counts(place, body.index(axis + 1)), x, x.constant(0));
    return body.accumulator(0) + x;
  });
}

static Values decompose(CumulativeSumOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  Value input = op.getInput();
  Sizes sizes = sizesOf(input);
  unsigned axis = op.getAxis(), rank = sizes.size();
  Type type = elementOf(input), sumType = accumulatorOf(type);
  SumOrder order{op.getExclusive(), op.getReverse()};
  auto finish = [&](GenericBuilder &g,
                    llvm::function_ref<Element(GenericBody &)> sum) -> Values {
    g.result(type);
    return {g.build([&](GenericBody &body) { return cast(sum(body), type); })};
  };
  std::optional<int64_t> number = sizes[axis].asNumber();
  GenericBuilder g(b, loc, sizes);
  if (number && *number <= 2 * kSumBlock) {
    g.input(sumEach(b, loc, input, axis, sumType, order));
    return finish(g, [](GenericBody &body) { return body.input(0); });
  }
  SizeAttr one = SizeAttr::number(b.getContext(), 1);
  SizeAttr width = SizeAttr::number(b.getContext(), kSumBlock);
  SizeAttr blocks = floorDiv(sizes[axis] - one, width) + one;
  Value sums = sumBlocks(b, loc, input, axis, blocks, sumType, std::nullopt);
  Value others = sumEach(b, loc, sums, axis, sumType,
                         {/*isExclusive=*/true, order.isReverse});
  Value inside = sumBlocks(b, loc, input, axis, blocks, sumType, order);
  SmallVector<AffineExpr> at = g.dims(0, rank);
  at[axis] = g.dim(axis).floorDiv(kSumBlock);
  g.input(others, at);
  at.insert(at.begin() + axis + 1, g.dim(axis) % kSumBlock);
  g.input(inside, at);
  return finish(
      g, [](GenericBody &body) { return body.input(0) + body.input(1); });
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

//===-- heddle.top_k ------------------------------------------------------===//

// The index of the first element that comes after the one at `previous`, in
// the order of top_k; with no previous one, of the first of all.
static Value buildNext(OpBuilder &b, TopKOp op, Value previous) {
  Sizes over = sizesOf(op.getInput());
  unsigned rank = over.size();
  SizeAttr size = over.pop_back_val();
  Type type = elementOf(op.getInput());
  GenericBuilder g(b, op.getLoc(), over, {size});
  g.input(op.getInput(), g.dims(0, rank));
  if (previous)
    g.input(previous, g.dims(0, rank - 1));
  g.table(op.getInput());
  g.result(type, lowestOf(type));
  g.result(b.getI32Type(), -1);
  return g.buildAll([&](GenericBody &body) -> SmallVector<Element> {
    Element x = body.input(0), best = body.accumulator(0);
    Element at = body.index(rank - 1), bestAt = body.accumulator(1);
    Element isNew =
        (bestAt < bestAt.constant(0)) | isBetter(ExtremumKind::Max, x, best);
    if (previous) {
      SmallVector<Element> point = body.indices(rank - 1);
      point.push_back(body.input(1));
      Element before = body.read(0, point);
      Element isAfter =
          isBetter(ExtremumKind::Max, before, x) |
          ((!isBetter(ExtremumKind::Max, x, before)) & (at > body.input(1)));
      isNew = isNew & isAfter;
    }
    return {select(isNew, x, best), select(isNew, at, bestAt)};
  })[1];
}

static Values decompose(TopKOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  Sizes sizes = sizesOf(op.getIndices());
  unsigned rank = sizes.size();
  SmallVector<Value> found;
  for (unsigned k = 0; k < op.getK(); ++k)
    found.push_back(buildNext(b, op, k ? found.back() : Value()));
  GenericBuilder g(b, loc, sizes);
  for (Value index : found)
    g.input(index, g.dims(0, rank - 1));
  g.result(b.getI32Type());
  Value indices = g.build([&](GenericBody &body) {
    Element k = body.index(rank - 1), index = body.input(0);
    for (unsigned next = 1; next < found.size(); ++next)
      index = select(k == k.constant(next), body.input(next), index);
    return index;
  });
  Value values = GatherElementsOp::create(b, loc, op.getValues().getType(),
                                          op.getInput(), indices, rank - 1);
  Type indexType = elementOf(op.getIndices());
  Value typed = indices;
  if (indexType != elementOf(indices))
    typed = buildElementwise(
        b, loc, sizes, indices, indexType,
        [&](GenericBody &body) { return cast(body.input(0), indexType); });
  return {values, typed};
}

void registerReductionDecompositions(MLIRContext *context) {
  attachDecompositions<ReduceOp, ArgReduceOp, CumulativeSumOp, SoftmaxOp,
                       LogSoftmaxOp, TopKOp>(context);
}

} // namespace heddle
