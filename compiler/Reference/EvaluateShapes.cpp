// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops whose results are elements of their operands, each in one place or
// several: `copy(Op, const Environment &)` says which.

#include "compiler/Reference/Evaluate.h"
#include "compiler/Reference/ScalarMath.h"

#include "mlir/IR/TypeUtilities.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace heddle::reference {

using Point = SmallVector<int64_t, 6>;

namespace {
/// Where an element of a result comes from.
struct Source {
  mlir::Value operand; ///< null where it is the constant
  int64_t element = 0;
  /// The operand whose integers or truth value chose it, from an element on.
  mlir::Value chooser = nullptr;
  int64_t chooserElement = 0, chooserElements = 1;
};

/// A result.
struct Copy {
  SmallVector<int64_t> shape;
  std::vector<Source> sources;
  Scalar constant = {};
};
} // namespace

static int64_t numberOf(ArrayRef<int64_t> shape, ArrayRef<int64_t> point) {
  int64_t element = 0;
  for (auto [extent, coordinate] : llvm::zip_equal(shape, point))
    element = element * extent + coordinate;
  return element;
}

// That of `point`, of whose last dimensions those of size 1 are repeated.
static int64_t broadcastNumberOf(ArrayRef<int64_t> shape,
                                 ArrayRef<int64_t> point) {
  Point at(point.take_back(shape.size()));
  for (auto [extent, coordinate] : llvm::zip_equal(shape, at))
    coordinate = extent == 1 ? 0 : coordinate;
  return numberOf(shape, at);
}

static Copy copyEach(ArrayRef<int64_t> shape,
                     llvm::function_ref<Source(ArrayRef<int64_t>)> sourceOf) {
  Copy copy{llvm::to_vector(shape), {}};
  int64_t count = llvm::product_of(shape);
  copy.sources.reserve(count);
  Point point(shape.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    copy.sources.push_back(sourceOf(point));
    for (size_t dim = shape.size(); dim-- > 0;) {
      if (++point[dim] < shape[dim])
        break;
      point[dim] = 0;
    }
  }
  return copy;
}

static llvm::Expected<SmallVector<int64_t>>
numbersOf(Operation *op, ArrayAttr sizes, const Environment &values) {
  SmallVector<int64_t> numbers;
  for (SizeAttr size : toSizes(sizes)) {
    llvm::Expected<int64_t> number = values.evaluate(op, size);
    if (!number)
      return number.takeError();
    numbers.push_back(*number);
  }
  return numbers;
}

// Sizes of parts, which none may be less than 0 elements.
static llvm::Expected<SmallVector<int64_t>>
countsOf(Operation *op, ArrayAttr sizes, const Environment &values) {
  auto counts = numbersOf(op, sizes, values);
  if (counts)
    for (int64_t count : *counts)
      if (count < 0)
        return fail(op, "expected parts of 0 elements or more, found " +
                            Twine(count));
  return counts;
}

// The same elements in the same order.
static Copy copyInOrder(mlir::Value input, ArrayRef<int64_t> shape) {
  Copy copy{llvm::to_vector(shape), {}};
  for (int64_t i = 0; i < llvm::product_of(shape); ++i)
    copy.sources.push_back({input, i});
  return copy;
}

//===-- Dimensions --------------------------------------------------------===//

// transpose(x)[p_0, p_1, ..] = x[i_0, i_1, ..] with p_k = i_permutation[k]
static llvm::Expected<Copy> copy(TransposeOp op, const Environment &values) {
  ArrayRef<int64_t> input = values[op.getInput()].shape();
  SmallVector<int64_t> shape;
  for (int64_t dim : op.getPermutation())
    shape.push_back(input[dim]);
  return copyEach(shape, [&](ArrayRef<int64_t> p) {
    Point i(p.size());
    for (auto [k, dim] : llvm::enumerate(op.getPermutation()))
      i[dim] = p[k];
    return Source{op.getInput(), numberOf(input, i)};
  });
}

