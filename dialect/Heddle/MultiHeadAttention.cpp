// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/LayerShapes.h"
#include "dialect/Heddle/Verification.h"

using namespace mlir;
using namespace heddle;

static int64_t rows(Value weight) {
  return cast<RankedTensorType>(weight.getType()).getShape().front();
}

// [batch, heads, queries, keys]: with a cache, keys are its positions.
static Sizes scoreSizes(MultiHeadAttentionOp::Adaptor adaptor) {
  Sizes query = sizesOf(adaptor.getQuery());
  Value keys = adaptor.getCache() ? adaptor.getCache() : adaptor.getKey();
  return {query[0], SizeAttr::number(keys.getContext(), adaptor.getHeads()),
          query[1], sizesOf(keys)[1]};
}

// The sizes of a result, or any of wrong operands, which are verified later.
static Sizes resultSizes(MultiHeadAttentionOp::Adaptor adaptor,
                         AttentionResult result) {
  Sizes query = sizesOf(adaptor.getQuery()), key = sizesOf(adaptor.getKey()),
        weight = sizesOf(adaptor.getOutputWeight());
  if (query.size() != 3 || key.size() != 3 || weight.size() != 2)
    return query;
  if (result == AttentionResult::Output)
    return {query[0], query[1], weight[0]};
  return scoreSizes(adaptor);
}

//===-- What it computes --------------------------------------------------===//

int64_t MultiHeadAttentionOp::getHeadDim() {
  if (getCombinedWeight())
    return rows(getCombinedWeight()) / (getHeads() + 2 * getKvHeads());
  return rows(getQueryWeight()) / getHeads();
}

int64_t MultiHeadAttentionOp::getValueDim() {
  return getCombinedWeight() ? getHeadDim()
                             : rows(getValueWeight()) / getKvHeads();
}

SmallVector<AttentionResult> MultiHeadAttentionOp::getWantedResults() {
  return wantedOf(getWantedAttr());
}

double MultiHeadAttentionOp::getScaleOrDefault() {
  return getScale() ? getScale()->convertToDouble()
                    : 1 / std::sqrt(double(getHeadDim()));
}

ScoreSpace MultiHeadAttentionOp::getScoreSpace() {
  Sizes sizes = scoreSizes(*this);
  return {sizes[0], sizes[1], sizes[2], sizes[3]};
}

LogicalResult
MultiHeadAttentionOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location>, Adaptor adaptor,
                                       SmallVectorImpl<Type> &results) {
  Type type = getElementTypeOrSelf(adaptor.getQuery().getType());
  Type computed = computedTypeOf(adaptor.getQuery());
  for (AttentionResult result : wantedOf(adaptor.getWantedAttr()))
    results.push_back(
        tensorOf(resultSizes(adaptor, result),
                 result == AttentionResult::Output ? type : computed));
  if (adaptor.getCache())
    results.push_back(adaptor.getCache().getType());
  return success();
}

LogicalResult
MultiHeadAttentionOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  for (AttentionResult result : getWantedResults())
    results.push_back(resultSizes(*this, result));
  if (getCache())
    results.push_back(sizesOf(getCache()));
  ScoreSpace space = getScoreSpace();
  if (failed(setArgumentTypes(*this, "score", getScore(),
                              tensorOf(Sizes(space.begin(), space.end()),
                                       computedTypeOf(getQuery())),
                              getScoreOperands())))
    return failure();
  Sizes query = sizesOf(getQuery()), key = sizesOf(getKey()),
        value = sizesOf(getValue());
  return failure(
      failed(expectSize(*this, "the batch of the key", query[0], key[0])) ||
      failed(expectSize(*this, "the batch of the value", query[0], value[0])) ||
      failed(expectSize(*this, "the length of the value", key[1], value[1])) ||
      failed(checkCache()) || failed(checkMask(*this, getMask(), space)));
}

LogicalResult MultiHeadAttentionOp::checkCache() {
  if (!getCache())
    return success();
  SizeAttr batch = sizesOf(getQuery())[0];
  return failure(failed(expectSize(*this, "the batch of the cache", batch,
                                   sizesOf(getCache())[0])) ||
                 failed(expectSize(*this, "the number of starts", batch,
                                   sizesOf(getStarts())[0])) ||
                 failed(expectSize(*this, "the number of lengths", batch,
                                   sizesOf(getLengths())[0])));
}

//===-- Verification ------------------------------------------------------===//

namespace {
/// A linear layer: what it is called, what it reads, and how many heads its
/// rows are.
struct Projection {
  StringRef name;
  Value input, weight, bias;
  int64_t heads;
};
} // namespace

static LogicalResult verifyProjection(Operation *op,
                                      const Projection &projection) {
  auto [name, input, weight, bias, heads] = projection;
  // C4
  int64_t width = channels(input), columns = channels(weight);
  if (width != columns || width == 0)
    return op->emitOpError("expected as many columns of the ")
           << name << " weight as the " << width
           << " channels that it multiplies, and at least one, found "
           << columns;
  // C5
  if (rows(weight) == 0 || rows(weight) % heads != 0)
    return op->emitOpError("expected ")
           << heads << " to divide the rows of the " << name
           << " weight, found " << rows(weight);
  // C6
  if (!bias)
    return success();
  return expectChannels(op, ("a bias of the " + name + " weight").str(), bias,
                        rows(weight));
}

