// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tensors of masks say of a block of keys is computed once, and not by
// each tile of queries:
//
//   heddle.mask.documents %q, %k
//     -> low[b, n] = min of k[b, n * 32 ..], high[b, n] = max of those
//        heddle.mask.documents %q, %k summary(%low, %high)
//   heddle.mask.dense %m over(query, key)
//     -> any[q, n] = or of m[q, n * 32 ..], all[q, n] = and of those
//        heddle.mask.dense %m over(query, key) summary(%any, %all)

#include "compiler/Attention/Passes.h"
#include "compiler/Prepare/GenericBuilder.h"
#include "runtime/heddle_abi.h"

namespace heddle {
#define GEN_PASS_DEF_SUMMARIZEMASKS
#include "compiler/Attention/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {
/// Reads the keys of each block along one dimension of a tensor.
class BlockReader {
public:
  /// An element stands for `keysOfElement` keys.
  BlockReader(OpBuilder &b, Location loc, Value tensor, unsigned dim,
              int64_t keysOfElement)
      : tensor(tensor), dim(dim), keysOfElement(keysOfElement),
        count(sizesOf(tensor)[dim]), g(b, loc, over(), {block(b)}) {
    // What is known to lie inside is read as it is.
    std::optional<int64_t> number = count.asNumber();
    isInside = keysOfElement == 1 && number && *number % kBlock == 0;
    if (!isInside) {
      g.table(tensor);
      return;
    }
    SmallVector<AffineExpr> at = g.dims(0, rank());
    at[dim] = at[dim] * kBlock + g.dim(rank());
    g.input(tensor, at);
  }

  GenericBuilder &builder() { return g; }

  /// The element of a key of the block; past the last key, that of the last.
  Element read(GenericBody &body) {
    if (isInside)
      return body.input(0);
    SmallVector<Element> at;
    for (unsigned index = 0; index < rank(); ++index)
      at.push_back(body.index(index));
    at[dim] = at[dim] * at[dim].constant(kBlock) + body.index(rank());
    if (keysOfElement > 1)
      at[dim] = at[dim] / at[dim].constant(keysOfElement);
    return body.read(0, at);
  }

private:
  static constexpr int64_t kBlock = HEDDLE_CACHE_BLOCK;

  static SizeAttr block(OpBuilder &b) {
    return SizeAttr::number(b.getContext(), kBlock);
  }
  unsigned rank() const { return sizesOf(tensor).size(); }
  Sizes over() const {
    Sizes sizes = sizesOf(tensor);
    sizes[dim] = ceilDiv(count * keysOfElement, kBlock);
    return sizes;
  }

  Value tensor;
  unsigned dim;
  int64_t keysOfElement;
  SizeAttr count;
  GenericBuilder g;
  bool isInside;
};
} // namespace

static void summarize(DocumentsMaskOp op, OpBuilder &b) {
  if (!op.getSummary().empty())
    return;
  BlockReader reader(b, op.getLoc(), op.getKeys(), /*dim=*/1,
                     /*keysOfElement=*/1);
  Type type = op.getKeys().getType().getElementType();
  reader.builder().result(type, highestOf(type));
  reader.builder().result(type, lowestOf(type));
  auto build = [&](GenericBody &body) -> SmallVector<Element> {
    Element number = reader.read(body);
    return {minimum(body.accumulator(0), number),
            maximum(body.accumulator(1), number)};
  };
  op.getSummaryMutable().assign(reader.builder().buildAll(build));
}

static void summarize(DenseMaskOp op, OpBuilder &b) {
  if (!op.getSummary().empty())
    return;
  Value mask = op.getMask();
  std::optional<unsigned> dim = op.findDim(ScoreDim::Key);
  SizeAttr one = SizeAttr::number(b.getContext(), 1);
  // The same for all keys.
  if (!dim || sizesOf(mask)[*dim] == one)
    return op.getSummaryMutable().assign({mask, mask});
  BlockReader reader(b, op.getLoc(), mask, *dim, op.getKeyBlock());
  reader.builder().result(b.getI1Type(), 0);
  reader.builder().result(b.getI1Type(), 1);
  auto build = [&](GenericBody &body) -> SmallVector<Element> {
    Element isKept = reader.read(body);
    return {body.accumulator(0) | isKept, body.accumulator(1) & isKept};
  };
  op.getSummaryMutable().assign(reader.builder().buildAll(build));
}

namespace {
struct SummarizeMasks : heddle::impl::SummarizeMasksBase<SummarizeMasks> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      OpBuilder b(op);
      if (auto documents = dyn_cast<DocumentsMaskOp>(op))
        summarize(documents, b);
      else if (auto dense = dyn_cast<DenseMaskOp>(op))
        summarize(dense, b);
    });
  }
};
} // namespace
