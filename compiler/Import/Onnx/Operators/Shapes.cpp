// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that move elements and change none, that make constants, and that
// compute shapes.

#include "compiler/Import/ElementFormats.h"
#include "compiler/Import/Onnx/Operators.h"
#include "dialect/Heddle/ElementTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

static Type elementOf(Value x) { return getElementTypeOrSelf(x); }

//===-- constants ---------------------------------------------------------===//

static KnownIntegers listOf(Node &node, ArrayRef<int64_t> numbers) {
  KnownIntegers list{{int64_t(numbers.size())}, {}, node.b.getI64Type()};
  for (int64_t number : numbers)
    list.elements.push_back(node.size(number));
  return list;
}

static KnownIntegers scalarOf(Node &node, SizeAttr size) {
  return {{}, {size}, node.b.getI64Type()};
}

static void translateConstant(Node &node) {
  if (const TensorEntry *stored = node.tensor("value"))
    return node.setStored(*stored);
  if (node.hasAttribute("value_int"))
    return node.setResult(
        scalarOf(node, node.size(node.integer("value_int", 0))));
  if (node.hasAttribute("value_ints"))
    return node.setResult(listOf(node, node.integerList("value_ints")));
  if (node.hasAttribute("value_float"))
    return node.setResult(
        node.constant(node.number("value_float", 0), node.b.getF32Type()));
  node.fail("expected an attribute 'value', 'value_int', 'value_ints' or "
            "'value_float'");
}

// Zeros of f32 without a value.
static void translateConstantOfShape(Node &node) {
  Sizes sizes = node.sizes(0);
  Type type = node.b.getF32Type();
  double number = 0;
  if (const TensorEntry *value = node.tensor("value")) {
    if (!value->type || value->data.empty())
      return node.fail("attribute 'value': expected a number");
    type = findElementType(*value->type)->get(node.b.getContext());
    number = loadNumber(value->data.data(), *value->type, 0);
  }
  if (node.failed())
    return;
  auto count = product(node.b.getContext(), sizes).asNumber();
  if (type.isSignlessInteger(64) && count && *count <= kMostKnown) {
    KnownIntegers all{{}, Sizes(*count, node.size(int64_t(number))), type};
    for (SizeAttr size : sizes)
      all.shape.push_back(*size.asNumber());
    return node.setResult(std::move(all));
  }
  node.setResult(node.broadcastTo(node.constant(number, type), sizes));
}

//===-- sizes -------------------------------------------------------------===//

static void translateShape(Node &node) {
  Value x = node.input(0);
  if (node.failed())
    return;
  Sizes sizes = sizesOf(x);
  int64_t rank = sizes.size();
  auto limited = [&](int64_t axis) {
    return std::clamp<int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
  };
  int64_t start = limited(node.integer("start", 0)),
          end = std::max(limited(node.integer("end", rank)), start);
  KnownIntegers shape{{end - start}, {}, node.b.getI64Type()};
  shape.elements.assign(sizes.begin() + start, sizes.begin() + end);
  node.setResult(std::move(shape));
}

static void translateSize(Node &node) {
  Value x = node.input(0);
  if (!node.failed())
    node.setResult(scalarOf(node, product(node.b.getContext(), sizesOf(x))));
}

// As many numbers as there are from the first to the last, in such steps.
static void translateRange(Node &node) {
  const KnownIntegers *start = node.known(0), *limit = node.known(1),
                      *delta = node.known(2);
  if (!start || !limit || !delta || !delta->elements[0].asNumber() ||
      *delta->elements[0].asNumber() == 0)
    return node.fail("expected a start and a limit that follow from sizes, and "
                     "a step that is a constant other than 0");
  SizeAttr first = start->elements[0], step = delta->elements[0];
  SizeAttr distance = limit->elements[0] - first;
  if (*step.asNumber() < 0)
    distance = distance * int64_t(-1);
  SizeAttr count =
      max(ceilDiv(distance, std::abs(*step.asNumber())), node.size(0));
  if (isNeverNegative(distance, 0))
    count = ceilDiv(distance, std::abs(*step.asNumber()));
  if (count.asNumber() && *count.asNumber() <= kMostKnown) {
    KnownIntegers all{{*count.asNumber()}, {}, start->type};
    for (int64_t i = 0; i < *count.asNumber(); ++i)
      all.elements.push_back(first + step * i);
    return node.setResult(std::move(all));
  }
  Value numbers =
      node.make<IotaOp>(start->type, /*axis=*/0, node.array({count}));
  if (node.failed())
    return;
  if (step != node.size(1))
    numbers = node.map<arith::MulIOp>(
        numbers,
        node.broadcastTo(node.constant(double(*step.asNumber()), start->type),
                         {count}));
  if (first != node.size(0))
    numbers = node.map<arith::AddIOp>(numbers,
                                      node.broadcastTo(node.input(0), {count}));
  node.setResult(numbers);
}

