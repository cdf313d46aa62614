// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is made of indices, and elements of other types.

#include "compiler/Reference/ApproxTensor.h"
#include "compiler/Reference/ScalarFunctions.h"

#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;

namespace heddle::reference {

//===-- heddle.cast -------------------------------------------------------===//

// `x`, which is of type `from`, as one of type `to`.
static Scalar castTo(Type to, Type from, const Scalar &x) {
  bool isReal = isa<FloatType>(from);
  if (to.isInteger(1))
    return Scalar::of(int64_t(isReal ? x.real != 0 : x.integer != 0));
  if (isa<FloatType>(to)) {
    return Scalar::of(storeAs(to, numberOf(from, x), Rounding::Exactly).value);
  }
  unsigned width = to.getIntOrFloatBitWidth();
  if (isReal)
    return Scalar::of(toInteger(x.real, width, !to.isUnsignedInteger()));
  return Scalar::of(wrap(from.isUnsignedInteger() ? unsignedOf(from, x.integer)
                                                  : uint64_t(x.integer),
                         width));
}

static llvm::Expected<Value> evaluate(CastOp op, const Environment &values) {
  auto x = values.tensor(op.getInput());
  Type from = getElementTypeOrSelf(op.getInput()),
       to = getElementTypeOrSelf(op.getResult());
  Tensor y = Tensor::zeros(x->shape);
  for (size_t i = 0; i < y.data.size(); ++i)
    setElement(y, to, i, castTo(to, from, getElement(*x, from, i)));
  return y;
}

// An error is followed to what it may become. What f32 does not hold is
// rounded.
static Bounds boundOf(CastOp op, const ErrorBounds &errors,
                      const Environment &values, const Tensor &result) {
  auto x = values.tensor(op.getInput());
  Type from = getElementTypeOrSelf(op.getInput()),
       to = getElementTypeOrSelf(op.getResult());
  Bounds bounds;
  for (auto [i, value] : llvm::enumerate(result.data)) {
    double error = errors.at(op.getInput(), i), bound = 0;
    for (double move : {-error, error}) {
      Scalar moved = getElement(*x, from, i);
      moved.real += move;
      moved.integer += int64_t(move);
      Scalar other = castTo(to, from, moved);
      double difference = std::abs(numberOf(to, other) - value);
      bound = std::max(bound, std::isnan(difference) ? 0 : difference);
    }
    if (to.isF32() && !from.isF32())
      bound += std::abs(value - double(float(value)));
    if (isa<FloatType>(to))
      bound = storeAs(to, {x->data[i], bound}, errors.getRounding()).error;
    bounds.push_back(bound);
  }
  return bounds;
}

//===-- heddle.scatter ----------------------------------------------------===//

namespace {
/// The updates of each element of a scatter's input, in order.
struct Updates {
  std::vector<SmallVector<int64_t, 1>> of;

