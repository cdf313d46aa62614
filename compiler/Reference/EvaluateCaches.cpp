// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Evaluate.h"
#include "compiler/Reference/Perturbation.h"
#include "compiler/Reference/Roundings.h"
#include "compiler/Reference/ScalarMath.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace heddle::reference {

static llvm::Error checkNotStale(Operation *op, const CacheView &cache,
                                 int64_t layer) {
  if (!cache.isStale(layer))
    return llvm::Error::success();
  return fail(op, "expected a cache that nothing was appended to since, found "
                  "an older one (layer " +
                      Twine(cache.firstLayer + layer) + ")");
}

llvm::Expected<CachePlace> CachePlace::of(Operation *op,
                                          const CacheStorage &storage,
                                          const Tensor *pages, bool isRing,
                                          int64_t b, int64_t position) {
  if (isRing)
    return CachePlace{b, position % storage.positions()};
  if (!pages)
    return CachePlace{b, position};
  int64_t column = position / storage.capacity;
  auto page = int64_t(pages->data[b * pages->shape[1] + column]);
  if (page < 0 || page >= storage.batch)
    return fail(op, "expected pages from 0 to " + Twine(storage.batch - 1) +
                        ", found " + Twine(page));
  return CachePlace{page, position % storage.capacity};
}

//===-- heddle.cache.append -----------------------------------------------===//

// x / s, rounded to the nearest integer, times s: the largest magnitude is 127
// s.
static void quantize(MutableArrayRef<double> head) {
  double largest = 0;
  for (double &x : head) {
    x = std::isnan(x) ? 0 : x;
    largest = std::max(largest, std::abs(x));
  }
  double scale = std::min<double>(largest / 127, kLargestCacheScale);
  if (scale < std::numeric_limits<float>::min())
    scale = 1;
  // Integers have no -0.
  for (double &x : head)
    x = (std::nearbyint(std::clamp(x / scale, -127.0, 127.0)) + 0.0) * scale;
}

// `row` as elements of the cache.
static void roundToCache(CacheType cache, CachePart part,
                         MutableArrayRef<double> row) {
  Type type = cache.getTypeOf(part);
  int64_t dim = cache.getDimOf(part);
  if (type.isInteger())
    for (size_t first = 0; first < row.size(); first += dim)
      quantize(row.slice(first, dim));
  else if (!type.isF32())
    for (double &x : row)
      x = roundTo(cast<FloatType>(type).getFloatSemantics(), x);
}

namespace {
/// How many tokens of each sequence are appended, and where the first one goes.
class AppendedTokens {
public:
  AppendedTokens(CacheAppendOp op, const Environment &values)
      : tokens(values[op.getKey()].shape()[1]) {
    if (op.getStarts())
      starts = values.tensor(op.getStarts());
    if (op.getLengths())
      lengths = values.tensor(op.getLengths());
  }

  int64_t start(int64_t b) const {
    return starts ? int64_t(starts->data[b]) : 0;
  }
  int64_t length(int64_t b) const {
    return lengths ? int64_t(lengths->data[b]) : tokens;
  }
  /// `otherwise` where there are none.
  int64_t countOfStarts(int64_t otherwise) const {
    return starts ? starts->shape[0] : otherwise;
  }
  int64_t countOfLengths(int64_t otherwise) const {
    return lengths ? lengths->shape[0] : otherwise;
  }

private:
  int64_t tokens;
  std::shared_ptr<const Tensor> starts, lengths;
};
} // namespace

static llvm::Error checkTokens(CacheAppendOp op, const CacheStorage &storage,
                               const Environment &values) {
  auto key = values.tensor(op.getKey()), value = values.tensor(op.getValue());
  AppendedTokens appended(op, values);
  std::shared_ptr<const Tensor> pages;
  if (op.getPages())
    pages = values.tensor(op.getPages());
  int64_t tokens = key->shape[1];
  int64_t batch = pages ? pages->shape[0] : storage.batch;
  for (auto [what, expected, found] :
       {std::tuple("batch of the key", batch, key->shape[0]),
        std::tuple("batch of the value", batch, value->shape[0]),
        std::tuple("length of the value", tokens, value->shape[1]),
        std::tuple("starts", batch, appended.countOfStarts(batch)),
        std::tuple("lengths", batch, appended.countOfLengths(batch))})
    if (llvm::Error error = expectSize(op, what, expected, found))
      return error;
  int64_t capacity = storage.capacity * (pages ? pages->shape[1] : 1);
  for (int64_t b = 0; b < batch; ++b) {
    int64_t start = appended.start(b), length = appended.length(b);
    if (length < 0 || length > tokens)
      return fail(op, "expected a length from 0 to " + Twine(tokens) +
                          ", found " + Twine(length));
    if (start < 0 || (!op.getRing() && start + length > capacity))
      return fail(op, "expected positions from 0 to the capacity of " +
                          Twine(capacity) + ", found " + Twine(start) + " to " +
                          Twine(start + length));
  }
  return llvm::Error::success();
}

