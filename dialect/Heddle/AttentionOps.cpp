// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/Verification.h"
#include "runtime/heddle_abi.h"

using namespace mlir;
using namespace heddle;

static int64_t channels(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape().back();
}

// The sizes of a result of this kind, or any sizes of wrong operands, which are
// verified later.
static Sizes resultSizes(AttentionOp::Adaptor adaptor, AttentionResult result) {
  Sizes query = sizesOf(adaptor.getQuery()), key = sizesOf(adaptor.getKey());
  auto value = cast<RankedTensorType>(adaptor.getValue().getType());
  MLIRContext *context = value.getContext();
  int64_t heads = adaptor.getHeads(), kvHeads = adaptor.getKvHeads();
  bool fits = query.size() >= 3 && query.size() == key.size() &&
              int64_t(query.size()) == value.getRank() &&
              !value.isDynamicDim(value.getRank() - 1) && heads > 0 &&
              kvHeads > 0;
  if (!fits)
    return query;
  SizeAttr headCount = SizeAttr::number(context, heads);
  unsigned length = query.size() == 4 ? 2 : 1;
  switch (result) {
  case AttentionResult::Output:
  case AttentionResult::Unnormalized: {
    int64_t width = channels(adaptor.getValue());
    if (query.size() == 3)
      width = heads * (width / kvHeads);
    query.back() = SizeAttr::number(context, width);
    return query;
  }
  case AttentionResult::LogSumExp:
  case AttentionResult::Maximum:
  case AttentionResult::Sum:
    return {query[0], headCount, query[length]};
  case AttentionResult::Weights:
  case AttentionResult::RawScores:
  case AttentionResult::ScaledScores:
  case AttentionResult::ChangedScores:
  case AttentionResult::MaskedScores:
    return {query[0], headCount, query[length], key[length]};
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

int64_t AttentionOp::getHeadDim() {
  return channels(getQuery()) / (hasHeadsOutside() ? 1 : getHeads());
}

int64_t AttentionOp::getValueDim() {
  return channels(getValue()) / (hasHeadsOutside() ? 1 : getKvHeads());
}

void AttentionOp::build(OpBuilder &b, OperationState &state, Value query,
                        Value key, Value value, Value mask, int64_t heads,
                        int64_t kvHeads, double scale) {
  build(b, state, query, key, value, mask, /*sinks=*/Value(),
        /*packed=*/Value(), /*scoreOperands=*/ValueRange(), heads, kvHeads,
        b.getF64FloatAttr(scale), /*wanted=*/ArrayAttr());
}

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location>,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &results) {
  Type f32 = Float32Type::get(context);
  for (AttentionResult result : wantedOf(adaptor.getWantedAttr()))
    results.push_back(tensorOf(resultSizes(adaptor, result), f32));
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
  return getScale() ? getScale()->convertToDouble()
                    : 1 / std::sqrt(double(getHeadDim()));
}

ScoreSpace AttentionOp::getScoreSpace() {
  Sizes query = sizesOf(getQuery()), key = sizesOf(getKey());
  return {query[0], SizeAttr::number(getContext(), getHeads()),
          query[getLengthDim()], key[getLengthDim()]};
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

LogicalResult AttentionOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  Sizes query = sizesOf(getQuery()), key = sizesOf(getKey()),
        value = sizesOf(getValue());
  for (AttentionResult result : getWantedResults())
    results.push_back(resultSizes(*this, result));
  if (changesScores()) {
    // What the region computes is resolved with these.
    Block::BlockArgListType arguments = getScore().getArguments();
    arguments[0].setType(
        tensorOf(getScoreSpace(), Float32Type::get(getContext())));
    for (auto [argument, operand] :
         llvm::zip_equal(arguments.drop_front(), getScoreOperands()))
      argument.setType(operand.getType());
  }
  // C11
  if (getPacked()) {
    Sizes expected{key[0], SizeAttr::number(getContext(), getKvHeads()),
                   ceilDiv(key[getLengthDim()], HEDDLE_CACHE_BLOCK),
                   SizeAttr::number(getContext(), getHeadDim()),
                   SizeAttr::number(getContext(), HEDDLE_CACHE_BLOCK)};
    for (auto [size, found] : llvm::zip_equal(expected, sizesOf(getPacked())))
      if (failed(expectSize(*this, "a size of the packed keys", size, found)))
        return failure();
  }
  return failure(
      failed(expectSize(*this, "the batch of the key", query[0], key[0])) ||
      failed(expectSize(*this, "the batch of the value", query[0], value[0])) ||
      failed(expectSize(*this, "the length of the value", key[getLengthDim()],
                        value[getLengthDim()])) ||
      failed(heddle::checkMask(*this, getMask(), getScoreSpace())));
}

LogicalResult AttentionOp::verify() {
  int64_t heads = getHeads(), kvHeads = getKvHeads();
  // C1
  if (failed(verifyHeads(*this, heads, kvHeads)))
    return failure();
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
  // C10
  if (getSinks() && sizesOf(getSinks())[0] &&
      sizesOf(getSinks())[0].asNumber() != heads)
    return emitOpError("expected a sink for each of ")
           << heads << " heads, found " << getSinks().getType();
  return success();
}

// A tensor of as many dimensions and such elements; sizes are resolved later.
static bool isAlike(Type found, int64_t rank, Type elementType) {
  auto tensor = dyn_cast<RankedTensorType>(found);
  return tensor && tensor.getRank() == rank &&
         tensor.getElementType() == elementType;
}

LogicalResult AttentionOp::verifyRegions() {
  if (!changesScores()) {
    if (getScoreOperands().empty())
      return success();
    return emitOpError("expected no operands of a score region that is not "
                       "there");
  }
  // C8
  Block &body = getScore().front();
  Type f32 = Float32Type::get(getContext());
  bool fits = body.getNumArguments() == 1 + getScoreOperands().size() &&
              isAlike(body.getArgument(0).getType(), 4, f32);
  if (fits)
    for (auto [argument, operand] : llvm::zip_equal(
             body.getArguments().drop_front(), getScoreOperands())) {
      auto type = cast<RankedTensorType>(operand.getType());
      fits &=
          isAlike(argument.getType(), type.getRank(), type.getElementType());
    }
  if (!fits)
    return emitOpError("expected a score region with arguments for scores of "
                       "four dimensions and f32, and for operands of types ")
           << getScoreOperands().getTypes() << ", found "
           << body.getArgumentTypes();
  // C9
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getNumOperands() != 1 ||
      !isAlike(yield.getOperand(0).getType(), 4, f32))
    return emitOpError("expected a score region that yields a tensor of four "
                       "dimensions and f32");
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