// The size in place of -1 in `shape`. Equal factors are taken out first, as
// sizes are divided: where one is 0 the others still tell it.
static int64_t inferredSize(ArrayRef<int64_t> input, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> factors(input);
  int64_t others = 1;
  for (int64_t size : shape)
    if (auto *same = llvm::find(factors, size); same != factors.end())
      factors.erase(same);
    else if (size != -1)
      others *= size;
  return others ? llvm::product_of(factors) / others : 0;
}

static llvm::Expected<Copy> copy(ReshapeOp op, const Environment &values) {
  auto shape = numbersOf(op, op.getSizes(), values);
  if (!shape)
    return shape.takeError();
  int64_t elements = llvm::product_of(values[op.getInput()].shape());
  if (auto *rest = llvm::find(*shape, -1); rest != shape->end())
    *rest = inferredSize(values[op.getInput()].shape(), *shape);
  if (llvm::Error error =
          expectSize(op, "all dimensions", elements, llvm::product_of(*shape)))
    return error;
  return copyInOrder(op.getInput(), *shape);
}

static llvm::Expected<Copy> copy(ExpandOp op, const Environment &values) {
  SmallVector<int64_t> shape(values[op.getInput()].shape());
  for (int64_t axis : op.getAxes())
    shape.insert(shape.begin() + axis, 1);
  return copyInOrder(op.getInput(), shape);
}

static llvm::Expected<Copy> copy(SqueezeOp op, const Environment &values) {
  SmallVector<int64_t> shape(values[op.getInput()].shape());
  for (int64_t axis : llvm::reverse(op.getAxes()))
    shape.erase(shape.begin() + axis);
  return copyInOrder(op.getInput(), shape);
}

static llvm::Expected<Copy> copyRepeated(Operation *op, mlir::Value input,
                                         ArrayRef<int64_t> shape,
                                         const Environment &values) {
  ArrayRef<int64_t> own = values[input].shape();
  for (auto [extent, target] :
       llvm::zip_equal(own, shape.take_back(own.size())))
    if (extent != 1 && extent != target)
      return fail(op, "expected a dimension of 1 or " + Twine(target) +
                          " elements, found " + Twine(extent));
  return copyEach(shape, [&](ArrayRef<int64_t> point) {
    return Source{input, broadcastNumberOf(own, point)};
  });
}

static llvm::Expected<Copy> copy(BroadcastOp op, const Environment &values) {
  auto shape = numbersOf(op, op.getSizes(), values);
  if (!shape)
    return shape.takeError();
  return copyRepeated(op, op.getInput(), *shape, values);
}

//===-- Parts -------------------------------------------------------------===//

// slice(x)[i_0, ..] = x[offset_0 + i_0 * step_0, ..]
static llvm::Expected<Copy> copy(SliceOp op, const Environment &values) {
  auto offsets = numbersOf(op, op.getOffsets(), values);
  if (!offsets)
    return offsets.takeError();
  auto shape = countsOf(op, op.getSizes(), values);
  if (!shape)
    return shape.takeError();
  ArrayRef<int64_t> input = values[op.getInput()].shape();
  for (auto [dim, offset, size, step] :
       llvm::zip_equal(input, *offsets, *shape, op.getSteps())) {
    int64_t last = offset + (size - 1) * step;
    if (size > 0 &&
        (std::min(offset, last) < 0 || std::max(offset, last) >= dim))
      return fail(op, "expected elements from 0 to " + Twine(dim - 1) +
                          ", found " + Twine(offset) + " to " + Twine(last));
  }
  return copyEach(*shape, [&](ArrayRef<int64_t> i) {
    Point at;
    for (auto [offset, index, step] :
         llvm::zip_equal(*offsets, i, op.getSteps()))
      at.push_back(offset + index * step);
    return Source{op.getInput(), numberOf(input, at)};
  });
}

