// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/GroupSums.h"

#include "compiler/Prepare/Decompositions.h"

using namespace mlir;
using namespace heddle;

int64_t heddle::mostTerms(unsigned bits) {
  return INT32_MAX / (int64_t(llvm::maxUIntN(8)) << (bits - 1));
}

int64_t heddle::groupSizeOf(DequantizeOp decoded) {
  auto size = [&](Value value) {
    return cast<RankedTensorType>(value.getType())
        .getDimSize(decoded.getAxis());
  };
  return size(decoded.getCodes()) / size(decoded.getScales());
}

Sizes heddle::groupsOf(Sizes sizes, int64_t group) {
  sizes.back() = SizeAttr::number(sizes.back().getContext(),
                                  *sizes.back().asNumber() / group);
  return sizes;
}

Value heddle::sumsOfGroups(OpBuilder &b, Value x, int64_t group) {
  Sizes groups = groupsOf(sizesOf(x), group), elements = groups;
  elements.push_back(SizeAttr::number(b.getContext(), group));
  auto axis = int64_t(groups.size());
  Type f32 = b.getF32Type();
  Value split = ReshapeOp::create(b, x.getLoc(), tensorOf(elements, f32), x,
                                  toArray(b.getContext(), elements));
  return ReduceOp::create(b, x.getLoc(), tensorOf(groups, f32),
                          ReductionKind::Sum, split, ArrayRef<int64_t>(axis),
                          /*keepSizes=*/false);
}
