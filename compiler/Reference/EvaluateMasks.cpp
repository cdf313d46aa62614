// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Evaluate.h"

#include <limits>

using namespace mlir;

namespace heddle::reference {

// Each node once: formulas may share so much that there are far more paths.
llvm::BitVector Mask::keeps(const QueryPosition &at) const {
  llvm::DenseMap<const Node *, llvm::BitVector> known;
  std::function<const llvm::BitVector &(const Node &)> visit =
      [&](const Node &node) -> const llvm::BitVector & {
    if (auto found = known.find(&node); found != known.end())
      return found->second;
    SmallVector<llvm::BitVector> operands;
    for (const std::shared_ptr<const Node> &operand : node.operands)
      operands.push_back(visit(*operand));
    return known[&node] = node.combine(at, operands);
  };
  return visit(*root);
}

using Sizes = decltype(Mask::sizes);

static Sizes ofBatch(int64_t batch) { return {batch}; }

// A mask that is made of no others: `keep` gets all keys of a query.
static Mask makeMask(
    const Sizes &sizes,
    const std::function<void(const QueryPosition &, llvm::BitVector &)> &keep) {
  auto combine = [=](const QueryPosition &at, ArrayRef<llvm::BitVector>) {
    llvm::BitVector keys(at.keys);
    keep(at, keys);
    return keys;
  };
  return {std::make_shared<Mask::Node>(Mask::Node{{}, combine}), sizes};
}

// Keeps the keys in [begin, end), which may be any numbers.
static void keepBetween(llvm::BitVector &keys, double begin, double end) {
  double count = keys.size();
  begin = std::clamp<double>(begin, 0, count);
  end = std::clamp<double>(end, 0, count);
  if (begin < end)
    keys.set(begin, end);
}

//===-- Along the diagonal ------------------------------------------------===//

// The key at which a query stands: query + offset[batch] + plus
using Diagonal = std::function<double(const QueryPosition &)>;

template <typename Op>
static Diagonal makeDiagonal(Op op, const Environment &values, double plus) {
  if (op.getOffset()) {
    auto offset = values.tensor(op.getOffset());
    return [=](const QueryPosition &at) {
      return at.query + offset->data[at.batch] + plus;
    };
  }
  bool isTopLeft = op.getAlignAttr().getValue() == Alignment::TopLeft;
  return [=](const QueryPosition &at) {
    return at.query + (isTopLeft ? 0 : at.keys - at.queries) + plus;
  };
}

template <typename Op>
static llvm::Expected<Diagonal> diagonalOf(Op op, const Environment &values) {
  llvm::Expected<int64_t> plus = values.evaluate(op, op.getShift());
  if (!plus)
    return plus.takeError();
  return makeDiagonal(op, values, double(*plus));
}

template <typename Op>
static Sizes sizesOfDiagonal(Op op, const Environment &values) {
  if (!op.getOffset())
    return {};
  return ofBatch(values.tensor(op.getOffset())->shape[0]);
}

// keep[b, h, q, k] = k <= q + offset[b]
static llvm::Expected<Value> evaluate(CausalMaskOp op,
                                      const Environment &values) {
  llvm::Expected<Diagonal> diagonal = diagonalOf(op, values);
  if (!diagonal)
    return diagonal.takeError();
  return makeMask(
      sizesOfDiagonal(op, values),
      [diagonal = *diagonal](const QueryPosition &at, llvm::BitVector &keys) {
        keepBetween(keys, 0, diagonal(at) + 1);
      });
}

// keep[b, h, q, k] = p - left <= k <= p + right, with p on the diagonal
static llvm::Expected<Value> evaluate(WindowMaskOp op,
                                      const Environment &values) {
  llvm::Expected<Diagonal> diagonal = diagonalOf(op, values);
  if (!diagonal)
    return diagonal.takeError();
  double infinity = std::numeric_limits<double>::infinity();
  double left = op.getLeft() ? double(*op.getLeft()) : infinity;
  double right = op.getRight() ? double(*op.getRight()) : infinity;
  return makeMask(sizesOfDiagonal(op, values),
                  [=, diagonal = *diagonal](const QueryPosition &at,
                                            llvm::BitVector &keys) {
                    double p = diagonal(at);
                    keepBetween(keys, p - left, p + right + 1);
                  });
}

//===-- Of numbers and tensors --------------------------------------------===//

// keep[b, h, q, k] = k < lengths[b], or q < lengths[b]
static llvm::Expected<Value> evaluate(LengthsMaskOp op,
                                      const Environment &values) {
  auto lengths = values.tensor(op.getLengths());
  bool isOfQueries = op.getOf() == ScoreDim::Query;
  return makeMask(ofBatch(lengths->shape[0]),
                  [=](const QueryPosition &at, llvm::BitVector &keys) {
                    double length = lengths->data[at.batch];
                    if (!isOfQueries)
                      keepBetween(keys, 0, length);
                    else if (at.query < length)
                      keys.set();
                  });
}

// keep[b, h, q, k] = queries[b, q] = keys[b, k]
static llvm::Expected<Value> evaluate(DocumentsMaskOp op,
                                      const Environment &values) {
  auto ofQueries = values.tensor(op.getQueries());
  auto ofKeys = values.tensor(op.getKeys());
  Sizes sizes = ofBatch(ofQueries->shape[0]);
  sizes[size_t(ScoreDim::Query)] = ofQueries->shape[1];
  sizes[size_t(ScoreDim::Key)] = ofKeys->shape[1];
  return makeMask(sizes, [=](const QueryPosition &at, llvm::BitVector &keys) {
    int64_t document = ofQueries->integer(at.batch * at.queries + at.query);
    for (int64_t key = 0; key < at.keys; ++key)
      if (ofKeys->integer(at.batch * at.keys + key) == document)
        keys.set(key);
  });
}

// keep[b, h, q, k] = mask[i..], with i.. some of b, h, q and k
static llvm::Expected<Value> evaluate(DenseMaskOp op,
                                      const Environment &values) {
  auto mask = values.tensor(op.getMask());
  Sizes sizes;
  SmallVector<ScoreDim> dims;
  SmallVector<int64_t> blocks;
  for (auto [index, size] : llvm::enumerate(mask->shape)) {
    ScoreDim dim = op.getDim(index);
    dims.push_back(dim);
    blocks.push_back(op.getBlock(dim));
    // Of blocks only their number is known.
    if (size != 1 && blocks.back() == 1)
      sizes[size_t(dim)] = size;
  }
  return makeMask(sizes, [=](const QueryPosition &at, llvm::BitVector &keys) {
    for (int64_t key = 0; key < at.keys; ++key) {
      int64_t position[] = {at.batch, at.head, at.query, key};
      int64_t element = 0;
      for (auto [dim, block, size] : llvm::zip_equal(dims, blocks, mask->shape))
        element =
            element * size + std::min(position[size_t(dim)] / block, size - 1);
      if (mask->data[element] != 0)
        keys.set(key);
    }
  });
}

//===-- Formulas ----------------------------------------------------------===//

template <typename Function>
static llvm::Expected<Value> combine(Operation *op, const Mask &lhs,
                                     const Mask &rhs, Function function) {
  static constexpr StringRef names[] = {"batch", "heads", "queries", "keys"};
  Sizes sizes = lhs.sizes;
  for (auto [name, size, other] : llvm::zip_equal(names, sizes, rhs.sizes)) {
    if (size && other)
      if (llvm::Error error = expectSize(op, name, *size, *other))
        return error;
    if (!size)
      size = other;
  }
  auto node = std::make_shared<Mask::Node>();
  node->operands = {lhs.root, rhs.root};
  node->combine = [=](const QueryPosition &,
                      ArrayRef<llvm::BitVector> operands) {
    llvm::BitVector keys = operands[0];
    function(keys, operands[1]);
    return keys;
  };
  return Mask{node, sizes};
}

static llvm::Expected<Value> evaluate(AndMaskOp op, const Environment &values) {
  return combine(op, values[op.getLhs()].mask(), values[op.getRhs()].mask(),
                 [](llvm::BitVector &x, const llvm::BitVector &y) { x &= y; });
}

static llvm::Expected<Value> evaluate(OrMaskOp op, const Environment &values) {
  return combine(op, values[op.getLhs()].mask(), values[op.getRhs()].mask(),
                 [](llvm::BitVector &x, const llvm::BitVector &y) { x |= y; });
}

static llvm::Expected<Value> evaluate(NotMaskOp op, const Environment &values) {
  Mask operand = values[op.getOperand()].mask();
  auto node = std::make_shared<Mask::Node>();
  node->operands = {operand.root};
  node->combine = [](const QueryPosition &,
                     ArrayRef<llvm::BitVector> operands) {
    llvm::BitVector keys = operands[0];
    return keys.flip();
  };
  return Mask{node, operand.sizes};
}

void registerMasks(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attach<Formula, CausalMaskOp, WindowMaskOp, LengthsMaskOp, DocumentsMaskOp,
           DenseMaskOp, AndMaskOp, OrMaskOp, NotMaskOp>(context);
  });
}

} // namespace heddle::reference
