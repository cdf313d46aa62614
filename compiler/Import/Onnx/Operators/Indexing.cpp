// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators whose elements are chosen by integers.

#include "compiler/Import/Onnx/Operators.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

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

// 0, 1, .. up to a size, in any integers and with any dimensions of 1: that
// size, or null.
static SizeAttr countOf(Value indices) {
  while (Operation *op = indices.getDefiningOp()) {
    if (isa<IotaOp>(op))
      return sizesOf(indices).size() == 1 ? sizesOf(indices)[0] : SizeAttr();
    bool isView = isa<CastOp, ReshapeOp, ExpandOp, SqueezeOp>(op);
    if (!isView)
      break;
    indices = op->getOperand(0);
  }
  return {};
}

static void translateGather(Node &node) {
  int64_t axis = node.integer("axis", 0);
  if (gatherKnown(node))
    return;
  Value x = node.input(0), indices = node.input(1);
  if (node.failed())
    return;
  axis = node.axis(axis, Node::rankOf(x));
  if (node.failed())
    return;
  // Positions are no more than a table has.
  if (SizeAttr count = countOf(indices)) {
    if (Value rows = node.firstOf(x, axis, count)) {
      Sizes sizes = sizesOf(x), middle = sizesOf(indices);
      sizes.erase(sizes.begin() + axis);
      sizes.insert(sizes.begin() + axis, middle.begin(), middle.end());
      return node.setResult(node.reshaped(rows, sizes));
    }
  }
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

// Where each element of a tensor of these sizes is along `axis`.
static Value placesAlong(Node &node, ArrayRef<SizeAttr> sizes, int64_t axis,
                         Type type) {
  return node.make<IotaOp>(type, axis, node.array(sizes));
}

// Scatters elements, each at coordinates that are tensors of the updates'
// sizes, one for each dimension of x.
static Value scatterAt(Node &node, ScatterKind kind, Value x,
                       ArrayRef<Value> coordinates, Value updates) {
  if (node.failed())
    return {};
  int64_t rank = coordinates.size();
  SmallVector<Value> columns;
  for (Value coordinate : coordinates)
    columns.push_back(
        node.make<ExpandOp>(elementOf(coordinate), coordinate,
                            ArrayRef<int64_t>{Node::rankOf(coordinate)}));
  Value indices = node.make<ConcatOp>(
      node.failed() ? Type() : elementOf(columns.front()), columns,
      node.b.getI64IntegerAttr(
          node.failed() ? 0 : Node::rankOf(columns.front()) - 1));
  return node.make<ScatterOp>(elementOf(x), kind, x, indices, updates,
                              /*axis=*/0, node.b.getI64IntegerAttr(rank),
                              /*wrap=*/true);
}

static void translateScatterElements(Node &node) {
  auto kind = scatterKindOf(node);
  Value x = node.input(0), indices = node.input(1), updates = node.input(2);
  if (node.failed())
    return;
  int64_t rank = Node::rankOf(x);
  int64_t axis = node.axis(node.integer("axis", 0), rank);
  if (rank == 0 || Node::rankOf(indices) != rank)
    return node.fail("expected indices with the dimensions of the data");
  SmallVector<Value> coordinates;
  for (int64_t dim = 0; dim < rank; ++dim)
    coordinates.push_back(dim == axis ? indices
                                      : placesAlong(node, sizesOf(indices), dim,
                                                    elementOf(indices)));
  node.setResult(scatterAt(node, *kind, x, coordinates, updates));
}

// Rows of a cache from an index of each sequence on.
static void translateTensorScatter(Node &node) {
  std::string mode = node.string("mode", "linear");
  if (mode != "linear" && mode != "circular")
    return node.fail("attribute 'mode': expected linear or circular, found " +
                     mode);
  Value past = node.input(0), update = node.input(1);
  if (node.failed())
    return;
  Sizes sizes = sizesOf(update);
  int64_t rank = sizes.size();
  int64_t axis = node.axis(node.integer("axis", -2), rank);
  if (axis == 0)
    return node.fail("expected an axis other than 0, which is that of "
                     "sequences");
  Type type =
      node.hasInput(2) ? elementOf(node.input(2)) : Type(node.b.getI64Type());
  Sizes rows(sizes.begin(), sizes.begin() + axis + 1);
  Value place = placesAlong(node, rows, axis, type);
  if (node.hasInput(2) && !node.failed()) {
    Sizes starts(rows.size(), node.size(1));
    starts[0] = sizes[0];
    place = node.map<arith::AddIOp>(
        place, node.broadcastTo(node.reshaped(node.input(2), starts), rows));
  }
  if (mode == "circular" && !node.failed())
    place = node.map<arith::RemSIOp>(
        place,
        node.broadcastTo(node.fromSize(sizesOf(past)[axis], type), rows));
  SmallVector<Value> coordinates;
  for (int64_t dim = 0; dim < axis; ++dim)
    coordinates.push_back(placesAlong(node, rows, dim, type));
  coordinates.push_back(place);
  node.setResult(
      scatterAt(node, ScatterKind::Assign, past, coordinates, update));
}

// Ones on the diagonal k.
static void translateEyeLike(Node &node) {
  int64_t k = node.integer("k", 0), output = node.integer("dtype", 0);
  Value x = node.input(0);
  if (node.failed())
    return;
  Sizes sizes = sizesOf(x);
  if (sizes.size() != 2)
    return node.fail("expected a matrix");
  Type integer = node.b.getI64Type();
  Value isOne = node.map<arith::CmpIOp>(
      arith::CmpIPredicate::eq, placesAlong(node, sizes, 1, integer),
      node.map<arith::AddIOp>(
          placesAlong(node, sizes, 0, integer),
          node.broadcastTo(node.constant(double(k), integer), sizes)));
  Type type = output ? node.elementType(output) : elementOf(x);
  if (!node.failed())
    node.setResult(node.cast(isOne, type));
}

// The coordinates of what is not 0. How many there are has to be known: they
// are all places of a row of ones, which is how graphs write ranges, or those
// of integers that follow from sizes.
static void translateNonZero(Node &node) {
  Type integer = node.b.getI64Type();
  if (const KnownIntegers *known = node.known(0);
      known && known->shape.size() == 1) {
    KnownIntegers places{{1, 0}, {}, integer};
    bool areNumbers = true;
    for (auto [place, element] : llvm::enumerate(known->elements)) {
      areNumbers &= element.asNumber().has_value();
      if (element.asNumber().value_or(0) != 0)
        places.elements.push_back(node.size(int64_t(place)));
    }
    places.shape[1] = int64_t(places.elements.size());
    if (areNumbers)
      return node.setResult(std::move(places));
  }
  Value x = node.input(0);
  auto ones = node.failed() ? BroadcastOp() : x.getDefiningOp<BroadcastOp>();
  DenseElementsAttr constant;
  auto isZero = [](Attribute element) {
    if (auto number = dyn_cast<FloatAttr>(element))
      return number.getValue().isZero();
    return cast<IntegerAttr>(element).getValue().isZero();
  };
  if (!ones || Node::rankOf(x) != 1 ||
      !matchPattern(ones.getInput(), m_Constant(&constant)) ||
      llvm::any_of(constant.getValues<Attribute>(), isZero))
    return node.fail("expected integers that follow from sizes and constants, "
                     "or a row of one number, as how many others there are is "
                     "no size");
  node.setResult(placesAlong(node, {node.size(1), sizesOf(x)[0]}, 1, integer));
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
  // Diagonals that lie outside are all alike, in i32, too.
  constexpr int64_t most = 1 << 30;
  double shift = std::clamp<int64_t>(*k.asNumber(), -most, most);
  Sizes matrix(sizes.end() - 2, sizes.end());
  Type integer = node.b.getI32Type();
  Value row = node.make<IotaOp>(integer, /*axis=*/0, node.array(matrix));
  Value column = node.make<IotaOp>(integer, /*axis=*/1, node.array(matrix));
  Value diagonal = node.map<arith::AddIOp>(
      row, node.broadcastTo(node.constant(shift, integer), matrix));
  Value isKept = node.map<arith::CmpIOp>(upper ? arith::CmpIPredicate::sge
                                               : arith::CmpIPredicate::sle,
                                         column, diagonal);
  Type type = elementOf(x);
  node.setResult(node.make<WhereOp>(type, isKept, x, node.constant(0, type)));
}

llvm::ArrayRef<Operator> onnx::indexingOperators() {
  static constexpr Operator operators[] = {
      {"", "EyeLike", translateEyeLike},
      {"", "Gather", translateGather},
      {"", "GatherElements", translateGatherElements},
      {"", "GatherND", translateGatherND},
      {"", "NonZero", translateNonZero},
      {"", "OneHot", translateOneHot},
      {"", "ScatterElements", translateScatterElements},
      {"", "ScatterND", translateScatterND},
      {"", "TensorScatter", translateTensorScatter},
      {"", "Trilu", translateTrilu},
  };
  return operators;
}
