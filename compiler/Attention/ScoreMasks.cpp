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

bool ScoreMasks::implies(GenericOp op, const Sizes &at, Value condition) {
  if (!found)
    return false;
  Value other = maskOf({op, at, condition});
  SmallVector<Value> parts{found};
  while (other && !parts.empty()) {
    Operation *part = parts.pop_back_val().getDefiningOp();
    if (OperationEquivalence::isEquivalentTo(
            part, other.getDefiningOp(), OperationEquivalence::IgnoreLocations))
      return true;
    if (isa<AndMaskOp>(part))
      llvm::append_range(parts, part->getOperands());
  }
  return false;
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

// A number for each sequence, that is element `b` of an input; empty if `value`
// is none.
Value ScoreMasks::countOf(const Condition &condition, Value value) {
  if (auto wider = value.getDefiningOp<arith::ExtSIOp>())
    value = wider.getIn();
  auto argument = dyn_cast<BlockArgument>(value);
  GenericOp op = condition.op;
  if (!argument || argument.getOwner() != &op.getBody().front() ||
      argument.getArgNumber() >= op.getInputs().size())
    return {};
  Value counts = op.getInputs()[argument.getArgNumber()];
  Type type = getElementTypeOrSelf(counts);
  Sizes at = op.getCoordinates(argument.getArgNumber());
  if (at.size() != 1 || !(type.isInteger(32) || type.isInteger(64)))
    return {};
  SizeAttr place = toChange(condition, at[0]);
  std::optional<unsigned> dim = asDimension(place);
  bool isOfSequences = dim && scoreDim(*dim) == ScoreDim::Batch &&
                       sizesOf(counts)[0] == change.getExtents()[*dim];
  return isOfSequences ? counts : Value();
}

// A coordinate, or the sum of one and a number for each sequence. The first is
// null if it is neither.
std::pair<SizeAttr, Value> ScoreMasks::sumOf(const Condition &condition,
                                             Value value) {
  if (SizeAttr coordinate = coordinateOf(condition.op, value))
    return {toChange(condition, coordinate), Value()};
  if (Value count = countOf(condition, value))
    return {SizeAttr::number(b.getContext(), 0), count};
  if (auto wider = value.getDefiningOp<arith::ExtSIOp>())
    return sumOf(condition, wider.getIn());
  auto sum = value.getDefiningOp<arith::AddIOp>();
  if (!sum)
    return {};
  auto [left, leftCount] = sumOf(condition, sum.getLhs());
  auto [right, rightCount] = sumOf(condition, sum.getRhs());
  if (!left || !right || (leftCount && rightCount))
    return {};
  return {left + right, leftCount ? leftCount : rightCount};
}

// k <= q + n, in any spelling, with a number n, or one for each sequence; or
// k < n.
Value ScoreMasks::compare(const Condition &condition, arith::CmpIOp op) {
  auto left = sumOf(condition, op.getLhs());
  auto right = sumOf(condition, op.getRhs());
  if (!left.first || !right.first || (left.second && right.second))
    return {};
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
  SizeAttr one = SizeAttr::number(context, 1);
  SizeAttr query = dimensionSymbol(context, p.inWeights[p.query]);
  SizeAttr key = dimensionSymbol(context, p.inWeights[p.key]);
  if (change.getExtents()[p.inWeights[p.query]] == one)
    query = SizeAttr::number(context, 0);
  SizeAttr distance = left.first - right.first;
  SizeAttr limit = SizeAttr::number(context, more);
  // k - q + rest <= limit, and with a number for each sequence on the right,
  // k - q + rest - n <= limit.
  if (right.second && distance - key == limit + one)
    return LengthsMaskOp::create(b, change.getLoc(), right.second,
                                 ScoreDim::Key);
  SizeAttr rest = distance - (key - query);
  if (!usesDimension(rest) && !left.second)
    return right.second ? causalBehind(right.second, limit - rest)
                        : causal(limit - rest);
  // q - k + rest <= limit, which holds where k <= q + rest - limit - 1 does not
  rest = distance - (query - key);
  if (usesDimension(rest) || right.second)
    return {};
  Value others = left.second ? causalBehind(left.second, rest - limit - one)
                             : causal(rest - limit - one);
  return others ? b.createOrFold<NotMaskOp>(change.getLoc(), others) : Value();
}

constexpr int64_t kLargestShift = 1 << 24;

static bool isShift(std::optional<int64_t> number) {
  return number && *number >= -kLargestShift && *number <= kLargestShift;
}

// k <= q + last
Value ScoreMasks::causal(SizeAttr last) {
  Sizes extents = change.getExtents();
  Alignment align = Alignment::TopLeft;
  SizeAttr plus = last, shifted = last - (extents[p.inWeights[p.key]] -
                                          extents[p.inWeights[p.query]]);
  if (!last.asNumber() && shifted.asNumber()) {
    align = Alignment::BottomRight;
    plus = shifted;
  }
  std::optional<int64_t> number = plus.asNumber();
  if (number && !isShift(number))
    return {};
  return CausalMaskOp::create(b, change.getLoc(), Value(),
                              AlignmentAttr::get(b.getContext(), align),
                              number == 0 ? SizeAttr() : plus);
}

// k <= q + counts[b] + plus
Value ScoreMasks::causalBehind(Value counts, SizeAttr plus) {
  if (!isShift(plus.asNumber()))
    return {};
  return CausalMaskOp::create(b, change.getLoc(), counts, AlignmentAttr(),
                              plus.asNumber() == 0 ? SizeAttr() : plus);
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
  // An op of places, and of numbers of sequences, is a formula.
  auto producer = tensor.getDefiningOp<GenericOp>();
  auto isOfSequences = [](Value counts) {
    return sizesOf(counts).size() == 1 &&
           getElementTypeOrSelf(counts).getIntOrFloatBitWidth() > 8;
  };
  if (producer && !producer.hasReduction() &&
      llvm::all_of(producer.getInputs(), isOfSequences) &&
      producer.getTables().empty()) {
    Value value = producer.getBody().front().getTerminator()->getOperand(
        cast<OpResult>(tensor).getResultNumber());
    if (Value mask = maskOf({producer, at, value}))
      return mask;
  }
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
