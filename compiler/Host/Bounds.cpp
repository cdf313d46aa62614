// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Host/Bounds.h"

#include "dialect/Heddle/BodyCoordinates.h"
#include "dialect/Heddle/Configuration.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

LogicalResult Bounds::add(SizeAttr number, int64_t least) {
  SizeRange range = entry.rangeOf(number);
  if (range.least > kLargestCount)
    return function.emitError("expected counts of rows, extents, strides and "
                              "elements of at most ")
           << kLargestCount << ", found at least " << range.least;
  if (range.least >= least && range.most <= kLargestCount)
    return success();
  int64_t &bound = checked.try_emplace(number, least).first->second;
  bound = std::max(bound, least);
  return success();
}

LogicalResult Bounds::addCounts() {
  for (SizeAttr count : entry.counts)
    if (failed(add(count)))
      return failure();
  return success();
}

// The sizes of all tensors in a kernel.
static llvm::DenseSet<SizeAttr> extentsIn(KernelOp kernel) {
  llvm::DenseSet<SizeAttr> extents;
  auto add = [&](ValueRange values) {
    for (Value value : values)
      extents.insert_range(sizesOf(value));
  };
  add(kernel.getArguments());
  for (Operation &op : kernel.getBody().getOps()) {
    add(op.getResults());
    if (auto generic = dyn_cast<GenericOp>(op))
      extents.insert_range(generic.getExtents());
  }
  return extents;
}

// `size` where anything is written, and at least 1 elsewhere.
SizeAttr Bounds::needed(SizeAttr size, SizeAttr written) const {
  SizeAttr one = SizeAttr::number(size.getContext(), 1);
  return entry.rangeOf(written).least > 0 ? size : max(size, one - written);
}

// Where a dimension has no elements, those before it have a stride of 0: what
// is read is one of the elements of the dimensions after it.
void Bounds::addReadPastEmpty(Value table, size_t dim) {
  Sizes sizes = sizesOf(table);
  if (entry.rangeOf(sizes[dim]).least > 0)
    return;
  SizeAttr one = SizeAttr::number(table.getContext(), 1);
  SizeAttr bytes = one * bytesOfElement(getElementTypeOrSelf(table.getType()));
  for (SizeAttr size : ArrayRef(sizes).drop_front(dim + 1))
    bytes = bytes * (entry.rangeOf(size).least > 0 ? size : max(size, one));
  pastEmpty = pastEmpty ? max(pastEmpty, bytes) : bytes;
}

// A coordinate of a table is limited to it, which needs an element, unless
// nothing is written. With a value for what is outside, the element is read and
// not used.
LogicalResult Bounds::addReads(GenericOp op) {
  LogicalResult result = success();
  SizeAttr written = product(op.getContext(), toSizes(op.getOver()));
  op.getBody().walk([&](ReadOp read) {
    unsigned argument = cast<BlockArgument>(read.getTable()).getArgNumber();
    Value table = op.getTables()[argument - op.getInputs().size()];
    Sizes sizes = sizesOf(table);
    for (auto [dim, value] : llvm::enumerate(read.getCoordinates())) {
      SizeAttr coordinate = coordinateOf(op, value);
      if (coordinate && isInside(op, coordinate, sizes[dim]))
        continue;
      if (read.getFill())
        addReadPastEmpty(table, dim);
      else if (failed(add(needed(sizes[dim], written), 1)))
        result = failure();
    }
  });
  forEachDividend(op, [&](SizeAttr number) {
    if (failed(add(number, -kLargestCount)))
      result = failure();
  });
  return result;
}

// Kernels divide sizes as they divide coordinates, by positive numbers alone.
LogicalResult Bounds::addDivisors(SizeAttr size, SizeAttr written) {
  LogicalResult result = success();
  size.walk([&](SizeAttr part) {
    bool isQuotient = part.getKind() == SizeKind::FloorDiv ||
                      part.getKind() == SizeKind::CeilDiv ||
                      part.getKind() == SizeKind::Mod;
    if (isQuotient &&
        failed(add(needed(cast<SizeAttr>(part.getOperands()[1]), written), 1)))
      result = failure();
  });
  return result;
}

LogicalResult Bounds::addDivisors(GenericOp op) {
  LogicalResult result = success();
  SizeAttr written = product(op.getContext(), toSizes(op.getOver()));
  op.getBody().walk([&](SizeOp size) {
    if (failed(addDivisors(size.getSize(), written)))
      result = failure();
  });
  return result;
}

LogicalResult Bounds::add(tensor::ExtractOp extract) {
  for (SizeAttr size : sizesOf(extract.getTensor()))
    if (failed(add(size, 1)))
      return failure();
  return success();
}

// Sums of a product, and what is made of them, are counted by tiles.
static bool isOfProduct(GenericOp generic, llvm::DenseSet<Value> &sums) {
  auto isSum = [&](Value value) { return sums.contains(value); };
  if (!generic.hasReduction() && llvm::none_of(generic->getOperands(), isSum))
    return false;
  sums.insert_range(generic.getResults());
  return true;
}

// Elements that threads take one by one are counted with 32 bits, as are those
// of all dimensions that are reduced, and those of tokens that go into a cache.
LogicalResult Bounds::addThreads(KernelOp kernel) {
  auto addAll = [&](const Sizes &sizes) {
    return add(product(kernel.getContext(), sizes));
  };
  bool hasTiles =
      isa_and_nonnull<BlockProductAttr>(kernel->getAttr(kConfigurationAttr));
  llvm::DenseSet<Value> sums;
  for (Operation &op : kernel.getBody().getOps()) {
    LogicalResult result =
        llvm::TypeSwitch<Operation *, LogicalResult>(&op)
            .Case([&](GenericOp generic) {
              if (hasTiles && isOfProduct(generic, sums))
                return success();
              return failure(failed(addAll(toSizes(generic.getOver()))) ||
                             failed(addAll(toSizes(generic.getReduce()))));
            })
            .Case([&](CacheAppendOp append) {
              return failure(failed(addAll(sizesOf(append.getKey()))) ||
                             failed(addAll(sizesOf(append.getValue()))));
            })
            .Default([](Operation *) { return success(); });
    if (failed(result))
      return failure();
  }
  return success();
}

LogicalResult Bounds::add(KernelOp kernel, const KernelSignature &signature) {
  llvm::DenseSet<SizeAttr> extents = extentsIn(kernel);
  // Other parameters are numbers that kernels compute with.
  for (SizeAttr parameter : signature.parameters)
    if (failed(
            add(parameter, extents.contains(parameter) ? 0 : -kLargestCount)))
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
  if (isForDevice(function->getParentOfType<ModuleOp>()) &&
      failed(addThreads(kernel)))
    return failure();
  auto one = SizeAttr::number(kernel.getContext(), 1);
  WalkResult ops = kernel.getBody().walk([&](Operation *op) {
    LogicalResult result =
        llvm::TypeSwitch<Operation *, LogicalResult>(op)
            .Case([&](GenericOp generic) {
              return failure(failed(addReads(generic)) ||
                             failed(addDivisors(generic)));
            })
            .Case<CausalMaskOp, WindowMaskOp>(
                [&](auto mask) { return addDivisors(mask.getShift(), one); })
            .Default([](Operation *) { return success(); });
    return failed(result) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (ops.wasInterrupted())
    return failure();
  // Attention counts its queries once for each head and split.
  for (auto attention : kernel.getBody().getOps<AttentionOp>()) {
    ScoreSpace space = attention.getScoreSpace();
    if (failed(add(space[0] * space[1] * space[2] * attention.getSplitCount())))
      return failure();
  }
  return success();
}
