// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// y = generic { exp x }; z = generic { y + b }  ->  z = generic { exp x + b }

#include "compiler/Prepare/DecodedWeights.h"
#include "compiler/Prepare/Passes.h"
#include "compiler/Prepare/Views.h"
#include "dialect/Heddle/Coordinates.h"
#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/SumOfProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

namespace heddle {
#define GEN_PASS_DEF_MERGEGENERICS
#include "compiler/Prepare/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

// Code of a body is one expression to Halide, whose compile time grows faster
// than its size.
constexpr size_t kLargestBody = 128;

static Block &bodyOf(GenericOp op) { return op.getBody().front(); }

static size_t bodySize(GenericOp op) {
  return bodyOf(op).getOperations().size() - 1;
}

//===-- The rewriting -----------------------------------------------------===//

namespace {

/// A heddle.generic that takes in the producers of its inputs.
class Merger {
public:
  explicit Merger(GenericOp op)
      : op(op), extents(op.getExtents()), size(bodySize(op)),
        tables(op.getTables()) {
    for (auto [index, value] : llvm::enumerate(op.getInputs())) {
      Sizes at = op.getCoordinates(index);
      for (SizeAttr &coordinate : at)
        coordinate = simplify(coordinate, extents);
      inputs.push_back({value, at});
    }
    findIntegers();
  }

  /// Returns the op with all that it could take in.
  GenericOp run() {
    for (unsigned index = 0; index < inputs.size();) {
      if (takeConstant(index))
        continue;
      auto producer = inputs[index].value.getDefiningOp<GenericOp>();
      if (!producer || !accepts(producer, index) || !absorb(producer, index))
        ++index;
    }
    uniteInputs();
    return rebuild();
  }

private:
  struct Input {
    Value value;
    Sizes at;
    /// Whether what read it is read by other ops, too, which take it in as
    /// well.
    bool isShared = false;
  };

  // Two producers of integers times scales, one of them of weights, whose
  // products the op adds up: it may do so with the integers.
  void findIntegers() {
    std::string reason;
    auto sum = SumOfProducts::of(op, reason);
    if (!sum)
      return;
    SmallVector<GenericOp> producers;
    for (const SumOfProducts::Factor &factor : sum->factors) {
      auto argument = dyn_cast<BlockArgument>(factor.value);
      auto producer =
          argument
              ? inputs[argument.getArgNumber()].value.getDefiningOp<GenericOp>()
              : GenericOp();
      if (!producer || !makesScaledIntegers(producer))
        return;
      producers.push_back(producer);
    }
    if (llvm::any_of(producers, decodesWeight))
      integers.assign(producers.begin(), producers.end());
  }

  static bool makesScaledIntegers(GenericOp producer) {
    if (producer.hasReduction() || producer.getNumResults() != 1 ||
        producer.getInputs().size() != 2 || !producer.getTables().empty())
      return false;
    auto product =
        bodyOf(producer).getTerminator()->getOperand(0).getDefiningOp();
    return isa_and_nonnull<arith::MulFOp>(product) &&
           llvm::all_of(
               bodyOf(producer).without_terminator(),
               [](Operation &inside) { return isDecoding(&inside); }) &&
           isa<IntegerType>(getElementTypeOrSelf(producer.getInputs()[0])) &&
           isa<FloatType>(getElementTypeOrSelf(producer.getInputs()[1]));
  }

  // A constant whose elements are all one number is that number.
  bool takeConstant(unsigned index) {
    SplatElementsAttr elements;
    if (!matchPattern(inputs[index].value, m_Constant(&elements)))
      return false;
    Block &body = bodyOf(op);
    auto b = OpBuilder::atBlockBegin(&body);
    Value number = arith::ConstantOp::create(
        b, op.getLoc(), scalarOf(elements.getSplatValue<TypedAttr>()));
    body.getArgument(index).replaceAllUsesWith(number);
    body.eraseArgument(index);
    inputs.erase(inputs.begin() + index);
    return true;
  }

