// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Attention/ScoreMasks.h"

#include "compiler/Attention/ConstantFactors.h"
#include "compiler/Prepare/Views.h"
#include "dialect/Heddle/BodyCoordinates.h"
#include "dialect/Heddle/Coordinates.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

ScoreMasks::ScoreMasks(const AttentionPattern &pattern, OpBuilder &b)
    : p(pattern), change(pattern.change), b(b) {
  if (!change)
    return;
  rest = change.getBody().front().getTerminator()->getOperand(0);
  while (Value kept = peelMask(rest, found))
    rest = kept;
  // Factors count where nothing but masks is left, which they leave as they
  // are if they are positive.
  Value value = rest, mask = found;
  double product = 1;
  while (!isScore(value)) {
    Value kept = peelFactor(value, product);
    if (!kept && product > 0 && std::isfinite(product))
      kept = peelMask(value, mask);
    hasRest = !kept;
    if (hasRest)
      break;
    value = kept;
  }
  if (!hasRest && isScale(p.scale * product)) {
    found = mask;
    factor = product;
    return;
  }
  hasRest = true;
  // Otherwise those that a score is multiplied by before all else.
  scaled = change.getBody().front().getArgument(p.scoreInput);
  while (scaled.hasOneUse() && scaled != rest) {
    Operation *user = *scaled.user_begin();
    double next = factor;
    if (user->getNumResults() != 1 ||
        peelFactor(user->getResult(0), next) != scaled ||
        !isScale(p.scale * next))
      break;
    factor = next;
    scaled = user->getResult(0);
  }
}

void ScoreMasks::stripMasks(GenericOp copy) {
  Block &from = change.getBody().front(), &to = copy.getBody().front();
  // The copy has the same ops in the same order.
  auto inCopy = [&](Value value) -> Value {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return to.getArgument(argument.getArgNumber());
    auto distance =
        std::distance(from.begin(), Block::iterator(value.getDefiningOp()));
    return std::next(to.begin(), distance)->getResult(0);
  };
  to.getTerminator()->setOperand(0, inCopy(rest));
  Value score = to.getArgument(p.scoreInput);
  if (Value product = inCopy(scaled); product != score)
    product.replaceAllUsesWith(score);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(to)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

bool ScoreMasks::isScore(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == &change.getBody().front() &&
         argument.getArgNumber() == p.scoreInput;
}

//===-- Masks -------------------------------------------------------------===//

static bool isDropped(Value value) {
  return matchPattern(value, m_NegInfFloat());
}

// What `value` selects: of E, or of an op that E reads as it is.
std::pair<arith::SelectOp, ScoreMasks::Condition>
ScoreMasks::selectionOf(Value value) {
  Sizes own;
  for (unsigned dim = 0; dim < change.getOver().size(); ++dim)
    own.push_back(dimensionSymbol(b.getContext(), dim));
  if (auto select = value.getDefiningOp<arith::SelectOp>())
    return {select, {change, own, select.getCondition()}};
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getArgNumber() >= change.getInputs().size())
    return {};
  unsigned input = argument.getArgNumber();
  auto producer = change.getInputs()[input].getDefiningOp<GenericOp>();
  if (!producer || producer.hasReduction() || producer.getNumResults() != 1)
    return {};
  auto select = producer.getBody()
                    .front()
                    .getTerminator()
                    ->getOperand(0)
                    .getDefiningOp<arith::SelectOp>();
  if (!select)
    return {};
  return {select,
          {producer, change.getCoordinates(input), select.getCondition()}};
}

