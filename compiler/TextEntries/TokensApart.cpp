// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/TextEntries/TokensApart.h"

#include "compiler/TextEntries/DimensionMaps.h"
#include "compiler/TextEntries/Values.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

namespace {

/// What elements are of, and how many of it there may be: primes, so that what
/// divides sizes divides them for all numbers.
struct Axis {
  StringRef symbol;
  int64_t count;
  StringRef mistake;
};

/// Which of an axis an element is of: `index[dim] / inner % count`.
struct Place {
  int64_t dim, inner;
  bool operator==(const Place &other) const {
    return dim == other.dim && inner == other.inner;
  }
};

using Places = std::array<std::optional<Place>, 3>;

class TokensApart {
public:
  TokensApart(const DecoderSizes &sizes,
              const llvm::DenseSet<Operation *> &masked,
              const llvm::DenseSet<Operation *> &presents)
      : axes{
            {{sizes.batch, 1009, " does not leave sequences apart"},
             {sizes.length, 1013, " does not leave the tokens of a call apart"},
             {sizes.capacity, 100003,
              " makes of the keys or values of all tokens is no attention"}}},
        masked(masked), presents(presents) {}

  llvm::Error check(Block &block) {
    for (BlockArgument argument : block.getArguments()) {
      data.insert(argument);
      places[argument] = fromSizes(argument);
    }
    for (Operation &op : block.without_terminator())
      if (readsAny(&op, data))
        if (llvm::Error error = visit(&op))
          return error;
    return llvm::Error::success();
  }

private:
  llvm::Error failure(Operation *op, unsigned axis) {
    return llvm::createStringError("what " + nodeOf(op) + axes[axis].mistake);
  }

  llvm::Error visit(Operation *op) {
    data.insert_range(op->getResults());
    // A body may read what is no operand.
    bool isOpen = op->getNumRegions() != 0 && !isa<AttentionOp>(op) &&
                  !op->hasTrait<OpTrait::IsIsolatedFromAbove>();
    for (unsigned axis : llvm::seq<unsigned>(0, axes.size()))
      for (OpResult result : op->getResults()) {
        auto place = placeOf(result, axis);
        if (isOpen || !place)
          return failure(op, axis);
        places[result][axis] = *place;
      }
    return llvm::Error::success();
  }

  //===-- where a result has an axis --------------------------------------===//

  using Found = std::optional<std::optional<Place>>; ///< nothing: it is mixed

  Found placeOf(OpResult result, unsigned axis) {
    Operation *op = result.getOwner();
    if (presents.contains(op) || isScaleOfAll(op))
      return fromSizes(result, axis);
    std::optional<Place> own;
    for (OpOperand &operand : op->getOpOperands()) {
      if (isView(op) && operand.get() != viewedBy(result))
        continue;
      auto known = places.find(operand.get());
      if (known == places.end() || !known->second[axis] ||
          isOfAttention(operand, axis))
        continue;
      if (isa<MaskOpInterface>(op))
        continue;
      auto next = isa<ReshapeOp>(op) ? reshaped(operand.get(), result, axis)
                                     : mapped(operand, result, axis);
      if (!next || (own && !(*own == *next)))
        return std::nullopt;
      own = next;
    }
    if (!isa<RankedTensorType>(result.getType()))
      return own;
    return own ? alone(result, axis, *own) : fromSizes(result, axis);
  }

  std::optional<Place> mapped(OpOperand &operand, OpResult result,
                              unsigned axis) {
    Place place = *places[operand.get()][axis];
    if (axis == kKeys && isa<SoftmaxOp>(result.getOwner()) &&
        masked.contains(result.getOwner()))
      return place;
    auto dim = dimensionMap(operand, result)[place.dim];
    return dim ? std::optional<Place>({*dim, place.inner}) : std::nullopt;
  }

  // Elements have one order, in which one of an axis is `inner` apart from the
  // next.
  std::optional<Place> reshaped(Value input, Value result, unsigned axis) {
    Place from = *places[input][axis];
    int64_t inner = from.inner, after = 1;
    for (SizeAttr size : ArrayRef(sizesOf(input)).drop_front(from.dim + 1))
      inner *= valueOf(size);
    Sizes all = sizesOf(result);
    for (int64_t dim = all.size(); dim-- > 0;) {
      int64_t whole = after * valueOf(all[dim]);
      if (inner % after == 0 && whole % (inner * axes[axis].count) == 0)
        return Place{dim, inner / after};
      after = whole;
    }
    return std::nullopt;
  }

