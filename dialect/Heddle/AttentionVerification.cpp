// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The constraints of heddle.attention, and those that other ops share.

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/Verification.h"
#include "runtime/heddle_abi.h"

using namespace mlir;
using namespace heddle;

//===-- Shared ------------------------------------------------------------===//

// Follows a mask to what it is made of.
static LogicalResult checkMask(Operation *attention, Value mask,
                               const ScoreSpace &space,
                               llvm::SmallPtrSetImpl<Operation *> &visited) {
  auto op = mask ? mask.getDefiningOp<MaskOpInterface>() : nullptr;
  if (!op || !visited.insert(op).second)
    return success();
  for (Value operand : op->getOperands())
    if (isa<MaskType>(operand.getType()) &&
        failed(checkMask(attention, operand, space, visited)))
      return failure();
  return op.checkSpace(attention, space);
}

LogicalResult heddle::checkMask(Operation *op, Value mask,
                                const ScoreSpace &space) {
  llvm::SmallPtrSet<Operation *, 8> visited;
  return ::checkMask(op, mask, space, visited);
}

LogicalResult heddle::verifyHeads(Operation *op, int64_t heads,
                                  int64_t kvHeads) {
  if (heads > 0 && kvHeads > 0 && heads % kvHeads == 0)
    return success();
  return op->emitOpError("expected kv heads that divide the heads, found ")
         << heads << " and " << kvHeads;
}

LogicalResult heddle::verifyScale(Operation *op, double scale) {
  double largest = std::numeric_limits<float>::max() / 2;
  if (std::abs(scale) <= largest)
    return success();
  return op->emitOpError("expected a scale of at most ")
         << largest << " on either side of 0, found " << scale;
}

// A tensor of as many dimensions and such elements; sizes are resolved later.
static bool isAlike(Type found, int64_t rank, Type elementType) {
  auto tensor = dyn_cast<RankedTensorType>(found);
  return tensor && tensor.getRank() == rank &&
         tensor.getElementType() == elementType;
}

LogicalResult heddle::verifyRegion(Operation *op, StringRef name,
                                   Region &region, ValueRange operands,
                                   unsigned own, int64_t rank, Type type) {
  if (region.empty()) {
    if (operands.empty())
      return success();
    return op->emitOpError("expected no operands of a ")
           << name << " region that is not there";
  }
  Block &body = region.front();
  if (!type)
    type = Float32Type::get(op->getContext());
  StringRef element = type.isF64() ? "f64" : "f32";
  bool fits = body.getNumArguments() == own + operands.size();
  for (auto [index, argument] : llvm::enumerate(body.getArguments())) {
    if (!fits)
      break;
    if (index < own) {
      fits = isAlike(argument.getType(), rank, type);
      continue;
    }
    auto operand = cast<RankedTensorType>(operands[index - own].getType());
    fits = isAlike(argument.getType(), operand.getRank(),
                   operand.getElementType());
  }
  if (!fits)
    return op->emitOpError("expected a ")
           << name << " region with arguments of " << element << " and " << rank
           << " dimensions, " << own << " of them, and for operands of types "
           << operands.getTypes() << "; found " << body.getArgumentTypes();
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getNumOperands() != 1 ||
      !isAlike(yield.getOperand(0).getType(), rank, type))
    return op->emitOpError("expected a ")
           << name << " region that yields a tensor of " << element << " and "
           << rank << " dimensions";
  return success();
}

//===-- heddle.attention --------------------------------------------------===//

// C11
LogicalResult AttentionOp::checkPacked() {
  constexpr int64_t block = HEDDLE_CACHE_BLOCK;
  ScoreSpace space = getScoreSpace();
  auto check = [&](Value packed, StringRef what, int64_t outer,
                   int64_t inner) -> LogicalResult {
    if (!packed)
      return success();
    int64_t neighbours = getElementTypeOrSelf(packed).isBF16() ? kPair : 1;
    auto number = [&](int64_t size) {
      return SizeAttr::number(getContext(), size);
    };
    Sizes expected{space[0], number(getKvHeads()), ceilDiv(space[3], block),
                   number(outer / neighbours), number(inner * neighbours)};
    for (auto [size, found] : llvm::zip_equal(expected, sizesOf(packed)))
      if (failed(expectSize(*this, "a size of the packed " + what.str(), size,
                            found)))
        return failure();
    return success();
  };
  return failure(
      failed(check(getPackedKey(), "keys", getHeadDim(), block)) ||
      failed(check(getPackedValue(), "values", block, getValueDim())));
}

// C5, C12
LogicalResult AttentionOp::verifyLayouts() {
  for (ArrayAttr declared : {getLayoutAttr(), getOutputLayoutAttr()})
    if (!HeadLayout::isValid(declared))
      return emitOpError("expected a layout with length and channel once, and "
                         "head at most once");
  int64_t rank = getLayout() ? int64_t(getLayout()->size()) : 0;
  for (Value operand : {getQuery(), getKey(), getValue()}) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (rank && type.getRank() != rank)
      return emitOpError("expected operands of ")
             << rank << " dimensions, as the layout has, found " << type;
    if (!rank && type.getRank() != 3 && type.getRank() != 4)
      return emitOpError("expected operands of 3 or 4 dimensions where there "
                         "is no layout, found ")
             << type;
  }
  size_t batches = getLayoutOf(getQuery()).batches.size();
  size_t found = getLayoutOfOutput().batches.size();
  if (batches != found)
    return emitOpError("expected an output layout with ")
           << batches << " dimensions of batches, found " << found;
  return success();
}

