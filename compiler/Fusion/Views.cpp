// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Fusion/Views.h"

#include "dialect/Heddle/Coordinates.h"

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
  return bodySize(op) <= limit &&
         llvm::all_of(
             op.getBody().front().without_terminator(), [](Operation &inside) {
               return isa<IndexOp, SizeOp, arith::ConstantOp, CastOpInterface>(
                   inside);
             });
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

constexpr auto kNoWrap = arith::IntegerOverflowFlags::nsw;

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
  case SizeKind::Mod:
    // Neither is negative: coordinates lie in what they index.
    return arith::RemSIOp::create(b, part(0), part(1));
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

bool isOperandView(GenericOp op) {
  if (op->use_empty() || op.getInputs().size() != 1 ||
      !(isView(op) || isCheap(op)) || !isSideBySide(op))
    return false;
  return llvm::all_of(op->getUses(), [](OpOperand &use) {
    auto attention = dyn_cast<AttentionOp>(use.getOwner());
    return attention && (&use == &attention.getQueryMutable() ||
                         &use == &attention.getKeyMutable() ||
                         &use == &attention.getValueMutable());
  });
}

} // namespace heddle
