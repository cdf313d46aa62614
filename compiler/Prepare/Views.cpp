// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/Views.h"

#include "dialect/Heddle/Coordinates.h"
#include "dialect/Heddle/KernelAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/CastInterfaces.h"

using namespace mlir;

namespace heddle {

static size_t bodySize(GenericOp op) {
  return op.getBody().front().getOperations().size() - 1;
}

bool isView(GenericOp op) {
  return !op.hasReduction() && op.getTables().empty() &&
         op.getNumResults() == 1 && bodySize(op) == 0 &&
         isa<BlockArgument>(
             op.getBody().front().getTerminator()->getOperand(0));
}

bool isCheap(GenericOp op) {
  if (op.hasReduction() || !op.getTables().empty() || op.getNumResults() != 1)
    return false;
  constexpr size_t few = 3;
  size_t limit = op.getInputs().empty() ? few : 1;
  // Rounding takes several instructions, and what it makes is smaller.
  return bodySize(op) <= limit &&
         llvm::all_of(
             op.getBody().front().without_terminator(), [](Operation &inside) {
               return isa<IndexOp, SizeOp, arith::ConstantOp, CastOpInterface>(
                          inside) &&
                      !isa<arith::TruncFOp>(inside);
             });
}

Sizes simplifiedCoordinates(GenericOp op, unsigned index) {
  Sizes at = op.getCoordinates(index), extents = op.getExtents();
  for (SizeAttr &coordinate : at)
    coordinate = simplify(coordinate, extents);
  return at;
}

void setCoordinates(GenericOp op, unsigned index, const Sizes &at) {
  Sizes symbols;
  SmallVector<SmallVector<AffineExpr>> expressions;
  for (unsigned input = 0; input < op.getInputs().size(); ++input) {
    auto &list = expressions.emplace_back();
    for (SizeAttr coordinate : input == index ? at : op.getCoordinates(input))
      list.push_back(toAffine(coordinate, symbols));
  }
  Builder b(op.getContext());
  SmallVector<AffineMap> maps;
  for (ArrayRef<AffineExpr> list : expressions)
    maps.push_back(AffineMap::get(op.getExtents().size(), symbols.size(), list,
                                  op.getContext()));
  op.setMapsAttr(b.getAffineMapArrayAttr(maps));
  op.setSymbolsAttr(toArray(op.getContext(), symbols));
}

bool readsWhole(GenericOp op, unsigned index) {
  Sizes extents = op.getExtents();
  for (auto [coordinate, size] : llvm::zip_equal(
           simplifiedCoordinates(op, index), sizesOf(op.getInputs()[index]))) {
    std::optional<unsigned> dim = asDimension(coordinate);
    if (dim ? extents[*dim] != size
            : coordinate.asNumber() != 0 || size.asNumber() != 1)
      return false;
  }
  return true;
}

SizeAttr composeCoordinate(SizeAttr coordinate, ArrayRef<SizeAttr> at,
                           ArrayRef<SizeAttr> extents) {
  SizeAttr composed = coordinate.substitute([&](StringRef name) {
    std::optional<unsigned> dimension =
        asDimension(SizeAttr::symbol(coordinate.getContext(), name));
    return dimension ? at[*dimension] : SizeAttr();
  });
  return rejoin(simplify(composed, extents));
}

SizeAttr rejoin(SizeAttr coordinate) {
  if (coordinate.getKind() != SizeKind::Sum)
    return coordinate;
  SmallVector<SizeAttr> terms(termsOf(coordinate));
  for (SizeAttr term : terms) {
    auto [coefficient, factors] = factorsOf(term);
    SizeAttr others = SizeAttr::number(coordinate.getContext(), coefficient);
    SizeAttr remainder;
    for (SizeAttr factor : factors) {
      if (!remainder && factor.getKind() == SizeKind::Mod)
        remainder = factor;
      else
        others = others * factor;
    }
    if (!remainder)
      continue;
    auto whole = cast<SizeAttr>(remainder.getOperands()[0]);
    auto divisor = cast<SizeAttr>(remainder.getOperands()[1]);
    SizeAttr quotient = others * (floorDiv(whole, divisor) * divisor);
    if (llvm::is_contained(terms, quotient))
      return rejoin(coordinate - term - quotient + others * whole);
  }
  return coordinate;
}

SizeAttr findDividend(SizeAttr quotient, SizeAttr remainder, SizeAttr divisor) {
  if (remainder.getKind() != SizeKind::Mod ||
      remainder.getOperands()[1] != divisor)
    return {};
  SizeAttr dividend = rejoin(quotient * divisor + remainder);
  return llvm::is_contained(termsOf(dividend), remainder) ? SizeAttr()
                                                          : dividend;
}

constexpr auto kNoWrap = arith::IntegerOverflowFlags::nsw;

static bool mayBeNegative(SizeAttr coordinate) {
  bool hasNegative = false;
  coordinate.walk([&](SizeAttr part) {
    hasNegative |= llvm::any_of(
        termsOf(part), [](SizeAttr term) { return factorsOf(term).first < 0; });
  });
  return hasNegative;
}

Value emitCoordinate(ImplicitLocOpBuilder &b, SizeAttr coordinate,
                     llvm::function_ref<Value(unsigned dimension)> valueOf) {
  if (std::optional<unsigned> dimension = asDimension(coordinate))
    return valueOf(*dimension);
  if (std::optional<int64_t> number = coordinate.asNumber())
    return arith::ConstantIntOp::create(b, b.getI32Type(), *number);
  if (!usesDimension(coordinate))
    return SizeOp::create(b, b.getI32Type(), coordinate);
  auto part = [&](unsigned index) {
    return emitCoordinate(b, cast<SizeAttr>(coordinate.getOperands()[index]),
                          valueOf);
  };
  switch (coordinate.getKind()) {
  case SizeKind::FloorDiv:
    return arith::FloorDivSIOp::create(b, part(0), part(1));
  case SizeKind::Mod: {
    Value dividend = part(0), divisor = part(1);
    // Coordinates lie in what they index, but (4 - i) mod 2 is -i mod 2.
    if (!mayBeNegative(cast<SizeAttr>(coordinate.getOperands()[0])))
      return arith::RemSIOp::create(b, dividend, divisor);
    Value quotient = arith::FloorDivSIOp::create(b, dividend, divisor);
    return arith::SubIOp::create(
        b, dividend, arith::MulIOp::create(b, quotient, divisor, kNoWrap),
        kNoWrap);
  }
  default:
    break;
  }
  Value sum;
  for (SizeAttr term : termsOf(coordinate)) {
    auto [coefficient, factors] = factorsOf(term);
    Value product;
    if (coefficient != 1 || factors.empty())
      product = arith::ConstantIntOp::create(b, b.getI32Type(), coefficient);
    for (SizeAttr factor : factors) {
      Value value = emitCoordinate(b, factor, valueOf);
      product =
          product
              ? arith::MulIOp::create(b, product, value, kNoWrap).getResult()
              : value;
    }
    sum = sum ? arith::AddIOp::create(b, sum, product, kNoWrap).getResult()
              : product;
  }
  return sum;
}

static bool isIdentity(const Sizes &at, const Sizes &over) {
  for (auto [index, coordinate] : llvm::enumerate(at))
    if (coordinate !=
        simplify(dimensionSymbol(coordinate.getContext(), index), over))
      return false;
  return at.size() == over.size();
}

Value buildView(OpBuilder &b, Location loc, Value value, const Sizes &over,
                const Sizes &at, Type type) {
  if (over == sizesOf(value) && type == getElementTypeOrSelf(value) &&
      isIdentity(at, over))
    return value;
  Sizes symbols;
  SmallVector<AffineExpr> expressions;
  for (SizeAttr coordinate : at) {
    expressions.push_back(toAffine(coordinate, symbols));
    if (!expressions.back())
      return {};
  }
  AffineMap map =
      AffineMap::get(over.size(), symbols.size(), expressions, b.getContext());
  auto view =
      GenericOp::create(b, loc, Type(tensorOf(over, type)), value, ValueRange(),
                        toArray(b.getContext(), over), b.getArrayAttr({}),
                        b.getAffineMapArrayAttr(map),
                        toArray(b.getContext(), symbols), b.getArrayAttr({}));
  Block &body = view.getBody().emplaceBlock();
  Type from = getElementTypeOrSelf(value);
  Value element = body.addArgument(from, loc);
  auto inside = OpBuilder::atBlockEnd(&body);
  if (from != type)
    element = arith::ExtFOp::create(inside, loc, type, element);
  YieldOp::create(inside, loc, element);
  return view.getResult(0);
}

// Whether elements along the last dimension lie side by side in input 0.
static bool isSideBySide(GenericOp op) {
  Sizes at = op.getCoordinates(0);
  if (at.empty())
    return false;
  unsigned last = op.getExtents().size() - 1;
  at.back() = at.back() - dimensionSymbol(op.getContext(), last);
  return llvm::none_of(
      at, [&](SizeAttr coordinate) { return usesDimension(coordinate, last); });
}

// Whether all that reads `op` is attention, for queries, keys or values.
static bool isReadByAttention(GenericOp op) {
  return llvm::all_of(op->getUses(), [](OpOperand &use) {
    auto attention = dyn_cast<AttentionOp>(use.getOwner());
    return attention && (&use == &attention.getQueryMutable() ||
                         &use == &attention.getKeyMutable() ||
                         &use == &attention.getValueMutable());
  });
}

// Whether one append stores each element once, and nothing else reads `op`.
static bool isAppended(GenericOp op) {
  if (!op->hasOneUse())
    return false;
  OpOperand &use = *op->use_begin();
  auto append = dyn_cast<CacheAppendOp>(use.getOwner());
  return append && append->getBlock() == op->getBlock() &&
         (&use == &append.getKeyMutable() || &use == &append.getValueMutable());
}

// Whether `op` is computed from tiles of a contraction, before they go to
// memory.
static bool isEpilogue(GenericOp op) {
  Sizes extents = op.getExtents();
  for (auto [index, input] : llvm::enumerate(op.getInputs())) {
    auto producer = input.getDefiningOp<GenericOp>();
    if (!producer || !producer.hasReduction() || !producer->hasOneUse())
      continue;
    Sizes at = simplifiedCoordinates(op, index);
    bool isAtPoint = at.size() == extents.size();
    for (unsigned dim = 0; isAtPoint && dim < at.size(); ++dim)
      isAtPoint =
          at[dim] == simplify(dimensionSymbol(op.getContext(), dim), extents);
    if (isAtPoint)
      return true;
  }
  return false;
}

// Whether `user`, or what uses its cache, changes the layer before `op`.
static bool changesBefore(Operation *user, uint64_t layer, Operation *op) {
  auto append = dyn_cast<CacheAppendOp>(user);
  if (!append && !isa<CacheSelectOp>(user))
    return false;
  if (!append || append.getLayer() == layer) {
    Operation *ancestor = user->getBlock()->findAncestorOpInBlock(*op);
    return !ancestor || user->isBeforeInBlock(ancestor);
  }
  return llvm::any_of(append->getUsers(), [&](Operation *next) {
    return changesBefore(next, layer, op);
  });
}

bool readsOldCache(GenericOp producer, Operation *op) {
  return llvm::any_of(producer->getOperands(), [&](Value input) {
    auto read = input.getDefiningOp<CacheReadOp>();
    return read &&
           llvm::any_of(read.getCache().getUsers(), [&](Operation *user) {
             return changesBefore(user, read.getLayer(), op);
           });
  });
}

OpOperand *choiceOf(Value matrices) {
  auto op = matrices.getDefiningOp<GenericOp>();
  if (!op || !op->hasAttr(kChoiceAttr) || op.hasReduction() ||
      op.getNumResults() != 1 || op.getInputs().size() != 1 ||
      op.getTables().size() != 1)
    return nullptr;
  auto yield = cast<YieldOp>(op.getBody().front().getTerminator());
  auto read = yield->getOperand(0).getDefiningOp<ReadOp>();
  // ids[t], and then each dimension as it is.
  size_t rank = op.getOver().size();
  if (!read || read.getCoordinates().size() != rank ||
      read.getCoordinates()[0] != op.getInputArguments()[0] ||
      op.getCoordinates(0) != Sizes{dimensionSymbol(op.getContext(), 0)})
    return nullptr;
  Sizes table = sizesOf(op.getTables()[0]), over = toSizes(op.getOver());
  for (size_t dim = 1; dim < rank; ++dim) {
    auto index = read.getCoordinates()[dim].getDefiningOp<IndexOp>();
    if (!index || index.getDimension() != dim || table[dim] != over[dim])
      return nullptr;
  }
  return &op.getTablesMutable()[0];
}

// Whether all that reads `op` is contractions, as columns.
static bool isReadAsColumns(GenericOp op) {
  return llvm::all_of(op->getUses(), [](OpOperand &use) {
    auto known =
        use.getOwner()->getAttrOfType<ContractionAttr>(kContractionAttr);
    return known &&
           llvm::is_contained(known.getColumns(), use.getOperandNumber());
  });
}

bool isOperandView(GenericOp op) {
  if (op->use_empty() || op.getNumResults() != 1 || op.hasReduction())
    return false;
  if (choiceOf(op.getResult(0)))
    return isReadAsColumns(op);
  auto isOfCache = [](Value input) {
    return bool(input.getDefiningOp<CacheReadOp>());
  };
  if (isAppended(op))
    return llvm::none_of(op->getOperands(), isOfCache) && !isEpilogue(op);
  return op.getInputs().size() == 1 && (isView(op) || isCheap(op)) &&
         isSideBySide(op) && isReadByAttention(op) &&
         llvm::none_of(op->getUsers(), [&](Operation *attention) {
           return readsOldCache(op, attention);
         });
}

} // namespace heddle
