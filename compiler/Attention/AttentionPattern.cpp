// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Attention/AttentionPattern.h"

#include "compiler/Attention/ConstantFactors.h"
#include "compiler/Attention/SoftmaxPattern.h"
#include "compiler/Prepare/BodyMatchers.h"
#include "compiler/Prepare/Views.h"
#include "dialect/Heddle/Coordinates.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace heddle;

// A sum of products of two inputs, and of constants where `scale` is given,
// which takes them.
static bool isSumOfProducts(GenericOp op, double *scale = nullptr) {
  if (op.getReduce().size() != 1 || op.getNumResults() != 1 ||
      op.getInputs().size() != 2 || !op.getTables().empty())
    return false;
  auto combiner = op.getCombiner(0);
  if (!combiner || !isa<arith::AddFOp>(combiner->op) ||
      !combiner->op->getResult(0).getType().isF32() || !beginsAs(op, 0))
    return false;
  SmallVector<Value> factors{combiner->term};
  llvm::SmallDenseSet<unsigned> inputs;
  double constants = 1;
  unsigned count = 0;
  while (!factors.empty()) {
    Value factor = factors.pop_back_val();
    if (Value rest = scale ? peelFactor(factor, constants) : Value()) {
      factors.push_back(rest);
    } else if (auto product = factor.getDefiningOp<arith::MulFOp>()) {
      llvm::append_range(factors, product->getOperands());
    } else {
      std::optional<unsigned> input = inputOf(op, factor);
      if (!input || ++count > 2)
        return false;
      inputs.insert(*input);
    }
  }
  if (inputs.size() != 2 || !isScale(constants))
    return false;
  if (scale)
    *scale = constants;
  return true;
}

static bool uses(const Sizes &at, unsigned dim) {
  return llvm::any_of(
      at, [&](SizeAttr coordinate) { return usesDimension(coordinate, dim); });
}

// The dimensions of `op` that all of input `index` is read at, if each is one
// as it is and stands once. Coordinates do not name those of one element, of
// which any that is left is as good as another.
static std::optional<SmallVector<unsigned>> permutationOf(GenericOp op,
                                                          unsigned index) {
  if (!readsWhole(op, index))
    return std::nullopt;
  SmallVector<unsigned> dims, unnamed;
  Sizes extents = op.getExtents();
  for (SizeAttr coordinate : op.getCoordinates(index)) {
    std::optional<unsigned> dim = asDimension(coordinate);
    if (!dim && coordinate.asNumber() == 0) {
      unnamed.push_back(dims.size());
      dim = extents.size();
    } else if (!dim || llvm::is_contained(dims, *dim)) {
      return std::nullopt;
    }
    dims.push_back(*dim);
  }
  for (unsigned place : unnamed) {
    unsigned dim = 0;
    while (dim < extents.size() &&
           (extents[dim].asNumber() != 1 || llvm::is_contained(dims, dim)))
      ++dim;
    if (dim == extents.size())
      return std::nullopt;
    dims[place] = dim;
  }
  return dims;
}

bool AttentionPattern::matchScores(Value changed, std::string &reason) {
  auto producer = changed.getDefiningOp<GenericOp>();
  if (!producer || producer.getNumResults() != 1) {
    reason = "its scores come from elsewhere";
    return false;
  }
  unsigned rank = producer.getOver().size();
  if (isSumOfProducts(producer, &scale)) {
    scores = producer;
    inWeights = llvm::to_vector(llvm::seq(rank));
  } else if (!producer.hasReduction()) {
    change = producer;
    for (auto [index, input] : llvm::enumerate(producer.getInputs())) {
      auto found = input.getDefiningOp<GenericOp>();
      auto dims = permutationOf(producer, index);
      double factor;
      if (!found || !found->hasOneUse() || !dims || dims->size() != rank ||
          !isSumOfProducts(found, &factor))
        continue;
      scores = found;
      scale = factor;
      scoreInput = index;
      inWeights = *dims;
    }
  }
  if (!scores) {
    reason = "its scores are no sums of products";
    return false;
  }
  // The maximum and the exponentials read them, and nothing else.
  if (!llvm::hasNItems(changed.getUses(), 2)) {
    reason = "something else reads its scores";
    return false;
  }
  return true;
}

