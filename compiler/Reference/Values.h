// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the reference evaluator computes with: every number is a double.

#ifndef HEDDLE_COMPILER_REFERENCE_VALUES_H
#define HEDDLE_COMPILER_REFERENCE_VALUES_H

#include "dialect/Heddle/HeddleDialect.h"

#include "llvm/ADT/BitVector.h"

#include <array>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

namespace heddle::reference {

/// Dense, last dimension fastest. Elements of integer tensors are integers,
/// which a double holds exactly, but for those of 64 bits.
struct Tensor {
  llvm::SmallVector<int64_t> shape;
  std::vector<double> data;
  /// The elements of an i64 or ui64 tensor, whose largest wrap around; of
  /// others there are none.
  std::vector<int64_t> integers;

  Tensor() = default;
  Tensor(llvm::ArrayRef<int64_t> shape, std::vector<double> data);
  static Tensor zeros(llvm::ArrayRef<int64_t> shape);

  int64_t integer(size_t element) const {
    return integers.empty() ? int64_t(data[element]) : integers[element];
  }
  double number(size_t element) const {
    return integers.empty() ? data[element] : double(integers[element]);
  }
  int64_t channels() const { return shape.back(); }
  /// The number of slices along the last dimension.
  int64_t rows() const {
    return llvm::product_of(llvm::ArrayRef(shape).drop_back());
  }
  llvm::ArrayRef<double> row(int64_t index) const {
    return llvm::ArrayRef(data).slice(index * channels(), channels());
  }
  llvm::MutableArrayRef<double> row(int64_t index) {
    return llvm::MutableArrayRef(data).slice(index * channels(), channels());
  }
};

/// A weight that stays where its source holds it, because the doubles of all
/// weights of a model may not fit memory.
struct StoredTensor {
  llvm::SmallVector<int64_t> shape;
  heddle_type stored;  ///< the type of `data`
  heddle_type rounded; ///< the type that values are rounded to when read
  llvm::ArrayRef<uint8_t> data; ///< from the first element on
  /// How far apart elements along each dimension are, in elements; the last
  /// dimension's are neighbours. Where it is empty, all lie densely.
  llvm::SmallVector<int64_t> strides = {};
  /// What `data` is in, where no file has it as it is.
  std::shared_ptr<const std::vector<uint8_t>> decoded = nullptr;

  /// The place in `data` of the first element of a row, a slice along the last
  /// dimension.
  int64_t placeOfRow(int64_t index) const;
};

/// Which query of attention, and out of how many.
struct QueryPosition {
  int64_t batch, head, query;
  int64_t queries, keys;
};

struct Mask {
  /// A mask, or what is made of others. Masks that several share are one node.
  struct Node {
    std::vector<std::shared_ptr<const Node>> operands;
    /// The keys that a query keeps, from those that it keeps of each operand.
    std::function<llvm::BitVector(const QueryPosition &,
                                  llvm::ArrayRef<llvm::BitVector>)>
        combine;
  };

  /// The keys that a query keeps.
  llvm::BitVector keeps(const QueryPosition &at) const;

  std::shared_ptr<const Node> root;
  /// The sizes of the scores that the mask has been made for, in the order of
  /// ScoreDim; none where it serves any.
  std::array<std::optional<int64_t>, 4> sizes;
};

/// Keys and values, each [layers][batch][positions][kv heads][dimension], as
/// the numbers that elements of the cache stand for.
struct CacheStorage {
  CacheType type; ///< whose number of layers this has
  int64_t batch, capacity;
  std::vector<double> keys, values;
  /// Counts the appends to each layer.
  std::vector<uint64_t> appends;

  /// There is room for whole blocks.
  int64_t positions() const;
  int64_t channels(CachePart part) const {
    return type.getKvHeads() * type.getDimOf(part);
  }
  std::vector<double> &part(CachePart part) {
    return part == CachePart::Keys ? keys : values;
  }
  const std::vector<double> &part(CachePart part) const {
    return part == CachePart::Keys ? keys : values;
  }
  /// Where the channels of one position start.
  int64_t index(CachePart part, int64_t layer, int64_t b,
                int64_t position) const {
    return ((layer * batch + b) * positions() + position) * channels(part);
  }
};

/// Where position `position` of sequence `b` lies, as CacheOps.td says;
/// `pages`, if not null, is the table.
struct CachePlace {
  int64_t sequence, position;

  static llvm::Expected<CachePlace> of(mlir::Operation *op,
                                       const CacheStorage &storage,
                                       const Tensor *pages, bool isRing,
                                       int64_t b, int64_t position);
};

/// A cache as an SSA value. An append changes the storage in place, so an older
/// value of the cache must not be used for the same layer afterwards: the
/// counts that it remembers show that it is stale, and using it is an error.
struct CacheView {
  std::shared_ptr<CacheStorage> storage;
  int64_t firstLayer = 0;
  /// For each layer of the view, storage->appends as the view knows it.
  llvm::SmallVector<uint64_t> appends;

  /// An empty cache. Positions that were never appended hold NaN, so that
  /// nobody reads one unnoticed.
  static CacheView create(CacheType type, int64_t batch, int64_t capacity);

  int64_t layers() const { return appends.size(); }
  bool isStale(int64_t layer) const {
    return storage->appends[firstLayer + layer] != appends[layer];
  }
};

/// The value of an SSA value. Copies are cheap: they share a tensor's data, and
/// a cache's storage.
class Value {
public:
  Value(Tensor tensor)
      : content(std::make_shared<const Tensor>(std::move(tensor))) {}
  Value(StoredTensor tensor) : content(std::move(tensor)) {}
  Value(Mask mask) : content(std::move(mask)) {}
  Value(CacheView cache) : content(std::move(cache)) {}

  bool isTensor() const {
    return std::holds_alternative<std::shared_ptr<const Tensor>>(content) ||
           std::holds_alternative<StoredTensor>(content);
  }
  /// A weight that stays where it is: tensor() copies it.
  bool isStored() const {
    return std::holds_alternative<StoredTensor>(content);
  }
  bool isMask() const { return std::holds_alternative<Mask>(content); }
  bool isCache() const { return std::holds_alternative<CacheView>(content); }

  /// The tensor; of a stored one, a copy in doubles.
  std::shared_ptr<const Tensor> tensor() const;
  const Mask &mask() const { return std::get<Mask>(content); }
  const CacheView &cache() const { return std::get<CacheView>(content); }

  /// The shape of a tensor.
  llvm::ArrayRef<int64_t> shape() const;
  /// Reads slice `index` along the last dimension of a tensor, without a copy
  /// of the rest.
  void readRow(int64_t index, llvm::MutableArrayRef<double> row) const;

  /// One element of a stored tensor, as a tensor without dimensions.
  Tensor storedElement(int64_t index) const;

  /// The part of a tensor that has these sizes, and begins at `offsets`.
  Value box(llvm::ArrayRef<int64_t> offsets,
            llvm::ArrayRef<int64_t> sizes) const;
  /// Element `index` of its first dimension, which stays, with size 1.
  Value part(int64_t index) const;

  /// Success, or why this is no value of `type` ("expected ..., found ...").
  llvm::Error checkType(mlir::Type type) const;

private:
  std::variant<std::shared_ptr<const Tensor>, StoredTensor, Mask, CacheView>
      content;
};

/// "[2, 3]".
std::string describe(llvm::ArrayRef<int64_t> shape);

} // namespace heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_VALUES_H
