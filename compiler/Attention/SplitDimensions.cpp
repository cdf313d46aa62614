// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Attention/SplitDimensions.h"

#include "compiler/Attention/AttentionPattern.h"
#include "compiler/Prepare/Views.h"
#include "dialect/Heddle/Coordinates.h"
#include "runtime/heddle_abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Dimension `dim` of `op` as one of so many, and one of `size`.
struct Split {
  GenericOp op;
  unsigned dim;
  int64_t size;
};

/// The maps by which an op reads its inputs, and their symbols.
struct InputMaps {
  SmallVector<AffineMap> maps;
  Sizes symbols;
};
} // namespace

//===-- The rewriting -----------------------------------------------------===//

// Maps of so many dimensions to the coordinates of each input; null where no
// maps can.
static std::optional<InputMaps>
mapsTo(ArrayRef<Sizes> coordinates, unsigned dimensions, MLIRContext *context) {
  InputMaps result;
  SmallVector<SmallVector<AffineExpr>> expressions;
  for (const Sizes &at : coordinates) {
    expressions.emplace_back();
    for (SizeAttr coordinate : at) {
      expressions.back().push_back(toAffine(coordinate, result.symbols));
      if (!expressions.back().back())
        return std::nullopt;
    }
  }
  for (ArrayRef<AffineExpr> list : expressions)
    result.maps.push_back(
        AffineMap::get(dimensions, result.symbols.size(), list, context));
  return result;
}

// n as n floordiv size, n mod size.
static Sizes divided(Sizes at, unsigned dim, int64_t size,
                     const Sizes &extents) {
  SizeAttr number = SizeAttr::number(at[dim].getContext(), size);
  SizeAttr whole = at[dim];
  at[dim] = simplify(floorDiv(whole, number), extents);
  at.insert(at.begin() + dim + 1, simplify(mod(whole, number), extents));
  return at;
}

// The ops that have the op among their inputs, and their maps once it is
// divided; null where no maps can.
static std::optional<SmallVector<std::pair<GenericOp, InputMaps>>>
readersOf(const Split &split) {
  Value divides = split.op->getResult(0);
  SmallVector<std::pair<GenericOp, InputMaps>> readers;
  for (Operation *user :
       llvm::SetVector<Operation *>(divides.user_begin(), divides.user_end())) {
    auto reader = dyn_cast<GenericOp>(user);
    if (!reader || !llvm::is_contained(reader.getInputs(), divides))
      continue;
    Sizes extents = reader.getExtents();
    SmallVector<Sizes> coordinates;
    for (auto [index, input] : llvm::enumerate(reader.getInputs())) {
      coordinates.push_back(simplifiedCoordinates(reader, index));
      if (input == divides)
        coordinates.back() =
            divided(coordinates.back(), split.dim, split.size, extents);
    }
    auto maps = mapsTo(coordinates, extents.size(), reader.getContext());
    if (!maps)
      return std::nullopt;
    readers.emplace_back(reader, std::move(*maps));
  }
  return readers;
}

// A view of the new op takes the place of the old one in tables, and in ops of
// other kinds.
static void replaceWithView(GenericOp op, GenericOp with, const Split &split) {
  if (op->use_empty())
    return op.erase();
  OpBuilder b(op);
  b.setInsertionPointAfter(with);
  Sizes over = toSizes(op.getOver()), at;
  for (unsigned dim = 0; dim < over.size(); ++dim)
    at.push_back(dimensionSymbol(b.getContext(), dim));
  Value view = buildView(b, op.getLoc(), with.getResult(0), over,
                         divided(at, split.dim, split.size, over),
                         getElementTypeOrSelf(op.getResult(0)));
  op.getResult(0).replaceAllUsesWith(view);
  op.erase();
}