//===-- dimensions --------------------------------------------------------===//

static void translateReshape(Node &node) {
  bool allowsZero = node.integer("allowzero", 0) != 0;
  Value x = node.input(0);
  Sizes sizes = node.sizes(1);
  if (node.failed())
    return;
  Sizes old = sizesOf(x);
  for (auto [axis, size] : llvm::enumerate(sizes)) {
    if (size != node.size(0) || allowsZero)
      continue;
    if (axis >= old.size())
      return node.fail("expected a dimension " + Twine(axis) +
                       " to keep, found " + Twine(old.size()) + " of them");
    size = old[axis];
  }
  // What is known stays known, of one dimension or none.
  const KnownIntegers *known = node.known(0);
  if (known && sizes.size() <= 1) {
    KnownIntegers result = *known;
    result.shape.clear();
    if (!sizes.empty())
      result.shape.push_back(int64_t(known->elements.size()));
    return node.setResult(std::move(result));
  }
  node.setResult(node.reshaped(x, sizes));
}

static void translateFlatten(Node &node) {
  Value x = node.input(0);
  int64_t axis = node.integer("axis", 1);
  if (node.failed())
    return;
  Sizes sizes = sizesOf(x);
  int64_t rank = sizes.size();
  axis = axis < 0 ? axis + rank : axis;
  if (axis < 0 || axis > rank)
    return node.fail("expected an axis from " + Twine(-rank) + " to " +
                     Twine(rank) + ", found " + Twine(axis));
  MLIRContext *context = node.b.getContext();
  node.setResult(
      node.reshaped(x, {product(context, ArrayRef(sizes).take_front(axis)),
                        product(context, ArrayRef(sizes).drop_front(axis))}));
}

static void translateTranspose(Node &node) {
  Value x = node.input(0);
  if (node.failed())
    return;
  int64_t rank = Node::rankOf(x);
  SmallVector<int64_t> permutation = node.integerList("perm");
  if (!node.hasAttribute("perm"))
    permutation = llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, rank)));
  SmallVector<int64_t> sorted = node.axes(permutation, rank);
  if (int64_t(sorted.size()) != rank)
    return node.fail("expected each axis once in 'perm'");
  for (int64_t &axis : permutation)
    axis = node.axis(axis, rank);
  node.setResult(node.transposed(x, permutation));
}

// Since version 13 axes are an input.
static std::optional<SmallVector<int64_t>> axesOf(Node &node) {
  if (node.hasInput(1))
    return node.numbers(1);
  if (node.hasAttribute("axes"))
    return node.integerList("axes");
  return std::nullopt;
}

static void translateUnsqueeze(Node &node) {
  Value x;
  const KnownIntegers *known = node.known(0);
  int64_t rank = known ? known->shape.size() : 0;
  if (!known) {
    x = node.input(0);
    rank = node.failed() ? 0 : Node::rankOf(x);
  }
  SmallVector<int64_t> list = axesOf(node).value_or(SmallVector<int64_t>{});
  SmallVector<int64_t> axes = node.axes(list, rank + int64_t(list.size()));
  if (node.failed())
    return;
  if (known) {
    KnownIntegers result = *known;
    for (int64_t axis : axes)
      result.shape.insert(result.shape.begin() + axis, 1);
    return node.setResult(std::move(result));
  }
  node.setResult(axes.empty() ? x : node.make<ExpandOp>(elementOf(x), x, axes));
}