  bool accepts(GenericOp producer, unsigned index) {
    if (producer.hasReduction() || producer.getNumResults() != 1 ||
        size + bodySize(producer) > kLargestBody || readsOldCache(producer, op))
      return false;
    if (isView(producer) || isCheap(producer) || decodesWeight(producer) ||
        llvm::is_contained(integers, producer))
      return true;
    // Attention reads a cache as it is, where its mask drops the same keys.
    if (op.hasReduction() && selectsOfCache(producer))
      return false;
    // What stands before a loop is not computed again in each step.
    return !inputs[index].isShared && producer->hasOneUse() &&
           producer->getBlock() == op->getBlock() &&
           readsAllDimensions(inputs[index].at);
  }

  // Whether elements of a cache are kept or replaced.
  static bool selectsOfCache(GenericOp producer) {
    return isa_and_nonnull<arith::SelectOp>(bodyOf(producer)
                                                .getTerminator()
                                                ->getOperand(0)
                                                .getDefiningOp()) &&
           llvm::any_of(producer.getInputs(), [](Value input) {
             return input.getDefiningOp<CacheReadOp>() != nullptr;
           });
  }

  // Whether each element is read about once.
  bool readsAllDimensions(const Sizes &at) {
    for (auto [dim, extent] : llvm::enumerate(extents))
      if (extent.asNumber() != 1 &&
          llvm::none_of(at, [dim = dim](SizeAttr coordinate) {
            return tellsApart(coordinate, dim);
          }))
        return false;
    return llvm::none_of(
        at, [&](SizeAttr coordinate) { return overlaps(coordinate, at); });
  }

  // Whether two points of the op read the same element for what `coordinate`
  // adds up, as windows do that begin nearer than they reach. Dimensions that
  // another coordinate has as they are tell such points apart.
  bool overlaps(SizeAttr coordinate, const Sizes &at) {
    auto isToldApart = [&](SizeAttr factor) {
      return llvm::any_of(at, [&](SizeAttr other) {
        return other != coordinate && asDimension(other) &&
               asDimension(other) == asDimension(factor);
      });
    };
    SmallVector<std::pair<int64_t, int64_t>> steps; // and how many
    for (SizeAttr term : termsOf(coordinate)) {
      auto [step, factors] = factorsOf(term);
      if (factors.size() == 1 && !isToldApart(factors.front()))
        steps.push_back({std::abs(step), countOf(factors.front())});
    }
    llvm::sort(steps);
    int64_t reach = 0;
    for (auto [step, count] : steps) {
      if (count > 1 && step <= reach)
        return true;
      reach += step * (count - 1);
    }
    return false;
  }

  // How many values it has, at most.
  int64_t countOf(SizeAttr coordinate) {
    if (!usesDimension(coordinate))
      return 1;
    auto range = rangeOf(coordinate, extents);
    std::optional<int64_t> count;
    if (range)
      count = (range->second - range->first).asNumber();
    return count ? *count + 1 : int64_t(INT32_MAX);
  }

  static bool isAffine(SizeAttr coordinate) {
    Sizes symbols;
    return bool(toAffine(coordinate, symbols));
  }

  // Whether its numbers are those of a body.
  static bool isOfI32(SizeAttr coordinate) {
    WalkResult result = coordinate.walk([](SizeAttr part) {
      bool isSmall = std::abs(part.getNumber()) <= INT32_MAX;
      return isSmall ? WalkResult::advance() : WalkResult::interrupt();
    });
    return !result.wasInterrupted();
  }