// The op with the dimension divided, or null, where the sizes do not say so or
// no maps can.
static GenericOp apply(const Split &split) {
  GenericOp op = split.op;
  OpBuilder b(op);
  MLIRContext *context = b.getContext();
  SizeAttr size = SizeAttr::number(context, split.size);
  Sizes over = toSizes(op.getOver());
  SizeAttr outer = floorDiv(over[split.dim], size);
  if (outer * size != over[split.dim])
    return {};
  over[split.dim] = outer;
  over.insert(over.begin() + split.dim + 1, size);
  Sizes extents = over;
  llvm::append_range(extents, toSizes(op.getReduce()));

  // What dimensions were, in those that there are.
  Sizes dims;
  for (unsigned dim = 0; dim < op.getExtents().size(); ++dim) {
    SizeAttr symbol = dimensionSymbol(context, dim + (dim > split.dim));
    dims.push_back(dim == split.dim
                       ? symbol * size + dimensionSymbol(context, dim + 1)
                       : symbol);
  }
  SmallVector<Sizes> coordinates;
  for (unsigned index = 0; index < op.getInputs().size(); ++index) {
    coordinates.push_back(op.getCoordinates(index));
    for (SizeAttr &coordinate : coordinates.back())
      coordinate = composeCoordinate(coordinate, dims, extents);
  }
  auto maps = mapsTo(coordinates, extents.size(), context);
  auto readers = readersOf(split);
  if (!maps || !readers)
    return {};
  Type type = tensorOf(over, getElementTypeOrSelf(op.getResult(0)));
  auto result =
      GenericOp::create(b, op.getLoc(), type, op.getInputs(), op.getTables(),
                        toArray(context, over), op.getReduce(),
                        b.getAffineMapArrayAttr(maps->maps),
                        toArray(context, maps->symbols), op.getInitial());
  result->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  IRMapping mapping;
  op.getBody().cloneInto(&result.getBody(), mapping);
  for (IndexOp index :
       llvm::make_early_inc_range(result.getBody().getOps<IndexOp>())) {
    ImplicitLocOpBuilder inside(index.getLoc(), index);
    Value value = emitCoordinate(
        inside, dims[index.getDimension()],
        [&](unsigned dim) -> Value { return IndexOp::create(inside, dim); });
    index.replaceAllUsesWith(value);
    index.erase();
  }
  for (auto &[reader, own] : *readers) {
    reader.setMapsAttr(b.getAffineMapArrayAttr(own.maps));
    reader.setSymbolsAttr(toArray(context, own.symbols));
    for (OpOperand &input : reader.getInputsMutable())
      if (input.get() == op.getResult(0))
        input.set(result.getResult(0));
  }
  replaceWithView(op, result, split);
  return result;
}

//===-- What is divided ---------------------------------------------------===//

// The dimension and the number that `coordinate` divides it by, if that is all.
static std::optional<std::pair<unsigned, int64_t>>
divisionOf(SizeAttr coordinate) {
  if (coordinate.getKind() != SizeKind::FloorDiv)
    return std::nullopt;
  auto dim = asDimension(cast<SizeAttr>(coordinate.getOperands()[0]));
  auto by = cast<SizeAttr>(coordinate.getOperands()[1]).asNumber();
  if (!dim || !by || *by < 2)
    return std::nullopt;
  return std::pair(*dim, *by);
}

// The size of b, where the coordinate is a * size + b.
static std::optional<int64_t> joinedSizeOf(SizeAttr coordinate,
                                           const Sizes &extents) {
  if (coordinate.getKind() != SizeKind::Sum)
    return std::nullopt;
  for (SizeAttr term : termsOf(coordinate)) {
    std::optional<unsigned> dim = asDimension(term);
    std::optional<int64_t> size = dim ? extents[*dim].asNumber() : std::nullopt;
    if (!size || *size < 2)
      continue;
    SizeAttr number = SizeAttr::number(coordinate.getContext(), *size);
    SizeAttr whole = simplify(floorDiv(coordinate, number), extents);
    // A part of a tensor, such as b + 2 * size, joins nothing.
    if (usesDimension(whole) &&
        simplify(mod(coordinate, number), extents) == term &&
        whole * number == coordinate - term)
      return size;
  }
  return std::nullopt;
}

