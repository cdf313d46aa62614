// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators whose elements are chosen by integers.

#include "compiler/Import/Onnx/Operators.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

static Type elementOf(Value x) { return getElementTypeOrSelf(x); }

// Elements of a shape.
static bool gatherKnown(Node &node) {
  const KnownIntegers *x = node.known(0), *indices = node.known(1);
  if (!x || !indices || x->shape.size() != 1)
    return false;
  KnownIntegers result{indices->shape, {}, x->type};
  for (SizeAttr index : indices->elements) {
    int64_t count = x->elements.size();
    auto number = index.asNumber();
    if (!number)
      return false;
    int64_t place = *number < 0 ? *number + count : *number;
    if (place < 0 || place >= count) {
      node.fail("expected an index from " + Twine(-count) + " to " +
                Twine(count - 1) + ", found " + Twine(*number));
      return true;
    }
    result.elements.push_back(x->elements[place]);
  }
  node.setResult(std::move(result));
  return true;
}

// Rows of a weight that a caller's ids choose are a lookup of tokens: calls
// check these ids, and refuse negative ones.
static bool isLookup(Node &node, Value table, Value ids, int64_t axis) {
  auto type = cast<RankedTensorType>(table.getType());
  return node.isStored(0) && isa<BlockArgument>(ids) && axis == 0 &&
         type.getRank() == 2 && type.getElementType().isF32();
}

static void translateGather(Node &node) {
  int64_t axis = node.integer("axis", 0);
  if (gatherKnown(node))
    return;
  Value x = node.input(0), indices = node.input(1);
  if (node.failed())
    return;
  axis = node.axis(axis, Node::rankOf(x));
  if (!isLookup(node, x, indices, axis))
    return node.setResult(node.make<GatherOp>(elementOf(x), x, indices, axis,
                                              IntegerAttr(), /*wrap=*/true));
  auto lookup = EmbeddingOp::create(node.b, node.loc, indices, x);
  node.resolve(lookup);
  node.setResult(lookup);
}

static void translateGatherElements(Node &node) {
  Value x = node.input(0), indices = node.input(1);
  if (node.failed())
    return;
  int64_t axis = node.axis(node.integer("axis", 0), Node::rankOf(x));
  node.setResult(node.make<GatherElementsOp>(elementOf(x), x, indices, axis,
                                             /*wrap=*/true));
}

// The coordinates that each index has: the size of the last dimension.
static std::optional<int64_t> coordinatesOf(Node &node, Value indices) {
  if (node.failed())
    return std::nullopt;
  auto count = sizesOf(indices).back().asNumber();
  if (!count)
    node.fail("expected indices with a last dimension that is a number");
  return count;
}

static void translateGatherND(Node &node) {
  if (node.integer("batch_dims", 0) != 0)
    return node.fail("expected batch_dims = 0");
  Value x = node.input(0), indices = node.input(1);
  if (auto count = coordinatesOf(node, indices))
    node.setResult(node.make<GatherOp>(elementOf(x), x, indices, /*axis=*/0,
                                       node.b.getI64IntegerAttr(*count),
                                       /*wrap=*/true));
}

static std::optional<ScatterKind> scatterKindOf(Node &node) {
  std::string reduction = node.string("reduction", "none");
  auto kind = llvm::StringSwitch<std::optional<ScatterKind>>(reduction)
                  .Case("none", ScatterKind::Assign)
                  .Case("add", ScatterKind::Add)
                  .Case("max", ScatterKind::Max)
                  .Case("min", ScatterKind::Min)
                  .Default(std::nullopt);
  if (!kind)
    node.fail("attribute 'reduction': expected none, add, max or min, found " +
              reduction);
  return kind;
}

static void translateScatterND(Node &node) {
  auto kind = scatterKindOf(node);
  Value x = node.input(0), indices = node.input(1), updates = node.input(2);
  auto count = coordinatesOf(node, indices);
  if (!node.failed())
    node.setResult(
        node.make<ScatterOp>(elementOf(x), *kind, x, indices, updates,
                             /*axis=*/0, node.b.getI64IntegerAttr(*count),
                             /*wrap=*/true));
}

// Values off and on, of a new dimension.
static void translateOneHot(Node &node) {
  Value indices = node.input(0), values = node.input(2);
  SmallVector<int64_t> depth = node.numbers(1);
  int64_t axis = node.integer("axis", -1);
  if (node.failed())
    return;
  if (!isa<IntegerType>(elementOf(indices)))
    return node.fail("expected integers as indices");
  int64_t rank = Node::rankOf(indices) + 1;
  axis = node.axis(axis, rank);
  Value chosen = node.make<OneHotOp>(node.b.getI1Type(), indices,
                                     node.size(depth.front()), /*wrap=*/true);
  SmallVector<int64_t> permutation;
  for (int64_t i = 0; i < rank; ++i)
    permutation.push_back(i == axis ? rank - 1 : i < axis ? i : i - 1);
  chosen = node.transposed(chosen, permutation);
  Type type = elementOf(values);
  auto element = [&](int64_t index) {
    return node.reshaped(
        node.make<SliceOp>(type, values, node.array({node.size(index)}),
                           node.array({node.size(1)}), ArrayRef<int64_t>{1}),
        {});
  };
  Value off = element(0), on = element(1);
  node.setResult(node.make<WhereOp>(type, chosen, on, off));
}

// Elements below the diagonal k, or above it, and zeros.
static void translateTrilu(Node &node) {
  bool upper = node.integer("upper", 1) != 0;
  Value x = node.input(0);
  SizeAttr k = node.hasInput(1) && !node.sizes(1).empty()
                   ? node.sizes(1).front()
                   : node.size(0);
  if (node.failed())
    return;
  Sizes sizes = sizesOf(x);
  if (sizes.size() < 2)
    return node.fail("expected matrices, found " + Twine(sizes.size()) +
                     " dimensions");
  if (!k.asNumber())
    return node.fail("expected a constant as k");
  Sizes matrix(sizes.end() - 2, sizes.end());
  Type integer = node.b.getI32Type();
  Value row = node.make<IotaOp>(integer, /*axis=*/0, node.array(matrix));
  Value column = node.make<IotaOp>(integer, /*axis=*/1, node.array(matrix));
  Value diagonal = node.map<arith::AddIOp>(
      row,
      node.broadcastTo(node.constant(double(*k.asNumber()), integer), matrix));
  Value isKept = node.map<arith::CmpIOp>(upper ? arith::CmpIPredicate::sge
                                               : arith::CmpIPredicate::sle,
                                         column, diagonal);
  Type type = elementOf(x);
  node.setResult(node.make<WhereOp>(type, isKept, x, node.constant(0, type)));
}

llvm::ArrayRef<Operator> onnx::indexingOperators() {
  static constexpr Operator operators[] = {
      {"", "Gather", translateGather},
      {"", "GatherElements", translateGatherElements},
      {"", "GatherND", translateGatherND},
      {"", "OneHot", translateOneHot},
      {"", "ScatterND", translateScatterND},
      {"", "Trilu", translateTrilu},
  };
  return operators;
}
