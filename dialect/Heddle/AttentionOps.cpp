// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/Verification.h"
#include "runtime/heddle_abi.h"

using namespace mlir;
using namespace heddle;

//===-- Layouts -----------------------------------------------------------===//

HeadLayout HeadLayout::of(ArrayAttr dimensions) {
  HeadLayout layout;
  for (auto [index, dim] :
       llvm::enumerate(dimensions.getAsRange<AttentionDimAttr>()))
    switch (dim.getValue()) {
    case AttentionDim::Batch:
      layout.batches.push_back(index);
      break;
    case AttentionDim::Length:
      layout.length = index;
      break;
    case AttentionDim::Head:
      layout.head = index;
      break;
    case AttentionDim::Channel:
      layout.channel = index;
      break;
    }
  return layout;
}

HeadLayout HeadLayout::ofRank(int64_t rank) {
  if (rank == 4)
    return {{0}, 1, 2, 3};
  return {{0}, std::nullopt, 1, 2};
}

static HeadLayout headsOf(ArrayAttr declared, Value operand) {
  if (declared)
    return HeadLayout::of(declared);
  return HeadLayout::ofRank(
      cast<RankedTensorType>(operand.getType()).getRank());
}

static HeadLayout outputLayoutOf(AttentionOp::Adaptor adaptor) {
  if (ArrayAttr declared = adaptor.getOutputLayoutAttr())
    return HeadLayout::of(declared);
  return headsOf(adaptor.getLayoutAttr(), adaptor.getQuery());
}

// The channels of one of `heads` heads; any number of a wrong operand.
static int64_t channelsOfHead(Value operand, const HeadLayout &layout,
                              int64_t heads) {
  int64_t channels =
      cast<RankedTensorType>(operand.getType()).getDimSize(layout.channel);
  return layout.head || heads <= 0 ? channels : channels / heads;
}

//===-- Sizes -------------------------------------------------------------===//

// Whether `declared` is a layout at all (C12).
static bool isLayout(ArrayAttr declared) {
  auto count = [&](AttentionDim dim) {
    return llvm::count_if(
        declared.getAsRange<AttentionDimAttr>(),
        [dim](AttentionDimAttr other) { return other.getValue() == dim; });
  };
  return !declared ||
         (count(AttentionDim::Length) == 1 &&
          count(AttentionDim::Channel) == 1 && count(AttentionDim::Head) <= 1);
}

// Whether operands have the dimensions that their layouts name.
static bool haveLayouts(AttentionOp::Adaptor adaptor) {
  if (!isLayout(adaptor.getLayoutAttr()) ||
      !isLayout(adaptor.getOutputLayoutAttr()))
    return false;
  for (Value operand :
       {adaptor.getQuery(), adaptor.getKey(), adaptor.getValue()}) {
    auto type = cast<RankedTensorType>(operand.getType());
    HeadLayout layout = headsOf(adaptor.getLayoutAttr(), operand);
    if (layout.getRank() != type.getRank() || type.isDynamicDim(layout.channel))
      return false;
  }
  return headsOf(adaptor.getLayoutAttr(), adaptor.getQuery()).batches.size() ==
         outputLayoutOf(adaptor).batches.size();
}

static Sizes pick(ArrayRef<SizeAttr> sizes, ArrayRef<unsigned> dimensions) {
  return llvm::map_to_vector(dimensions,
                             [&](unsigned dim) { return sizes[dim]; });
}

// The sizes of a result of this kind, or any sizes of wrong operands, which are
// verified later.
static Sizes resultSizes(AttentionOp::Adaptor adaptor, AttentionResult result) {
  Sizes query = sizesOf(adaptor.getQuery()), key = sizesOf(adaptor.getKey());
  int64_t heads = adaptor.getHeads(), kvHeads = adaptor.getKvHeads();
  if (!haveLayouts(adaptor) || heads <= 0 || kvHeads <= 0)
    return query;
  MLIRContext *context = adaptor.getQuery().getContext();
  HeadLayout ofQuery = headsOf(adaptor.getLayoutAttr(), adaptor.getQuery());
  HeadLayout ofKey = headsOf(adaptor.getLayoutAttr(), adaptor.getKey());
  HeadLayout ofValue = headsOf(adaptor.getLayoutAttr(), adaptor.getValue());
  SizeAttr headCount = SizeAttr::number(context, heads);
  Sizes batches = pick(query, ofQuery.batches);
  switch (result) {
  case AttentionResult::Output:
  case AttentionResult::Unnormalized: {
    HeadLayout layout = outputLayoutOf(adaptor);
    int64_t width = channelsOfHead(adaptor.getValue(), ofValue, kvHeads);
    Sizes sizes(layout.getRank());
    for (auto [dim, size] : llvm::zip_equal(layout.batches, batches))
      sizes[dim] = size;
    if (layout.head)
      sizes[*layout.head] = headCount;
    sizes[layout.length] = query[ofQuery.length];
    sizes[layout.channel] =
        SizeAttr::number(context, layout.head ? width : heads * width);
    return sizes;
  }
  case AttentionResult::LogSumExp:
  case AttentionResult::Maximum:
  case AttentionResult::Sum:
    batches.append({headCount, query[ofQuery.length]});
    return batches;
  case AttentionResult::ColumnSums:
    batches.append({headCount, key[ofKey.length]});
    return batches;
  case AttentionResult::Weights:
  case AttentionResult::RawScores:
  case AttentionResult::ScaledScores:
  case AttentionResult::ChangedScores:
  case AttentionResult::MaskedScores:
    batches.append({headCount, query[ofQuery.length], key[ofKey.length]});
    return batches;
  }
  llvm_unreachable("unknown result");
}

