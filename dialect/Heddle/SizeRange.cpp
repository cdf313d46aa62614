// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/SizeRange.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

static int64_t saturate(bool overflows, bool isNegative, int64_t value) {
  if (!overflows)
    return value;
  return isNegative ? INT64_MIN : INT64_MAX;
}

static int64_t add(int64_t a, int64_t b) {
  int64_t sum;
  bool overflows = llvm::AddOverflow(a, b, sum);
  return saturate(overflows, a < 0, sum);
}

static int64_t multiply(int64_t a, int64_t b) {
  int64_t result;
  bool overflows = llvm::MulOverflow(a, b, result);
  return saturate(overflows, (a < 0) != (b < 0), result);
}

static SizeRange multiply(SizeRange a, SizeRange b) {
  auto [least, most] =
      std::minmax({multiply(a.least, b.least), multiply(a.least, b.most),
                   multiply(a.most, b.least), multiply(a.most, b.most)});
  return {least, most};
}

// Quotients by positive numbers grow with their dividend; nothing is said of
// others.
static SizeRange divide(SizeRange a, SizeRange b, bool roundsUp) {
  if (b.least < 1)
    return {INT64_MIN, INT64_MAX};
  auto quotient = [&](int64_t x, int64_t y) {
    return roundsUp ? llvm::divideCeilSigned(x, y)
                    : llvm::divideFloorSigned(x, y);
  };
  auto [least, most] =
      std::minmax({quotient(a.least, b.least), quotient(a.least, b.most),
                   quotient(a.most, b.least), quotient(a.most, b.most)});
  return {least, most};
}

static SizeRange remainder(SizeRange a, SizeRange b) {
  if (b.least < 1)
    return {INT64_MIN, INT64_MAX};
  int64_t most = b.most - 1;
  return {0, a.least >= 0 ? std::min(a.most, most) : most};
}

SizeRange
heddle::rangeOf(SizeAttr size,
                llvm::function_ref<SizeRange(StringRef)> rangeOfSymbol) {
  auto part = [&](unsigned index) {
    return rangeOf(cast<SizeAttr>(size.getOperands()[index]), rangeOfSymbol);
  };
  switch (size.getKind()) {
  case SizeKind::Number:
    return {size.getNumber(), size.getNumber()};
  case SizeKind::Symbol:
    return rangeOfSymbol(size.getName());
  case SizeKind::FloorDiv:
  case SizeKind::CeilDiv:
    return divide(part(0), part(1), size.getKind() == SizeKind::CeilDiv);
  case SizeKind::Mod:
    return remainder(part(0), part(1));
  case SizeKind::Min: {
    SizeRange a = part(0), b = part(1);
    return {std::min(a.least, b.least), std::min(a.most, b.most)};
  }
  case SizeKind::Max: {
    SizeRange a = part(0), b = part(1);
    return {std::max(a.least, b.least), std::max(a.most, b.most)};
  }
  case SizeKind::Product:
  case SizeKind::Sum:
    break;
  }
  SizeRange range = {size.getNumber(), size.getNumber()};
  for (unsigned index = 0; index < size.getOperands().size(); ++index) {
    SizeRange next = part(index);
    range = size.getKind() == SizeKind::Product
                ? multiply(range, next)
                : SizeRange{add(range.least, next.least),
                            add(range.most, next.most)};
  }
  return range;
}
