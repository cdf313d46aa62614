// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/EvaluateGeneric.h"

#include "compiler/Reference/AffineCoordinate.h"
#include "compiler/Reference/FloatRange.h"
#include "compiler/Reference/FusedSums.h"
#include "compiler/Reference/ScalarFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>
#include <functional>

using namespace mlir;

namespace heddle::reference {

static int64_t elementAt(ArrayRef<int64_t> shape, ArrayRef<int64_t> place) {
  int64_t element = 0;
  for (auto [extent, coordinate] : llvm::zip_equal(shape, place))
    element = element * extent + coordinate;
  return element;
}

// The next point of a space, the last dimension fastest; false after the last.
static bool advance(MutableArrayRef<int64_t> point, ArrayRef<int64_t> extents) {
  for (size_t dim = point.size(); dim-- > 0;) {
    if (++point[dim] < extents[dim])
      return true;
    point[dim] = 0;
  }
  return false;
}

// Member by member, as they have just been written: a load of several waits
// until their stores have reached the cache.
static void copy(const Scalar &from, Scalar &to) {
  to.real = from.real;
  to.integer = from.integer;
  to.error = from.error;
}

namespace {

/// The body of a heddle.generic at one point after the other.
class GenericEvaluation {
public:
  GenericEvaluation(GenericOp op, ArrayRef<TensorWithErrors> operands,
                    std::optional<Rounding> rounding)
      : op(op), inputs(operands.take_front(op.getInputs().size())),
        tables(operands.drop_front(op.getInputs().size())), rounding(rounding) {
    for (const TensorWithErrors &input : inputs)
      inputTensors.push_back(input.values.tensor());
    for (const TensorWithErrors &table : tables)
      tableTensors.push_back(table.values.isStored() ? nullptr
                                                     : table.values.tensor());
  }

  llvm::Error prepare(const Environment &environment);
  std::vector<TensorWithErrors> run();

private:
  /// Which element of an input a point reads.
  struct Place {
    ElementReader read;
    SmallVector<AffineCoordinate, 6> coordinates;
    /// It is the first one and the point's coordinates times these, where the
    /// map divides by nothing.
    std::optional<SmallVector<int64_t, 6>> strides;
    int64_t first = 0;
  };

  enum class StepKind { Scalar, Index, Size, Read };

  /// An op of the body, with the registers of its operands and its result.
  struct Step {
    StepKind kind;
    std::optional<ScalarOp> scalar;
    SmallVector<unsigned, 4> operands;
    unsigned result;
    int64_t number = 0; ///< the size, the dimension, or the table's
    Type type = {};     ///< of the table's elements
    bool hasFill = false;
    bool isAdded = false; ///< a product that a sum may take in (FusedSums.h)
  };

  /// How a result's values are combined.
  struct Fold {
    std::optional<ScalarOp> combine; ///< none where the body does
    Type type;
    bool isSum = false, isOfProducts = false;
    bool isAdded = false; ///< to another number (FusedSums.h)
    unsigned term;        ///< the register of what is combined
    Scalar value, initial;
    SumOfTerms terms;
  };

  unsigned registerOf(mlir::Value value) {
    auto [known, isNew] = registers.try_emplace(value, scalars.size());
    if (isNew)
      scalars.emplace_back();
    return known->second;
  }

  void addPlace(unsigned input);
  int64_t elementOf(unsigned input) const;
  int64_t elementAtPoint(unsigned input) const;
  void dropUnused();
  Scalar readInput(unsigned input) const;
  Scalar readTable(const Step &step);
  Scalar apply(const ScalarOp &scalar, ArrayRef<Scalar> operands) const {
    return rounding ? scalar(operands) : scalar.valueOf(operands);
  }
  void compute();
  void start();
  void combine();
  static void finishSum(Fold &fold);