  // Replaces input `index` by the body of its producer and what that reads.
  bool absorb(GenericOp producer, unsigned index) {
    Sizes at = inputs[index].at;
    if (!producer.getBody().getOps<IndexOp>().empty() &&
        !llvm::all_of(at, isOfI32))
      return false;
    SmallVector<Input> added;
    for (auto [number, value] : llvm::enumerate(producer.getInputs())) {
      Input input{value, producer.getCoordinates(number),
                  inputs[index].isShared || !producer->hasOneUse()};
      for (SizeAttr &coordinate : input.at) {
        coordinate = composeCoordinate(coordinate, at, extents);
        if (!isAffine(coordinate))
          return false;
      }
      added.push_back(input);
    }
    Block &body = bodyOf(op);
    Location loc = producer.getLoc();
    IRMapping mapping;
    for (auto [number, argument] :
         llvm::enumerate(producer.getInputArguments()))
      mapping.map(argument, body.insertArgument(inputs.size() + number,
                                                argument.getType(), loc));
    inputs.append(added);
    for (auto [argument, table] :
         llvm::zip(producer.getTableArguments(), producer.getTables())) {
      mapping.map(argument, body.insertArgument(inputs.size() + tables.size(),
                                                argument.getType(), loc));
      tables.push_back(table);
    }
    auto b = ImplicitLocOpBuilder::atBlockBegin(loc, &body);
    for (Operation &inside : bodyOf(producer).without_terminator()) {
      if (auto indexOp = dyn_cast<IndexOp>(inside))
        mapping.map(indexOp.getResult(),
                    emitCoordinate(b, at[indexOp.getDimension()],
                                   [&](unsigned dimension) -> Value {
                                     return IndexOp::create(b, dimension);
                                   }));
      else
        b.clone(inside, mapping);
    }
    size += bodySize(producer);
    Value yielded = bodyOf(producer).getTerminator()->getOperand(0);
    body.getArgument(index).replaceAllUsesWith(mapping.lookup(yielded));
    body.eraseArgument(index);
    inputs.erase(inputs.begin() + index);
    return true;
  }

  // Inputs that are read twice at one place are read once.
  void uniteInputs() {
    Block &body = bodyOf(op);
    for (unsigned index = 0; index < inputs.size(); ++index)
      for (unsigned other = inputs.size(); --other > index;) {
        if (inputs[other].value != inputs[index].value ||
            inputs[other].at != inputs[index].at)
          continue;
        body.getArgument(other).replaceAllUsesWith(body.getArgument(index));
        body.eraseArgument(other);
        inputs.erase(inputs.begin() + other);
      }
  }

  GenericOp rebuild() {
    OpBuilder b(op);
    Sizes symbols;
    SmallVector<SmallVector<AffineExpr>> expressions;
    SmallVector<Value> values;
    for (const Input &input : inputs) {
      values.push_back(input.value);
      expressions.push_back(
          llvm::map_to_vector(input.at, [&](SizeAttr coordinate) {
            return toAffine(coordinate, symbols);
          }));
    }
    SmallVector<AffineMap> maps;
    for (ArrayRef<AffineExpr> list : expressions)
      maps.push_back(
          AffineMap::get(extents.size(), symbols.size(), list, b.getContext()));
    auto merged = GenericOp::create(
        b, op.getLoc(), op.getResultTypes(), values, tables, op.getOver(),
        op.getReduce(), b.getAffineMapArrayAttr(maps),
        toArray(b.getContext(), symbols), op.getInitial());
    merged->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    merged->removeDiscardableAttr(kContractionAttr); // of other inputs
    merged.getBody().takeBody(op.getBody());
    op->replaceAllUsesWith(merged.getResults());
    op->erase();
    return merged;
  }

  GenericOp op;
  Sizes extents;
  size_t size;
  SmallVector<Value> tables;
  SmallVector<Input> inputs;
  SmallVector<GenericOp> integers; ///< producers of integers times scales
};

struct MergeGenerics : heddle::impl::MergeGenericsBase<MergeGenerics> {
  void runOnOperation() override {
    SmallVector<GenericOp> ops;
    getOperation()->walk([&](GenericOp op) { ops.push_back(op); });
    // Consumers first: each takes in producers that have taken in nothing yet.
    for (GenericOp op : llvm::reverse(ops)) {
      if (op->use_empty()) {
        op->erase();
        continue;
      }
      decodeTables(op);
      Merger(op).run();
    }
    getOperation()->walk([](arith::ConstantOp constant) {
      if (constant->use_empty())
        constant.erase();
    });
  }
};

} // namespace