// concat(x, y, ..)[.., i, ..] = i < n ? x[.., i, ..] : concat(y, ..)[.., i - n,
// ..]
static llvm::Expected<Copy> copy(ConcatOp op, const Environment &values) {
  unsigned axis = op.getAxis();
  SmallVector<int64_t> shape(values[op.getInputs()[0]].shape());
  for (mlir::Value input : op.getInputs().drop_front())
    shape[axis] += values[input].shape()[axis];
  return copyEach(shape, [&](ArrayRef<int64_t> point) {
    Point at(point);
    auto input = op.getInputs().begin();
    for (; at[axis] >= values[*input].shape()[axis]; ++input)
      at[axis] -= values[*input].shape()[axis];
    return Source{*input, numberOf(values[*input].shape(), at)};
  });
}

// insert(p, x, s)[.., i, ..] = p[.., i - s, ..] where that is in p, and
// x[.., i, ..] elsewhere
static llvm::Expected<Copy> copy(InsertOp op, const Environment &values) {
  ArrayRef<int64_t> shape = values[op.getTensor()].shape();
  ArrayRef<int64_t> part = values[op.getPart()].shape();
  int64_t axis = op.getAxis();
  int64_t start = values.tensor(op.getStart())->integer(0);
  return copyEach(shape, [&](ArrayRef<int64_t> i) {
    // A difference from the lowest number would wrap around.
    if (i[axis] < start || start <= i[axis] - part[axis])
      return Source{op.getTensor(), numberOf(shape, i)};
    Point at(i);
    at[axis] -= start;
    return Source{op.getPart(), numberOf(part, at)};
  });
}

// pad(x)[i_0, ..] = x[i_0 - low_0, ..] where that is in x
static llvm::Expected<Copy> copy(PadOp op, const Environment &values) {
  auto low = numbersOf(op, op.getLow(), values);
  if (!low)
    return low.takeError();
  auto high = numbersOf(op, op.getHigh(), values);
  if (!high)
    return high.takeError();
  ArrayRef<int64_t> input = values[op.getInput()].shape();
  SmallVector<int64_t> shape;
  for (auto [before, size, after] : llvm::zip_equal(*low, input, *high))
    shape.push_back(before + size + after);
  Copy copy = copyEach(shape, [&](ArrayRef<int64_t> i) {
    Point at;
    bool isInside = true;
    for (auto [index, before, size] : llvm::zip_equal(i, *low, input)) {
      at.push_back(index - before);
      isInside &= at.back() >= 0 && at.back() < size;
    }
    return isInside ? Source{op.getInput(), numberOf(input, at)} : Source{};
  });
  if (auto real = dyn_cast<FloatAttr>(op.getValue()))
    copy.constant = Scalar::of(real.getValueAsDouble());
  else
    copy.constant = Scalar::of(
        op.getValue().getType().isInteger(1)
            ? int64_t(
                  cast<IntegerAttr>(op.getValue()).getValue().getBoolValue())
            : cast<IntegerAttr>(op.getValue()).getValue().getSExtValue());
  return copy;
}

//===-- What others choose ------------------------------------------------===//

// An index of `indices`, clamped to the dimension that it is of. With `wrap`, a
// negative one counts from the end.
static int64_t indexOf(const Tensor &indices, int64_t element, int64_t size,
                       bool wrap) {
  int64_t index = indices.integer(element);
  if (wrap && index < 0)
    index += size;
  return std::clamp<int64_t>(index, 0, size - 1);
}

// gather(x, ids)[a.., b.., c..] = x[a.., ids[b..], c..], or
// x[a.., ids[b.., 0], .., ids[b.., m - 1], c..]
static llvm::Expected<Copy> copy(GatherOp op, const Environment &values) {
  ArrayRef<int64_t> input = values[op.getInput()].shape();
  auto ids = values.tensor(op.getIndices());
  int64_t axis = op.getAxis(), count = op.getCoordinates().value_or(1);
  ArrayRef<int64_t> chosen(ids->shape);
  if (op.getCoordinates())
    chosen = chosen.drop_back();
  SmallVector<int64_t> shape(input.take_front(axis));
  llvm::append_range(shape, chosen);
  llvm::append_range(shape, input.drop_front(axis + count));
  return copyEach(shape, [&](ArrayRef<int64_t> point) {
    int64_t first = numberOf(chosen, point.slice(axis, chosen.size())) * count;
    Point at(point.take_front(axis));
    for (int64_t number = 0; number < count; ++number)
      at.push_back(
          indexOf(*ids, first + number, input[axis + number], op.getWrap()));
    llvm::append_range(at, point.drop_front(axis + chosen.size()));
    return Source{op.getInput(), numberOf(input, at), op.getIndices(), first,
                  count};
  });
}