  // No other dimension may be of the axis.
  Found alone(Value value, unsigned axis, Place place) {
    for (auto [dim, size] : llvm::enumerate(sizesOf(value)))
      if (int64_t(dim) != place.dim && isOf(size, axis))
        return std::nullopt;
    return place;
  }

  Found fromSizes(Value value, unsigned axis) {
    if (!isa<RankedTensorType>(value.getType()))
      return std::optional<Place>();
    for (auto [dim, size] : llvm::enumerate(sizesOf(value))) {
      if (size == SizeAttr::symbol(size.getContext(), axes[axis].symbol))
        return alone(value, axis, {int64_t(dim), 1});
      if (isOf(size, axis))
        return std::nullopt;
    }
    return std::optional<Place>();
  }

  Places fromSizes(BlockArgument argument) {
    Places found;
    for (unsigned axis : llvm::seq<unsigned>(0, axes.size()))
      found[axis] = fromSizes(argument, axis).value_or(std::nullopt);
    return found;
  }

  bool isOf(SizeAttr size, unsigned axis) {
    bool isOne = false;
    size.walkSymbols(
        [&](StringRef name) { isOne |= name == axes[axis].symbol; });
    return isOne;
  }

  int64_t valueOf(SizeAttr size) {
    return size
        .evaluate([&](StringRef name) {
          for (const Axis &axis : axes)
            if (name == axis.symbol)
              return axis.count;
          return int64_t(10007);
        })
        .value_or(1);
  }

  //===-- what may mix ----------------------------------------------------===//

  // Whether it is the smallest or the largest of all elements, for their scale.
  static bool isScaleOfAll(Operation *op) {
    auto reduce = dyn_cast<ReduceOp>(op);
    return reduce &&
           reduce.getAxes().size() == sizesOf(reduce.getInput()).size() &&
           llvm::all_of(op->getUsers(), [](Operation *user) {
             return isExtreme(user) &&
                    llvm::all_of(user->getUsers(), isOfExtremes);
           });
  }

  // min(x, 0) or max(x, 0) of the smallest or the largest x.
  static bool isExtreme(Operation *op) {
    if (!isa_and_nonnull<arith::MinimumFOp, arith::MaximumFOp>(op) ||
        !isZero(splatOf(op->getOperand(1))))
      return false;
    auto reduce = op->getOperand(0).getDefiningOp<ReduceOp>();
    auto kind =
        isa<arith::MinimumFOp>(op) ? ReductionKind::Min : ReductionKind::Max;
    return reduce && reduce.getKind() == kind;
  }

  static bool isOfExtremes(Operation *op) {
    return isa<arith::NegFOp>(op) ||
           (isa<arith::SubFOp>(op) &&
            llvm::all_of(op->getOperands(), [](Value operand) {
              return isExtreme(operand.getDefiningOp());
            }));
  }

  // Whether it is keys, which attention adds up.
  bool isOfAttention(OpOperand &operand, unsigned axis) {
    Operation *op = operand.getOwner();
    if (axis != kKeys)
      return false;
    if (auto product = dyn_cast<MatmulOp>(op))
      return isMasked(product.getA()) && isDepth(product, operand);
    return isa<AttentionOp>(op) && masked.contains(op);
  }

  // Whether keys are what a product adds up.
  bool isDepth(MatmulOp product, OpOperand &operand) {
    return !dimensionMap(
        operand, product->getOpResult(0))[places[operand.get()][kKeys]->dim];
  }

  // Whether it is the weights of a masked softmax, maybe with zeros in place of
  // some.
  bool isMasked(Value weights) {
    while (Operation *op = weights.getDefiningOp()) {
      if (masked.contains(op))
        return true;
      if (isView(op))
        weights = viewedBy(weights);
      else if (isa<WhereOp>(op) && isZero(splatOf(op->getOperand(1))))
        weights = op->getOperand(2);
      else if (isa<WhereOp>(op) && isZero(splatOf(op->getOperand(2))))
        weights = op->getOperand(1);
      else
        return false;
    }
    return false;
  }

  static constexpr unsigned kKeys = 2;
  std::array<Axis, 3> axes; ///< sequences, tokens of a call, keys
  const llvm::DenseSet<Operation *> &masked, &presents;
  llvm::DenseSet<Value> data; ///< depends on arguments
  llvm::DenseMap<Value, Places> places;
};
} // namespace

llvm::Error
heddle::checkTokensApart(func::FuncOp function, const DecoderSizes &sizes,
                         const llvm::DenseSet<Operation *> &masked,
                         const llvm::DenseSet<Operation *> &presents) {
  return TokensApart(sizes, masked, presents).check(function.getBody().front());
}
