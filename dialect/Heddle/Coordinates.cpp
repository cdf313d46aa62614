// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/Coordinates.h"

#include "dialect/Heddle/HeddleDialect.h"

using namespace mlir;
using namespace heddle;

static SizeAttr number(MLIRContext *context, int64_t value) {
  return SizeAttr::number(context, value);
}

//===-- Dimensions --------------------------------------------------------===//

// No symbol of a model begins like this.
constexpr StringLiteral kDimensionPrefix = "%";

SizeAttr heddle::dimensionSymbol(MLIRContext *context, unsigned index) {
  return SizeAttr::symbol(context, (kDimensionPrefix + Twine(index)).str());
}

static std::optional<unsigned> asDimension(StringRef name) {
  unsigned index;
  if (!name.consume_front(kDimensionPrefix) || name.getAsInteger(10, index))
    return std::nullopt;
  return index;
}

std::optional<unsigned> heddle::asDimension(SizeAttr size) {
  if (size.getKind() != SizeKind::Symbol)
    return std::nullopt;
  return ::asDimension(size.getName().getValue());
}

bool heddle::usesDimension(SizeAttr coordinate) {
  bool isUsed = false;
  coordinate.walkSymbols(
      [&](StringRef name) { isUsed |= ::asDimension(name).has_value(); });
  return isUsed;
}

bool heddle::usesDimension(SizeAttr coordinate, unsigned dimension) {
  bool isUsed = false;
  coordinate.walkSymbols(
      [&](StringRef name) { isUsed |= ::asDimension(name) == dimension; });
  return isUsed;
}

bool heddle::tellsApart(SizeAttr coordinate, unsigned dimension) {
  if (coordinate.getKind() == SizeKind::FloorDiv)
    return false;
  if (asDimension(coordinate) == dimension)
    return true;
  return llvm::any_of(coordinate.getOperands(), [&](Attribute operand) {
    auto part = dyn_cast<SizeAttr>(operand);
    return part && tellsApart(part, dimension);
  });
}

//===-- Affine expressions ------------------------------------------------===//