// Token s < lengths[b] of sequence b goes to position starts[b] + s: tells the
// number of the token, and where its row of a part lies in the layer.
static llvm::Error
visitRows(CacheAppendOp op, const CacheStorage &storage,
          const Environment &values, CachePart part,
          llvm::function_ref<void(int64_t token, int64_t place)> visit) {
  std::shared_ptr<const Tensor> pages;
  if (op.getPages())
    pages = values.tensor(op.getPages());
  AppendedTokens appended(op, values);
  ArrayRef<int64_t> shape = values[op.getKey()].shape();
  for (int64_t b = 0; b < shape[0]; ++b)
    for (int64_t s = 0; s < appended.length(b); ++s) {
      llvm::Expected<CachePlace> to = CachePlace::of(
          op, storage, pages.get(), op.getRing(), b, appended.start(b) + s);
      if (!to)
        return to.takeError();
      visit(b * shape[1] + s,
            storage.index(part, 0, to->sequence, to->position));
    }
  return llvm::Error::success();
}

static llvm::Expected<Value> evaluate(CacheAppendOp op,
                                      const Environment &values) {
  CacheView cache = values[op.getCache()].cache();
  CacheStorage &storage = *cache.storage;
  int64_t layer = op.getLayer();
  if (llvm::Error error = checkNotStale(op, cache, layer))
    return error;
  if (llvm::Error error = checkTokens(op, storage, values))
    return error;
  for (CachePart part : {CachePart::Keys, CachePart::Values}) {
    auto from = values.tensor(op.getSourceOf(part));
    std::shared_ptr<const Tensor> scales;
    if (mlir::Value name =
            part == CachePart::Keys ? op.getKeyScales() : op.getValueScales())
      scales = values.tensor(name);
    auto to = storage.part(part).begin() +
              storage.index(part, cache.firstLayer + layer, 0, 0);
    auto store = [&](int64_t token, int64_t place) {
      std::vector<double> row = from->row(token).vec();
      if (scales)
        for (size_t c = 0; c < row.size(); ++c)
          row[c] *= scales->row(token)[c / storage.type.getDimOf(part)];
      else
        roundToCache(storage.type, part, row);
      llvm::copy(row, to + place);
    };
    if (llvm::Error error = visitRows(op, storage, values, part, store))
      return error;
  }
  cache.appends[layer] = ++storage.appends[cache.firstLayer + layer];
  return cache;
}

// How far the next elements are that the cache can hold instead of those of a
// head.
static void addSteps(Type type, ArrayRef<double> head, Bounds &bounds) {
  double largest = 0;
  for (double x : head)
    if (std::isfinite(x))
      largest = std::max(largest, std::abs(x));
  for (double x : head)
    bounds.push_back(
        type.isF32() || !std::isfinite(x) ? 0
        : type.isInteger()
            ? largest / 127
            : unitInLastPlace(cast<FloatType>(type).getFloatSemantics(), x));
}

namespace {
/// What is off by a little may be rounded the other way when it is stored.
struct MovedAppend
    : ErrorBoundOpInterface::ExternalModel<MovedAppend, CacheAppendOp> {
  llvm::SmallVector<Bounds> boundErrors(Operation *, const ErrorBounds &,
                                        const Environment &,
                                        ArrayRef<Value> results) const {
    return llvm::SmallVector<Bounds>(results.size());
  }
  void perturb(Operation *op, Perturbation &perturbation,
               const Environment &values,
               MutableArrayRef<Value> results) const {
    auto append = cast<CacheAppendOp>(op);
    const CacheView &cache = results[0].cache();
    CacheStorage &storage = *cache.storage;
    int64_t layer = cache.firstLayer + append.getLayer();
    for (CachePart part : {CachePart::Keys, CachePart::Values}) {
      int64_t dim = storage.type.getDimOf(part);
      int64_t channels = storage.channels(part);
      auto all = MutableArrayRef(storage.part(part));
      auto move = [&](int64_t, int64_t place) {
        auto stored =
            all.slice(storage.index(part, layer, 0, 0) + place, channels);
        Tensor row({1, channels}, stored.vec());
        Bounds bounds;
        for (size_t first = 0; first < stored.size(); first += dim)
          addSteps(storage.type.getTypeOf(part), stored.slice(first, dim),
                   bounds);
        perturbation.move(row, bounds);
        llvm::copy(row.data, stored.begin());
      };
      llvm::cantFail(visitRows(append, storage, values, part, move));
    }
  }
};
} // namespace

