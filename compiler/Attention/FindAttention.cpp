// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// S = sum Q K; E = f(S); M = max E; P = exp(E - M); T = sum P; W = P / T;
// O = sum W V
//   -> heddle.attention of views of Q, K and V, and views of what it gives

#include "compiler/Attention/AttentionPattern.h"
#include "compiler/Attention/Passes.h"
#include "compiler/Attention/ScoreMasks.h"
#include "compiler/Attention/SplitDimensions.h"
#include "compiler/Prepare/Views.h"
#include "dialect/Heddle/Coordinates.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"

namespace heddle {
#define GEN_PASS_DEF_FINDATTENTION
#include "compiler/Attention/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

static SizeAttr dim(MLIRContext *context, unsigned index) {
  return dimensionSymbol(context, index);
}

// `at`, with what each dimension is.
static Sizes substitute(Sizes at, ArrayRef<SizeAttr> dimensions,
                        const Sizes &extents) {
  for (SizeAttr &coordinate : at)
    coordinate = composeCoordinate(coordinate, dimensions, extents);
  return at;
}

namespace {

class AttentionFinder {
public:
  AttentionFinder(AttentionPattern found)
      : p(std::move(found)), b(p.output), loc(p.output.getLoc()),
        context(b.getContext()), extents(p.scores.getExtents()),
        f32(b.getF32Type()) {
    for (unsigned batch : p.batches)
      batchSizes.push_back(extents[batch]);
    int64_t own = p.head ? *extents[*p.head].asNumber() : 1;
    groupSize = p.group ? *extents[*p.group].asNumber() : p.sharing;
    heads = p.group ? own * groupSize : own;
    kvHeads = heads / groupSize;
  }

  /// Null, or what kept it from being an op; what has been built is dead then.
  const char *run() {
    Operation *place = p.findPlace();
    if (!place)
      return "attention whose weights are read before its values can be made";
    for (GenericOp part :
         {p.scores, p.change, p.scaled[0].producer, p.scaled[1].producer})
      if (part && readsOldCache(part, place))
        return "attention that would read a cache after an append";
    b.setInsertionPoint(place);
    return build() ? nullptr : "attention whose operands no views can make";
  }

private:
  // False where coordinates cannot be written as maps.
  bool build() {
    Value query = operandView(p.queryInput, p.query, heads, f32);
    Value keys = operandView(p.keyInput, p.key, kvHeads, {});
    ScoreMasks changes(p, b);
    Value values = valueView(changes);
    if (!query || !keys || !values)
      return false;
    bool areRead = llvm::range_size(p.weights->getUses()) > 1;
    SmallVector<Attribute> wanted{
        AttentionResultAttr::get(context, AttentionResult::Output)};
    if (areRead)
      wanted.push_back(
          AttentionResultAttr::get(context, AttentionResult::Weights));
    SmallVector<Value> operands;
    if (changes.needsRegion()) {
      operands = llvm::to_vector(p.change.getInputs());
      operands.erase(operands.begin() + p.scoreInput);
      llvm::append_range(operands, p.change.getTables());
    }
    auto attention = AttentionOp::create(
        b, loc, query, keys, values, changes.mask(), /*sinks=*/Value(),
        /*packedKey=*/Value(), /*packedValue=*/Value(),
        /*termOperands=*/ValueRange(), operands,
        /*factorOperands=*/ValueRange(), heads, kvHeads,
        b.getF64FloatAttr(changes.scale()), Normalization::Softmax, layout(),
        /*outputLayout=*/ArrayAttr(),
        areRead ? b.getArrayAttr(wanted) : ArrayAttr(),
        /*splits=*/IntegerAttr(), /*products=*/TypeAttr());
    if (changes.needsRegion() && !emitRegion(attention, changes)) {
      attention.erase();
      return false;
    }
    SmallVector<Value> results(attention.getResults());
    if (!attention.isPlain()) {
      auto decomposed = cast<DecomposeOpInterface>(*attention);
      results = decomposed.decompose(b);
      attention.erase();
    }
    Value output = outputView(results[0]);
    Value weights = areRead ? weightsView(results[1]) : Value();
    if (!output || (areRead && !weights))
      return false;
    p.output.getResult(0).replaceAllUsesWith(output);
    if (areRead)
      p.weights.getResult(0).replaceUsesWithIf(
          weights, [&](OpOperand &use) { return use.getOwner() != p.output; });
    return true;
  }

  SizeAttr number(int64_t value) { return SizeAttr::number(context, value); }

  // [batches..., heads, tokens, channels]
  ArrayAttr layout() {
    SmallVector<Attribute> dims(
        batchSizes.size(), AttentionDimAttr::get(context, AttentionDim::Batch));
    for (AttentionDim dim :
         {AttentionDim::Head, AttentionDim::Length, AttentionDim::Channel})
      dims.push_back(AttentionDimAttr::get(context, dim));
    return b.getArrayAttr(dims);
  }