// Whether sums of products are what `op` is, as far as it matters here. Those
// of integers and their scales are none of attention.
static bool isProduct(GenericOp op) {
  return op.getReduce().size() == 1 && op.getInputs().size() == 2 &&
         llvm::all_of(op.getInputs(), [](Value input) {
           return isa<FloatType>(getElementTypeOrSelf(input));
         });
}

// Integers wider than a bit: places, as those of the tokens of an expert, are
// none of attention; masks are.
static bool isWideInteger(Value value) {
  Type type = getElementTypeOrSelf(value);
  return isa<IntegerType>(type) && !type.isInteger(1);
}

// The ops from `weights` up to the products, if exponentials and a reduction
// are among them.
static llvm::SmallSetVector<GenericOp, 8> collectSoftmax(GenericOp weights) {
  llvm::SmallSetVector<GenericOp, 8> chain;
  bool hasExponentials = false, hasReduction = false, hasProducts = false;
  SmallVector<GenericOp> open{weights};
  constexpr size_t most = 16;
  while (!open.empty() && chain.size() < most) {
    GenericOp op = open.pop_back_val();
    if (op.getNumResults() != 1 || isWideInteger(op.getResult(0)) ||
        !chain.insert(op))
      continue;
    hasExponentials |= !op.getBody().getOps<math::ExpOp>().empty();
    if (isProduct(op)) {
      hasProducts = true;
      continue;
    }
    hasReduction |= op.hasReduction();
    for (Value input : op.getInputs())
      if (auto producer = input.getDefiningOp<GenericOp>())
        open.push_back(producer);
  }
  if (!hasExponentials || !hasReduction || !hasProducts)
    chain.clear();
  return chain;
}

static std::optional<Split>
findSplit(GenericOp output, const llvm::SmallSetVector<GenericOp, 8> &chain) {
  SmallVector<GenericOp> readers(chain.begin(), chain.end());
  readers.push_back(output);
  // Kernels hand on what they make in buffers.
  auto hasRoom = [](GenericOp op) {
    return op.getOver().size() < HEDDLE_MAX_RANK;
  };
  for (GenericOp reader : readers) {
    Sizes extents = reader.getExtents();
    for (auto [index, input] : llvm::enumerate(reader.getInputs())) {
      auto producer = input.getDefiningOp<GenericOp>();
      // Products of queries and keys, and what values come from, may divide
      // heads that share them.
      bool isInChain = producer && chain.contains(producer);
      if (!isInChain && (reader == output || isProduct(reader)))
        continue;
      Sizes at = simplifiedCoordinates(reader, index);
      for (auto [dim, coordinate] : llvm::enumerate(at)) {
        auto division = divisionOf(coordinate);
        if (division && division->first < reader.getOver().size() &&
            hasRoom(reader))
          return Split{reader, division->first, division->second};
        auto size = joinedSizeOf(coordinate, extents);
        if (isInChain && size && hasRoom(producer))
          return Split{producer, unsigned(dim), *size};
      }
    }
  }
  return std::nullopt;
}

bool heddle::splitDimensions(GenericOp output) {
  if (!isProduct(output) || output.getNumResults() != 1)
    return false;
  bool isChanged = false;
  for (unsigned index : {0, 1}) {
    // Each adds a dimension, and few models have more than two of them.
    constexpr int most = 24;
    for (int count = 0; count < most; ++count) {
      auto weights = output.getInputs()[index].getDefiningOp<GenericOp>();
      if (!weights || weights.hasReduction())
        break;
      auto chain = collectSoftmax(weights);
      auto split = chain.empty() ? std::nullopt : findSplit(output, chain);
      GenericOp divided = split ? apply(*split) : GenericOp();
      if (!divided)
        break;
      isChanged = true;
      if (split->op == output)
        output = divided;
    }
  }
  return isChanged;
}