//===-- heddle.cache.read -------------------------------------------------===//

// [batch, positions, channels] of one layer. What a page or a ring does not
// have is not read.
static llvm::Expected<Results> evaluate(CacheReadOp op,
                                        const Environment &values) {
  const CacheView &cache = values[op.getCache()].cache();
  const CacheStorage &storage = *cache.storage;
  int64_t layer = op.getLayer();
  if (llvm::Error error = checkNotStale(op, cache, layer))
    return error;
  std::shared_ptr<const Tensor> pages;
  int64_t batch = storage.batch, positions = storage.capacity;
  if (op.getPages()) {
    pages = values.tensor(op.getPages());
    batch = pages->shape[0];
    positions *= pages->shape[1];
  }
  if (op.getRingAttr()) {
    llvm::Expected<int64_t> size = values.evaluate(op, op.getRingAttr());
    if (!size)
      return size.takeError();
    positions = *size;
  }
  Results results;
  for (CachePart part : {CachePart::Keys, CachePart::Values}) {
    int64_t channels = storage.channels(part);
    Tensor tensor = Tensor::zeros({batch, positions, channels});
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t p = 0; p < positions; ++p) {
        llvm::Expected<CachePlace> from = CachePlace::of(
            op, storage, pages.get(), bool(op.getRingAttr()), b, p);
        if (!from)
          return from.takeError();
        int64_t index = storage.index(part, cache.firstLayer + layer,
                                      from->sequence, from->position);
        llvm::copy(ArrayRef(storage.part(part)).slice(index, channels),
                   tensor.row(b * positions + p).begin());
      }
    results.push_back(std::move(tensor));
  }
  return results;
}

// What memory holds, but for the product of an i8 and its scale.
static Bounds boundOf(Type stored, const Tensor &result) {
  Bounds bounds;
  if (stored.isInteger())
    for (double x : result.data)
      bounds.push_back(u * std::abs(x));
  return bounds;
}

namespace {
struct BoundedRead
    : ErrorBoundOpInterface::ExternalModel<BoundedRead, CacheReadOp> {
  llvm::SmallVector<Bounds> boundErrors(Operation *op, const ErrorBounds &,
                                        const Environment &,
                                        ArrayRef<Value> results) const {
    auto read = cast<CacheReadOp>(op);
    CacheType cache = read.getCache().getType();
    return {boundOf(cache.getElementType(), *results[0].tensor()),
            boundOf(cache.getValueType(), *results[1].tensor())};
  }
};
} // namespace

//===-- heddle.cache.select -----------------------------------------------===//

// What sequence and position become position `i` of sequence `b`. Indices are
// clamped to what there is.
static CachePlace sourceOf(CacheSelectOp op, const CacheStorage &storage,
                           const Environment &values, int64_t b, int64_t i) {
  auto positions = values.tensor(op.getPositions());
  int64_t sequence =
      op.getSequences() ? values.tensor(op.getSequences())->integer(b) : b;
  int64_t position = positions->integer(b * positions->shape[1] + i);
  return {std::clamp<int64_t>(sequence, 0, storage.batch - 1),
          std::clamp<int64_t>(position, 0, storage.capacity - 1)};
}

