// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.generic over ["batch", "length", 64] ins(%x) maps [(b, s, c) -> (b, s,
// c)]
//   -> heddle.generic over ["batch * length", 64] ins(%x) maps [(r, c) -> (r,
//   c)]

#include "compiler/Fusion/CollapseDimensions.h"

#include "compiler/Fusion/Contraction.h"
#include "dialect/Heddle/Coordinates.h"
#include "dialect/Heddle/KernelAttributes.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace heddle;

namespace {

/// One pair of dimensions, wherever it stands in the kernel.
class Collapse {
public:
  explicit Collapse(KernelOp kernel) : kernel(kernel) {
    for (auto op : kernel.getBody().getOps<GenericOp>())
      hasContraction |= Contraction::of(op).has_value();
  }

  /// Collects what has the dimensions `first` and `first + 1` of `results`;
  /// false where these cannot be one.
  bool collect(ArrayRef<GenericOp> results, unsigned first) {
    for (GenericOp op : results)
      if (!add(op, first))
        return false;
    for (size_t index = 0; index < ops.size(); ++index) {
      auto [member, place] = *(ops.begin() + index);
      if (!followInputs(member, place) || !followResults(member, place))
        return false;
    }
    return llvm::all_of(kernel.getArguments(), [&](BlockArgument argument) {
      return checkArgument(argument);
    });
  }

  void apply() {
    Block &body = kernel.getBody().front();
    for (auto op : llvm::make_early_inc_range(body.getOps<GenericOp>()))
      if (auto *member = ops.find(op); member != ops.end())
        rewrite(op, member->second);
    for (auto [argument, first] : arguments)
      argument.setType(collapsed(argument.getType(), first));
    auto type = FunctionType::get(kernel.getContext(), body.getArgumentTypes(),
                                  body.getTerminator()->getOperandTypes());
    kernel.setFunctionType(type);
  }

private:
  bool add(GenericOp op, unsigned first) {
    auto [entry, isNew] = ops.try_emplace(op, first);
    // Schedules tell rows from what lies side by side in them.
    return isNew ? first + 2 < op.getOver().size() : entry->second == first;
  }

  // Where `at` has the two dimensions side by side, both as they are.
  static std::optional<unsigned> findPair(const Sizes &at, const Sizes &sizes,
                                          const Sizes &extents,
                                          unsigned first) {
    for (unsigned dim = 0; dim + 1 < at.size(); ++dim)
      if (isDimension(at[dim], extents, first) &&
          isDimension(at[dim + 1], extents, first + 1) &&
          sizes[dim] == extents[first] && sizes[dim + 1] == extents[first + 1])
        return dim;
    return std::nullopt;
  }

  // Of one element, dimensions may have been replaced by 0.
  static bool isDimension(SizeAttr at, const Sizes &extents, unsigned dim) {
    return asDimension(at) == dim ||
           (at.asNumber() == 0 && extents[dim].asNumber() == 1);
  }

  static bool usesAny(const Sizes &at, unsigned first) {
    return llvm::any_of(at, [&](SizeAttr coordinate) {
      return usesDimension(coordinate, first) ||
             usesDimension(coordinate, first + 1);
    });
  }

  // Whether an op may compute both dimensions of what they are together. It
  // costs divisions, which are few beside the sums of a contraction.
  bool maySeparate(GenericOp op) {
    return hasContraction && !Contraction::of(op);
  }

  bool followInputs(GenericOp op, unsigned first) {
    Sizes extents = op.getExtents();
    for (auto [index, input] : llvm::enumerate(op.getInputs())) {
      Sizes at = op.getCoordinates(index);
      std::optional<unsigned> pair =
          findPair(at, sizesOf(input), extents, first);
      auto producer = input.getDefiningOp<GenericOp>();
      if (pair)
        pairs[{op, unsigned(index)}] = *pair;
      if (pair && producer) {
        if (!add(producer, *pair))
          return false;
      } else if (!pair && usesAny(at, first) &&
                 (producer || !maySeparate(op))) {
        return false;
      }
    }
    auto readsIndex = [&](IndexOp index) {
      return index.getDimension() == first || index.getDimension() == first + 1;
    };
    return maySeparate(op) ||
           llvm::none_of(op.getBody().getOps<IndexOp>(), readsIndex);
  }