// keep ? x : -inf, or x + (keep ? 0 : -inf)
Value ScoreMasks::peelMask(Value value, Value &mask) {
  auto add = [&](const Condition &condition, bool isNegated) {
    Value other = maskOf(condition);
    if (!other)
      return false;
    Location loc = change.getLoc();
    if (isNegated)
      other = b.createOrFold<NotMaskOp>(loc, other);
    mask = mask ? AndMaskOp::create(b, loc, mask, other) : other;
    return true;
  };
  if (value.getDefiningOp<arith::SelectOp>()) {
    auto [select, condition] = selectionOf(value);
    bool isNegated = isDropped(select.getTrueValue());
    if (!isNegated && !isDropped(select.getFalseValue()))
      return {};
    Value kept = isNegated ? select.getFalseValue() : select.getTrueValue();
    return add(condition, isNegated) ? kept : Value();
  }
  auto sum = value.getDefiningOp<arith::AddFOp>();
  if (!sum)
    return {};
  for (auto [added, other] : {std::pair(sum.getLhs(), sum.getRhs()),
                              std::pair(sum.getRhs(), sum.getLhs())}) {
    auto [select, condition] = selectionOf(added);
    if (!select)
      continue;
    bool isNegated = isDropped(select.getTrueValue());
    Value kept = isNegated ? select.getFalseValue() : select.getTrueValue();
    if ((isNegated || isDropped(select.getFalseValue())) &&
        matchPattern(kept, m_AnyZeroFloat()) && add(condition, isNegated))
      return other;
  }
  return {};
}

SizeAttr ScoreMasks::toChange(const Condition &condition, SizeAttr coordinate) {
  return composeCoordinate(coordinate, condition.at, change.getExtents());
}

Value ScoreMasks::maskOf(const Condition &condition) {
  Location loc = change.getLoc();
  auto with = [&](Value value) {
    return maskOf({condition.op, condition.at, value});
  };
  GenericOp op = condition.op;
  Value value = condition.value;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getArgNumber() < op.getInputs().size()
               ? dense(condition, argument.getArgNumber())
               : Value();
  if (auto comparison = value.getDefiningOp<arith::CmpIOp>())
    return compare(condition, comparison);
  if (auto negation = value.getDefiningOp<arith::XOrIOp>()) {
    if (!matchPattern(negation.getRhs(), m_One()))
      return {};
    Value mask = with(negation.getLhs());
    return mask ? b.createOrFold<NotMaskOp>(loc, mask) : Value();
  }
  bool isAnd = value.getDefiningOp<arith::AndIOp>() != nullptr;
  if (!isAnd && !value.getDefiningOp<arith::OrIOp>())
    return {};
  Operation *formula = value.getDefiningOp();
  Value left = with(formula->getOperand(0));
  Value right = left ? with(formula->getOperand(1)) : Value();
  if (!right)
    return {};
  if (isAnd)
    return AndMaskOp::create(b, loc, left, right);
  return OrMaskOp::create(b, loc, left, right);
}

// Which dimension of scores a dimension of E is.
std::optional<ScoreDim> ScoreMasks::scoreDim(unsigned dim) const {
  if (dim == p.inWeights[p.query])
    return ScoreDim::Query;
  if (dim == p.inWeights[p.key])
    return ScoreDim::Key;
  if (p.head && !p.group && dim == p.inWeights[*p.head])
    return ScoreDim::Head;
  if (p.batches.size() == 1 && dim == p.inWeights[p.batches[0]])
    return ScoreDim::Batch;
  return std::nullopt;
}

// k <= q + n, in any spelling.
Value ScoreMasks::compare(const Condition &condition, arith::CmpIOp op) {
  SizeAttr left = coordinateOf(condition.op, op.getLhs());
  SizeAttr right = coordinateOf(condition.op, op.getRhs());
  if (!left || !right)
    return {};
  left = toChange(condition, left);
  right = toChange(condition, right);
  int64_t more = 0; // left - right <= more
  switch (op.getPredicate()) {
  case arith::CmpIPredicate::sge:
    std::swap(left, right);
    break;
  case arith::CmpIPredicate::sgt:
    std::swap(left, right);
    more = -1;
    break;
  case arith::CmpIPredicate::slt:
    more = -1;
    break;
  case arith::CmpIPredicate::sle:
    break;
  default:
    return {};
  }
  MLIRContext *context = b.getContext();
  Sizes extents = change.getExtents();
  SizeAttr query = dimensionSymbol(context, p.inWeights[p.query]);
  SizeAttr key = dimensionSymbol(context, p.inWeights[p.key]);
  SizeAttr distance = left - right;
  SizeAttr queries = extents[p.inWeights[p.query]],
           keys = extents[p.inWeights[p.key]];
  // k <= q + last
  auto causal = [&](SizeAttr last) -> Value {
    Alignment align = Alignment::TopLeft;
    SizeAttr plus = last, shifted = last - (keys - queries);
    if (!last.asNumber() && shifted.asNumber()) {
      align = Alignment::BottomRight;
      plus = shifted;
    }
    constexpr int64_t most = 1 << 24;
    std::optional<int64_t> number = plus.asNumber();
    if (number && (*number < -most || *number > most))
      return {};
    return CausalMaskOp::create(b, change.getLoc(), Value(),
                                AlignmentAttr::get(context, align),
                                number == 0 ? SizeAttr() : plus);
  };
  SizeAttr limit = SizeAttr::number(context, more);
  SizeAttr one = SizeAttr::number(context, 1);
  // k - q + rest <= limit
  SizeAttr rest = distance - (key - query);
  if (!usesDimension(rest))
    return causal(limit - rest);
  // q - k + rest <= limit, which holds where k <= q + rest - limit - 1 does not
  rest = distance - (query - key);
  if (usesDimension(rest))
    return {};
  Value others = causal(rest - limit - one);
  return others ? b.createOrFold<NotMaskOp>(change.getLoc(), others) : Value();
}

