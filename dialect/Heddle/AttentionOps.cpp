// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/Verification.h"
#include "mlir/IR/TypeUtilities.h"
#include "runtime/heddle_abi.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

//===-- Layouts -----------------------------------------------------------===//

bool HeadLayout::isValid(ArrayAttr dimensions) {
  auto count = [&](AttentionDim dim) {
    return llvm::count_if(
        dimensions.getAsRange<AttentionDimAttr>(),
        [dim](AttentionDimAttr other) { return other.getValue() == dim; });
  };
  return !dimensions ||
         (count(AttentionDim::Length) == 1 &&
          count(AttentionDim::Channel) == 1 && count(AttentionDim::Head) <= 1);
}

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

// Whether operands have the dimensions that their layouts name.
static bool haveLayouts(AttentionOp::Adaptor adaptor) {
  if (!HeadLayout::isValid(adaptor.getLayoutAttr()) ||
      !HeadLayout::isValid(adaptor.getOutputLayoutAttr()))
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

// The sizes of a result of this kind for the keys of a split, or any sizes of
// wrong operands, which are verified later.
static Sizes splitSizes(AttentionOp::Adaptor adaptor, AttentionResult result) {
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
    // Of heads that do not fit, what is there: the verifier says why.
    int64_t channels = *sizesOf(adaptor.getValue())[ofValue.channel].asNumber();
    int64_t all;
    if ((!ofValue.head && channels % kvHeads != 0) ||
        llvm::MulOverflow(heads, width, all))
      all = channels;
    sizes[layout.channel] =
        SizeAttr::number(context, layout.head ? width : all);
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

static Sizes resultSizes(AttentionOp::Adaptor adaptor, AttentionResult result) {
  Sizes sizes = splitSizes(adaptor, result);
  if (IntegerAttr splits = adaptor.getSplitsAttr())
    sizes.insert(sizes.begin(),
                 SizeAttr::number(splits.getContext(), splits.getInt()));
  return sizes;
}

SmallVector<AttentionResult> heddle::wantedOf(ArrayAttr wanted) {
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

FloatType heddle::computedTypeOf(Value query) {
  MLIRContext *context = query.getContext();
  if (getElementTypeOrSelf(query).isF64())
    return Float64Type::get(context);
  return Float32Type::get(context);
}

FloatType AttentionOp::getComputedType() { return computedTypeOf(getQuery()); }

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
        /*packedKey=*/Value(), /*packedValue=*/Value(),
        /*termOperands=*/ValueRange(),
        /*scoreOperands=*/ValueRange(), /*factorOperands=*/ValueRange(), heads,
        kvHeads, b.getF64FloatAttr(scale), Normalization::Softmax,
        /*layout=*/ArrayAttr(),
        /*outputLayout=*/ArrayAttr(), /*wanted=*/ArrayAttr(),
        /*splits=*/IntegerAttr(), /*products=*/TypeAttr());
}

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location>,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &results) {
  Type wide = computedTypeOf(adaptor.getQuery());
  Type type = getElementTypeOrSelf(adaptor.getQuery());
  for (AttentionResult result : wantedOf(adaptor.getWantedAttr()))
    results.push_back(
        tensorOf(resultSizes(adaptor, result),
                 result == AttentionResult::Output ? type : wide));
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

bool AttentionOp::readsCacheOf(Type element) {
  auto keys = getKey().getDefiningOp<CacheReadOp>(),
       values = getValue().getDefiningOp<CacheReadOp>();
  auto isPart = [&](CacheReadOp read, CachePart part, int64_t dim) {
    CacheType cache = read.getCache().getType();
    return cache.getTypeOf(part) == element && cache.getDimOf(part) == dim;
  };
  return keys && values && getKey() == keys.getKey() &&
         getValue() == values.getValue() &&
         isPart(keys, CachePart::Keys, getHeadDim()) &&
         isPart(values, CachePart::Values, getValueDim());
}

std::optional<int64_t> AttentionOp::getRowCount() {
  std::optional<int64_t> queries = getScoreSpace()[2].asNumber();
  if (!queries)
    return std::nullopt;
  uint64_t group = getHeads() / getKvHeads();
  return std::min<uint64_t>(llvm::SaturatingMultiply<uint64_t>(*queries, group),
                            std::numeric_limits<int64_t>::max());
}

LogicalResult heddle::setArgumentTypes(Operation *op, StringRef name,
                                       Region &region, ArrayRef<Type> own,
                                       ValueRange operands) {
  if (region.empty())
    return success();
  SmallVector<Type> types(own);
  llvm::append_range(types, operands.getTypes());
  for (auto [argument, type] : llvm::zip_equal(region.getArguments(), types)) {
    auto declared = cast<RankedTensorType>(argument.getType());
    bool isOther = failed(verifyCompatibleShape(declared, type)) ||
                   (declared.getEncoding() && declared != type);
    if (isOther)
      return op->emitOpError("expected a ")
             << name << " region with an argument of type " << type
             << ", found " << declared;
    argument.setType(type);
  }
  return success();
}

// What regions compute is resolved with the sizes of scores, and terms.
LogicalResult AttentionOp::setArgumentTypes() {
  Type type = getComputedType();
  ScoreSpace space = getScoreSpace();
  Type scores = tensorOf(space, type);
  Sizes sizes(space.begin(), space.end());
  sizes.push_back(SizeAttr::number(getContext(), getHeadDim()));
  Type terms = tensorOf(sizes, type);
  auto set = [&](StringRef name, Region &region, ArrayRef<Type> own,
                 ValueRange operands) {
    return heddle::setArgumentTypes(*this, name, region, own, operands);
  };
  return failure(
      failed(set("score", getScore(), scores, getScoreOperands())) ||
      failed(set("factors", getFactors(), scores, getFactorOperands())) ||
      failed(set("term", getTerm(), {terms, terms}, getTermOperands())));
}

// The first query begins the sums.
static LogicalResult checkColumnSums(AttentionOp op) {
  if (!llvm::is_contained(op.getWantedResults(), AttentionResult::ColumnSums))
    return success();
  SizeAttr queries = op.getScoreSpace()[2];
  if (isPositiveIn(op, queries))
    return success();
  return op.emitOpError("expected 1 query or more for column_sums, found ")
         << queries.str() << howToDeclare(queries);
}

LogicalResult AttentionOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  Sizes query = sizesOf(getQuery()), key = sizesOf(getKey()),
        value = sizesOf(getValue());
  HeadLayout ofQuery = getLayoutOf(getQuery()), ofKey = getLayoutOf(getKey()),
             ofValue = getLayoutOf(getValue());
  for (AttentionResult result : getWantedResults())
    results.push_back(resultSizes(*this, result));
  if (failed(setArgumentTypes()))
    return failure();
  for (auto [index, dim] : llvm::enumerate(ofQuery.batches))
    if (failed(expectSize(*this, "the batch of the key", query[dim],
                          key[ofKey.batches[index]])) ||
        failed(expectSize(*this, "the batch of the value", query[dim],
                          value[ofValue.batches[index]])))
      return failure();
  return failure(failed(expectSize(*this, "the length of the value",
                                   key[ofKey.length], value[ofValue.length])) ||
                 failed(checkPacked()) || failed(checkRing(*this)) ||
                 failed(checkColumnSums(*this)) ||
                 failed(heddle::checkMask(*this, getMask(), getScoreSpace())));
}
