// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/Verification.h"

using namespace mlir;
using namespace heddle;

static int64_t channels(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape().back();
}

// As the query, with heads as wide as those of the value.
static Sizes attentionSizes(AttentionOp::Adaptor adaptor) {
  Sizes sizes = sizesOf(adaptor.getQuery());
  auto value = cast<RankedTensorType>(adaptor.getValue().getType());
  int64_t heads = adaptor.getHeads(), kvHeads = adaptor.getKvHeads();
  // Operands are verified later: here any sizes will do for wrong ones.
  if (int64_t(sizes.size()) != value.getRank() || sizes.size() < 3 ||
      value.isDynamicDim(value.getRank() - 1) || heads <= 0 || kvHeads <= 0)
    return sizes;
  int64_t width = channels(adaptor.getValue());
  if (sizes.size() == 3)
    width = heads * (width / kvHeads);
  sizes.back() = SizeAttr::number(value.getContext(), width);
  return sizes;
}

//===-- heddle.attention --------------------------------------------------===//

int64_t AttentionOp::getHeadDim() {
  return channels(getQuery()) / (hasHeadsOutside() ? 1 : getHeads());
}

int64_t AttentionOp::getValueDim() {
  return channels(getValue()) / (hasHeadsOutside() ? 1 : getKvHeads());
}

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location>,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &results) {
  results.push_back(
      tensorOf(attentionSizes(adaptor),
               getElementTypeOrSelf(adaptor.getQuery().getType())));
  return success();
}

ScoreSpace AttentionOp::getScoreSpace() {
  Sizes query = sizesOf(getQuery()), key = sizesOf(getKey());
  return {query[0], SizeAttr::number(getContext(), getHeads()),
          query[getLengthDim()], key[getLengthDim()]};
}

// Follows a mask to what it is made of.
static LogicalResult checkMask(AttentionOp attention, Value mask,
                               llvm::SmallPtrSetImpl<Operation *> &visited) {
  auto op = mask ? mask.getDefiningOp<MaskOpInterface>() : nullptr;
  if (!op || !visited.insert(op).second)
    return success();
  for (Value operand : op->getOperands())
    if (isa<MaskType>(operand.getType()) &&
        failed(checkMask(attention, operand, visited)))
      return failure();
  return op.checkSpace(attention, attention.getScoreSpace());
}

LogicalResult AttentionOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  Sizes query = sizesOf(getQuery()), key = sizesOf(getKey()),
        value = sizesOf(getValue());
  results.push_back(attentionSizes(*this));
  llvm::SmallPtrSet<Operation *, 8> visited;
  return failure(
      failed(expectSize(*this, "the batch of the key", query[0], key[0])) ||
      failed(expectSize(*this, "the batch of the value", query[0], value[0])) ||
      failed(expectSize(*this, "the length of the value", key[getLengthDim()],
                        value[getLengthDim()])) ||
      failed(checkMask(*this, getMask(), visited)));
}

LogicalResult AttentionOp::verify() {
  int64_t heads = getHeads(), kvHeads = getKvHeads();
  // C1
  if (heads <= 0 || kvHeads <= 0 || heads % kvHeads)
    return emitOpError("expected kv heads that divide the heads, found ")
           << heads << " and " << kvHeads;
  // C5
  int64_t rank = getQuery().getType().getRank();
  for (RankedTensorType other : {getKey().getType(), getValue().getType()})
    if (other.getRank() != rank)
      return emitOpError("expected operands of ")
             << rank << " dimensions, as the query has, found " << other;
  // C6
  for (Value operand : {getQuery(), getKey(), getValue()})
    if (cast<RankedTensorType>(operand.getType()).getShape().back() == 0)
      return emitOpError("expected operands with channels, found ")
             << operand.getType();
  // C2
  auto divides = [&](StringRef name, Value value,
                     int64_t count) -> LogicalResult {
    if (hasHeadsOutside()) {
      int64_t found = cast<RankedTensorType>(value.getType()).getDimSize(1);
      if (found == count)
        return success();
      InFlightDiagnostic error = emitOpError("expected ")
                                 << count << " as the second dimension of "
                                 << name << ", found ";
      return ShapedType::isDynamic(found) ? error << "?" : error << found;
    }
    if (channels(value) % count == 0)
      return success();
    return emitOpError("expected ") << count << " to divide the channels of "
                                    << name << ", found " << channels(value);
  };
  if (failed(divides("the query", getQuery(), heads)) ||
      failed(divides("the key", getKey(), kvHeads)) ||
      failed(divides("the value", getValue(), kvHeads)))
    return failure();
  // C3
  int64_t keyDim = channels(getKey()) / (hasHeadsOutside() ? 1 : kvHeads);
  if (getHeadDim() != keyDim)
    return emitOpError("expected heads of one size, found ")
           << getHeadDim() << " for the query and " << keyDim << " for the key";
  // C4
  double largest = std::numeric_limits<float>::max() / 2;
  if (!(std::abs(getScale().convertToDouble()) <= largest))
    return emitOpError("expected a scale of at most ")
           << largest << " on either side of 0, found "
           << getScale().convertToDouble();
  return success();
}

