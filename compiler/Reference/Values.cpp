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

// The type is looked at once a row: large models spend their time here.
static void readRow(const StoredTensor &tensor, int64_t index,
                    MutableArrayRef<double> row) {
  int64_t first = index * int64_t(row.size());
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
  // One row is as good as many.
  reference::readRow(stored, 0, copy->data);
  if (isWideInteger(stored.stored))
    for (size_t i = 0; i < copy->data.size(); ++i)
      copy->integers.push_back(
          loadInteger(stored.data.data(), stored.stored, int64_t(i)));
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
  size_t bytes = element.data.size() / reference::sizeOf(element.shape);
  element.shape.clear();
  element.data = element.data.slice(index * bytes, bytes);
  return *Value(std::move(element)).tensor();
}

Value Value::rows(int64_t first, int64_t count) const {
  SmallVector<int64_t> part(shape());
  part.front() = 1;
  int64_t size = reference::sizeOf(part);
  part.front() = count;
  if (auto *stored = std::get_if<StoredTensor>(&content)) {
    int64_t bytes = int64_t(stored->data.size()) /
                    std::max<int64_t>(reference::sizeOf(stored->shape), 1);
    StoredTensor result = *stored;
    result.shape = part;
    result.data =
        stored->data.slice(first * size * bytes, count * size * bytes);
    return result;
  }
  auto whole = tensor();
  auto slice = [&](const auto &elements) {
    auto from = elements.begin() + first * size;
    return std::decay_t<decltype(elements)>(from, from + count * size);
  };
  Tensor result(part, slice(whole->data));
  if (!whole->integers.empty())
    result.integers = slice(whole->integers);
  return result;
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
