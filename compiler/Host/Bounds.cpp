// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Host/Bounds.h"

#include "compiler/Fusion/Sizes.h"
#include "dialect/Heddle/SizeRange.h"

using namespace mlir;
using namespace heddle;

LogicalResult Bounds::add(SizeAttr count) {
  if (!seen.insert(count).second)
    return success();
  SizeRange range = rangeOf(count, [&](StringRef name) {
    SymbolAttr symbol = entry.symbols[*entry.symbol(name)];
    return SizeRange{symbol.getMinimum(), symbol.getMaximum()};
  });
  if (range.least > kLargestCount)
    return function.emitError("expected counts of rows, extents and strides "
                              "of at most ")
           << kLargestCount << ", found at least " << range.least;
  if (range.least < 0 || range.most > kLargestCount)
    checked.insert(count);
  return success();
}

LogicalResult Bounds::add(KernelOp kernel, const KernelSignature &signature) {
  for (SizeAttr parameter : signature.parameters)
    if (failed(add(parameter)))
      return failure();
  // Elements are indexed with 64 bits: the outermost stride is the largest
  // number.
  for (const KernelBuffer &buffer : signature.buffers) {
    SizeAttr stride = SizeAttr::number(kernel.getContext(), 1);
    for (SizeAttr extent : llvm::reverse(buffer.extents)) {
      if (failed(add(stride)))
        return failure();
      stride = stride * extent;
    }
  }
  // Attention counts its queries once for each head.
  for (auto attention : kernel.getBody().getOps<AttentionOp>()) {
    Sizes query = sizesOf(attention.getQuery());
    if (failed(add(query[0] * query[attention.getLengthDim()] *
                   attention.getHeads())))
      return failure();
  }
  return success();
}