//===-- heddle.cache.append, heddle.cache.read ----------------------------===//

static LogicalResult verifyLayer(Operation *op, int64_t layer,
                                 CacheType cache) {
  if (layer >= 0 && layer < cache.getLayers())
    return success();
  return op->emitOpError("expected a layer below ")
         << cache.getLayers() << ", found " << layer;
}

// Whether `user` only reads layers of a cache other than `layer`.
static bool readsOtherLayer(Operation *user, int64_t layer) {
  if (auto read = dyn_cast<CacheReadOp>(user))
    return int64_t(read.getLayer()) != layer;
  if (auto launch = dyn_cast<LaunchOp>(user))
    return launch.getLayer() && int64_t(*launch.getLayer()) != layer &&
           llvm::none_of(launch.getResultTypes(), llvm::IsaPred<CacheType>);
  return false;
}

LogicalResult heddle::verifyLastUse(OpOperand &cache, int64_t layer) {
  Operation *op = cache.getOwner();
  auto isBefore = [&](Operation *user) {
    Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
    return ancestor && ancestor != op && ancestor->isBeforeInBlock(op);
  };
  for (OpOperand &use : cache.get().getUses()) {
    if (&use == &cache || readsOtherLayer(use.getOwner(), layer))
      continue;
    // What was read is a view: who uses it reads the cache.
    SmallVector<Operation *> readers{use.getOwner()};
    if (isa<CacheReadOp>(use.getOwner()))
      llvm::append_range(readers, use.getOwner()->getUsers());
    auto *late = llvm::find_if_not(readers, isBefore);
    if (late == readers.end())
      continue;
    InFlightDiagnostic diagnostic =
        op->emitOpError("expected no use of the cache's old value after this, "
                        "which changes it in place");
    diagnostic.attachNote((*late)->getLoc()) << "used here";
    return diagnostic;
  }
  return success();
}

LogicalResult CacheAppendOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getCache()));
  SizeAttr batch = results.back()[0];
  Sizes key = sizesOf(getKey()), value = sizesOf(getValue());
  return failure(
      failed(expectSize(*this, "the batch of the key", batch, key[0])) ||
      failed(expectSize(*this, "the batch of the value", batch, value[0])) ||
      failed(expectSize(*this, "the length of the value", key[1], value[1])) ||
      failed(expectSize(*this, "the number of starts", batch,
                        sizesOf(getStarts())[0])) ||
      failed(expectSize(*this, "the number of lengths", batch,
                        sizesOf(getLengths())[0])));
}

LogicalResult CacheAppendOp::verify() {
  CacheType cache = getCache().getType();
  // C1
  if (failed(verifyLayer(*this, getLayer(), cache)))
    return failure();
  // C2
  int64_t expected = cache.getKvHeads() * cache.getHeadDim();
  for (Value value : {getKey(), getValue()})
    if (channels(value) != expected)
      return emitOpError("expected keys and values of ")
             << expected << " channels, found " << channels(value);
  // C3
  return verifyLastUse(getCacheMutable(), getLayer());
}

// [batch, capacity, channels]
static Sizes cacheReadSizes(CacheType cache) {
  Sizes sizes = sizesOf(cache);
  sizes.push_back(SizeAttr::number(cache.getContext(),
                                   cache.getKvHeads() * cache.getHeadDim()));
  return sizes;
}

LogicalResult CacheReadOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location>,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &results) {
  auto cache = cast<CacheType>(adaptor.getCache().getType());
  results.assign(2, tensorOf(cacheReadSizes(cache), cache.getElementType()));
  return success();
}

LogicalResult CacheReadOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.assign(2, cacheReadSizes(getCache().getType()));
  return success();
}

LogicalResult CacheReadOp::verify() {
  // C1
  return verifyLayer(*this, getLayer(), getCache().getType());
}
