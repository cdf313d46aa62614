// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Evaluate.h"

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

// Token s < lengths[b] of sequence b goes to position starts[b] + s.
static llvm::Expected<Value> evaluate(CacheAppendOp op,
                                      const Environment &values) {
  CacheView cache = values[op.getCache()].cache();
  CacheStorage &storage = *cache.storage;
  auto key = values.tensor(op.getKey()), value = values.tensor(op.getValue());
  auto starts = values.tensor(op.getStarts()),
       lengths = values.tensor(op.getLengths());
  int64_t layer = op.getLayer(), tokens = key->shape[1];
  if (llvm::Error error = checkNotStale(op, cache, layer))
    return error;
  for (auto [what, expected, found] :
       {std::tuple("batch of the key", storage.batch, key->shape[0]),
        std::tuple("batch of the value", storage.batch, value->shape[0]),
        std::tuple("length of the value", tokens, value->shape[1]),
        std::tuple("starts", storage.batch, starts->shape[0]),
        std::tuple("lengths", storage.batch, lengths->shape[0])})
    if (llvm::Error error = expectSize(op, what, expected, found))
      return error;
  for (int64_t b = 0; b < storage.batch; ++b) {
    int64_t start = starts->data[b], length = lengths->data[b];
    if (length < 0 || length > tokens)
      return fail(op, "expected a length from 0 to " + Twine(tokens) +
                          ", found " + Twine(length));
    if (start < 0 || start + length > storage.capacity)
      return fail(op, "expected positions from 0 to the capacity of " +
                          Twine(storage.capacity) + ", found " + Twine(start) +
                          " to " + Twine(start + length));
  }

  for (int64_t b = 0; b < storage.batch; ++b)
    for (int64_t s = 0; s < lengths->data[b]; ++s) {
      int64_t to = storage.index(cache.firstLayer + layer, b,
                                 int64_t(starts->data[b]) + s);
      llvm::copy(key->row(b * tokens + s), storage.keys.begin() + to);
      llvm::copy(value->row(b * tokens + s), storage.values.begin() + to);
    }
  cache.appends[layer] = ++storage.appends[cache.firstLayer + layer];
  return cache;
}

// [batch, capacity, channels] of one layer
static llvm::Expected<Results> evaluate(CacheReadOp op,
                                        const Environment &values) {
  const CacheView &cache = values[op.getCache()].cache();
  const CacheStorage &storage = *cache.storage;
  int64_t layer = op.getLayer();
  if (llvm::Error error = checkNotStale(op, cache, layer))
    return error;
  auto read = [&](const std::vector<double> &all) {
    auto begin = all.begin() + storage.index(cache.firstLayer + layer, 0, 0);
    int64_t size = storage.batch * storage.capacity * storage.channels();
    return Tensor({storage.batch, storage.capacity, storage.channels()},
                  std::vector<double>(begin, begin + size));
  };
  return Results{read(storage.keys), read(storage.values)};
}

void registerCaches(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attach<Formula, CacheAppendOp, CacheReadOp>(context);
    attach<Exact, CacheReadOp>(context);
  });
}

} // namespace heddle::reference