  GenericOp op;
  ArrayRef<TensorWithErrors> inputs, tables;
  /// Null for tables that are weights, while a few of their rows are read.
  std::vector<std::shared_ptr<const Tensor>> inputTensors, tableTensors;
  std::optional<Rounding> rounding; ///< none where no errors are wanted
  SmallVector<int64_t> extents, symbols, point;
  std::vector<Place> places; ///< of inputs
  SmallVector<Step> steps;
  SmallVector<Fold> folds;
  llvm::DenseMap<mlir::Value, unsigned> registers;
  std::vector<Scalar> scalars;
};

} // namespace

llvm::Error GenericEvaluation::prepare(const Environment &environment) {
  auto evaluateAll = [&](ArrayRef<Attribute> sizes,
                         SmallVectorImpl<int64_t> &values) -> llvm::Error {
    for (Attribute size : sizes) {
      llvm::Expected<int64_t> value =
          environment.evaluate(op, cast<SizeAttr>(size));
      if (!value)
        return value.takeError();
      values.push_back(*value);
    }
    return llvm::Error::success();
  };
  if (llvm::Error error = evaluateAll(op.getOver().getValue(), extents))
    return error;
  if (llvm::Error error = evaluateAll(op.getReduce().getValue(), extents))
    return error;
  if (llvm::Error error = evaluateAll(op.getSymbols().getValue(), symbols))
    return error;
  Block &body = op.getBody().front();
  for (BlockArgument argument : body.getArguments())
    registerOf(argument);
  for (Operation &inside : body.without_terminator()) {
    Step step{StepKind::Scalar, std::nullopt, {}, 0};
    for (mlir::Value operand : inside.getOperands())
      step.operands.push_back(registerOf(operand));
    if (auto size = dyn_cast<SizeOp>(inside)) {
      llvm::Expected<int64_t> value = environment.evaluate(op, size.getSize());
      if (!value)
        return value.takeError();
      step.kind = StepKind::Size;
      step.number = *value;
    } else if (auto index = dyn_cast<IndexOp>(inside)) {
      step.kind = StepKind::Index;
      step.number = index.getDimension();
    } else if (auto read = dyn_cast<ReadOp>(inside)) {
      step.kind = StepKind::Read;
      step.number =
          cast<BlockArgument>(read.getTable()).getArgNumber() - inputs.size();
      step.type = getElementTypeOrSelf(read.getTable());
      step.hasFill = bool(read.getFill());
    } else {
      llvm::Expected<ScalarOp> scalar =
          ScalarOp::of(&inside, rounding.value_or(Rounding::Exactly));
      if (!scalar)
        return scalar.takeError();
      step.scalar = std::move(*scalar);
      step.isAdded =
          isa<arith::MulFOp>(inside) && isAddedTo(inside.getResult(0));
    }
    step.result = registerOf(inside.getResult(0));
    steps.push_back(std::move(step));
  }
  for (OpOperand &yielded : body.getTerminator()->getOpOperands()) {
    Fold fold;
    unsigned index = yielded.getOperandNumber();
    fold.type = getElementTypeOrSelf(op.getResultTypes()[index]);
    fold.term = registerOf(yielded.get());
    if (op.hasReduction()) {
      if (auto combiner = op.getCombiner(index)) {
        // In whatever order.
        llvm::Expected<ScalarOp> combine =
            ScalarOp::of(combiner->op, Rounding::ToEither);
        if (!combine)
          return combine.takeError();
        fold.combine = std::move(*combine);
        fold.isSum = isa<arith::AddFOp>(combiner->op);
        fold.isAdded = fold.isSum && isAddedTo(op.getResult(index));
        fold.isOfProducts = bool(combiner->term.getDefiningOp<arith::MulFOp>());
        fold.term = registerOf(combiner->term);
      }
      Attribute initial = op.getInitial()[index];
      if (auto real = dyn_cast<FloatAttr>(initial))
        fold.initial = Scalar::of(real.getValueAsDouble());
      else
        fold.initial = Scalar::of(
            wrap(cast<IntegerAttr>(initial).getValue().getZExtValue(),
                 cast<IntegerAttr>(initial).getType().getIntOrFloatBitWidth()));
    }
    folds.push_back(fold);
  }
  dropUnused();
  for (unsigned index = 0; index < inputs.size(); ++index)
    addPlace(index);
  return llvm::Error::success();
}

// What folds combine is made without the value so far.
void GenericEvaluation::dropUnused() {
  llvm::DenseSet<unsigned> used;
  for (const Fold &fold : folds)
    used.insert(fold.term);
  for (const Step &step : llvm::reverse(steps))
    if (used.contains(step.result))
      used.insert(step.operands.begin(), step.operands.end());
  llvm::erase_if(steps,
                 [&](const Step &step) { return !used.contains(step.result); });
}

int64_t GenericEvaluation::elementAtPoint(unsigned input) const {
  SmallVector<int64_t, 6> place;
  for (const AffineCoordinate &coordinate : places[input].coordinates)
    place.push_back(coordinate.at(point));
  return elementAt(inputTensors[input]->shape, place);
}

void GenericEvaluation::addPlace(unsigned input) {
  Place &place = places.emplace_back();
  place.read = ElementReader(getElementTypeOrSelf(op.getInputs()[input]));
  for (AffineExpr expression : op.getMap(input).getResults())
    place.coordinates.emplace_back(expression, symbols);
  if (llvm::any_of(place.coordinates, std::mem_fn(&AffineCoordinate::divides)))
    return;
  point.assign(extents.size(), 0);
  place.first = elementAtPoint(input);
  place.strides.emplace();
  for (int64_t &coordinate : point) {
    coordinate = 1;
    place.strides->push_back(elementAtPoint(input) - place.first);
    coordinate = 0;
  }
}

int64_t GenericEvaluation::elementOf(unsigned input) const {
  const Place &place = places[input];
  if (!place.strides)
    return elementAtPoint(input);
  int64_t element = place.first;
  for (auto [coordinate, stride] : llvm::zip_equal(point, *place.strides))
    element += coordinate * stride;
  return element;
}

static double errorOf(const TensorWithErrors &tensor, int64_t element) {
  return tensor.errors.empty() ? 0 : tensor.errors[element];
}

Scalar GenericEvaluation::readInput(unsigned input) const {
  int64_t element = elementOf(input);
  return places[input].read(*inputTensors[input], element,
                            errorOf(inputs[input], element));
}

Scalar GenericEvaluation::readTable(const Step &step) {
  size_t index = step.number;
  const TensorWithErrors &table = tables[index];
  SmallVector<int64_t, 6> place;
  bool isInside = true, isKnown = true;
  ArrayRef<int64_t> shape = table.values.shape();
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    const Scalar &coordinate = scalars[step.operands[1 + dim]];
    isKnown &= coordinate.error == 0;
    isInside &= coordinate.integer >= 0 && coordinate.integer < extent;
    place.push_back(std::max<int64_t>(
        std::min<int64_t>(coordinate.integer, extent - 1), 0));
  }
  // Calls in which a table without elements is read, and not filled, are
  // refused.
  if (llvm::is_contained(shape, 0))
    return step.hasFill ? scalars[step.operands.back()] : Scalar();
  int64_t number = elementAt(shape, place);
  double error = errorOf(table, number);
  Scalar element =
      tableTensors[index]
          ? getElement(*tableTensors[index], step.type, number, error)
          : getElement(table.values.storedElement(number), step.type, 0, error);
  if (step.hasFill && !isInside)
    element = scalars[step.operands.back()];
  // Which other element it may be is not followed: it is one of the table.
  if (!isKnown) {
    if (!tableTensors[index])
      tableTensors[index] = table.values.tensor();
    for (double other : tableTensors[index]->data) {
      double value =
          isa<FloatType>(step.type) ? element.real : double(element.integer);
      double difference = std::abs(other - value);
      element.error =
          std::max(element.error, std::isnan(difference) ? 0 : difference);
    }
  }
  return element;
}

