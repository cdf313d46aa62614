// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops along dimensions of a tensor.

#include "compiler/Reference/ApproxTensor.h"
#include "compiler/Reference/ScalarFunctions.h"

#include "mlir/IR/TypeUtilities.h"

#include <cmath>
#include <numeric>

using namespace mlir;

namespace heddle::reference {

//===-- Lines -------------------------------------------------------------===//

namespace {
/// The elements of a tensor that differ in some dimensions alone, for each
/// combination of the others. Both are in the order of the dimensions.
class Lines {
public:
  Lines(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes) {
    first = {0}, along = {0};
    int64_t stride = llvm::product_of(shape);
    for (auto [dim, size] : llvm::enumerate(shape)) {
      stride = size ? stride / size : 0;
      bool isReduced = llvm::is_contained(axes, int64_t(dim));
      std::vector<int64_t> &places = isReduced ? along : first;
      std::vector<int64_t> next;
      for (int64_t place : places)
        for (int64_t i = 0; i < size; ++i)
          next.push_back(place + i * stride);
      places = std::move(next);
    }
  }

  int64_t count() const { return int64_t(first.size()); }
  int64_t length() const { return int64_t(along.size()); }
  int64_t place(int64_t line, int64_t i) const {
    return first[line] + along[i];
  }

  template <typename T>
  SmallVector<T> of(const std::vector<T> &data, int64_t line) const {
    SmallVector<T> elements;
    for (int64_t i = 0; i < length(); ++i)
      elements.push_back(data[place(line, i)]);
    return elements;
  }

private:
  std::vector<int64_t> first; ///< where each line begins
  std::vector<int64_t> along; ///< and its elements, from there
};
} // namespace

// Without the axes, or with them as 1.
static SmallVector<int64_t> reducedShape(ArrayRef<int64_t> shape,
                                         ArrayRef<int64_t> axes, bool keep) {
  SmallVector<int64_t> result;
  for (auto [dim, size] : llvm::enumerate(shape))
    if (!llvm::is_contained(axes, int64_t(dim)))
      result.push_back(size);
    else if (keep)
      result.push_back(1);
  return result;
}

static bool isReal(mlir::Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value));
}

// Integers that are made of what is off may be anything.
static SmallVector<Bounds> boundsOfIntegers(Operation *op,
                                            const ErrorBounds &errors,
                                            ArrayRef<Value> results) {
  bool isExact = llvm::all_of(op->getOperands(), [&](mlir::Value operand) {
    return errors.of(operand).empty();
  });
  return isExact ? SmallVector<Bounds>(results.size()) : unknownBounds(results);
}

//===-- heddle.reduce -----------------------------------------------------===//

// The largest element, or 0 where that is no number.
static Approx finiteMaximum(ArrayRef<Approx> x) {
  Approx largest = maximumOf(x);
  return std::isinf(largest.value) ? Approx() : largest;
}

static Approx reduceReals(ReductionKind kind, ArrayRef<Approx> x) {
  Sum sum;
  switch (kind) {
  case ReductionKind::Sum:
  case ReductionKind::Mean:
    for (Approx element : x)
      sum.add(element);
    return kind == ReductionKind::Sum
               ? sum.result()
               : sum.result() / Approx::constant(double(x.size()));
  case ReductionKind::Product:
    return std::accumulate(x.begin(), x.end(), Approx(1), std::multiplies<>());
  case ReductionKind::Max:
    return maximumOf(x);
  case ReductionKind::Min:
    return -maximumOf(llvm::map_to_vector(x, std::negate<>()));
  case ReductionKind::L2:
    for (Approx element : x)
      sum.add(element * element);
    return sqrt(sum.result());
  case ReductionKind::LogSumExp: {
    Approx shift = finiteMaximum(x);
    for (Approx element : x)
      sum.add(exp(element - shift));
    return log(sum.result()) + shift;
  }
  case ReductionKind::Any:
  case ReductionKind::All:
    break;
  }
  llvm_unreachable("those of truth values are no floats");
}