static SmallVector<AttentionResult> wantedOf(ArrayAttr wanted) {
  if (!wanted)
    return {AttentionResult::Output};
  return llvm::map_to_vector(wanted.getAsRange<AttentionResultAttr>(),
                             [](auto result) { return result.getValue(); });
}

//===-- heddle.attention --------------------------------------------------===//

HeadLayout AttentionOp::getLayoutOf(Value operand) {
  return headsOf(getLayoutAttr(), operand);
}

HeadLayout AttentionOp::getLayoutOfOutput() { return outputLayoutOf(*this); }

bool AttentionOp::isPlain() {
  HeadLayout output = getLayoutOfOutput();
  bool isWritten = output == HeadLayout::ofRank(3) ||
                   output == HeadLayout::ofRank(4) ||
                   output == HeadLayout{{0}, 2, 1, 3};
  return isWritten && !getLayout() &&
         getQuery().getType().getElementType().isF32();
}

int64_t AttentionOp::getHeadDim() {
  return channelsOfHead(getQuery(), getLayoutOf(getQuery()), getHeads());
}

int64_t AttentionOp::getValueDim() {
  return channelsOfHead(getValue(), getLayoutOf(getValue()), getKvHeads());
}

void AttentionOp::build(OpBuilder &b, OperationState &state, Value query,
                        Value key, Value value, Value mask, int64_t heads,
                        int64_t kvHeads, double scale) {
  build(b, state, query, key, value, mask, /*sinks=*/Value(),
        /*packed=*/Value(), /*termOperands=*/ValueRange(),
        /*scoreOperands=*/ValueRange(), /*factorOperands=*/ValueRange(), heads,
        kvHeads, b.getF64FloatAttr(scale), Normalization::Softmax,
        /*layout=*/ArrayAttr(),
        /*outputLayout=*/ArrayAttr(), /*wanted=*/ArrayAttr());
}

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location>,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &results) {
  Type f32 = Float32Type::get(context);
  Type type = getElementTypeOrSelf(adaptor.getQuery());
  for (AttentionResult result : wantedOf(adaptor.getWantedAttr()))
    results.push_back(tensorOf(resultSizes(adaptor, result),
                               result == AttentionResult::Output ? type : f32));
  return success();
}

SmallVector<AttentionResult> AttentionOp::getWantedResults() {
  return wantedOf(getWantedAttr());
}

Value AttentionOp::findResult(AttentionResult wanted) {
  for (auto [result, value] : llvm::zip_equal(getWantedResults(), getResults()))
    if (result == wanted)
      return value;
  return {};
}

double AttentionOp::getScaleOrDefault() {
  if (getScale())
    return getScale()->convertToDouble();
  return hasTerm() ? 1 : 1 / std::sqrt(double(getHeadDim()));
}

ScoreSpace AttentionOp::getScoreSpace() {
  HeadLayout layout = getLayoutOf(getQuery());
  Sizes query = sizesOf(getQuery()), key = sizesOf(getKey());
  SizeAttr batch = SizeAttr::number(getContext(), 1);
  for (unsigned dim : layout.batches)
    batch = batch * query[dim];
  return {batch, SizeAttr::number(getContext(), getHeads()),
          query[layout.length], key[getLayoutOf(getKey()).length]};
}

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

// C11
LogicalResult AttentionOp::checkPacked() {
  if (!getPacked())
    return success();
  ScoreSpace space = getScoreSpace();
  Sizes expected{space[0], SizeAttr::number(getContext(), getKvHeads()),
                 ceilDiv(space[3], HEDDLE_CACHE_BLOCK),
                 SizeAttr::number(getContext(), getHeadDim()),
                 SizeAttr::number(getContext(), HEDDLE_CACHE_BLOCK)};
  for (auto [size, found] : llvm::zip_equal(expected, sizesOf(getPacked())))
    if (failed(expectSize(*this, "a size of the packed keys", size, found)))
      return failure();
  return success();
}