static void translateSqueeze(Node &node) {
  auto list = axesOf(node);
  if (const KnownIntegers *known = node.known(0);
      known && known->elements.size() == 1 && known->shape.size() == 1) {
    KnownIntegers result = *known;
    result.shape.clear();
    return node.setResult(std::move(result));
  }
  Value x = node.input(0);
  if (node.failed())
    return;
  SmallVector<int64_t> axes;
  if (list)
    axes = node.axes(*list, Node::rankOf(x));
  else
    for (auto [axis, size] : llvm::enumerate(sizesOf(x)))
      if (size == node.size(1))
        axes.push_back(axis);
  node.setResult(axes.empty() || node.failed()
                     ? x
                     : node.make<SqueezeOp>(elementOf(x), x, axes));
}

// The sizes of NumPy's rule, where a shape may have ones of its own.
static Sizes expandedSizes(Value x, ArrayRef<SizeAttr> shape) {
  Sizes old = sizesOf(x), sizes(shape);
  SizeAttr one = SizeAttr::number(x.getContext(), 1);
  while (sizes.size() < old.size())
    sizes.insert(sizes.begin(), one);
  size_t first = sizes.size() - old.size();
  for (auto [axis, size] : llvm::enumerate(old))
    sizes[first + axis] = broadcastOf(size, sizes[first + axis]);
  return sizes;
}

static void translateExpand(Node &node) {
  Value x = node.input(0);
  Sizes shape = node.sizes(1);
  if (!node.failed())
    node.setResult(node.broadcastTo(x, expandedSizes(x, shape)));
}

static void translateTile(Node &node) {
  Value x = node.input(0);
  Sizes repeats = node.sizes(1);
  if (node.failed())
    return;
  Sizes sizes = sizesOf(x), apart, repeated, result;
  if (repeats.size() != sizes.size())
    return node.fail("expected as many repeats as dimensions");
  for (auto [size, times] : llvm::zip_equal(sizes, repeats)) {
    apart.append({node.size(1), size});
    repeated.append({times, size});
    result.push_back(times * size);
  }
  node.setResult(node.reshaped(
      node.broadcastTo(node.reshaped(x, apart), repeated), result));
}

//===-- parts -------------------------------------------------------------===//

static void translateConcat(Node &node) {
  int64_t count = node.inputCount(), elements = 0;
  bool areKnown = llvm::all_of(llvm::seq<int64_t>(0, count), [&](int64_t i) {
    const KnownIntegers *known = node.known(i);
    elements += known ? known->elements.size() : 0;
    return known && known->shape.size() == 1;
  });
  int64_t axis = node.integer("axis", 0);
  if (areKnown && elements <= kMostKnown) {
    KnownIntegers all{{0}, {}, node.known(0)->type};
    for (int64_t i = 0; i < count; ++i)
      llvm::append_range(all.elements, node.known(i)->elements);
    all.shape[0] = all.elements.size();
    return node.setResult(std::move(all));
  }
  SmallVector<Value> inputs;
  for (int64_t i = 0; i < count; ++i)
    inputs.push_back(node.input(i));
  if (node.failed())
    return;
  axis = node.axis(axis, Node::rankOf(inputs.front()));
  node.setResult(node.make<ConcatOp>(elementOf(inputs.front()), inputs,
                                     node.b.getI64IntegerAttr(axis)));
}

static void translateSplit(Node &node) {
  Value x = node.input(0);
  if (node.failed())
    return;
  int64_t axis = node.axis(node.integer("axis", 0), Node::rankOf(x));
  int64_t count = node.resultCount();
  SizeAttr whole = sizesOf(x)[axis];
  Sizes parts;
  if (node.hasInput(1))
    parts = node.sizes(1);
  else if (node.hasAttribute("split"))
    for (int64_t part : node.integerList("split"))
      parts.push_back(node.size(part));
  else if (node.integer("num_outputs", count) == count) {
    // The last one has what is left.
    SizeAttr part = ceilDiv(whole, count);
    parts.assign(count - 1, part);
    parts.push_back(whole - part * (count - 1));
  }
  if (int64_t(parts.size()) != count)
    return node.fail("expected a size for each of " + Twine(count) +
                     " outputs, found " + Twine(parts.size()));
  if (node.failed())
    return;
  SmallVector<Type> types(count, RankedTensorType::get({}, elementOf(x)));
  auto split =
      SplitOp::create(node.b, node.loc, types, x, axis, node.array(parts));
  node.resolve(split);
  for (auto [index, part] : llvm::enumerate(split.getResults()))
    node.setResult(part, index);
}

