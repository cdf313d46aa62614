// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/Verification.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace heddle;

static int64_t channels(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape().back();
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

// Where positions are, and of how many sequences.
static LogicalResult verifyPlaces(Operation *op, bool hasPages, bool isRing) {
  if (!hasPages || !isRing)
    return success();
  return op->emitOpError("expected pages or a ring, found both");
}

static SizeAttr batchOf(Value cache, Value pages) {
  return sizesOf(pages ? pages : cache)[0];
}

void CacheAppendOp::build(OpBuilder &builder, OperationState &state,
                          Value cache, Value key, Value value, Value starts,
                          Value lengths, int64_t layer) {
  build(builder, state, cache.getType(), cache, key, value, starts, lengths,
        /*pages=*/Value(), /*keyScales=*/Value(), /*valueScales=*/Value(),
        layer, /*ring=*/false);
}

void CacheReadOp::build(OpBuilder &builder, OperationState &state, Value cache,
                        int64_t layer) {
  build(builder, state, cache, /*pages=*/Value(), layer, /*ring=*/SizeAttr());
}

Value CacheAppendOp::getSourceOf(CachePart part) {
  return part == CachePart::Keys        ? Value(getKey())
         : part == CachePart::Values    ? Value(getValue())
         : part == CachePart::KeyScales ? Value(getKeyScales())
                                        : Value(getValueScales());
}

// Of tokens [batch, length, ...].
static LogicalResult expectScales(Operation *op, Value scales,
                                  const Sizes &tokens) {
  if (!scales)
    return success();
  Sizes sizes = sizesOf(scales);
  return failure(
      failed(expectSize(op, "the batch of the scales", tokens[0], sizes[0])) ||
      failed(expectSize(op, "the length of the scales", tokens[1], sizes[1])));
}

// Positions are divided by those of a page or a ring.
static LogicalResult checkPositions(Operation *op, Value cache,
                                    bool isDivided) {
  SizeAttr capacity = sizesOf(cache)[1];
  if (!isDivided || isPositiveIn(op, capacity))
    return success();
  return op->emitOpError("expected pages, or a ring, of 1 position or more, "
                         "found ")
         << capacity.str() << howToDeclare(capacity);
}

// As many numbers as sequences, if there are any.
static LogicalResult expectCount(Operation *op, StringRef what, SizeAttr batch,
                                 Value numbers) {
  return numbers ? expectSize(op, what, batch, sizesOf(numbers)[0]) : success();
}

LogicalResult CacheAppendOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getCache()));
  SizeAttr batch = batchOf(getCache(), getPages());
  Sizes key = sizesOf(getKey()), value = sizesOf(getValue());
  return failure(
      failed(checkPositions(*this, getCache(), getPages() || getRing())) ||
      failed(expectSize(*this, "the batch of the key", batch, key[0])) ||
      failed(expectSize(*this, "the batch of the value", batch, value[0])) ||
      failed(expectSize(*this, "the length of the value", key[1], value[1])) ||
      failed(expectCount(*this, "the number of starts", batch, getStarts())) ||
      failed(
          expectCount(*this, "the number of lengths", batch, getLengths())) ||
      failed(expectScales(*this, getKeyScales(), key)) ||
      failed(expectScales(*this, getValueScales(), key)) ||
      failed(checkCapacity()));
}

// C7
LogicalResult CacheAppendOp::checkCapacity() {
  SizeAttr capacity = sizesOf(getCache())[1], length = sizesOf(getKey())[1];
  SizeAttr rest = capacity - length;
  bool takesAll = !getStarts() && !getLengths();
  if ((!getRing() && !takesAll) || isNeverNegativeIn(*this, rest))
    return success();
  return emitOpError("expected ")
         << (getRing() ? "a ring" : "a cache")
         << " with at least as many positions as there are tokens, found \""
         << capacity.str() << "\" and \"" << length.str() << "\""
         << howToDeclare(rest);
}

