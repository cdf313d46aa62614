// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Verify/VerifyBuffers.h"

#include "compiler/Import/FloatFormats.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace heddle;
using reference::CacheStorage;
using reference::Tensor;

static double readDouble(heddle_type type, const uint8_t *data, int64_t index) {
  switch (type) {
  case HEDDLE_TYPE_F32:
    return loadElement(data, StorageType::F32, index);
  case HEDDLE_TYPE_BF16:
    return loadElement(data, StorageType::BF16, index);
  case HEDDLE_TYPE_F16:
    return loadElement(data, StorageType::F16, index);
  case HEDDLE_TYPE_I8:
    return loadInteger(data, StorageType::I8, index);
  case HEDDLE_TYPE_I32:
    return loadInteger(data, StorageType::I32, index);
  case HEDDLE_TYPE_I64:
    return loadInteger(data, StorageType::I64, index);
  case HEDDLE_TYPE_I1: // another byte than 0 and 1 is no truth value
    return data[index];
  }
  llvm_unreachable("all types are covered");
}

void heddle::appendElement(heddle_type type, const void *data, int64_t index,
                           Tensor &tensor) {
  const auto *bytes = static_cast<const uint8_t *>(data);
  tensor.data.push_back(readDouble(type, bytes, index));
  if (type == HEDDLE_TYPE_I64)
    tensor.integers.push_back(loadInteger(bytes, StorageType::I64, index));
}

heddle_type heddle::typeOf(const heddle_buffer &buffer) {
  switch (buffer.type_code) {
  case 4:
    return HEDDLE_TYPE_BF16;
  case 2:
    return buffer.type_bits == 16 ? HEDDLE_TYPE_F16 : HEDDLE_TYPE_F32;
  case 1:
    return HEDDLE_TYPE_I1;
  default:
    return buffer.type_bits == 8    ? HEDDLE_TYPE_I8
           : buffer.type_bits == 64 ? HEDDLE_TYPE_I64
                                    : HEDDLE_TYPE_I32;
  }
}

Tensor heddle::readTensor(heddle_type type, const void *data,
                          llvm::ArrayRef<int64_t> shape) {
  Tensor tensor;
  tensor.shape.assign(shape.begin(), shape.end());
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  for (int64_t i = 0; i < count; ++i)
    appendElement(type, data, i, tensor);
  return tensor;
}

void heddle::separate(Tensor &got, const Tensor &want) {
  if (got.integers.empty() || want.integers.empty())
    return;
  for (auto [element, other, integer, expected] :
       llvm::zip_equal(got.data, want.data, got.integers, want.integers))
    if (element == other && integer != expected)
      element =
          std::nextafter(other, integer > expected ? HUGE_VAL : -HUGE_VAL);
}

llvm::Expected<Tensor> heddle::readBuffer(const heddle_buffer &buffer,
                                          llvm::ArrayRef<int64_t> shape) {
  Tensor tensor;
  tensor.shape.assign(shape.begin(), shape.end());
  heddle_type type = typeOf(buffer);
  auto read = [&](auto &self, int32_t dimension, int64_t offset) -> void {
    if (dimension < 0)
      return appendElement(type, buffer.data, offset, tensor);
    const heddle_dimension &d = buffer.dimensions[dimension];
    for (int64_t i = 0; i < d.extent; ++i)
      self(self, dimension - 1, offset + i * d.stride);
  };
  read(read, buffer.rank - 1, 0);
  size_t expected = Tensor::zeros(shape).data.size();
  if (tensor.data.size() != expected)
    return llvm::createStringError("the buffer has %zu elements, expected %zu",
                                   tensor.data.size(), expected);
  return tensor;
}

std::vector<double> heddle::readCachePart(const heddle_buffer &buffer,
                                          bool isKeys,
                                          const CacheStorage &storage) {
  constexpr int64_t block = HEDDLE_CACHE_BLOCK;
  const auto *data = reinterpret_cast<const float *>(buffer.data);
  const heddle_dimension *dimensions = buffer.dimensions;
  std::vector<double> elements;
  auto add = [&](std::initializer_list<int64_t> at) {
    int64_t offset = 0;
    for (auto [dimension, coordinate] : llvm::enumerate(at))
      offset += coordinate * dimensions[dimension].stride;
    elements.push_back(data[offset]);
  };
  for (int64_t b = 0; b < storage.batch; ++b)
    for (int64_t p = 0; p < storage.capacity; ++p)
      for (int64_t h = 0; h < storage.kvHeads; ++h)
        for (int64_t d = 0; d < storage.headDim; ++d)
          isKeys ? add({p % block, d, p / block, h, b}) : add({d, p, h, b});
  return elements;
}

void heddle::readCache(const void *memory, CacheStorage &storage) {
  constexpr int64_t block = HEDDLE_CACHE_BLOCK;
  int64_t blocks = llvm::divideCeil(storage.capacity, block);
  int64_t size = storage.index(1, 0, 0); // of one layer's keys, and values
  auto *data = static_cast<const uint8_t *>(memory);
  auto readNext = [&](bool isKeys, std::initializer_list<int64_t> extents,
                      auto to) {
    llvm::SmallVector<heddle_dimension> dimensions;
    int64_t stride = 1;
    for (int64_t extent : extents) {
      dimensions.push_back({0, int32_t(extent), int32_t(stride), 0});
      stride *= extent;
    }
    heddle_buffer buffer = {};
    buffer.data = const_cast<uint8_t *>(data);
    buffer.dimensions = dimensions.data();
    llvm::copy(readCachePart(buffer, isKeys, storage), to);
    data += stride * sizeof(float);
  };
  for (int64_t layer = 0; layer < storage.layers; ++layer) {
    readNext(true,
             {block, storage.headDim, blocks, storage.kvHeads, storage.batch},
             storage.keys.begin() + layer * size);
    readNext(false,
             {storage.headDim, blocks * block, storage.kvHeads, storage.batch},
             storage.values.begin() + layer * size);
  }
}