static int64_t reduceIntegers(ReductionKind kind, ArrayRef<int64_t> x,
                              Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  bool isFlag = width == 1;
  auto less = [&](int64_t x, int64_t y) { return isLess(type, x, y); };
  int64_t highest = isNeverNegative(type) ? int64_t(llvm::maxUIntN(width))
                                          : llvm::maxIntN(width);
  int64_t lowest = isNeverNegative(type) ? 0 : llvm::minIntN(width);
  uint64_t result = kind == ReductionKind::Product ? 1
                    : kind == ReductionKind::Max   ? lowest
                    : kind == ReductionKind::Min   ? highest
                    : kind == ReductionKind::All   ? 1
                                                   : 0;
  for (int64_t element : x)
    switch (kind) {
    case ReductionKind::Sum:
      result += uint64_t(element);
      break;
    case ReductionKind::Product:
      result *= uint64_t(element);
      break;
    case ReductionKind::Max:
      result = std::max(int64_t(result), element, less);
      break;
    case ReductionKind::Min:
      result = std::min(int64_t(result), element, less);
      break;
    case ReductionKind::Any:
      result |= uint64_t(element);
      break;
    case ReductionKind::All:
      result &= uint64_t(element);
      break;
    default:
      llvm_unreachable("others are of floats");
    }
  return isFlag ? int64_t(result) : wrap(result, width);
}

static SmallVector<int64_t> integersOf(const Tensor &tensor, const Lines &lines,
                                       int64_t line) {
  SmallVector<int64_t> elements;
  for (int64_t i = 0; i < lines.length(); ++i)
    elements.push_back(tensor.integer(lines.place(line, i)));
  return elements;
}

static ApproxTensor reduceReals(ReduceOp op, const Operands &operands) {
  ApproxTensor x = operands[op.getInput()];
  Lines lines(x.shape, op.getAxes());
  ApproxTensor y = ApproxTensor::ofShape(
      reducedShape(x.shape, op.getAxes(), op.getKeepSizes()));
  for (auto [line, element] : llvm::enumerate(y.data))
    element = reduceReals(op.getKind(), lines.of(x.data, int64_t(line)));
  return y;
}

static Tensor reduceIntegers(ReduceOp op, const Environment &values) {
  auto x = values.tensor(op.getInput());
  Lines lines(x->shape, op.getAxes());
  Type type = getElementTypeOrSelf(op.getResult());
  Tensor y =
      Tensor::zeros(reducedShape(x->shape, op.getAxes(), op.getKeepSizes()));
  for (size_t line = 0; line < y.data.size(); ++line)
    setElement(y, type, line,
               Scalar::of(reduceIntegers(
                   op.getKind(), integersOf(*x, lines, int64_t(line)), type)));
  return y;
}

//===-- heddle.cumulative_sum ---------------------------------------------===//

// cumulative_sum(x)[.., i, ..] = sum over j <= i of x[.., j, ..]
template <typename Add, typename Store>
static void sumAlong(CumulativeSumOp op, int64_t length, Add add, Store store) {
  for (int64_t step = 0; step < length; ++step) {
    int64_t i = op.getReverse() ? length - 1 - step : step;
    if (!op.getExclusive())
      add(i);
    store(i);
    if (op.getExclusive())
      add(i);
  }
}

static ApproxTensor sumReals(CumulativeSumOp op, const Operands &operands) {
  ApproxTensor x = operands[op.getInput()], y = x;
  Lines lines(x.shape, int64_t(op.getAxis()));
  for (int64_t line = 0; line < lines.count(); ++line) {
    Sum sum;
    sumAlong(
        op, lines.length(),
        [&](int64_t i) { sum.add(x.data[lines.place(line, i)]); },
        [&](int64_t i) { y.data[lines.place(line, i)] = sum.result(); });
  }
  return y;
}