// gather_elements(x, ids)[a.., b, c..] = x[a.., ids[a.., b, c..], c..]
static llvm::Expected<Copy> copy(GatherElementsOp op,
                                 const Environment &values) {
  ArrayRef<int64_t> input = values[op.getInput()].shape();
  auto ids = values.tensor(op.getIndices());
  return copyEach(ids->shape, [&](ArrayRef<int64_t> point) {
    int64_t id = numberOf(ids->shape, point);
    Point at(point);
    at[op.getAxis()] = indexOf(*ids, id, input[op.getAxis()], op.getWrap());
    return Source{op.getInput(), numberOf(input, at), op.getIndices(), id};
  });
}

// where(c, x, y)[i..] = c[i..] ? x[i..] : y[i..]
static llvm::Expected<Copy> copy(WhereOp op, const Environment &values) {
  auto condition = values.tensor(op.getCondition());
  SmallVector<int64_t> shape;
  for (mlir::Value operand : op->getOperands()) {
    ArrayRef<int64_t> own = values[operand].shape();
    if (own.size() > shape.size())
      shape.insert(shape.begin(), own.size() - shape.size(), 1);
    for (auto [to, from] :
         llvm::zip_equal(MutableArrayRef(shape).take_back(own.size()), own))
      to = to == 1 ? from : to;
  }
  return copyEach(shape, [&](ArrayRef<int64_t> point) {
    int64_t c = broadcastNumberOf(condition->shape, point);
    mlir::Value chosen = condition->data[c] != 0 ? op.getX() : op.getY();
    return Source{chosen, broadcastNumberOf(values[chosen].shape(), point),
                  op.getCondition(), c};
  });
}

//===-- Models ------------------------------------------------------------===//

template <typename Op>
static llvm::Expected<SmallVector<Copy>> copyAll(Op op,
                                                 const Environment &values) {
  llvm::Expected<Copy> one = copy(op, values);
  if (!one)
    return one.takeError();
  return SmallVector<Copy>{std::move(*one)};
}

// Result k has sizes[k] elements of the axis, from where result k - 1 ends.
static llvm::Expected<SmallVector<Copy>> copyAll(SplitOp op,
                                                 const Environment &values) {
  auto sizes = countsOf(op, op.getSizes(), values);
  if (!sizes)
    return sizes.takeError();
  ArrayRef<int64_t> input = values[op.getInput()].shape();
  SmallVector<Copy> copies;
  int64_t first = 0;
  for (int64_t size : *sizes) {
    SmallVector<int64_t> shape(input);
    shape[op.getAxis()] = size;
    copies.push_back(copyEach(shape, [&](ArrayRef<int64_t> point) {
      Point at(point);
      at[op.getAxis()] += first;
      return Source{op.getInput(), numberOf(input, at)};
    }));
    first += size;
  }
  return copies;
}

// Of each dimension, counted from the last, the first size that is not 1.
static llvm::Expected<SmallVector<Copy>> copyAll(BroadcastTensorsOp op,
                                                 const Environment &values) {
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(op.getResultTypes()[0]).getRank(), 1);
  for (mlir::Value input : op.getInputs()) {
    ArrayRef<int64_t> own = values[input].shape();
    for (auto [common, extent] :
         llvm::zip_equal(MutableArrayRef(shape).take_back(own.size()), own))
      common = common == 1 ? extent : common;
  }
  SmallVector<Copy> copies;
  for (mlir::Value input : op.getInputs()) {
    llvm::Expected<Copy> copy = copyRepeated(op, input, shape, values);
    if (!copy)
      return copy.takeError();
    copies.push_back(std::move(*copy));
  }
  return copies;
}

