// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Host/BufferArguments.h"

#include "runtime/heddle_abi.h"

using namespace mlir;
using namespace heddle;

BufferArguments::BufferArguments(MemRefType type) : type(type) {
  std::tie(strides, std::ignore) = type.getStridesAndOffset();
}

SmallVector<Value> BufferArguments::flatten(AbiCode &code,
                                            MemRefDescriptor memref) const {
  SmallVector<Value> values{memref.alignedPtr(code.b, code.loc)};
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    if (type.isDynamicDim(axis))
      values.push_back(memref.size(code.b, code.loc, axis));
    if (ShapedType::isDynamic(strides[axis]))
      values.push_back(memref.stride(code.b, code.loc, axis));
  }
  return values;
}

Value BufferArguments::describe(AbiCode &code, Type room, Value roomAddress,
                                unsigned index, ValueRange &arguments) const {
  const AbiStructs &abi = code.abi;
  auto next = [&] {
    Value value = arguments.front();
    arguments = arguments.drop_front();
    return value;
  };
  Value buffer = code.element(
      abi.buffer, code.field(room, roomAddress, AbiStructs::RoomBuffers),
      index);
  Value dimensions = code.element(
      abi.dimension, code.field(room, roomAddress, AbiStructs::RoomDimensions),
      index * HEDDLE_MAX_RANK);
  Type element = type.getElementType();
  auto store = [&](AbiStructs::Buffer field, Value value) {
    code.store(abi.buffer, buffer, field, value);
  };
  store(AbiStructs::BufferDevice, code.number(64, 0));
  store(AbiStructs::BufferInterface, code.null());
  store(AbiStructs::BufferData, next());
  store(AbiStructs::BufferFlags, code.number(64, 0));
  store(AbiStructs::BufferTypeCode,
        code.number(8, AbiStructs::codeOf(element)));
  store(AbiStructs::BufferTypeBits,
        code.number(8, element.getIntOrFloatBitWidth()));
  store(AbiStructs::BufferTypeLanes, code.number(16, 1));
  store(AbiStructs::BufferRank, code.number(32, type.getRank()));
  store(AbiStructs::BufferDimensions, dimensions);
  store(AbiStructs::BufferReserved, code.null());
  // Halide counts dimensions from the innermost.
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    Value dimension =
        code.element(abi.dimension, dimensions, type.getRank() - 1 - axis);
    auto set = [&](AbiStructs::Dimension field, int64_t number) {
      Value value = ShapedType::isDynamic(number) ? code.truncate(next())
                                                  : code.number(32, number);
      code.store(abi.dimension, dimension, field, value);
    };
    set(AbiStructs::DimensionMin, 0);
    set(AbiStructs::DimensionExtent, type.getDimSize(axis));
    set(AbiStructs::DimensionStride, strides[axis]);
    set(AbiStructs::DimensionFlags, 0);
  }
  return buffer;
}