  Updates(ScatterOp op, const Environment &values) {
    ArrayRef<int64_t> shape = values[op.getInput()].shape();
    auto indices = values.tensor(op.getIndices());
    int64_t axis = op.getAxis(), numbers = op.getCoordinates().value_or(1);
    ArrayRef<int64_t> extents = shape.slice(axis, numbers);
    int64_t before = llvm::product_of(shape.take_front(axis));
    int64_t after = llvm::product_of(shape.drop_front(axis + numbers));
    int64_t places = llvm::product_of(extents);
    int64_t count = int64_t(indices->data.size()) / numbers;
    of.resize(before * places * after);
    for (int64_t j = 0; j < count; ++j) {
      int64_t place = 0;
      bool isInside = true;
      for (auto [number, extent] : llvm::enumerate(extents)) {
        int64_t index = indices->integer(j * numbers + int64_t(number));
        if (op.getWrap() && index < 0)
          index += extent;
        isInside &= index >= 0 && index < extent;
        place = place * extent + index;
      }
      for (int64_t a = 0; isInside && a < before; ++a)
        for (int64_t c = 0; c < after; ++c)
          of[(a * places + place) * after + c].push_back(
              (a * count + j) * after + c);
    }
  }
};
} // namespace

static Approx combine(ScatterKind kind, Approx old, ArrayRef<Approx> updates) {
  Sum sum;
  sum.add(old);
  for (Approx update : updates) {
    sum.add(update);
    old = kind == ScatterKind::Max   ? maximum(old, update)
          : kind == ScatterKind::Min ? minimum(old, update)
                                     : update;
  }
  return kind == ScatterKind::Add && !updates.empty() ? sum.result() : old;
}

static int64_t combine(ScatterKind kind, int64_t old, ArrayRef<int64_t> updates,
                       Type type) {
  auto less = [&](int64_t x, int64_t y) { return isLess(type, x, y); };
  for (int64_t update : updates)
    old = kind == ScatterKind::Add   ? int64_t(uint64_t(old) + uint64_t(update))
          : kind == ScatterKind::Max ? std::max(old, update, less)
          : kind == ScatterKind::Min ? std::min(old, update, less)
                                     : update;
  return old;
}

// y = x; for each b.. in order:
// y[a.., ids[b..], c..] = f(y[a.., ids[b..], c..], updates[a.., b.., c..])
static ApproxTensor scatterReals(ScatterOp op, const Operands &operands) {
  ApproxTensor y = operands[op.getInput()];
  ApproxTensor updates = operands[op.getUpdates()];
  for (auto [element, own] :
       llvm::zip_equal(y.data, Updates(op, operands.values).of))
    element = combine(
        op.getKind(), element,
        llvm::map_to_vector(own, [&](int64_t i) { return updates.data[i]; }));
  return y;
}

static Tensor scatterIntegers(ScatterOp op, const Environment &values) {
  auto x = values.tensor(op.getInput()),
       updates = values.tensor(op.getUpdates());
  Type type = getElementTypeOrSelf(op.getResult());
  Tensor y = *x;
  for (auto [i, own] : llvm::enumerate(Updates(op, values).of)) {
    int64_t result =
        combine(op.getKind(), x->integer(i),
                llvm::map_to_vector(
                    own, [&](int64_t u) { return updates->integer(u); }),
                type);
    setElement(
        y, type, i,
        Scalar::of(type.isInteger(1)
                       ? result
                       : wrap(uint64_t(result), type.getIntOrFloatBitWidth())));
  }
  return y;
}

static llvm::Expected<Results> evaluate(ScatterOp op,
                                        const Environment &values) {
  if (isa<FloatType>(getElementTypeOrSelf(op.getResult())))
    return valuesOf(op, scatterReals(op, {values, nullptr}));
  return Results{scatterIntegers(op, values)};
}

namespace {
struct BoundedScatter
    : ErrorBoundOpInterface::ExternalModel<BoundedScatter, ScatterOp> {
  SmallVector<Bounds> boundErrors(Operation *operation,
                                  const ErrorBounds &errors,
                                  const Environment &values,
                                  ArrayRef<Value> results) const {
    auto op = cast<ScatterOp>(operation);
    bool isReal = isa<FloatType>(getElementTypeOrSelf(op.getResult()));
    bool isKnown = errors.of(op.getIndices()).empty();
    if (isReal && isKnown)
      return boundsOf(op, scatterReals(op, {values, &errors}),
                      errors.getRounding());
    bool isExact = isKnown && errors.of(op.getInput()).empty() &&
                   errors.of(op.getUpdates()).empty();
    return isExact ? SmallVector<Bounds>(1) : unknownBounds(results);
  }
};
} // namespace

//===-- heddle.iota, heddle.one_hot ---------------------------------------===//

// iota()[i_0, i_1, ..] = i_axis
static llvm::Expected<Value> evaluate(IotaOp op, const Environment &values) {
  SmallVector<int64_t> shape;
  for (SizeAttr size : toSizes(op.getSizes())) {
    llvm::Expected<int64_t> extent = values.evaluate(op, size);
    if (!extent)
      return extent.takeError();
    shape.push_back(*extent);
  }
  int64_t stride =
      llvm::product_of(ArrayRef(shape).drop_front(op.getAxis() + 1));
  Type type = getElementTypeOrSelf(op.getResult());
  Type integer = IntegerType::get(op.getContext(), 64);
  Tensor y = Tensor::zeros(shape);
  for (size_t i = 0; i < y.data.size(); ++i) {
    int64_t index = int64_t(i) / stride % shape[op.getAxis()];
    setElement(y, type, i, castTo(type, integer, Scalar::of(index)));
  }
  return y;
}

// one_hot(ids)[a.., i] = ids[a..] == i ? 1 : 0
static llvm::Expected<Value> evaluate(OneHotOp op, const Environment &values) {
  llvm::Expected<int64_t> depth = values.evaluate(op, op.getDepth());
  if (!depth)
    return depth.takeError();
  auto ids = values.tensor(op.getIndices());
  SmallVector<int64_t> shape(ids->shape);
  shape.push_back(*depth);
  Type type = getElementTypeOrSelf(op.getResult());
  Tensor y = Tensor::zeros(shape);
  for (size_t i = 0; i < y.data.size(); ++i) {
    int64_t id = ids->integer(i / *depth);
    if (op.getWrap() && id < 0)
      id += *depth;
    bool isThere = id == int64_t(i) % *depth;
    setElement(y, type, i, Scalar{double(isThere), int64_t(isThere), 0});
  }
  return y;
}

// Where the index is off, either may be.
static Bounds boundOf(OneHotOp op, const ErrorBounds &errors,
                      const Environment &, const Tensor &result) {
  if (errors.of(op.getIndices()).empty())
    return {};
  Bounds bounds;
  for (size_t i = 0; i < result.data.size(); ++i)
    bounds.push_back(
        errors.at(op.getIndices(), i / result.channels()) == 0 ? 0 : 1);
  return bounds;
}

void registerIndexing(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attach<Formula, CastOp, ScatterOp, IotaOp, OneHotOp>(context);
    attach<Bounded, CastOp, OneHotOp>(context);
    attach<Exact, IotaOp>(context);
    ScatterOp::attachInterface<BoundedScatter>(*context);
  });
}

} // namespace heddle::reference
