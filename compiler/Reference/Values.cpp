// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Values.h"

#include "compiler/Import/ElementFormats.h"

#include "llvm/Support/FormatVariadic.h"

#include <limits>
#include <numeric>

using namespace mlir;

namespace heddle::reference {

static int64_t sizeOf(ArrayRef<int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<>());
}

Tensor::Tensor(ArrayRef<int64_t> shape, std::vector<double> data)
    : shape(shape), data(std::move(data)) {
  assert(int64_t(this->data.size()) == reference::sizeOf(shape));
}

Tensor Tensor::zeros(ArrayRef<int64_t> shape) {
  return Tensor(shape, std::vector<double>(reference::sizeOf(shape)));
}

int64_t CacheStorage::positions() const {
  return llvm::alignTo(capacity, HEDDLE_CACHE_BLOCK);
}

CacheView CacheView::create(CacheType type, int64_t batch, int64_t capacity) {
  CacheStorage storage{type, batch, capacity, {}, {}, {}};
  storage.appends.resize(type.getLayers());
  for (CachePart part : {CachePart::Keys, CachePart::Values})
    storage.part(part).assign(storage.index(part, type.getLayers(), 0, 0),
                              std::numeric_limits<double>::quiet_NaN());
  CacheView view;
  view.appends.assign(type.getLayers(), 0);
  view.storage = std::make_shared<CacheStorage>(std::move(storage));
  return view;
}

static SmallVector<int64_t> denseStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * shape[dim];
  return strides;
}

// Where elements of a box begin, from the start of what it is a part of.
static int64_t placeOf(ArrayRef<int64_t> offsets, ArrayRef<int64_t> strides) {
  return std::inner_product(offsets.begin(), offsets.end(), strides.begin(),
                            int64_t(0));
}

int64_t StoredTensor::placeOfRow(int64_t index) const {
  if (shape.empty())
    return 0;
  if (strides.empty())
    return index * shape.back();
  int64_t place = 0;
  for (size_t dim = shape.size() - 1; dim-- > 0; index /= shape[dim])
    place += index % shape[dim] * strides[dim];
  return place;
}

// The type is looked at once a row: large models spend their time here.
static void readRow(const StoredTensor &tensor, int64_t index,
                    MutableArrayRef<double> row) {
  int64_t first = tensor.placeOfRow(index);
  visitElement(tensor.stored, [&](auto zero) {
    for (auto [i, element] : llvm::enumerate(row))
      element = double(
          elementAt<decltype(zero)>(tensor.data.data(), first + int64_t(i)));
  });
  if (tensor.rounded != tensor.stored)
    for (double &element : row)
      element = roundTo(tensor.rounded, element);
}

std::shared_ptr<const Tensor> Value::tensor() const {
  if (auto *tensor = std::get_if<std::shared_ptr<const Tensor>>(&content))
    return *tensor;
  const auto &stored = std::get<StoredTensor>(content);
  auto copy = std::make_shared<Tensor>(Tensor::zeros(stored.shape));
  size_t width = stored.shape.empty() ? 1 : stored.shape.back();
  for (size_t at = 0, row = 0; at < copy->data.size(); at += width, ++row) {
    reference::readRow(stored, row,
                       MutableArrayRef(copy->data).slice(at, width));
    if (!isWideInteger(stored.stored))
      continue;
    for (size_t i = 0; i < width; ++i)
      copy->integers.push_back(
          loadInteger(stored.data.data(), stored.stored,
                      stored.placeOfRow(row) + int64_t(i)));
  }
  return copy;
}

ArrayRef<int64_t> Value::shape() const {
  if (auto *tensor = std::get_if<std::shared_ptr<const Tensor>>(&content))
    return (*tensor)->shape;
  return std::get<StoredTensor>(content).shape;
}

void Value::readRow(int64_t index, MutableArrayRef<double> row) const {
  if (auto *tensor = std::get_if<std::shared_ptr<const Tensor>>(&content))
    llvm::copy((*tensor)->row(index), row.begin());
  else
    reference::readRow(std::get<StoredTensor>(content), index, row);
}

Tensor Value::storedElement(int64_t index) const {
  StoredTensor element = std::get<StoredTensor>(content);
  int64_t width = element.shape.empty() ? 1 : element.shape.back();
  int64_t place = element.placeOfRow(index / width) + index % width;
  element.data =
      element.data.drop_front(place * bytesOfElement(element.stored));
  element.shape.clear();
  element.strides.clear();
  return *Value(std::move(element)).tensor();
}

Value Value::box(ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes) const {
  SmallVector<int64_t> strides = denseStrides(shape());
  if (auto *stored = std::get_if<StoredTensor>(&content)) {
    StoredTensor result = *stored;
    if (result.strides.empty())
      result.strides = strides;
    // Of a box without elements the first may be past the end.
    int64_t place =
        reference::sizeOf(sizes) ? placeOf(offsets, result.strides) : 0;
    result.data =
        stored->data.drop_front(place * bytesOfElement(stored->stored));
    result.shape = SmallVector<int64_t>(sizes);
    return result;
  }
  auto whole = tensor();
  Tensor result = Tensor::zeros(sizes);
  if (!whole->integers.empty())
    result.integers.resize(result.data.size());
  for (size_t i = 0; i < result.data.size(); ++i) {
    int64_t from = placeOf(offsets, strides), rest = i;
    for (size_t dim = sizes.size(); dim-- > 0; rest /= sizes[dim])
      from += rest % sizes[dim] * strides[dim];
    result.data[i] = whole->data[from];
    if (!whole->integers.empty())
      result.integers[i] = whole->integers[from];
  }
  return result;
}

Value Value::part(int64_t index) const {
  SmallVector<int64_t> offsets(shape().size(), 0), sizes(shape());
  offsets.front() = index;
  sizes.front() = 1;
  return box(offsets, sizes);
}

//===-- types -------------------------------------------------------------===//

std::string describe(ArrayRef<int64_t> shape) {
  return llvm::formatv("[{0:$[, ]}]",
                       llvm::make_range(shape.begin(), shape.end()));
}

static llvm::Error makeError(Type expected, const Twine &found) {
  std::string type;
  llvm::raw_string_ostream(type) << expected;
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "expected " + type + ", found " + found);
}

static bool hasShape(RankedTensorType type, ArrayRef<int64_t> shape) {
  return llvm::equal(
      type.getShape(), shape, [](int64_t expected, int64_t found) {
        return ShapedType::isDynamic(expected) ? found >= 0 : found == expected;
      });
}

llvm::Error Value::checkType(Type type) const {
  if (isMask())
    return isa<MaskType>(type) ? llvm::Error::success()
                               : makeError(type, "a mask");
  if (isTensor()) {
    if (type.isIntOrIndexOrFloat() && shape().empty())
      return llvm::Error::success();
    auto tensorType = dyn_cast<RankedTensorType>(type);
    if (!tensorType || !hasShape(tensorType, shape()))
      return makeError(type, "a tensor of shape " + describe(shape()));
    return llvm::Error::success();
  }
  CacheType found = cache().storage->type.withLayers(cache().layers());
  auto expected = dyn_cast<CacheType>(type);
  if (expected && expected.withSizes({}) == found.withSizes({}))
    return llvm::Error::success();
  std::string text;
  llvm::raw_string_ostream(text) << found.withSizes({});
  return makeError(type, text);
}

} // namespace heddle::reference