// Tells batches, heads, queries and keys by which of Q and K they belong to.
bool AttentionPattern::classify(std::string &reason) {
  unsigned rank = scores.getOver().size();
  channel = rank;
  key = llvm::find(inWeights, softmaxDim) - inWeights.begin();
  Sizes at[2] = {simplifiedCoordinates(scores, 0),
                 simplifiedCoordinates(scores, 1)};
  bool byFirst = uses(at[0], key), bySecond = uses(at[1], key);
  if (byFirst == bySecond) {
    reason = "its keys are not those of one factor";
    return false;
  }
  keyInput = byFirst ? 0 : 1;
  queryInput = 1 - keyInput;
  SmallVector<unsigned> shared, ofQuery;
  Sizes extents = scores.getExtents();
  for (unsigned dim = 0; dim < rank; ++dim) {
    if (dim == key)
      continue;
    bool isOfKey = uses(at[keyInput], dim);
    bool isOfQuery = uses(at[queryInput], dim);
    // One element belongs wherever it stands.
    if (isOfKey || (!isOfQuery && extents[dim].asNumber() == 1))
      shared.push_back(dim);
    else
      ofQuery.push_back(dim);
  }
  // Coordinates do not name the dimension of one query.
  if (ofQuery.empty() && !shared.empty() &&
      extents[shared.back()].asNumber() == 1)
    ofQuery.push_back(shared.pop_back_val());
  if (ofQuery.empty() || ofQuery.size() > 2) {
    reason = "its queries do not have one dimension";
    return false;
  }
  query = ofQuery.back();
  if (ofQuery.size() == 2)
    group = ofQuery.front();
  if (!shared.empty() && extents[shared.back()].asNumber())
    head = shared.pop_back_val();
  batches = shared;
  if (group && (!head || !extents[*group].asNumber())) {
    reason = "it has more dimensions of queries than heads explain";
    return false;
  }
  if (!extents[channel].asNumber()) {
    reason = "its heads have a size that is not known";
    return false;
  }
  return true;
}

bool AttentionPattern::matchOutput(std::string &reason) {
  auto weightInput = llvm::find(output.getInputs(), weights.getResult(0)) -
                     output.getInputs().begin();
  valueInput = 1 - weightInput;
  if (output.getInputs()[valueInput] == weights.getResult(0)) {
    reason = "its values are its weights";
    return false;
  }
  auto dims = permutationOf(output, weightInput);
  unsigned rank = output.getOver().size();
  if (!dims || dims->size() != weights.getOver().size() ||
      dims->size() != rank) {
    reason = "its weights are not multiplied with one value each";
    return false;
  }
  inOutput = llvm::map_to_vector(inWeights,
                                 [&](unsigned dim) { return (*dims)[dim]; });
  SmallVector<unsigned> rest;
  for (unsigned dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(*dims, dim))
      rest.push_back(dim);
  Sizes at = simplifiedCoordinates(output, valueInput);
  if (inOutput[key] != rank || rest.size() != 1 ||
      !output.getExtents()[rest[0]].asNumber() || uses(at, inOutput[query]) ||
      (group && uses(at, inOutput[*group]))) {
    reason = "its values are not those of its keys";
    return false;
  }
  valueChannel = rest[0];
  return true;
}

// How many heads a coordinate divides heads by, wherever it uses them.
static std::optional<int64_t> divisorOf(const Sizes &at, unsigned head) {
  std::optional<int64_t> divisor;
  for (SizeAttr coordinate : at)
    coordinate.walk([&](SizeAttr part) {
      if (part.getKind() != SizeKind::FloorDiv)
        return;
      auto dividend = cast<SizeAttr>(part.getOperands()[0]);
      auto by = cast<SizeAttr>(part.getOperands()[1]).asNumber();
      if (asDimension(dividend) == head && by)
        divisor = by;
    });
  return divisor;
}

