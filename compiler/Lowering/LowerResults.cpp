// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results of a kernel become output buffers.

#include "compiler/Fusion/Sizes.h"
#include "compiler/Lowering/KernelBuilder.h"

using namespace mlir;
using namespace heddle;

static void createOutput(KernelBuilder &k, StringRef func,
                         ArrayRef<int64_t> extents, ValueRange dynamic,
                         ArrayRef<int64_t> strides, unsigned result,
                         int64_t part = -1) {
  halide::OutputOp::create(
      k.builder, k.loc(), func, dynamic, extents,
      strides.empty() ? DenseI64ArrayAttr()
                      : k.builder.getDenseI64ArrayAttr(strides),
      k.builder.getI64IntegerAttr(result),
      part < 0 ? IntegerAttr() : k.builder.getI64IntegerAttr(part));
}

static void lowerTensor(KernelBuilder &k, Value value, unsigned index) {
  SmallVector<int64_t> extents;
  SmallVector<Value> dynamic;
  Sizes sizes = sizesOf(value);
  for (SizeAttr size : llvm::reverse(sizes)) {
    std::optional<int64_t> number = size.asNumber();
    extents.push_back(number.value_or(ShapedType::kDynamic));
    if (!number)
      dynamic.push_back(k.param(size));
  }
  bool isExternal = bool(k.kernel.getResultAttr(index, kExternalAttr));
  createOutput(
      k, k.field(value).symbol, extents, dynamic,
      tensorStrides(k, cast<RankedTensorType>(value.getType()), isExternal),
      index);
}

void heddle::lowerResult(KernelBuilder &k, Value value, unsigned index) {
  if (isa<CacheType>(value.getType())) {
    CacheBuffers buffers(k, value);
    const auto &[keys, values] = k.cache(value);
    createOutput(k, keys, buffers.keyExtents, buffers.keyDynamic, {}, index, 0);
    createOutput(k, values, buffers.valueExtents, buffers.valueDynamic, {},
                 index, 1);
    return;
  }
  auto type = cast<RankedTensorType>(value.getType());
  if (k.field(value).isTensor)
    return lowerTensor(k, value, index);
  int64_t channels = type.getShape().back();
  bool isExternal = bool(k.kernel.getResultAttr(index, kExternalAttr));
  int64_t stride = k.machine.rowStride(channels);
  Field field = k.field(value);

  // Attention writes its channels and no more; other kernels write whole
  // panels. A caller's buffer has no room for the rest of the last one, so its
  // rows are copied from the workspace.
  bool isAttention = bool(value.getDefiningOp<AttentionOp>());
  if (isExternal && isAttention)
    stride = channels;
  if (isExternal && stride != channels) {
    Field padded = field;
    k.storeInWorkspace(value);
    halide::FuncOp copy = k.func("result", {"c", "m"}, field.type,
                                 [&](OpBuilder &b, ValueRange v) {
                                   return k.read(b, padded, v[0], v[1]);
                                 });
    field = {copy.getSymName().str(), field.type, {channels}};
    stride = channels;
  }
  SmallVector<int64_t> extents(field.channels), strides;
  int64_t dense = 1;
  for (int64_t extent : extents) {
    strides.push_back(dense);
    dense *= extent;
  }
  // Attention writes rows as (query, batch).
  if (isAttention) {
    extents.append(2, ShapedType::kDynamic);
    strides.append({stride, 0});
    createOutput(k, field.symbol, extents,
                 {k.lengthOf(value), k.batchOf(value)}, strides, index);
    return;
  }
  extents.push_back(ShapedType::kDynamic);
  strides.push_back(stride);
  createOutput(k, field.symbol, extents, {k.rowsOf(value)}, strides, index);
}
