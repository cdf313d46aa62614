// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Attention/SoftmaxPattern.h"

#include "compiler/Prepare/BodyMatchers.h"
#include "compiler/Prepare/Views.h"
#include "dialect/Heddle/Coordinates.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;
using namespace heddle;

// Whether all of input `index` is read at the dimensions of `op` as they are,
// or with one left out, which may be 0 instead.
static bool readsAllBut(GenericOp op, unsigned index,
                        std::optional<unsigned> except) {
  Sizes extents = op.getExtents(), expected, withZero;
  for (unsigned dim = 0; dim < op.getOver().size(); ++dim) {
    SizeAttr symbol = simplify(dimensionSymbol(op.getContext(), dim), extents);
    if (dim != except)
      expected.push_back(symbol);
    withZero.push_back(dim == except ? SizeAttr::number(op.getContext(), 0)
                                     : symbol);
  }
  Sizes at = simplifiedCoordinates(op, index);
  return readsWhole(op, index) &&
         (at == expected || (except && at == withZero));
}

// A reduction of one dimension of its only input, which that has as `dim`.
static bool reduces(GenericOp op, unsigned dim) {
  if (op.getReduce().size() != 1 || op.getInputs().size() != 1 ||
      !op.getTables().empty() || op.getNumResults() != 1 || !readsWhole(op, 0))
    return false;
  Sizes at = simplifiedCoordinates(op, 0), extents = op.getExtents();
  unsigned rank = op.getOver().size();
  bool keeps = rank == at.size();
  if (at.size() != rank + (keeps ? 0 : 1) || dim >= at.size())
    return false;
  for (unsigned i = 0; i < at.size(); ++i) {
    unsigned own = i == dim ? rank : keeps || i < dim ? i : i - 1;
    if (at[i] != simplify(dimensionSymbol(op.getContext(), own), extents))
      return false;
  }
  return true;
}

// The input that op(argument so far, input) reduces, from `initial` on, if it
// does.
template <typename... Combiners>
static Value reducedBy(GenericOp op, double initial) {
  auto combiner = op.getCombiner(0);
  if (!combiner || !isa<Combiners...>(combiner->op) ||
      inputOf(op, combiner->term) != 0 || !beginsAs(op, initial))
    return {};
  return op.getInputs()[0];
}

// Whether `value` is computed of `argument` and constants alone.
static bool isComputedOf(Value argument, Value value) {
  SmallVector<Value> open{value};
  llvm::SmallDenseSet<Value> seen;
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (next == argument || matchPattern(next, m_Constant()) ||
        !seen.insert(next).second)
      continue;
    Operation *op = next.getDefiningOp();
    if (!op || op->getNumOperands() == 0)
      return false;
    llvm::append_range(open, op->getOperands());
  }
  return true;
}

// The maximum that exp(x - maximum) subtracts, where `value` may be 0 instead
// of an infinite one.
static std::optional<unsigned> maximumOf(GenericOp op, Value value) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  if (!select)
    return inputOf(op, value);
  Value maximum = select.getTrueValue(), zero = select.getFalseValue();
  if (matchPattern(maximum, m_AnyZeroFloat()))
    std::swap(maximum, zero);
  if (!matchPattern(zero, m_AnyZeroFloat()) ||
      !isComputedOf(maximum, select.getCondition()))
    return std::nullopt;
  return inputOf(op, maximum);
}

// P and T of W = P / T, or of W = P * (1 / T).
static std::pair<Value, Value> quotientOf(GenericOp op) {
  if (!isElementwise(op) || !op.getTables().empty())
    return {};
  auto input = [&](Value value) -> Value {
    std::optional<unsigned> index = inputOf(op, value);
    return index ? op.getInputs()[*index] : Value();
  };
  if (auto quotient = yielded(op).getDefiningOp<arith::DivFOp>())
    return {input(quotient.getLhs()), input(quotient.getRhs())};
  auto product = yielded(op).getDefiningOp<arith::MulFOp>();
  if (!product)
    return {};
  for (auto [left, right] : {std::pair(product.getLhs(), product.getRhs()),
                             std::pair(product.getRhs(), product.getLhs())}) {
    Value inverse = input(right);
    auto producer = inverse ? inverse.getDefiningOp<GenericOp>() : nullptr;
    if (!producer || !isElementwise(producer) ||
        producer.getInputs().size() != 1 || !readsAllBut(producer, 0, {}))
      continue;
    auto quotient = yielded(producer).getDefiningOp<arith::DivFOp>();
    if (quotient && matchPattern(quotient.getLhs(), m_OneFloat()) &&
        inputOf(producer, quotient.getRhs()) == 0)
      return {input(left), producer.getInputs()[0]};
  }
  return {};
}