// Keys and values of neighbours that read them at h floordiv n alone.
void AttentionPattern::findSharing() {
  if (!head || group)
    return;
  Sizes ofKey = readsOf(keyInput).second;
  Sizes ofValue = simplifiedCoordinates(output, valueInput);
  std::optional<int64_t> divisor = divisorOf(ofKey, *head);
  if (!divisor || divisor != divisorOf(ofValue, inOutput[*head]))
    return;
  int64_t heads = *scores.getExtents()[*head].asNumber();
  if (heads % *divisor)
    return;
  // With h = n * divisor + rest, nothing may depend on the rest.
  auto isShared = [&](GenericOp op, const Sizes &at, unsigned dim) {
    Sizes extents = op.getExtents();
    SizeAttr rest = dimensionSymbol(op.getContext(), extents.size());
    extents.push_back(SizeAttr::number(op.getContext(), *divisor));
    extents[dim] = SizeAttr::number(op.getContext(), heads / *divisor);
    SizeAttr symbol = dimensionSymbol(op.getContext(), dim);
    return llvm::none_of(at, [&](SizeAttr coordinate) {
      SizeAttr split = coordinate.substitute([&](StringRef name) {
        return SizeAttr::symbol(op.getContext(), name) == symbol
                   ? symbol * *divisor + rest
                   : SizeAttr();
      });
      return usesDimension(simplify(split, extents), extents.size() - 1);
    });
  };
  if (isShared(scores, ofKey, *head) &&
      isShared(output, ofValue, inOutput[*head]))
    sharing = *divisor;
}

// Constants that queries and keys are multiplied by, in one op that makes them.
void AttentionPattern::findScales() {
  for (unsigned input : {0, 1}) {
    auto producer = scores.getInputs()[input].getDefiningOp<GenericOp>();
    if (!producer || !isElementwise(producer))
      continue;
    double product = scale;
    Value kept = yielded(producer);
    while (Value rest = peelFactor(kept, product))
      kept = rest;
    // Whatever else reads it would compute the rest again, if there is one.
    if (kept == yielded(producer) || !isScale(product) ||
        !(inputOf(producer, kept) || producer->hasOneUse()))
      continue;
    scale = product;
    scaled[input] = {producer, kept};
  }
}

std::pair<Value, Sizes> AttentionPattern::readsOf(unsigned input) {
  Value value = scores.getInputs()[input];
  Sizes at = simplifiedCoordinates(scores, input);
  auto [producer, kept] = scaled[input];
  std::optional<unsigned> source;
  if (producer)
    source = inputOf(producer, kept);
  if (!source)
    return {value, at};
  Sizes inside = producer.getCoordinates(*source),
        extents = scores.getExtents();
  for (SizeAttr &coordinate : inside)
    coordinate = composeCoordinate(coordinate, at, extents);
  return {producer.getInputs()[*source], inside};
}

Operation *AttentionPattern::findPlace() {
  DominanceInfo dominance;
  auto isLater = [&](Operation *user) {
    return user == output || dominance.properlyDominates(output, user);
  };
  if (llvm::all_of(weights->getUsers(), isLater))
    return output;
  Value values = output.getInputs()[valueInput];
  if (dominance.properlyDominates(values, weights))
    return weights;
  // An append changes memory that others may read before it.
  SetVector<Operation *> makers;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *op) {
    return !dominance.properlyDominates(op, weights);
  };
  IRRewriter rewriter(output.getContext());
  if (failed(getBackwardSlice(values, &makers, options)) ||
      llvm::any_of(makers, llvm::IsaPred<CacheAppendOp>) ||
      failed(moveValueDefinitions(rewriter, values, weights)))
    return nullptr;
  return weights;
}

std::optional<AttentionPattern> AttentionPattern::of(GenericOp output,
                                                     std::string &reason) {
  for (Value input : output.getInputs()) {
    auto weights = input.getDefiningOp<GenericOp>();
    AttentionPattern pattern;
    Value changed = weights && isSumOfProducts(output)
                        ? softmaxOf(weights, pattern.softmaxDim)
                        : Value();
    if (!changed)
      continue;
    pattern.output = output;
    pattern.weights = weights;
    if (!pattern.matchScores(changed, reason) || !pattern.classify(reason) ||
        !pattern.matchOutput(reason))
      return std::nullopt;
    pattern.findScales();
    pattern.findSharing();
    return pattern;
  }
  reason = softmaxObstacle(output);
  return std::nullopt;
}