LogicalResult CacheAppendOp::verify() {
  CacheType cache = getCache().getType();
  // C1, C5
  if (failed(verifyLayer(*this, getLayer(), cache)) ||
      failed(verifyPlaces(*this, bool(getPages()), getRing())))
    return failure();
  if ((getPages() || getRing()) && (!getStarts() || !getLengths()))
    return emitOpError("expected 'at' and 'lengths' beside pages or a ring");
  auto verifyPart = [&](StringRef name, Value from, CachePart part,
                        Value scales) -> LogicalResult {
    // C2
    int64_t expected = cache.getKvHeads() * cache.getDimOf(part);
    if (channels(from) != expected)
      return emitOpError("expected ") << name << " of " << expected
                                      << " channels, found " << channels(from);
    // C6
    bool isRounded = getElementTypeOrSelf(from).isInteger();
    if (isRounded != bool(scales) ||
        (isRounded && cache.getTypeOf(part) != getElementTypeOrSelf(from)))
      return emitOpError("expected ")
             << name
             << " of floats, or those of an i8 cache of i8, with scales, "
             << "found " << from.getType()
             << (scales ? " with scales" : " without");
    if (scales && channels(scales) != cache.getKvHeads())
      return emitOpError("expected scales of ")
             << cache.getKvHeads() << " heads, found " << channels(scales);
    return success();
  };
  if (failed(verifyPart("keys", getKey(), CachePart::Keys, getKeyScales())) ||
      failed(verifyPart("values", getValue(), CachePart::Values,
                        getValueScales())))
    return failure();
  // C3
  return verifyLastUse(getCacheMutable(), getLayer());
}

// [batch, positions, channels]
static Sizes cacheReadSizes(CacheReadOp::Adaptor op, CachePart part) {
  auto cache = cast<CacheType>(op.getCache().getType());
  Sizes sizes = sizesOf(cache);
  if (Value pages = op.getPages()) {
    Sizes table = sizesOf(pages);
    bool isKnown = table.size() == 2 && table[1] && sizes[1];
    sizes = {table.empty() ? SizeAttr() : table[0],
             isKnown ? table[1] * sizes[1] : SizeAttr()};
  }
  if (op.getRingAttr())
    sizes[1] = op.getRingAttr();
  sizes.push_back(SizeAttr::number(cache.getContext(),
                                   cache.getKvHeads() * cache.getDimOf(part)));
  return sizes;
}

LogicalResult CacheReadOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location>,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &results) {
  for (CachePart part : {CachePart::Keys, CachePart::Values})
    results.push_back(
        tensorOf(cacheReadSizes(adaptor, part), Float32Type::get(context)));
  return success();
}

LogicalResult CacheReadOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  for (CachePart part : {CachePart::Keys, CachePart::Values})
    results.push_back(cacheReadSizes(*this, part));
  return checkPositions(*this, getCache(), getPages() || getRingAttr());
}

LogicalResult CacheReadOp::verify() {
  // C1, C2
  if (failed(verifyLayer(*this, getLayer(), getCache().getType())) ||
      failed(verifyPlaces(*this, bool(getPages()), bool(getRingAttr()))))
    return failure();
  // C3
  for (OpOperand &use : (*this)->getUses()) {
    auto attention = dyn_cast<AttentionOp>(use.getOwner());
    bool isItsPlace = attention && attention.getKey() == getKey() &&
                      attention.getValue() == getValue() &&
                      &use != &attention.getQueryMutable();
    if (!getRingAttr() || isItsPlace)
      continue;
    InFlightDiagnostic error = emitOpError(
        "expected keys and values of a ring to be those of an attention");
    error.attachNote(use.getOwner()->getLoc()) << "used here";
    return error;
  }
  return success();
}

//===-- Rings -------------------------------------------------------------===//

// Of which mask every pair that attention keeps is one.
static void collectConjuncts(Value mask, SetVector<Operation *> &found) {
  Operation *op = mask ? mask.getDefiningOp() : nullptr;
  if (!op || !found.insert(op) || !isa<AndMaskOp>(op))
    return;
  for (Value operand : op->getOperands())
    collectConjuncts(operand, found);
}

static CacheAppendOp lastAppend(CacheReadOp read) {
  Value cache = read.getCache();
  while (auto append = cache.getDefiningOp<CacheAppendOp>()) {
    if (append.getLayer() == read.getLayer())
      return append;
    cache = append.getCache();
  }
  return nullptr;
}