void GenericEvaluation::compute() {
  SmallVector<Scalar, 4> operands;
  for (const Step &step : steps) {
    Scalar &result = scalars[step.result];
    switch (step.kind) {
    case StepKind::Index:
      result = Scalar::of(point[step.number]);
      break;
    case StepKind::Size:
      result = Scalar::of(step.number);
      break;
    case StepKind::Read:
      copy(readTable(step), result);
      break;
    case StepKind::Scalar:
      operands.resize_for_overwrite(step.operands.size());
      for (auto [from, to] : llvm::zip_equal(step.operands, operands))
        copy(scalars[from], to);
      copy(apply(*step.scalar, operands), result);
      if (step.isAdded && isOverflow(result, operands))
        result.error = kInfinity;
    }
  }
}

void GenericEvaluation::start() {
  for (Fold &fold : folds) {
    fold.value = fold.initial;
    fold.terms = {};
    fold.terms.add(fold.initial.real, /*isOverflow=*/false);
  }
}

// Errors of a sum do not depend on its order, which code chooses.
void GenericEvaluation::combine() {
  ArrayRef<Scalar> read = ArrayRef(scalars).take_front(inputs.size());
  for (Fold &fold : folds) {
    const Scalar &term = scalars[fold.term];
    if (!fold.combine) {
      fold.value = term;
    } else if (fold.isSum) {
      fold.value.real += term.real;
      fold.value.error += term.error;
      fold.terms.add(term.real, fold.isOfProducts && isOverflow(term, read));
    } else {
      Scalar operands[] = {fold.value, term};
      fold.value = apply(*fold.combine, operands);
    }
  }
}