static Tensor sumIntegers(CumulativeSumOp op, const Environment &values) {
  auto x = values.tensor(op.getInput());
  Lines lines(x->shape, int64_t(op.getAxis()));
  Type type = getElementTypeOrSelf(op.getResult());
  Tensor y = Tensor::zeros(x->shape);
  for (int64_t line = 0; line < lines.count(); ++line) {
    uint64_t sum = 0;
    sumAlong(
        op, lines.length(),
        [&](int64_t i) { sum += uint64_t(x->integer(lines.place(line, i))); },
        [&](int64_t i) {
          setElement(y, type, lines.place(line, i),
                     Scalar::of(wrap(sum, type.getIntOrFloatBitWidth())));
        });
  }
  return y;
}

//===-- Models of both ----------------------------------------------------===//

static ApproxTensor computeReals(ReduceOp op, const Operands &operands) {
  return reduceReals(op, operands);
}
static ApproxTensor computeReals(CumulativeSumOp op, const Operands &operands) {
  return sumReals(op, operands);
}
static Tensor computeIntegers(ReduceOp op, const Environment &values) {
  return reduceIntegers(op, values);
}
static Tensor computeIntegers(CumulativeSumOp op, const Environment &values) {
  return sumIntegers(op, values);
}

namespace {
/// Of an op that takes floats and integers.
template <typename Op>
struct Numbers : ReferenceOpInterface::ExternalModel<Numbers<Op>, Op> {
  llvm::Expected<Results> run(Operation *op, Evaluator &,
                              Environment &values) const {
    if (isReal(op->getResult(0)))
      return valuesOf(op, computeReals(cast<Op>(op), {values, nullptr}));
    return Results{computeIntegers(cast<Op>(op), values)};
  }
};

template <typename Op>
struct BoundedNumbers
    : ErrorBoundOpInterface::ExternalModel<BoundedNumbers<Op>, Op> {
  SmallVector<Bounds> boundErrors(Operation *op, const ErrorBounds &errors,
                                  const Environment &values,
                                  ArrayRef<Value> results) const {
    if (isReal(op->getResult(0)))
      return boundsOf(op, computeReals(cast<Op>(op), {values, &errors}),
                      errors.getRounding());
    return boundsOfIntegers(op, errors, results);
  }
};
} // namespace

//===-- heddle.softmax, heddle.log_softmax --------------------------------===//

static llvm::Expected<ApproxTensors> compute(SoftmaxOp op,
                                             const Operands &operands) {
  ApproxTensor y = operands[op.getInput()];
  Lines lines(y.shape, int64_t(op.getAxis()));
  for (int64_t line = 0; line < lines.count(); ++line) {
    SmallVector<Approx> x = lines.of(y.data, line);
    softmax(x);
    for (auto [i, element] : llvm::enumerate(x))
      y.data[lines.place(line, int64_t(i))] = element;
  }
  return ApproxTensors{y};
}

// (x[.., i, ..] - m) - log(sum over j of exp(x[.., j, ..] - m))
static llvm::Expected<ApproxTensors> compute(LogSoftmaxOp op,
                                             const Operands &operands) {
  ApproxTensor y = operands[op.getInput()];
  Lines lines(y.shape, int64_t(op.getAxis()));
  for (int64_t line = 0; line < lines.count(); ++line) {
    SmallVector<Approx> x = lines.of(y.data, line);
    Approx largest = maximumOf(x);
    Sum sum;
    for (Approx element : x)
      sum.add(exp(element - largest));
    Approx logarithm = log(sum.result());
    for (auto [i, element] : llvm::enumerate(x))
      y.data[lines.place(line, int64_t(i))] = (element - largest) - logarithm;
  }
  return ApproxTensors{y};
}

//===-- heddle.arg_reduce, heddle.top_k -----------------------------------===//

// Whether element i of a tensor comes before element j: it is larger, or NaN.
static bool isBefore(ExtremumKind kind, Type type, const Tensor &x, int64_t i,
                     int64_t j) {
  bool isMax = kind == ExtremumKind::Max;
  if (!isa<FloatType>(type))
    return isMax ? isLess(type, x.integer(j), x.integer(i))
                 : isLess(type, x.integer(i), x.integer(j));
  if (std::isnan(x.data[i]) || std::isnan(x.data[j]))
    return std::isnan(x.data[i]) && !std::isnan(x.data[j]);
  return isMax ? x.data[i] > x.data[j] : x.data[i] < x.data[j];
}