Value heddle::softmaxOf(GenericOp weights, unsigned &dim) {
  auto [powers, total] = quotientOf(weights);
  if (!powers || !total)
    return {};
  auto power = powers.getDefiningOp<GenericOp>();
  auto sum = total.getDefiningOp<GenericOp>();
  if (!power || !sum || !isElementwise(power) || !power.getTables().empty() ||
      power.getInputs().size() != 2 ||
      reducedBy<arith::AddFOp>(sum, 0) != powers)
    return {};
  auto exp = yielded(power).getDefiningOp<math::ExpOp>();
  auto difference =
      exp ? exp.getOperand().getDefiningOp<arith::SubFOp>() : nullptr;
  if (!difference)
    return {};
  std::optional<unsigned> x = inputOf(power, difference.getLhs());
  std::optional<unsigned> m = maximumOf(power, difference.getRhs());
  if (!x || !m || x == m || !readsAllBut(power, *x, {}))
    return {};
  auto maximum = power.getInputs()[*m].getDefiningOp<GenericOp>();
  // An op between them may make an infinite one 0.
  if (maximum && isElementwise(maximum) && maximum.getInputs().size() == 1 &&
      readsAllBut(maximum, 0, {}) && maximumOf(maximum, yielded(maximum)))
    maximum = maximum.getInputs()[0].getDefiningOp<GenericOp>();
  Value changed = power.getInputs()[*x];
  if (!maximum ||
      reducedBy<arith::MaximumFOp, arith::MaxNumFOp>(
          maximum, -std::numeric_limits<double>::infinity()) != changed)
    return {};
  unsigned rank = weights.getOver().size();
  for (dim = 0; dim < rank; ++dim)
    if (reduces(maximum, dim) && reduces(sum, dim) &&
        readsAllBut(power, *m, dim))
      break;
  if (dim == rank)
    return {};
  for (auto [index, input] : llvm::enumerate(weights.getInputs()))
    if (!readsAllBut(weights, index,
                     input == powers ? std::nullopt
                                     : std::optional<unsigned>(dim)))
      return {};
  return changed;
}

static std::string toText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

// Whether `op` divides exponentials by what is summed up of them, however that
// is spelled.
static bool dividesExponentials(GenericOp op) {
  auto producerOf = [](Value value) {
    return value.getDefiningOp<GenericOp>();
  };
  for (Value input : op.getInputs()) {
    GenericOp power = producerOf(input);
    if (!power || power.getBody().getOps<math::ExpOp>().empty())
      continue;
    for (Value other : op.getInputs()) {
      GenericOp total = producerOf(other);
      if (total && !total.hasReduction() && total.getInputs().size() == 1)
        total = producerOf(total.getInputs()[0]);
      if (total && total.hasReduction() &&
          llvm::is_contained(total.getInputs(), power.getResult(0)))
        return true;
    }
  }
  return false;
}

std::string heddle::softmaxObstacle(GenericOp product) {
  auto combiner = product.hasReduction() && product.getNumResults() == 1
                      ? product.getCombiner(0)
                      : std::nullopt;
  if (!combiner || !isa<arith::AddFOp>(combiner->op) ||
      product.getInputs().size() != 2)
    return "";
  constexpr unsigned most = 4;
  for (Value input : product.getInputs()) {
    auto op = input.getDefiningOp<GenericOp>();
    for (unsigned changes = 0; op && changes < most; ++changes) {
      if (dividesExponentials(op)) {
        Type type = getElementTypeOrSelf(op.getResult(0));
        if (!type.isF32())
          return "it rounds to " + toText(type) +
                 " in between, where heddle.attention computes in f32";
        if (changes)
          return "its weights are changed before they are multiplied";
        unsigned dim;
        return softmaxOf(op, dim)
                   ? "its sum is not one of products of weights and values"
                   : "its weights are no softmax along one dimension";
      }
      if (op.hasReduction() || op.getInputs().empty())
        break;
      op = op.getInputs()[0].getDefiningOp<GenericOp>();
    }
  }
  return "";
}