// A query at position p, of a sequence whose call begins at `start` and has
// `length` tokens at most, keeps keys from p - left on, of which the first
// query asks for the earliest: start - left. The ring has those from start +
// length - capacity on.
LogicalResult heddle::checkRing(AttentionOp op) {
  auto read = op.getKey().getDefiningOp<CacheReadOp>();
  if (!read || !read.getRingAttr())
    return success();
  CacheAppendOp append = lastAppend(read);
  if (!append || !append.getRing())
    return op.emitOpError("expected keys of a ring that this function appends "
                          "to with `ring`");
  SetVector<Operation *> conjuncts;
  collectConjuncts(op.getMask(), conjuncts);
  std::optional<int64_t> left, right;
  auto limit = [](std::optional<int64_t> &known, int64_t found) {
    known = known ? std::min(*known, found) : found;
  };
  for (Operation *mask : conjuncts) {
    auto window = dyn_cast<WindowMaskOp>(mask);
    auto causal = dyn_cast<CausalMaskOp>(mask);
    if (window && window.getOffset() == append.getStarts()) {
      int64_t plus = *window.getShift().asNumber();
      if (window.getLeft())
        limit(left, *window.getLeft() - plus);
      if (window.getRight())
        limit(right, *window.getRight() + plus);
    }
    if (causal && causal.getOffset() == append.getStarts())
      limit(right, *causal.getShift().asNumber());
  }
  if (!left || !right || *right > 0)
    return op.emitOpError(
        "expected a mask that keeps no key which the ring does not hold: a "
        "heddle.mask.window with `left`, and that or heddle.mask.causal with "
        "no key after the query, with the starts of the append as offset");
  // Queries that stand after the last token would keep keys of old ones.
  SizeAttr length = sizesOf(append.getKey())[1];
  SizeAttr queries = op.getScoreSpace()[2];
  if (!isNeverNegativeIn(op, length - queries))
    return op.emitOpError("expected as many tokens appended as there are "
                          "queries, or more, found \"")
           << length.str() << "\" and \"" << queries.str() << "\""
           << howToDeclare(length - queries);
  SizeAttr capacity = sizesOf(read.getCache())[1];
  SizeAttr needed = length + SizeAttr::number(op.getContext(), *left);
  SizeAttr rest = capacity - needed;
  if (isNeverNegativeIn(op, rest))
    return success();
  return op.emitOpError("expected a ring of at least \"")
         << needed.str() << "\" positions, for the tokens of a call "
         << "and the keys before them that the window keeps, found \""
         << capacity.str() << "\"" << howToDeclare(rest);
}

//===-- heddle.cache.select -----------------------------------------------===//

LogicalResult CacheSelectOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  Sizes cache = sizesOf(getCache());
  results.push_back(cache);
  // C1
  if (failed(expectSize(*this, "the rows of positions", cache[0],
                        sizesOf(getPositions())[0])) ||
      failed(expectSize(*this, "the number of lengths", cache[0],
                        sizesOf(getLengths())[0])))
    return failure();
  if (!getSequences())
    return success();
  return expectSize(*this, "the number of sequences", cache[0],
                    sizesOf(getSequences())[0]);
}

// The cache that appends and selections have made `cache` of.
static Value firstOf(Value cache) {
  while (Operation *op = cache.getDefiningOp()) {
    if (!isa<CacheAppendOp, CacheSelectOp>(op))
      break;
    cache = op->getOperand(0);
  }
  return cache;
}

// What appends to `cache`, reads it, or does so with what has been made of it,
// as a ring.
static Operation *findRing(Value cache) {
  for (Operation *user : cache.getUsers()) {
    auto append = dyn_cast<CacheAppendOp>(user);
    auto read = dyn_cast<CacheReadOp>(user);
    if ((append && append.getRing()) || (read && read.getRingAttr()))
      return user;
    if (isa<CacheAppendOp, CacheSelectOp>(user))
      if (Operation *ring = findRing(user->getResult(0)))
        return ring;
  }
  return nullptr;
}

LogicalResult CacheSelectOp::verify() {
  // C2
  for (int64_t layer = 0; layer < getCache().getType().getLayers(); ++layer)
    if (failed(verifyLastUse(getCacheMutable(), layer)))
      return failure();
  // C3
  Operation *ring = findRing(firstOf(getCache()));
  if (!ring)
    return success();
  InFlightDiagnostic diagnostic = emitOpError(
      "expected a cache that is no ring, whose positions have their places");
  diagnostic.attachNote(ring->getLoc()) << "used as one here";
  return diagnostic;
}