void GenericEvaluation::finishSum(Fold &fold) {
  auto real = cast<FloatType>(fold.type);
  const SumOfTerms &terms = fold.terms;
  double sum = fold.value.real, overflow = overflowOf(real);
  double error = errorOfSum(
      sum, fold.value.error + sumError(real, terms.count, terms.magnitudes),
      terms.magnitudes, overflow);
  bool overflows =
      terms.overflows() || (std::isfinite(sum) && std::abs(sum) >= overflow);
  if (terms.mayBeFinite() || (fold.isAdded && overflows))
    error = kInfinity;
  fold.value = Scalar::of(toRange(sum, overflow), error);
  if (real.getWidth() >= 32 || !std::isfinite(fold.value.real))
    return;
  fold.value.real = roundTo(real.getFloatSemantics(), sum);
  fold.value.error += std::abs(fold.value.real - sum);
}

std::vector<TensorWithErrors> GenericEvaluation::run() {
  size_t parallel = op.getOver().size();
  ArrayRef<int64_t> over = ArrayRef(extents).take_front(parallel);
  std::vector<Tensor> values;
  std::vector<TensorWithErrors> results;
  for (unsigned i = 0; i < op.getNumResults(); ++i)
    values.push_back(Tensor::zeros(over));
  size_t count = values.empty() ? 0 : values.front().data.size();
  std::vector<std::vector<double>> errors(values.size(),
                                          std::vector<double>(count));
  bool isEmpty = llvm::is_contained(extents, 0);
  bool isReduction = op.hasReduction();
  point.assign(extents.size(), 0);
  for (size_t element = 0; element < count; ++element) {
    start();
    do {
      if (isEmpty)
        break;
      for (unsigned index = 0; index < inputs.size(); ++index)
        copy(readInput(index), scalars[index]);
      unsigned accumulator = inputs.size() + tables.size();
      if (isReduction)
        for (const Fold &fold : folds)
          copy(fold.value, scalars[accumulator++]);
      compute();
      combine();
    } while (advance(MutableArrayRef(point).drop_front(parallel),
                     ArrayRef(extents).drop_front(parallel)));
    for (auto [index, fold] : llvm::enumerate(folds)) {
      if (fold.isSum)
        finishSum(fold);
      setElement(values[index], fold.type, element, fold.value);
      errors[index][element] = fold.value.error;
    }
    advance(MutableArrayRef(point).take_front(parallel), over);
  }
  for (auto [tensor, error] : llvm::zip_equal(values, errors))
    results.push_back({std::move(tensor), std::move(error)});
  return results;
}

llvm::Expected<std::vector<TensorWithErrors>>
evaluateGeneric(GenericOp op, ArrayRef<TensorWithErrors> operands,
                const Environment &environment,
                std::optional<Rounding> rounding) {
  GenericEvaluation evaluation(op, operands, rounding);
  if (llvm::Error error = evaluation.prepare(environment))
    return error;
  return evaluation.run();
}

} // namespace heddle::reference