static LogicalResult verifyProjections(MultiHeadAttentionOp op) {
  int64_t heads = op.getHeads(), kvHeads = op.getKvHeads();
  // C2
  bool hasAll = op.getQueryWeight() && op.getKeyWeight() && op.getValueWeight();
  bool hasAny = op.getQueryWeight() || op.getKeyWeight() || op.getValueWeight();
  if (op.getCombinedWeight() ? hasAny : !hasAll)
    return op.emitOpError(
        "expected projections of query, key and value, or a combined one");
  // C6
  for (auto [weight, bias] :
       {std::pair<Value, Value>{op.getQueryWeight(), op.getQueryBias()},
        {op.getKeyWeight(), op.getKeyBias()},
        {op.getValueWeight(), op.getValueBias()},
        {op.getCombinedWeight(), op.getCombinedBias()}})
    if (bias && !weight)
      return op.emitOpError("expected a weight for each bias");
  if (op.getCombinedWeight()) {
    // C3
    if (op.getQuery() != op.getKey() || op.getQuery() != op.getValue())
      return op.emitOpError(
          "expected one value as query, key and value of a combined "
          "projection");
    return verifyProjection(op,
                            {"combined", op.getQuery(), op.getCombinedWeight(),
                             op.getCombinedBias(), heads + 2 * kvHeads});
  }
  if (failed(verifyProjection(op, {"query", op.getQuery(), op.getQueryWeight(),
                                   op.getQueryBias(), heads})) ||
      failed(verifyProjection(op, {"key", op.getKey(), op.getKeyWeight(),
                                   op.getKeyBias(), kvHeads})) ||
      failed(verifyProjection(op, {"value", op.getValue(), op.getValueWeight(),
                                   op.getValueBias(), kvHeads})))
    return failure();
  // C5
  int64_t keyDim = rows(op.getKeyWeight()) / kvHeads;
  if (op.getHeadDim() == keyDim)
    return success();
  return op.emitOpError("expected heads of one size, found ")
         << op.getHeadDim() << " for the query and " << keyDim
         << " for the key";
}

// C11
static LogicalResult verifyCache(MultiHeadAttentionOp op) {
  bool hasCache = bool(op.getCache());
  if (hasCache != bool(op.getStarts()) || hasCache != bool(op.getLengths()) ||
      hasCache != op.getLayer().has_value())
    return op.emitOpError(
        "expected a cache with what appends to it, or neither");
  if (!hasCache)
    return success();
  CacheType cache = op.getCache().getType();
  if (cache.getKvHeads() != int64_t(op.getKvHeads()) ||
      cache.getHeadDim() != op.getHeadDim() ||
      cache.getValueDim() != op.getValueDim())
    return op.emitOpError("expected a cache of ")
           << op.getKvHeads() << " heads of " << op.getHeadDim() << " and "
           << op.getValueDim() << " channels, found " << cache;
  int64_t layer = *op.getLayer();
  if (layer < 0 || layer >= cache.getLayers())
    return op.emitOpError("expected a layer below ")
           << cache.getLayers() << ", found " << layer;
  if (computedTypeOf(op.getQuery()).isF64())
    return op.emitOpError("expected no cache with a query of f64");
  return verifyLastUse(op.getCacheMutable()[0], layer);
}

LogicalResult MultiHeadAttentionOp::verifyRegions() {
  // C10
  return verifyRegion(*this, "score", getScore(), getScoreOperands(), 1, 4,
                      computedTypeOf(getQuery()));
}

LogicalResult MultiHeadAttentionOp::verify() {
  // C1
  if (failed(verifyHeads(*this, getHeads(), getKvHeads())))
    return failure();
  // C12
  if (failed(verifyAllOrNoneOfF64(
          *this, "query, key and value",
          {getQuery().getType(), getKey().getType(), getValue().getType()})))
    return failure();
  // C2 to C6
  if (failed(verifyProjections(*this)))
    return failure();
  // C4
  int64_t width = getHeads() * getValueDim();
  if (channels(getOutputWeight()) != width)
    return emitOpError("expected ")
           << width << " columns of the output weight, found "
           << channels(getOutputWeight());
  // C5
  if (rows(getOutputWeight()) == 0)
    return emitOpError("expected an output weight with rows, found none");
  // C6
  if (getOutputBias() &&
      failed(expectChannels(*this, "a bias of the output weight",
                            getOutputBias(), rows(getOutputWeight()))))
    return failure();
  // C7
  if (bool(getQueryNorm()) != bool(getKeyNorm()) ||
      bool(getQueryNorm()) != bool(getEpsilonAttr()))
    return emitOpError(
        "expected norms of query and key and their epsilon, or none");
  if (getQueryNorm() && (failed(expectChannels(*this, "a norm of the query",
                                               getQueryNorm(), getHeadDim())) ||
                         failed(expectChannels(*this, "a norm of the key",
                                               getKeyNorm(), getHeadDim())) ||
                         failed(verifyEpsilon(*this, *getEpsilon()))))
    return failure();
  // C8
  if (failed(verifyScale(*this, getScaleOrDefault())))
    return failure();
  // C9
  SmallVector<AttentionResult> wanted = getWantedResults();
  if (!llvm::is_contained(wanted, AttentionResult::Output))
    return emitOpError("expected 'output' among the results");
  for (auto [index, result] : llvm::enumerate(wanted)) {
    if (result != AttentionResult::Output && result != AttentionResult::Weights)
      return emitOpError("expected the results output and weights, found '")
             << stringifyEnum(result) << "'";
    if (llvm::is_contained(ArrayRef(wanted).take_front(index), result))
      return emitOpError("expected each result once, found '")
             << stringifyEnum(result) << "' twice";
  }
  return verifyCache(*this);
}