namespace {
/// Which elements of a dimension a slice has.
struct Part {
  SizeAttr offset, size;
  int64_t step;
};
} // namespace

// Whether a place is one of elements, or counts from the end: exporters write
// the others for the first and the last one.
static bool isInside(int64_t place) {
  return place > -(int64_t(1) << 31) && place < (int64_t(1) << 31) - 1;
}

// A place in a dimension as NumPy has it: below 0 it counts from the end, and
// what lies outside is the nearest place from `least` to `most`.
static SizeAttr placeOf(SizeAttr place, SizeAttr dimension, int64_t least,
                        SizeAttr most) {
  auto number = place.asNumber();
  SizeAttr low = SizeAttr::number(place.getContext(), least);
  if (!number)
    return place; // of a symbol, a call checks that it lies inside
  if (!isInside(*number))
    return *number < 0 ? low : most;
  if (*number < 0)
    place = dimension + place;
  if (place.asNumber() && most.asNumber())
    return max(low, min(place, most));
  return place;
}

static Part partOf(Node &node, SizeAttr dimension, SizeAttr start, SizeAttr end,
                   int64_t step) {
  bool isForward = step > 0;
  SizeAttr most = isForward ? dimension : dimension - node.size(1);
  int64_t least = isForward ? 0 : -1;
  SizeAttr from = placeOf(start, dimension, 0, most);
  SizeAttr to = placeOf(end, dimension, least, most);
  SizeAttr distance = isForward ? to - from : from - to;
  if (distance.asNumber())
    distance = max(distance, node.size(0));
  return {from, ceilDiv(distance, std::abs(step)), step};
}

static bool sliceKnown(Node &node, ArrayRef<int64_t> starts,
                       ArrayRef<int64_t> ends, ArrayRef<int64_t> steps) {
  const KnownIntegers *known = node.known(0);
  if (!known || known->shape.size() != 1 || starts.size() != 1)
    return false;
  SizeAttr dimension = node.size(known->shape[0]);
  Part part = partOf(node, dimension, node.size(starts[0]), node.size(ends[0]),
                     steps[0]);
  KnownIntegers result{{*part.size.asNumber()}, {}, known->type};
  for (int64_t i = 0; i < result.shape[0]; ++i)
    result.elements.push_back(
        known->elements[*part.offset.asNumber() + i * part.step]);
  node.setResult(std::move(result));
  return true;
}

// Whether sizes that make up the place of a part do not tell that it is inside.
static bool isCallers(const Part &part, SizeAttr dimension) {
  SizeAttr end = part.offset + part.size;
  return part.step == 1 && dimension.asNumber() && !end.asNumber() &&
         end.getKind() != SizeKind::Symbol;
}

// Calls check that no part of a split is negative.
static Value cutOut(Node &node, Value x, int64_t axis, const Part &part) {
  SizeAttr behind = sizesOf(x)[axis] - part.offset - part.size;
  SmallVector<Type> types(3, RankedTensorType::get({}, elementOf(x)));
  auto split = SplitOp::create(node.b, node.loc, types, x, axis,
                               node.array({part.offset, part.size, behind}));
  node.resolve(split);
  return split.getResult(1);
}

