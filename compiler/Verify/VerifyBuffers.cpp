// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Verify/VerifyBuffers.h"

#include "llvm/ADT/STLExtras.h"

using namespace heddle;
using reference::CacheStorage;

std::vector<double> heddle::readBuffer(const heddle_buffer &buffer) {
  std::vector<double> elements;
  auto read = [&](auto &self, int32_t dimension, int64_t offset) -> void {
    if (dimension < 0) {
      const uint8_t *data = buffer.data + offset * 4;
      elements.push_back(buffer.type_code == 0
                             ? double(*reinterpret_cast<const int32_t *>(data))
                             : double(*reinterpret_cast<const float *>(data)));
      return;
    }
    const heddle_dimension &d = buffer.dimensions[dimension];
    for (int64_t i = 0; i < d.extent; ++i)
      self(self, dimension - 1, offset + i * d.stride);
  };
  read(read, buffer.rank - 1, 0);
  return elements;
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