SizeAttr heddle::toCoordinate(AffineExpr expression,
                              ArrayRef<SizeAttr> symbols) {
  MLIRContext *context = expression.getContext();
  if (auto dimension = dyn_cast<AffineDimExpr>(expression))
    return dimensionSymbol(context, dimension.getPosition());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return symbols[symbol.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return number(context, constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expression);
  SizeAttr left = toCoordinate(binary.getLHS(), symbols);
  SizeAttr right = toCoordinate(binary.getRHS(), symbols);
  switch (expression.getKind()) {
  case AffineExprKind::Add:
    return left + right;
  case AffineExprKind::Mul:
    return left * right;
  case AffineExprKind::FloorDiv:
    return floorDiv(left, right);
  case AffineExprKind::CeilDiv:
    return ceilDiv(left, right);
  default:
    return mod(left, right);
  }
}

static AffineExpr sizeToAffine(SizeAttr size, Sizes &symbols) {
  if (std::optional<int64_t> constant = size.asNumber())
    return getAffineConstantExpr(*constant, size.getContext());
  auto *found = llvm::find(symbols, size);
  unsigned index = found - symbols.begin();
  if (found == symbols.end())
    symbols.push_back(size);
  return getAffineSymbolExpr(index, size.getContext());
}

static AffineExpr factorToAffine(SizeAttr factor, Sizes &symbols) {
  if (std::optional<unsigned> dimension = heddle::asDimension(factor))
    return getAffineDimExpr(*dimension, factor.getContext());
  if (factor.getKind() != SizeKind::FloorDiv &&
      factor.getKind() != SizeKind::Mod)
    return {};
  auto divisor = cast<SizeAttr>(factor.getOperands()[1]);
  if (usesDimension(divisor))
    return {};
  AffineExpr left = toAffine(cast<SizeAttr>(factor.getOperands()[0]), symbols);
  if (!left)
    return {};
  AffineExpr right = sizeToAffine(divisor, symbols);
  return factor.getKind() == SizeKind::Mod ? left % right
                                           : left.floorDiv(right);
}

AffineExpr heddle::toAffine(SizeAttr coordinate, Sizes &symbols) {
  MLIRContext *context = coordinate.getContext();
  AffineExpr sum;
  SizeAttr offset = number(context, 0);
  for (SizeAttr term : termsOf(coordinate)) {
    auto [coefficient, factors] = factorsOf(term);
    SizeAttr scale = number(context, coefficient);
    std::optional<SizeAttr> moving;
    for (SizeAttr factor : factors) {
      if (!usesDimension(factor))
        scale = scale * factor;
      else if (moving)
        return {}; // a product of two
      else
        moving = factor;
    }
    if (!moving) {
      offset = offset + scale;
      continue;
    }
    AffineExpr expression = factorToAffine(*moving, symbols);
    if (!expression)
      return {};
    if (scale.asNumber() != 1)
      expression = expression * sizeToAffine(scale, symbols);
    sum = sum ? sum + expression : expression;
  }
  if (!sum)
    return sizeToAffine(offset, symbols);
  return offset.asNumber() == 0 ? sum : sum + sizeToAffine(offset, symbols);
}

//===-- Ranges ------------------------------------------------------------===//

using Range = std::pair<SizeAttr, SizeAttr>;

static std::optional<Range> rangeOfQuotient(SizeKind kind, Range left,
                                            SizeAttr divisor) {
  SizeAttr one = number(divisor.getContext(), 1);
  SizeAttr zero = number(divisor.getContext(), 0);
  // Where a size is 0 that coordinates are divided by, there are none.
  if (!isNeverNegative(divisor - one, 1))
    return std::nullopt;
  if (kind == SizeKind::Mod)
    return Range{zero, divisor - one};
  // Rounded down, a quotient is no farther from 0 than its dividend.
  if (!isNeverNegative(left.first, 0))
    return Range{min(left.first, zero), max(left.second, zero)};
  // (a * b - 1) floordiv b is a - 1, which floorDiv does not see.
  SizeAttr quotient = floorDiv(left.second + one, divisor);
  SizeAttr largest = quotient * divisor == left.second + one
                         ? quotient - one
                         : floorDiv(left.second, divisor);
  return Range{floorDiv(left.first, divisor), largest};
}

static std::optional<Range> rangeOfFactor(SizeAttr factor,
                                          ArrayRef<SizeAttr> extents) {
  MLIRContext *context = factor.getContext();
  if (std::optional<unsigned> dimension = heddle::asDimension(factor))
    return Range{number(context, 0), extents[*dimension] - number(context, 1)};
  if (!usesDimension(factor))
    return Range{factor, factor};
  SmallVector<Range, 2> parts;
  for (Attribute operand : factor.getOperands()) {
    std::optional<Range> part = rangeOf(cast<SizeAttr>(operand), extents);
    if (!part)
      return std::nullopt;
    parts.push_back(*part);
  }
  switch (factor.getKind()) {
  case SizeKind::Min:
    return Range{min(parts[0].first, parts[1].first),
                 min(parts[0].second, parts[1].second)};
  case SizeKind::Max:
    return Range{max(parts[0].first, parts[1].first),
                 max(parts[0].second, parts[1].second)};
  case SizeKind::FloorDiv:
  case SizeKind::Mod:
    if (parts[1].first == parts[1].second)
      return rangeOfQuotient(factor.getKind(), parts[0], parts[1].first);
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

std::optional<Range> heddle::rangeOf(SizeAttr coordinate,
                                     ArrayRef<SizeAttr> extents) {
  MLIRContext *context = coordinate.getContext();
  Range sum{number(context, 0), number(context, 0)};
  for (SizeAttr term : termsOf(coordinate)) {
    auto [coefficient, factors] = factorsOf(term);
    Range product{number(context, 1), number(context, 1)};
    for (SizeAttr factor : factors) {
      std::optional<Range> range = rangeOfFactor(factor, extents);
      if (!range || (factors.size() > 1 && !isNeverNegative(range->first, 0)))
        return std::nullopt;
      product = {product.first * range->first, product.second * range->second};
    }
    if (coefficient < 0)
      std::swap(product.first, product.second);
    sum = {sum.first + product.first * coefficient,
           sum.second + product.second * coefficient};
  }
  return sum;
}

//===-- Simplification ----------------------------------------------------===//

static SizeAttr simplifyFactor(SizeAttr factor, ArrayRef<SizeAttr> extents) {
  MLIRContext *context = factor.getContext();
  if (std::optional<unsigned> dimension = heddle::asDimension(factor))
    return extents[*dimension].asNumber() == 1 ? number(context, 0) : factor;
  bool isMod = factor.getKind() == SizeKind::Mod;
  if ((!isMod && factor.getKind() != SizeKind::FloorDiv) ||
      !usesDimension(factor))
    return factor;
  SizeAttr left = simplify(cast<SizeAttr>(factor.getOperands()[0]), extents);
  auto divisor = cast<SizeAttr>(factor.getOperands()[1]);
  std::optional<Range> range = rangeOf(left, extents);
  if (range && isNeverNegative(range->first, 0) &&
      isNeverNegative(divisor - number(context, 1) - range->second, 0))
    return isMod ? left : number(context, 0);
  return isMod ? mod(left, divisor) : floorDiv(left, divisor);
}

SizeAttr heddle::simplify(SizeAttr coordinate, ArrayRef<SizeAttr> extents) {
  MLIRContext *context = coordinate.getContext();
  SizeAttr sum = number(context, 0);
  for (SizeAttr term : termsOf(coordinate)) {
    auto [coefficient, factors] = factorsOf(term);
    SizeAttr product = number(context, coefficient);
    for (SizeAttr factor : factors)
      product = product * simplifyFactor(factor, extents);
    sum = sum + product;
  }
  return sum;
}