// The numbers of a line's elements in that order; of equal ones the first comes
// first.
static SmallVector<int64_t> orderOf(ExtremumKind kind, Type type,
                                    const Tensor &x, const Lines &lines,
                                    int64_t line) {
  SmallVector<int64_t> order(lines.length());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
    return isBefore(kind, type, x, lines.place(line, i), lines.place(line, j));
  });
  return order;
}

static llvm::Expected<Value> evaluate(ArgReduceOp op,
                                      const Environment &values) {
  auto x = values.tensor(op.getInput());
  auto axis = int64_t(op.getAxis());
  Lines lines(x->shape, axis);
  Tensor y = Tensor::zeros(reducedShape(x->shape, axis, op.getKeepSizes()));
  for (int64_t line = 0; line < lines.count(); ++line) {
    SmallVector<int64_t> order = orderOf(
        op.getKind(), getElementTypeOrSelf(op.getInput()), *x, lines, line);
    setElement(y, getElementTypeOrSelf(op.getResult()), line,
               Scalar::of(order.empty() ? 0 : order.front()));
  }
  return y;
}

static llvm::Expected<Results> evaluate(TopKOp op, const Environment &values) {
  auto x = values.tensor(op.getInput());
  auto axis = int64_t(op.getAxis());
  llvm::Expected<int64_t> k = values.evaluate(op, op.getK());
  if (!k)
    return k.takeError();
  if (x->shape[axis] < *k)
    return fail(op, "expected at least " + Twine(*k) + " elements, found " +
                        Twine(x->shape[axis]));
  SmallVector<int64_t> shape(x->shape);
  shape[axis] = *k;
  Lines from(x->shape, axis), to(shape, axis);
  Tensor chosen = Tensor::zeros(shape), indices = chosen;
  Type type = getElementTypeOrSelf(op.getInput());
  auto kind = op.getSmallest() ? ExtremumKind::Min : ExtremumKind::Max;
  for (int64_t line = 0; line < from.count(); ++line) {
    SmallVector<int64_t> order = orderOf(kind, type, *x, from, line);
    for (int64_t j = 0; j < *k; ++j) {
      int64_t place = to.place(line, j);
      setElement(chosen, type, place,
                 getElement(*x, type, from.place(line, order[j])));
      setElement(indices, getElementTypeOrSelf(op.getIndices()), place,
                 Scalar::of(order[j]));
    }
  }
  return Results{chosen, indices};
}

namespace {
struct BoundedArgument
    : ErrorBoundOpInterface::ExternalModel<BoundedArgument, ArgReduceOp> {
  SmallVector<Bounds> boundErrors(Operation *op, const ErrorBounds &errors,
                                  const Environment &,
                                  ArrayRef<Value> results) const {
    return boundsOfIntegers(op, errors, results);
  }
};

/// Numbers in order are off by no more than the numbers are.
struct BoundedTopK : ErrorBoundOpInterface::ExternalModel<BoundedTopK, TopKOp> {
  SmallVector<Bounds> boundErrors(Operation *op, const ErrorBounds &errors,
                                  const Environment &,
                                  ArrayRef<Value> results) const {
    SmallVector<Bounds> bounds = boundsOfIntegers(op, errors, results);
    ArrayRef<double> own = errors.of(cast<TopKOp>(op).getInput());
    if (!own.empty())
      llvm::fill(bounds[0], *llvm::max_element(own));
    return bounds;
  }
};
} // namespace

void registerReductions(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attach<Numbers, ReduceOp, CumulativeSumOp>(context);
    attach<BoundedNumbers, ReduceOp, CumulativeSumOp>(context);
    attachComputed<SoftmaxOp, LogSoftmaxOp>(context);
    attach<Formula, ArgReduceOp, TopKOp>(context);
    ArgReduceOp::attachInterface<BoundedArgument>(*context);
    TopKOp::attachInterface<BoundedTopK>(*context);
  });
}

} // namespace heddle::reference