  Sizes operandSizes(int64_t headCount, SizeAttr length, SizeAttr channels) {
    Sizes sizes = batchSizes;
    sizes.append({number(headCount), length, channels});
    return sizes;
  }

  // What the dimensions of `count` are, in those of an operand or a result:
  // `place` says where each dimension of the scores is among them.
  Sizes inOperand(unsigned count, bool isQuery,
                  llvm::function_ref<unsigned(unsigned)> place) {
    Sizes dims(count, number(0));
    unsigned first = batchSizes.size();
    for (auto [index, batch] : llvm::enumerate(p.batches))
      dims[place(batch)] = dim(context, index);
    SizeAttr head = dim(context, first);
    if (p.group) {
      dims[place(*p.head)] = isQuery ? floorDiv(head, number(groupSize)) : head;
      if (isQuery)
        dims[place(*p.group)] = mod(head, number(groupSize));
    } else if (p.head) {
      dims[place(*p.head)] = isQuery ? head : head * p.sharing;
    }
    return dims;
  }

  // An input of S without the constants that it is multiplied by, and where it
  // is read, in the dimensions of S.
  std::pair<Value, Sizes> unscaled(unsigned input) {
    auto [value, at] = p.readsOf(input);
    auto [producer, kept] = p.scaled[input];
    if (!producer || value != producer.getResult(0))
      return {value, at};
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(producer);
    IRMapping mapping;
    auto copy = cast<GenericOp>(b.clone(*producer, mapping));
    Block &body = copy.getBody().front();
    body.getTerminator()->setOperand(0, mapping.lookup(kept));
    for (Operation &inside : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isOpTriviallyDead(&inside))
        inside.erase();
    return {copy.getResult(0), at};
  }

  // Of `type`, if that is not null.
  Value operandView(unsigned input, unsigned token, int64_t headCount,
                    Type type) {
    unsigned first = batchSizes.size();
    Sizes dims = inOperand(extents.size(), input == p.queryInput,
                           [](unsigned dim) { return dim; });
    dims[token] = dim(context, first + 1);
    dims[p.channel] = dim(context, first + 2);
    Sizes over = operandSizes(headCount, extents[token], extents[p.channel]);
    auto [value, at] = unscaled(input);
    return buildView(b, loc, value, over, substitute(at, dims, over),
                     type ? type : getElementTypeOrSelf(value));
  }

  // Where values are read, in the dimensions of E; of what these do not tell,
  // at the first one.
  Sizes inWeights(Sizes at) {
    Sizes own = p.output.getExtents(), dims(own.size(), number(0));
    for (unsigned score = 0; score < extents.size(); ++score)
      if (score != p.channel)
        dims[p.inOutput[score]] = dim(context, p.inWeights[score]);
    return substitute(at, dims, p.change.getExtents());
  }

  // Values without a selection of those that the mask keeps and of zeros, which
  // a weight of 0 multiplies, and where these are read, in the dimensions of O.
  std::pair<Value, Sizes> unmasked(ScoreMasks &changes) {
    Value value = p.output.getInputs()[p.valueInput];
    Sizes at = p.output.getCoordinates(p.valueInput);
    auto producer = value.getDefiningOp<GenericOp>();
    if (!producer || producer.hasReduction() || producer.getNumResults() != 1 ||
        !producer.getTables().empty() || !p.change)
      return {value, at};
    Block &body = producer.getBody().front();
    auto select =
        body.getTerminator()->getOperand(0).getDefiningOp<arith::SelectOp>();
    auto kept = select ? dyn_cast<BlockArgument>(select.getTrueValue())
                       : BlockArgument();
    if (!kept || kept.getOwner() != &body ||
        !matchPattern(select.getFalseValue(), m_AnyZeroFloat()) ||
        !changes.implies(producer, inWeights(at), select.getCondition()))
      return {value, at};
    Sizes inside = producer.getCoordinates(kept.getArgNumber());
    return {producer.getInputs()[kept.getArgNumber()],
            substitute(inside, at, producer.getExtents())};
  }

  Value valueView(ScoreMasks &changes) {
    unsigned first = batchSizes.size();
    Sizes own = p.output.getExtents();
    Sizes dims = inOperand(own.size(), /*isQuery=*/false,
                           [&](unsigned dim) { return p.inOutput[dim]; });
    dims[p.inOutput[p.key]] = dim(context, first + 1);
    dims[p.valueChannel] = dim(context, first + 2);
    Sizes over = operandSizes(kvHeads, extents[p.key], own[p.valueChannel]);
    auto [value, at] = unmasked(changes);
    return buildView(b, loc, value, over, substitute(at, dims, over),
                     getElementTypeOrSelf(value));
  }

  // The head of a query, by `place` as above.
  SizeAttr headAt(llvm::function_ref<SizeAttr(unsigned)> at) {
    if (!p.head)
      return number(0);
    return p.group ? at(*p.head) * groupSize + at(*p.group) : at(*p.head);
  }

