// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/Verification.h"

using namespace mlir;
using namespace heddle;

LogicalResult
SizesAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                          function_ref<InFlightDiagnostic()> emitError) const {
  size_t expected = llvm::count_if(shape, ShapedType::isDynamic);
  if (getSizes().size() == expected)
    return success();
  return emitError() << "expected " << expected
                     << " sizes, one for each dynamic dimension, found "
                     << getSizes().size();
}

Sizes heddle::sizesOf(Type type) {
  Sizes result;
  if (auto cache = dyn_cast<CacheType>(type)) {
    if (cache.getSizes())
      llvm::append_range(result, cache.getSizes().getSizes());
    else
      result.resize(2);
    return result;
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return result;
  auto known = dyn_cast_or_null<SizesAttr>(tensor.getEncoding());
  unsigned next = 0;
  for (int64_t extent : tensor.getShape()) {
    if (!ShapedType::isDynamic(extent))
      result.push_back(SizeAttr::number(type.getContext(), extent));
    else
      result.push_back(known ? known.getSizes()[next++] : SizeAttr());
  }
  return result;
}

Sizes heddle::sizesOf(Value value) { return sizesOf(value.getType()); }

RankedTensorType heddle::tensorOf(ArrayRef<SizeAttr> sizes, Type elementType) {
  SmallVector<int64_t> shape;
  SmallVector<SizeAttr> dynamic;
  for (SizeAttr size : sizes) {
    std::optional<int64_t> number = size ? size.asNumber() : std::nullopt;
    shape.push_back(number.value_or(ShapedType::kDynamic));
    if (!number)
      dynamic.push_back(size);
  }
  Attribute encoding;
  if (!dynamic.empty() && !llvm::is_contained(dynamic, SizeAttr()))
    encoding = SizesAttr::get(elementType.getContext(), dynamic);
  return RankedTensorType::get(shape, elementType, encoding);
}

Type heddle::withSizes(Type type, ArrayRef<SizeAttr> sizes) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensorOf(sizes, tensor.getElementType());
  if (auto cache = dyn_cast<CacheType>(type))
    return cache.withSizes(SizesAttr::get(type.getContext(), sizes));
  return type;
}

LogicalResult heddle::expectSize(Operation *op, StringRef what,
                                 SizeAttr expected, SizeAttr found) {
  if (expected == found)
    return success();
  return op->emitOpError("expected ") << what << " to be \"" << expected.str()
                                      << "\", found \"" << found.str() << "\"";
}

ArrayAttr heddle::toArray(MLIRContext *context, ArrayRef<SizeAttr> sizes) {
  return ArrayAttr::get(context,
                        SmallVector<Attribute>(sizes.begin(), sizes.end()));
}

Sizes heddle::toSizes(ArrayAttr sizes) {
  return llvm::map_to_vector<4>(
      sizes, [](Attribute size) { return cast<SizeAttr>(size); });
}

// Whether no coefficient is negative, and no variable is one.
static bool hasNoNegativePart(SizeAttr size) {
  return llvm::all_of(termsOf(size), [](SizeAttr term) {
    auto [number, factors] = factorsOf(term);
    return number >= 0 && llvm::all_of(factors, [](SizeAttr factor) {
             return factor.getKind() == SizeKind::Symbol ||
                    llvm::all_of(factor.getOperands(), [](Attribute operand) {
                      return hasNoNegativePart(cast<SizeAttr>(operand));
                    });
           });
  });
}

namespace {
/// Proves that sizes are at least 0 by putting bounds in the place of
/// functions, one at a time: what is left is never more. The search ends after
/// so many bounds.
class BoundsSearch {
public:
  explicit BoundsSearch(llvm::function_ref<int64_t(StringRef)> leastOf)
      : leastOf(leastOf) {}

