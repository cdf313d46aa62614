// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Verify/VerifyBuffers.h"

#include "compiler/Import/ElementFormats.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace heddle;
using reference::CacheStorage;
using reference::Tensor;

// An i1 is a byte, of which another one than 0 and 1 is no truth value.
static double readNumber(heddle_type type, const uint8_t *data, int64_t index) {
  return type == HEDDLE_TYPE_I1 ? data[index] : loadNumber(data, type, index);
}

void heddle::appendElement(heddle_type type, const void *data, int64_t index,
                           Tensor &tensor) {
  const auto *bytes = static_cast<const uint8_t *>(data);
  tensor.data.push_back(readNumber(type, bytes, index));
  if (isWideInteger(type))
    tensor.integers.push_back(loadInteger(bytes, type, index));
}

heddle_type heddle::typeOf(const heddle_buffer &buffer) {
  for (const ElementType &known : elementTypes())
    if (known.code == buffer.type_code && known.bits == buffer.type_bits)
      return known.type;
  llvm_unreachable("kernels have buffers of no other types");
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

std::vector<double> heddle::readCachePart(const CacheBuffers &buffers,
                                          CachePart part,
                                          const CacheStorage &storage) {
  constexpr int64_t block = HEDDLE_CACHE_BLOCK;
  auto read = [&](CachePart from, std::initializer_list<int64_t> at) {
    const heddle_buffer &buffer = *buffers.at(from);
    int64_t offset = 0;
    for (auto [dimension, coordinate] : llvm::enumerate(at))
      offset += coordinate * buffer.dimensions[dimension].stride;
    return readNumber(typeOf(buffer), buffer.data, offset);
  };
  bool isOfKeys = part == CachePart::Keys;
  CachePart scales = isOfKeys ? CachePart::KeyScales : CachePart::ValueScales;
  bool hasScales = storage.type.getTypeOf(part).isInteger();
  std::vector<double> elements;
  for (int64_t b = 0; b < storage.batch; ++b)
    for (int64_t p = 0; p < storage.positions(); ++p)
      for (int64_t h = 0; h < storage.type.getKvHeads(); ++h) {
        double scale = hasScales ? read(scales, {p, h, b}) : 1;
        for (int64_t d = 0; d < storage.type.getDimOf(part); ++d)
          elements.push_back(
              scale * (isOfKeys ? read(part, {p % block, d, p / block, h, b})
                                : read(part, {d, p, h, b})));
      }
  return elements;
}

static heddle_buffer describe(mlir::Type type, const uint8_t *data) {
  heddle_buffer buffer = {};
  buffer.data = const_cast<uint8_t *>(data);
  const ElementType &known = *findElementType(type);
  buffer.type_code = known.code;
  buffer.type_bits = known.bits;
  return buffer;
}

void heddle::readCache(const void *memory, CacheStorage &storage) {
  constexpr int64_t block = HEDDLE_CACHE_BLOCK;
  CacheType type = storage.type;
  int64_t positions = storage.positions(), heads = type.getKvHeads();
  auto *data = static_cast<const uint8_t *>(memory);
  for (int64_t layer = 0; layer < type.getLayers(); ++layer) {
    std::map<CachePart, heddle_buffer> buffers;
    std::map<CachePart, llvm::SmallVector<heddle_dimension>> dimensions;
    CacheBuffers parts;
    for (CachePart part : type.getParts()) {
      llvm::SmallVector<int64_t> extents{positions};
      if (part == CachePart::Keys)
        extents = {block, type.getDimOf(part), positions / block};
      else if (part == CachePart::Values)
        extents = {type.getDimOf(part), positions};
      llvm::append_values(extents, heads, storage.batch);
      int64_t stride = 1;
      for (int64_t extent : extents) {
        dimensions[part].push_back({0, int32_t(extent), int32_t(stride), 0});
        stride *= extent;
      }
      buffers[part] = describe(type.getTypeOf(part), data);
      buffers[part].dimensions = dimensions[part].data();
      parts[part] = &buffers[part];
      data += stride * bytesOfElement(type.getTypeOf(part));
    }
    for (CachePart part : {CachePart::Keys, CachePart::Values})
      llvm::copy(readCachePart(parts, part, storage),
                 storage.part(part).begin() + storage.index(part, layer, 0, 0));
  }
}