  bool followResults(GenericOp op, unsigned first) {
    for (Value result : op.getResults())
      for (OpOperand &use : result.getUses()) {
        auto reader = dyn_cast<GenericOp>(use.getOwner());
        if (!reader)
          continue; // the results of the kernel
        unsigned index = use.getOperandNumber();
        if (index >= reader.getInputs().size())
          return false;
        Sizes at = reader.getCoordinates(index);
        std::optional<unsigned> row = asDimension(at[first]);
        if (!row || *row + 2 >= reader.getOver().size() ||
            findPair(at, sizesOf(result), reader.getExtents(), *row) != first ||
            !add(reader, *row))
          return false;
      }
    return true;
  }

  // An argument that is always read at the pair has it, too. One that is read
  // otherwise stays as it is, if its readers can compute where.
  bool checkArgument(BlockArgument argument) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    std::optional<unsigned> pair;
    bool isAlwaysPair = true, isRead = false;
    for (OpOperand &use : argument.getUses()) {
      auto op = dyn_cast<GenericOp>(use.getOwner());
      auto *member = op ? ops.find(op) : ops.end();
      unsigned index = use.getOperandNumber();
      std::optional<unsigned> found;
      if (member != ops.end() && index < op.getInputs().size()) {
        found = findPair(op.getCoordinates(index), sizesOf(argument),
                         op.getExtents(), member->second);
        isRead |= usesAny(op.getCoordinates(index), member->second);
      }
      isAlwaysPair &= found && (!pair || pair == found) &&
                      *found + 2 < unsigned(type.getRank());
      pair = found;
    }
    bool isWeight =
        bool(kernel.getArgAttr(argument.getArgNumber(), kWeightAttr));
    if (pair && isAlwaysPair && !isWeight) {
      arguments.try_emplace(argument, *pair);
      return true;
    }
    return !isRead || llvm::all_of(argument.getUsers(), [&](Operation *user) {
      auto op = dyn_cast<GenericOp>(user);
      return op && (!ops.contains(op) || maySeparate(op));
    });
  }

  //===-- The rewriting ---------------------------------------------------===//

  static Sizes merge(Sizes sizes, unsigned first) {
    sizes[first] = sizes[first] * sizes[first + 1];
    sizes.erase(sizes.begin() + first + 1);
    return sizes;
  }

  static Type collapsed(Type type, unsigned first) {
    return tensorOf(merge(sizesOf(type), first), getElementTypeOrSelf(type));
  }

  void rewrite(GenericOp op, unsigned first) {
    MLIRContext *context = op.getContext();
    OpBuilder b(op);
    Sizes before = op.getExtents(), over = merge(toSizes(op.getOver()), first);
    Sizes extents = merge(before, first);
    SizeAttr row = dimensionSymbol(context, first), length = before[first + 1];
    // What the old dimension is in the new ones.
    auto dimension = [&](unsigned dim) -> SizeAttr {
      if (dim == first)
        return floorDiv(row, length);
      if (dim == first + 1)
        return mod(row, length);
      return dimensionSymbol(context, dim < first ? dim : dim - 1);
    };
    Sizes symbols;
    SmallVector<SmallVector<AffineExpr>> expressions;
    for (auto [index, input] : llvm::enumerate(op.getInputs())) {
      Sizes at = op.getCoordinates(index);
      if (std::optional<unsigned> pair = pairOf(op, index)) {
        at[*pair] = dimensionSymbol(context, first);
        at.erase(at.begin() + *pair + 1);
        for (auto [place, coordinate] : llvm::enumerate(at))
          if (place != *pair)
            coordinate = substitute(coordinate, dimension);
      } else {
        for (SizeAttr &coordinate : at)
          coordinate = substitute(coordinate, dimension);
      }
      SmallVector<AffineExpr> list;
      for (SizeAttr coordinate : at)
        list.push_back(toAffine(simplify(coordinate, extents), symbols));
      expressions.push_back(list);
    }
    SmallVector<AffineMap> maps;
    for (ArrayRef<AffineExpr> list : expressions)
      maps.push_back(
          AffineMap::get(extents.size(), symbols.size(), list, context));
    SmallVector<Type> types;
    for (Type type : op.getResultTypes())
      types.push_back(collapsed(type, first));
    auto merged = GenericOp::create(
        b, op.getLoc(), types, op.getInputs(), op.getTables(),
        toArray(context, over), op.getReduce(), b.getAffineMapArrayAttr(maps),
        toArray(context, symbols), op.getInitial());
    merged->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    merged.getBody().takeBody(op.getBody());
    rewriteIndices(merged, first, length);
    op->replaceAllUsesWith(merged.getResults());
    op->erase();
  }