LogicalResult AttentionOp::verifyHeads() {
  int64_t heads = getHeads(), kvHeads = getKvHeads();
  // C1
  if (failed(heddle::verifyHeads(*this, heads, kvHeads)))
    return failure();
  // C6
  for (Value operand : {getQuery(), getKey(), getValue()}) {
    auto type = cast<RankedTensorType>(operand.getType());
    unsigned channel = getLayoutOf(operand).channel;
    if (type.isDynamicDim(channel) || type.getDimSize(channel) == 0)
      return emitOpError("expected operands with channels, found ") << type;
  }
  // C2
  auto divides = [&](StringRef name, Value value,
                     int64_t count) -> LogicalResult {
    auto type = cast<RankedTensorType>(value.getType());
    HeadLayout layout = getLayoutOf(value);
    if (layout.head) {
      int64_t found = type.getDimSize(*layout.head);
      if (found == count)
        return success();
      InFlightDiagnostic error = emitOpError("expected ")
                                 << count << " as dimension " << *layout.head
                                 << " of " << name << ", found ";
      return ShapedType::isDynamic(found) ? error << "?" : error << found;
    }
    int64_t channels = type.getDimSize(layout.channel);
    if (channels % count == 0)
      return success();
    return emitOpError("expected ") << count << " to divide the channels of "
                                    << name << ", found " << channels;
  };
  if (failed(divides("the query", getQuery(), heads)) ||
      failed(divides("the key", getKey(), kvHeads)) ||
      failed(divides("the value", getValue(), kvHeads)))
    return failure();
  // C3
  HeadLayout ofKey = getLayoutOf(getKey());
  int64_t keyDim =
      getKey().getType().getDimSize(ofKey.channel) / (ofKey.head ? 1 : kvHeads);
  if (getHeadDim() != keyDim)
    return emitOpError("expected heads of one size, found ")
           << getHeadDim() << " for the query and " << keyDim << " for the key";
  return success();
}

static bool isOfQueries(AttentionResult result) {
  return llvm::is_contained({AttentionResult::Output,
                             AttentionResult::Unnormalized,
                             AttentionResult::LogSumExp,
                             AttentionResult::Maximum, AttentionResult::Sum},
                            result);
}

LogicalResult AttentionOp::verify() {
  if (failed(verifyLayouts()) || failed(verifyHeads()))
    return failure();
  // C4
  if (failed(verifyScale(*this, getScaleOrDefault())))
    return failure();
  // C7
  SmallVector<AttentionResult> wanted = getWantedResults();
  if (wanted.empty())
    return emitOpError("expected at least one result");
  for (auto [index, result] : llvm::enumerate(wanted))
    if (llvm::is_contained(ArrayRef(wanted).take_front(index), result))
      return emitOpError("expected each result once, found '")
             << stringifyEnum(result) << "' twice";
  // C15
  if (getNormalize() != Normalization::Softmax) {
    if (getSinks())
      return emitOpError("expected no sinks where weights are no softmax");
    for (AttentionResult result :
         {AttentionResult::LogSumExp, AttentionResult::Maximum})
      if (findResult(result))
        return emitOpError("expected no '")
               << stringifyEnum(result) << "' where weights are no softmax";
  }
  // C16
  constexpr uint64_t mostSplits = 1024; // what they count fits 32 bits
  if (getSplits() && (*getSplits() < 2 || *getSplits() > mostSplits))
    return emitOpError("expected 2 to ")
           << mostSplits << " splits, found " << int64_t(*getSplits());
  if (getSplits() && !isPlain())
    return emitOpError("expected no layout and no other elements than f32 "
                       "where there are splits");
  for (AttentionResult result : wanted)
    if (getSplits() && !isOfQueries(result))
      return emitOpError("expected no '")
             << stringifyEnum(result) << "' where there are splits";
  // C17
  SmallVector<Type> types = {getQuery().getType(), getKey().getType(),
                             getValue().getType()};
  if (getSinks())
    types.push_back(getSinks().getType());
  if (failed(verifyAllOrNoneOfF64(*this,
                                  getSinks() ? "query, key, value and sinks"
                                             : "query, key and value",
                                  types)))
    return failure();
  if (getComputedType().isF64() && getPackedKey())
    return emitOpError("expected no packed keys of attention of f64");
  // C11
  if (getPackedKey() && getElementTypeOrSelf(getPackedKey()).isBF16()) {
    if (!roundsFactors())
      return emitOpError("expected products of bf16 where packed keys are");
    if (!getPackedValue() || !getElementTypeOrSelf(getPackedValue()).isBF16())
      return emitOpError("expected packed values of bf16 where keys are");
    if (getHeadDim() % kPair)
      return emitOpError("expected an even number of channels of a head where "
                         "packed keys are bf16, found ")
             << getHeadDim();
  } else if (getPackedValue() &&
             getElementTypeOrSelf(getPackedValue()).isBF16()) {
    return emitOpError("expected packed keys of bf16 where values are");
  }
  // C19
  if (roundsFactors() &&
      (getNormalize() != Normalization::Softmax || hasTerm() || hasFactors() ||
       getComputedType().isF64()))
    return emitOpError("expected products of bf16 only of a softmax in f32, "
                       "without a term or factors");
  // C10
  if (getSinks() && sizesOf(getSinks())[0] &&
      sizesOf(getSinks())[0].asNumber() != getHeads())
    return emitOpError("expected a sink for each of ")
           << getHeads() << " heads, found " << getSinks().getType();
  return success();
}

LogicalResult AttentionOp::verifyRegions() {
  // C8, C9, C13, C14
  Type type = getComputedType();
  return failure(failed(verifyRegion(*this, "score", getScore(),
                                     getScoreOperands(), 1, 4, type)) ||
                 failed(verifyRegion(*this, "factors", getFactors(),
                                     getFactorOperands(), 1, 4, type)) ||
                 failed(verifyRegion(*this, "term", getTerm(),
                                     getTermOperands(), 2, 5, type)));
}