  Value outputView(Value output) {
    Sizes over = toSizes(p.output.getOver()), at;
    auto place = [&](unsigned scoreDim) {
      return dim(context, p.inOutput[scoreDim]);
    };
    for (unsigned batch : p.batches)
      at.push_back(place(batch));
    at.append({headAt(place), place(p.query), dim(context, p.valueChannel)});
    return buildView(b, loc, output, over, substitute(at, identity(over), over),
                     f32);
  }

  Value weightsView(Value weights) {
    Sizes over = toSizes(p.weights.getOver()), at;
    auto place = [&](unsigned scoreDim) {
      return dim(context, p.inWeights[scoreDim]);
    };
    for (unsigned batch : p.batches)
      at.push_back(place(batch));
    at.append({headAt(place), place(p.query), place(p.key)});
    return buildView(b, loc, weights, over,
                     substitute(at, identity(over), over), f32);
  }

  Sizes identity(const Sizes &over) {
    Sizes dims;
    for (unsigned index = 0; index < over.size(); ++index)
      dims.push_back(dim(context, index));
    return dims;
  }

  //===-- The region ------------------------------------------------------===//

  // E of scores as it has them, and what it gives as attention has scores.
  bool emitRegion(AttentionOp attention, ScoreMasks &changes) {
    ScoreSpace space = attention.getScoreSpace();
    Sizes canonical(space.begin(), space.end());
    Sizes over = toSizes(p.change.getOver());
    OpBuilder::InsertionGuard guard(b);
    Block &body = attention.getScore().emplaceBlock();
    Value scores = body.addArgument(tensorOf(canonical, f32), loc);
    IRMapping mapping;
    for (Value operand : attention.getScoreOperands())
      mapping.map(operand, body.addArgument(operand.getType(), loc));
    b.setInsertionPointToEnd(&body);

    // The view stands for S where E reads it.
    auto own = [&](unsigned scoreDim) { return dim(context, scoreDim); };
    Sizes ofScores = toSizes(p.scores.getOver());
    SizeAttr batch = number(0);
    for (auto [index, batchDim] : llvm::enumerate(p.batches))
      batch = batch * batchSizes[index] + own(batchDim);
    Sizes at = substitute({batch, headAt(own), own(p.query), own(p.key)},
                          identity(ofScores), ofScores);
    Value view = buildView(b, loc, scores, ofScores, at, f32);
    if (!view)
      return false;
    mapping.map(p.scores.getResult(0), view);
    auto change = cast<GenericOp>(b.clone(*p.change, mapping));
    changes.stripMasks(change);

    // Dimensions of E in those of the scores.
    Sizes dims(over.size(), number(0));
    SizeAttr rest = dim(context, 0);
    for (size_t index = batchSizes.size(); index-- > 0;) {
      dims[p.inWeights[p.batches[index]]] =
          index ? mod(rest, batchSizes[index]) : rest;
      rest = floorDiv(rest, batchSizes[index]);
    }
    SizeAttr head = dim(context, 1);
    if (p.head)
      dims[p.inWeights[*p.head]] =
          p.group ? floorDiv(head, number(groupSize)) : head;
    if (p.group)
      dims[p.inWeights[*p.group]] = mod(head, number(groupSize));
    dims[p.inWeights[p.query]] = dim(context, 2);
    dims[p.inWeights[p.key]] = dim(context, 3);
    Value changed =
        buildView(b, loc, change.getResult(0), canonical,
                  substitute(dims, identity(canonical), canonical), f32);
    if (!changed)
      return false;
    YieldOp::create(b, loc, changed);
    return true;
  }

  AttentionPattern p;
  OpBuilder b;
  Location loc;
  MLIRContext *context;
  Sizes extents; ///< of S
  Type f32;
  Sizes batchSizes;
  int64_t heads, kvHeads, groupSize;
};

struct FindAttention : heddle::impl::FindAttentionBase<FindAttention> {
  using FindAttentionBase::FindAttentionBase;

  void runOnOperation() override {
    // Others take the place of ops whose dimensions are divided.
    while (getOperation()
               ->walk([](GenericOp op) {
                 return splitDimensions(op) ? WalkResult::interrupt()
                                            : WalkResult::advance();
               })
               .wasInterrupted())
      ;
    SmallVector<GenericOp> ops;
    getOperation()->walk([&](GenericOp op) { ops.push_back(op); });
    for (GenericOp op : ops) {
      std::string reason;
      auto pattern = AttentionPattern::of(op, reason);
      if (!pattern) {
        if (!reason.empty() && remarks)
          op.emitRemark("a softmax whose weights are summed up here is no "
                        "attention: ")
              << reason;
        continue;
      }
      Location loc = op.getLoc();
      const char *obstacle = AttentionFinder(*pattern).run();
      if (remarks)
        emitRemark(loc) << (obstacle ? obstacle
                                     : "attention, found as its parts");
    }
    // Users first.
    getOperation()->walk<WalkOrder::PostOrder, ReverseIterator>(
        [](Operation *op) {
          if (isOpTriviallyDead(op))
            op->erase();
        });
  }
};

} // namespace