template <typename Op>
static llvm::Expected<Results> evaluate(Op op, const Environment &values) {
  auto copies = copyAll(op, values);
  if (!copies)
    return copies.takeError();
  llvm::SmallDenseMap<mlir::Value, std::shared_ptr<const Tensor>> operands;
  for (mlir::Value operand : op->getOperands())
    operands[operand] = values.tensor(operand);
  Results results;
  for (auto [copy, value] : llvm::zip_equal(*copies, op->getResults())) {
    Type type = getElementTypeOrSelf(value.getType());
    Tensor tensor = Tensor::zeros(copy.shape);
    for (auto [i, source] : llvm::enumerate(copy.sources)) {
      const Tensor *from =
          source.operand ? operands[source.operand].get() : nullptr;
      // Calls are refused that read a tensor without elements, unless nobody
      // uses what comes of it.
      setElement(tensor, type, i,
                 from && !from->data.empty()
                     ? getElement(*from, type, source.element)
                     : copy.constant);
    }
    results.push_back(std::move(tensor));
  }
  return results;
}

// Where what chose an element is off, it may be any other of the operands.
static double errorOfOther(Operation *op, const ErrorBounds &errors,
                           const Environment &values, const Source &source) {
  double value = values.tensor(source.operand)->data[source.element], most = 0;
  for (mlir::Value operand : op->getOperands()) {
    if (operand == source.chooser)
      continue;
    auto tensor = values.tensor(operand);
    for (auto [i, other] : llvm::enumerate(tensor->data)) {
      double difference = std::abs(other - value) + errors.at(operand, i);
      most = std::max(most, std::isnan(difference) ? 0 : difference);
    }
  }
  return most;
}

static bool isChoiceOff(const ErrorBounds &errors, const Source &source) {
  for (int64_t i = 0; source.chooser && i < source.chooserElements; ++i)
    if (errors.at(source.chooser, source.chooserElement + i))
      return true;
  return false;
}

template <typename Op>
static SmallVector<Bounds> boundAll(Op op, const ErrorBounds &errors,
                                    const Environment &values,
                                    ArrayRef<Value> results) {
  SmallVector<Bounds> bounds(results.size());
  if (llvm::all_of(op->getOperands(), [&](mlir::Value operand) {
        return errors.of(operand).empty();
      }))
    return bounds;
  auto copies = copyAll(op, values);
  if (!copies) { // The evaluator has reported it.
    llvm::consumeError(copies.takeError());
    return unknownBounds(results);
  }
  for (auto [copy, bound] : llvm::zip_equal(*copies, bounds))
    for (const Source &source : copy.sources)
      bound.push_back(
          isChoiceOff(errors, source) ? errorOfOther(op, errors, values, source)
          : source.operand ? errors.at(source.operand, source.element)
                           : 0);
  return bounds;
}

namespace {
template <typename Op>
struct CopiedBounds
    : ErrorBoundOpInterface::ExternalModel<CopiedBounds<Op>, Op> {
  SmallVector<Bounds> boundErrors(Operation *op, const ErrorBounds &errors,
                                  const Environment &values,
                                  ArrayRef<Value> results) const {
    return boundAll(cast<Op>(op), errors, values, results);
  }
};
} // namespace

template <typename... Ops> static void attachCopies(MLIRContext *context) {
  attach<Formula, Ops...>(context);
  attach<CopiedBounds, Ops...>(context);
}

void registerShapes(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attachCopies<TransposeOp, ReshapeOp, ExpandOp, SqueezeOp, BroadcastOp,
                 BroadcastTensorsOp, SliceOp, ConcatOp, InsertOp, SplitOp,
                 PadOp, GatherOp, GatherElementsOp, WhereOp>(context);
  });
}

} // namespace heddle::reference