static void translateSlice(Node &node) {
  Sizes starts = node.sizes(1), ends = node.sizes(2);
  SmallVector<int64_t> axes, steps(starts.size(), 1);
  if (node.hasInput(3))
    axes = node.numbers(3);
  else
    axes = llvm::to_vector(llvm::seq<int64_t>(0, starts.size()));
  if (node.hasInput(4))
    steps = node.numbers(4);
  if (node.failed())
    return;
  if (ends.size() != starts.size() || axes.size() != starts.size() ||
      steps.size() != starts.size() || llvm::is_contained(steps, 0))
    return node.fail("expected as many starts, ends, axes and steps other than "
                     "0");
  if (const KnownIntegers *known = node.known(0);
      known && starts[0].asNumber() && ends[0].asNumber() &&
      sliceKnown(node, *starts[0].asNumber(), *ends[0].asNumber(), steps))
    return;
  Value x = node.input(0);
  if (node.failed())
    return;
  Sizes sizes = sizesOf(x), offsets(sizes.size(), node.size(0));
  SmallVector<int64_t> strides(sizes.size(), 1);
  for (auto [index, each] : llvm::enumerate(axes)) {
    int64_t axis = node.axis(each, sizes.size());
    if (node.failed())
      return;
    Part part =
        partOf(node, sizes[axis], starts[index], ends[index], steps[index]);
    // A symbol that ends a slice of a table is at most as large as that, and
    // one that numbers cut is at least as large as these.
    if (auto number = sizes[axis].asNumber(); number && !ends[index].asNumber())
      node.limitSize(ends[index], /*least=*/0, *number);
    for (SizeAttr place : {starts[index], ends[index]})
      if (auto number = place.asNumber(); number && isInside(*number))
        node.limitSize(sizes[axis], std::abs(*number), INT64_MAX);
    if (isCallers(part, sizes[axis])) {
      x = cutOut(node, x, axis, part);
      part.offset = node.size(0);
    }
    offsets[axis] = part.offset;
    sizes[axis] = part.size;
    strides[axis] = part.step;
  }
  node.setResult(node.make<SliceOp>(elementOf(x), x, node.array(offsets),
                                    node.array(sizes), strides));
}

// Pads are the lows of all axes, then the highs.
static void translatePad(Node &node) {
  std::string mode = node.string("mode", "constant");
  if (mode != "constant")
    return node.fail("attribute 'mode': expected constant, found " + mode);
  Value x = node.input(0);
  Sizes pads = node.sizes(1);
  if (node.failed())
    return;
  int64_t rank = Node::rankOf(x);
  SmallVector<int64_t> axes =
      node.hasInput(3) ? node.numbers(3)
                       : llvm::to_vector(llvm::seq<int64_t>(0, rank));
  double number = 0;
  if (node.hasInput(2)) {
    auto constant = node.constantNumber(2);
    if (!constant)
      return node.fail("expected a constant as constant_value");
    number = *constant;
  }
  if (pads.size() != 2 * axes.size())
    return node.fail("expected two pads for each axis");
  Sizes low(rank, node.size(0)), high = low;
  for (auto [index, each] : llvm::enumerate(axes)) {
    int64_t axis = node.axis(each, rank);
    low[axis] = pads[index];
    high[axis] = pads[axes.size() + index];
  }
  Type type = elementOf(x);
  TypedAttr value = isa<FloatType>(type)
                        ? TypedAttr(FloatAttr::get(type, number))
                        : TypedAttr(IntegerAttr::get(type, int64_t(number)));
  node.setResult(
      node.make<PadOp>(type, x, node.array(low), node.array(high), value));
}

llvm::ArrayRef<Operator> onnx::shapeOperators() {
  static constexpr Operator operators[] = {
      {"", "Concat", translateConcat},
      {"", "Constant", translateConstant},
      {"", "ConstantOfShape", translateConstantOfShape},
      {"", "Expand", translateExpand},
      {"", "Flatten", translateFlatten},
      {"", "Pad", translatePad},
      {"", "Range", translateRange},
      {"", "Reshape", translateReshape},
      {"", "Shape", translateShape},
      {"", "Size", translateSize},
      {"", "Slice", translateSlice},
      {"", "Split", translateSplit},
      {"", "Squeeze", translateSqueeze},
      {"", "Tile", translateTile},
      {"", "Transpose", translateTranspose},
      {"", "Unsqueeze", translateUnsqueeze},
  };
  return operators;
}