static llvm::Error checkSelection(CacheSelectOp op, const CacheView &cache,
                                  const Environment &values) {
  for (int64_t layer = 0; layer < cache.layers(); ++layer)
    if (llvm::Error error = checkNotStale(op, cache, layer))
      return error;
  const CacheStorage &storage = *cache.storage;
  auto positions = values.tensor(op.getPositions()),
       lengths = values.tensor(op.getLengths());
  if (llvm::Error error =
          expectSize(op, "positions", storage.batch, positions->shape[0]))
    return error;
  if (llvm::Error error =
          expectSize(op, "lengths", storage.batch, lengths->shape[0]))
    return error;
  int64_t most = std::min(positions->shape[1], storage.capacity);
  for (int64_t b = 0; b < storage.batch; ++b)
    if (lengths->integer(b) < 0 || lengths->integer(b) > most)
      return fail(op, "expected a length from 0 to " + Twine(most) +
                          ", found " + Twine(lengths->integer(b)));
  return llvm::Error::success();
}

// Tells where the row of each position that is written lies in a layer, and
// where what it was does.
static void
visitSelected(CacheSelectOp op, const CacheStorage &storage,
              const Environment &values, CachePart part,
              llvm::function_ref<void(int64_t from, int64_t to)> visit) {
  auto lengths = values.tensor(op.getLengths());
  for (int64_t b = 0; b < storage.batch; ++b)
    for (int64_t i = 0; i < lengths->integer(b); ++i) {
      CachePlace from = sourceOf(op, storage, values, b, i);
      visit(storage.index(part, 0, from.sequence, from.position),
            storage.index(part, 0, b, i));
    }
}

// Position i < lengths[b] of sequence b becomes what position positions[b, i]
// of sequence sequences[b] was, in all layers. Others stay what they were: they
// hold anything.
static llvm::Expected<Value> evaluate(CacheSelectOp op,
                                      const Environment &values) {
  CacheView cache = values[op.getCache()].cache();
  if (llvm::Error error = checkSelection(op, cache, values))
    return error;
  CacheStorage &storage = *cache.storage;
  for (CachePart part : {CachePart::Keys, CachePart::Values}) {
    std::vector<double> before = storage.part(part);
    for (int64_t layer = 0; layer < cache.layers(); ++layer) {
      int64_t first = storage.index(part, cache.firstLayer + layer, 0, 0);
      visitSelected(op, storage, values, part, [&](int64_t from, int64_t to) {
        std::vector<double> row =
            ArrayRef(before).slice(first + from, storage.channels(part)).vec();
        roundToCache(storage.type, part, row);
        llvm::copy(row, storage.part(part).begin() + first + to);
      });
    }
  }
  for (auto [layer, appends] : llvm::enumerate(cache.appends))
    appends = ++storage.appends[cache.firstLayer + layer];
  return cache;
}

namespace {
/// Elements of i8 are products with a scale, which is made anew of them.
struct MovedSelect
    : ErrorBoundOpInterface::ExternalModel<MovedSelect, CacheSelectOp> {
  llvm::SmallVector<Bounds> boundErrors(Operation *, const ErrorBounds &,
                                        const Environment &,
                                        ArrayRef<Value> results) const {
    return llvm::SmallVector<Bounds>(results.size());
  }
  void perturb(Operation *op, Perturbation &perturbation,
               const Environment &values,
               MutableArrayRef<Value> results) const {
    const CacheView &cache = results[0].cache();
    CacheStorage &storage = *cache.storage;
    for (CachePart part : {CachePart::Keys, CachePart::Values}) {
      if (!storage.type.getTypeOf(part).isInteger())
        continue;
      int64_t channels = storage.channels(part);
      for (int64_t layer = 0; layer < cache.layers(); ++layer) {
        int64_t first = storage.index(part, cache.firstLayer + layer, 0, 0);
        visitSelected(cast<CacheSelectOp>(op), storage, values, part,
                      [&](int64_t, int64_t to) {
                        auto stored = MutableArrayRef(storage.part(part))
                                          .slice(first + to, channels);
                        Tensor row({1, channels}, stored.vec());
                        Bounds bounds;
                        for (double x : stored)
                          bounds.push_back(
                              std::isfinite(x) ? 4 * u * std::abs(x) : 0);
                        perturbation.move(row, bounds);
                        llvm::copy(row.data, stored.begin());
                      });
      }
    }
  }
};
} // namespace

void registerCaches(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attach<Formula, CacheAppendOp, CacheReadOp, CacheSelectOp>(context);
    CacheSelectOp::attachInterface<MovedSelect>(*context);
    CacheReadOp::attachInterface<BoundedRead>(*context);
    CacheAppendOp::attachInterface<MovedAppend>(*context);
  });
}

} // namespace heddle::reference