  // The pair in the coordinates of an input, if that becomes one.
  std::optional<unsigned> pairOf(GenericOp op, unsigned index) {
    auto argument = dyn_cast<BlockArgument>(op.getInputs()[index]);
    auto found = pairs.find({op, index});
    if (found == pairs.end() || (argument && !arguments.contains(argument)))
      return std::nullopt;
    return found->second;
  }

  static SizeAttr substitute(SizeAttr coordinate,
                             llvm::function_ref<SizeAttr(unsigned)> dimension) {
    return coordinate.substitute([&](StringRef name) {
      std::optional<unsigned> known =
          asDimension(SizeAttr::symbol(coordinate.getContext(), name));
      return known ? dimension(*known) : SizeAttr();
    });
  }

  static void rewriteIndices(GenericOp op, unsigned first, SizeAttr length) {
    for (IndexOp index :
         llvm::make_early_inc_range(op.getBody().getOps<IndexOp>())) {
      unsigned dim = index.getDimension();
      if (dim < first)
        continue;
      OpBuilder b(index);
      Location loc = index.getLoc();
      Value row = IndexOp::create(b, loc, dim == first ? first : dim - 1);
      if (dim <= first + 1) {
        Value size = SizeOp::create(b, loc, b.getI32Type(), length);
        row = dim == first
                  ? arith::FloorDivSIOp::create(b, loc, row, size).getResult()
                  : arith::RemSIOp::create(b, loc, row, size).getResult();
      }
      index.replaceAllUsesWith(row);
      index.erase();
    }
  }

  KernelOp kernel;
  bool hasContraction = false;
  /// The first of the two dimensions in ops and arguments.
  llvm::MapVector<GenericOp, unsigned> ops;
  llvm::MapVector<BlockArgument, unsigned> arguments;
  /// And in the coordinates of inputs, by op and number.
  llvm::DenseMap<std::pair<Operation *, unsigned>, unsigned> pairs;
};

} // namespace

// The op of the kernel's first result, and those of others that are over the
// same dimensions: contractions that are computed together need no value in
// common.
static SmallVector<GenericOp> findResults(Block &body) {
  SmallVector<GenericOp> results;
  for (Value result : body.getTerminator()->getOperands()) {
    auto op = result.getDefiningOp<GenericOp>();
    if (op && (results.empty() || op.getOver() == results[0].getOver()))
      results.push_back(op);
    else if (results.empty())
      break;
  }
  return results;
}

void heddle::collapseDimensions(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  auto isGeneric = [](Operation &op) { return isa<GenericOp>(op); };
  if (!llvm::all_of(body.without_terminator(), isGeneric))
    return;
  // From the result on: each collapse changes the ops.
  for (unsigned first = 0;;) {
    SmallVector<GenericOp> results = findResults(body);
    if (results.empty() || first + 2 >= results[0].getOver().size())
      return;
    Collapse collapse(kernel);
    if (collapse.collect(results, first))
      collapse.apply();
    else
      ++first;
  }
}