Value ScoreMasks::partOf(Value tensor, Sizes &at) {
  Sizes extents = change.getExtents(), sizes = sizesOf(tensor);
  auto isWhole = [&](unsigned index) {
    std::optional<unsigned> dim = asDimension(at[index]);
    return dim ? sizes[index] == extents[*dim]
               : at[index].asNumber() == 0 && sizes[index].asNumber() == 1;
  };
  if (llvm::all_of(llvm::seq<unsigned>(at.size()), isWhole))
    return tensor;
  Sizes own(extents.size()), over, dims;
  for (unsigned dim = 0; dim < extents.size(); ++dim) {
    if (llvm::none_of(at, [&](SizeAttr c) { return usesDimension(c, dim); }))
      continue;
    own[dim] = dimensionSymbol(b.getContext(), over.size());
    over.push_back(extents[dim]);
    dims.push_back(dimensionSymbol(b.getContext(), dim));
  }
  for (SizeAttr &coordinate : at)
    coordinate = composeCoordinate(coordinate, own, over);
  Value part = buildView(b, change.getLoc(), tensor, over, at, b.getI1Type());
  at = dims;
  return part;
}

Value ScoreMasks::dense(const Condition &condition, unsigned input) {
  GenericOp op = condition.op;
  Value tensor = op.getInputs()[input];
  if (!getElementTypeOrSelf(tensor).isInteger(1))
    return {};
  Sizes at = op.getCoordinates(input);
  for (SizeAttr &coordinate : at)
    coordinate = toChange(condition, coordinate);
  // What an op computes of places alone is a formula.
  auto producer = tensor.getDefiningOp<GenericOp>();
  if (producer && !producer.hasReduction() && producer.getNumResults() == 1 &&
      producer.getInputs().empty() && producer.getTables().empty())
    if (Value mask =
            maskOf({producer, at,
                    producer.getBody().front().getTerminator()->getOperand(0)}))
      return mask;
  tensor = partOf(tensor, at);
  if (!tensor)
    return {};
  SmallVector<Attribute> over;
  llvm::SmallDenseSet<ScoreDim, 4> used;
  auto add = [&](ScoreDim dim) {
    over.push_back(ScoreDimAttr::get(b.getContext(), dim));
    return used.insert(dim).second;
  };
  for (SizeAttr coordinate : at) {
    std::optional<unsigned> dim = asDimension(coordinate);
    std::optional<ScoreDim> known = dim ? scoreDim(*dim) : std::nullopt;
    if (known ? !add(*known) : coordinate.asNumber() != 0)
      return {};
    if (!known)
      over.push_back({});
  }
  // Dimensions of one element are any that is left.
  unsigned next = 0;
  for (auto [index, name] : llvm::enumerate(over)) {
    if (name)
      continue;
    if (sizesOf(tensor)[index].asNumber() != 1)
      return {};
    while (next < 4 && used.contains(ScoreDim(next)))
      ++next;
    if (next == 4)
      return {};
    used.insert(ScoreDim(next));
    name = ScoreDimAttr::get(b.getContext(), ScoreDim(next));
  }
  return DenseMaskOp::create(b, change.getLoc(), tensor, b.getArrayAttr(over),
                             1, 1, ValueRange());
}