  bool prove(SizeAttr size) {
    if (isSumOfParts(size))
      return true;
    Sizes terms = termsOf(size);
    for (SizeAttr term : terms) {
      auto [coefficient, factors] = factorsOf(term);
      for (size_t index = 0; index < factors.size(); ++index) {
        if (factors[index].getOperands().empty() || steps == 0)
          continue;
        --steps;
        Sizes others = factors;
        others.erase(others.begin() + index);
        if (llvm::all_of(others, [&](SizeAttr x) { return isSumOfParts(x); }) &&
            replace(size - term, coefficient,
                    product(size.getContext(), others), factors[index]))
          return true;
      }
    }
    return false;
  }

private:
  // The same of symbols that begin at 0.
  bool isSumOfParts(SizeAttr size) const {
    MLIRContext *context = size.getContext();
    return hasNoNegativePart(size.substitute([&](StringRef name) {
      return SizeAttr::symbol(context, name) +
             SizeAttr::number(context, leastOf(name));
    }));
  }

  // rest + coefficient * factor * function, where the factor is at least 0.
  bool replace(SizeAttr rest, int64_t coefficient, SizeAttr factor,
               SizeAttr function) {
    auto a = cast<SizeAttr>(function.getOperands()[0]);
    auto b = cast<SizeAttr>(function.getOperands()[1]);
    auto with = [&](SizeAttr bound) {
      return prove(rest + factor * bound * coefficient);
    };
    SizeAttr one = SizeAttr::number(function.getContext(), 1);
    bool needsMost = coefficient < 0;
    switch (function.getKind()) {
    case SizeKind::Min:
      return needsMost ? with(a) || with(b) : with(a) && with(b);
    case SizeKind::Max:
      return needsMost ? with(a) && with(b) : with(a) || with(b);
    case SizeKind::Mod:
      return isSumOfParts(b - one) &&
             (needsMost ? with(b - one) || (isSumOfParts(a) && with(a))
                        : with(one - one));
    case SizeKind::FloorDiv:
    case SizeKind::CeilDiv: {
      // c * floordiv(a, c) is from a - c + 1 to a, c * ceildiv(a, c) from a to
      // a + c - 1.
      std::optional<int64_t> divisor = b.asNumber();
      if (!divisor || *divisor < 1)
        return false;
      bool isFloor = function.getKind() == SizeKind::FloorDiv;
      SizeAttr slack = b - one;
      SizeAttr bound =
          needsMost ? (isFloor ? a : a + slack) : (isFloor ? a - slack : a);
      return prove(rest * *divisor + factor * bound * coefficient);
    }
    default:
      return false;
    }
  }

  llvm::function_ref<int64_t(StringRef)> leastOf;
  int steps = 64;
};
} // namespace

bool heddle::isNeverNegative(SizeAttr size,
                             llvm::function_ref<int64_t(StringRef)> leastOf) {
  return BoundsSearch(leastOf).prove(size);
}

bool heddle::isNeverNegative(SizeAttr size, int64_t least) {
  return isNeverNegative(size, [=](StringRef) { return least; });
}

//===-- Verification.h ----------------------------------------------------===//

LogicalResult heddle::verifyAxis(Operation *op, int64_t axis, int64_t rank) {
  if (axis >= 0 && axis < rank)
    return success();
  return op->emitOpError("expected an axis from 0 to ")
         << rank - 1 << ", found " << axis;
}

LogicalResult heddle::verifyAxes(Operation *op, ArrayRef<int64_t> axes,
                                 int64_t rank) {
  for (auto [index, axis] : llvm::enumerate(axes)) {
    if (failed(verifyAxis(op, axis, rank)))
      return failure();
    if (index && axes[index - 1] >= axis)
      return op->emitOpError("expected axes in ascending order, found ")
             << axis << " after " << axes[index - 1];
  }
  return success();
}

FailureOr<Sizes> heddle::broadcastSizes(Operation *op,
                                        ArrayRef<Sizes> operands) {
  size_t rank = 0;
  for (const Sizes &sizes : operands)
    rank = std::max(rank, sizes.size());
  Sizes result(rank, SizeAttr::number(op->getContext(), 1));
  for (const Sizes &sizes : operands)
    for (auto [size, common] : llvm::zip_equal(
             sizes, MutableArrayRef(result).take_back(sizes.size())))
      common = broadcastOf(common, size);
  for (const Sizes &sizes : operands)
    if (failed(expectBroadcasts(op, sizes, result)))
      return failure();
  return result;
}