// What regions compute is resolved with the sizes of scores, and terms.
void AttentionOp::setArgumentTypes() {
  Type f32 = Float32Type::get(getContext());
  auto set = [](Region &region, ArrayRef<Type> own, ValueRange operands) {
    if (region.empty())
      return;
    SmallVector<Type> types(own);
    llvm::append_range(types, operands.getTypes());
    for (auto [argument, type] : llvm::zip_equal(region.getArguments(), types))
      argument.setType(type);
  };
  ScoreSpace space = getScoreSpace();
  Type scores = tensorOf(space, f32);
  set(getScore(), scores, getScoreOperands());
  set(getFactors(), scores, getFactorOperands());
  Sizes sizes(space.begin(), space.end());
  sizes.push_back(SizeAttr::number(getContext(), getHeadDim()));
  Type terms = tensorOf(sizes, f32);
  set(getTerm(), {terms, terms}, getTermOperands());
}

LogicalResult AttentionOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  Sizes query = sizesOf(getQuery()), key = sizesOf(getKey()),
        value = sizesOf(getValue());
  HeadLayout ofQuery = getLayoutOf(getQuery()), ofKey = getLayoutOf(getKey()),
             ofValue = getLayoutOf(getValue());
  for (AttentionResult result : getWantedResults())
    results.push_back(resultSizes(*this, result));
  setArgumentTypes();
  for (auto [index, dim] : llvm::enumerate(ofQuery.batches))
    if (failed(expectSize(*this, "the batch of the key", query[dim],
                          key[ofKey.batches[index]])) ||
        failed(expectSize(*this, "the batch of the value", query[dim],
                          value[ofValue.batches[index]])))
      return failure();
  return failure(failed(expectSize(*this, "the length of the value",
                                   key[ofKey.length], value[ofValue.length])) ||
                 failed(checkPacked()) || failed(checkRing(*this)) ||
                 failed(heddle::checkMask(*this, getMask(), getScoreSpace())));
}

// C5, C12
LogicalResult AttentionOp::verifyLayouts() {
  for (ArrayAttr declared : {getLayoutAttr(), getOutputLayoutAttr()})
    if (!isLayout(declared))
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
  int64_t keyDim = channelsOfHead(getKey(), getLayoutOf(getKey()), kvHeads);
  if (getHeadDim() != keyDim)
    return emitOpError("expected heads of one size, found ")
           << getHeadDim() << " for the query and " << keyDim << " for the key";
  return success();
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
  // C10
  if (getSinks() && sizesOf(getSinks())[0] &&
      sizesOf(getSinks())[0].asNumber() != getHeads())
    return emitOpError("expected a sink for each of ")
           << getHeads() << " heads, found " << getSinks().getType();
  return success();
}

// A tensor of as many dimensions and such elements; sizes are resolved later.
static bool isAlike(Type found, int64_t rank, Type elementType) {
  auto tensor = dyn_cast<RankedTensorType>(found);
  return tensor && tensor.getRank() == rank &&
         tensor.getElementType() == elementType;
}

LogicalResult AttentionOp::verifyRegion(StringRef name, Region &region,
                                        ValueRange operands, unsigned own,
                                        int64_t rank) {
  if (region.empty()) {
    if (operands.empty())
      return success();
    return emitOpError("expected no operands of a ")
           << name << " region that is not there";
  }
  Block &body = region.front();
  Type f32 = Float32Type::get(getContext());
  bool fits = body.getNumArguments() == own + operands.size();
  for (auto [index, argument] : llvm::enumerate(body.getArguments())) {
    if (!fits)
      break;
    if (index < own) {
      fits = isAlike(argument.getType(), rank, f32);
      continue;
    }
    auto type = cast<RankedTensorType>(operands[index - own].getType());
    fits = isAlike(argument.getType(), type.getRank(), type.getElementType());
  }
  if (!fits)
    return emitOpError("expected a ")
           << name << " region with arguments of f32 and " << rank
           << " dimensions, " << own << " of them, and for operands of types "
           << operands.getTypes() << "; found " << body.getArgumentTypes();
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getNumOperands() != 1 ||
      !isAlike(yield.getOperand(0).getType(), rank, f32))
    return emitOpError("expected a ")
           << name << " region that yields a tensor of f32 and " << rank
           << " dimensions";
  return success();
}

LogicalResult AttentionOp::verifyRegions() {
  // C8, C9, C13, C14
  return failure(
      failed(verifyRegion("score", getScore(), getScoreOperands(), 1, 4)) ||
      failed(
          verifyRegion("factors", getFactors(), getFactorOperands(), 1, 4)) ||
      failed(verifyRegion("term", getTerm(), getTermOperands(), 2, 5)));
}
