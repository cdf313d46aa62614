// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators on signals and images: [batch, channels, places..].

#include "compiler/Import/Onnx/Operators.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

static Type elementOf(Value x) { return getElementTypeOrSelf(x); }

namespace {
/// Where the windows of a convolution or a pooling stand, by dimension.
struct WindowPlaces {
  SmallVector<int64_t> kernel, strides, dilations, low, high;

  /// The extent of a window.
  int64_t reach(size_t axis) const {
    return dilations[axis] * (kernel[axis] - 1) + 1;
  }
};
} // namespace

static SmallVector<int64_t> listOr(Node &node, StringRef name, size_t count,
                                   int64_t otherwise) {
  SmallVector<int64_t> list = node.integerList(name);
  if (!node.hasAttribute(name))
    list.assign(count, otherwise);
  if (list.size() != count)
    node.fail("attribute '" + name + "': expected " + Twine(count) +
              " numbers, found " + Twine(list.size()));
  list.resize(count, otherwise);
  return list;
}

// As many places as strides fit into the dimension, whose padding that takes is
// halved; the odd one comes last, or first.
static void padToSame(Node &node, ArrayRef<SizeAttr> places, bool oddIsLast,
                      WindowPlaces &windows) {
  for (auto [axis, place] : llvm::enumerate(places)) {
    auto size = place.asNumber();
    int64_t stride = windows.strides[axis];
    if (!size && stride != 1)
      return node.fail("attribute 'auto_pad': expected images of a known size, "
                       "or strides of 1");
    int64_t reach = windows.reach(axis);
    int64_t all =
        size ? (llvm::divideCeil(*size, stride) - 1) * stride + reach - *size
             : reach - 1;
    all = std::max<int64_t>(all, 0);
    windows.low[axis] = oddIsLast ? all / 2 : all - all / 2;
    windows.high[axis] = all - windows.low[axis];
  }
}

static WindowPlaces windowsOf(Node &node, Value x, ArrayRef<int64_t> kernel) {
  Sizes sizes = sizesOf(x);
  size_t count = sizes.size() - 2;
  WindowPlaces windows;
  windows.kernel.assign(kernel.begin(), kernel.end());
  windows.strides = listOr(node, "strides", count, 1);
  windows.dilations = listOr(node, "dilations", count, 1);
  SmallVector<int64_t> pads = listOr(node, "pads", 2 * count, 0);
  windows.low.assign(pads.begin(), pads.begin() + count);
  windows.high.assign(pads.begin() + count, pads.end());
  for (auto &[name, list] : {std::pair("strides", &windows.strides),
                             std::pair("dilations", &windows.dilations)})
    if (llvm::any_of(*list, [](int64_t number) { return number < 1; })) {
      node.fail("attribute '" + Twine(name) + "': expected numbers from 1 on");
      return windows;
    }
  std::string mode = node.string("auto_pad", "NOTSET");
  if (mode == "SAME_UPPER" || mode == "SAME_LOWER")
    padToSame(node, ArrayRef(sizes).drop_front(2), mode == "SAME_UPPER",
              windows);
  else if (mode != "NOTSET" && mode != "VALID")
    node.fail("attribute 'auto_pad': expected NOTSET, VALID, SAME_UPPER or "
              "SAME_LOWER, found " +
              mode);
  if (node.failed())
    return windows;
  // There is room for a window.
  for (auto [axis, size] : llvm::enumerate(ArrayRef(sizes).drop_front(2)))
    node.limitSize(size,
                   windows.reach(axis) - windows.low[axis] - windows.high[axis],
                   kLargestCount);
  return windows;
}

static bool isOfImages(Node &node, Value x) {
  int64_t rank = node.failed() ? 0 : Node::rankOf(x);
  if (rank == 3 || rank == 4)
    return true;
  node.fail("expected signals or images, of 3 or 4 dimensions, found " +
            Twine(rank));
  return false;
}

static Value padded(Node &node, Value x, ArrayRef<int64_t> low,
                    ArrayRef<int64_t> high) {
  Sizes before(2, node.size(0)), after = before;
  for (auto [first, last] : llvm::zip_equal(low, high)) {
    before.push_back(node.size(first));
    after.push_back(node.size(last));
  }
  Type type = elementOf(x);
  return node.make<PadOp>(type, x, node.array(before), node.array(after),
                          TypedAttr(FloatAttr::get(type, 0)));
}

static void translateConv(Node &node) {
  Value x = node.input(0), weight = node.input(1);
  if (!isOfImages(node, x))
    return;
  Value bias = node.hasInput(2) ? node.input(2) : Value();
  int64_t groups = node.integer("group", 1);
  SmallVector<int64_t> kernel;
  if (Node::rankOf(weight) == Node::rankOf(x))
    for (SizeAttr taps : ArrayRef(sizesOf(weight)).drop_front(2))
      kernel.push_back(taps.asNumber().value_or(0));
  node.integerList("kernel_shape"); // that of the weight
  if (kernel.empty() || llvm::is_contained(kernel, 0))
    return node.fail("expected a weight of as many dimensions as the input, of "
                     "known sizes");
  WindowPlaces windows = windowsOf(node, x, kernel);
  if (node.failed())
    return;
  Operation *op;
  if (Node::rankOf(x) == 3) {
    if (windows.low != windows.high) {
      x = padded(node, x, windows.low, windows.high);
      windows.low = {0};
    }
    if (node.failed())
      return;
    op = Conv1DOp::create(node.b, node.loc, x, weight, bias, windows.strides[0],
                          windows.low[0], windows.dilations[0], groups);
  } else {
    op = Conv2DOp::create(node.b, node.loc, x, weight, bias, windows.strides,
                          windows.low, windows.high, windows.dilations, groups);
  }
  node.resolve(op);
  node.setResult(op->getResult(0));
}

// In ceiling mode the last window of a dimension begins inside of it, or in
// what comes before, and may end past its padding.
static void reachToCeiling(Node &node, ArrayRef<SizeAttr> places,
                           WindowPlaces &windows) {
  for (auto [axis, place] : llvm::enumerate(places)) {
    int64_t stride = windows.strides[axis];
    if (stride == 1)
      continue;
    auto size = place.asNumber();
    if (!size)
      return node.fail("attribute 'ceil_mode': expected images of a known "
                       "size, or strides of 1");
    int64_t reach = windows.reach(axis);
    int64_t room = *size + windows.low[axis] + windows.high[axis] - reach;
    int64_t last = llvm::divideCeil(std::max<int64_t>(room, 0), stride);
    if (last * stride >= *size + windows.low[axis])
      --last;
    windows.high[axis] += std::max<int64_t>(last * stride - room, 0);
  }
}

template <ReductionKind kind> static void translatePool(Node &node) {
  Value x = node.input(0);
  if (!isOfImages(node, x))
    return;
  if (node.hasResult(1))
    return node.fail("expected one output, found another one for indices");
  node.integer("storage_order", 0); // of these
  bool ceils = node.integer("ceil_mode", 0) != 0,
       countsPadding = kind == ReductionKind::Mean &&
                       node.integer("count_include_pad", 0) != 0;
  SmallVector<int64_t> kernel =
      listOr(node, "kernel_shape", Node::rankOf(x) - 2, 0);
  WindowPlaces windows = windowsOf(node, x, kernel);
  if (ceils)
    reachToCeiling(node, ArrayRef(sizesOf(x)).drop_front(2), windows);
  if (node.failed())
    return;
  if (countsPadding) {
    if (ceils)
      return node.fail("expected count_include_pad = 0 with ceil_mode = 1");
    x = padded(node, x, windows.low, windows.high);
    windows.low.assign(kernel.size(), 0);
    windows.high = windows.low;
  }
  bool isSignal = kernel.size() == 1;
  if (isSignal) {
    x = node.make<ExpandOp>(elementOf(x), x, ArrayRef<int64_t>{2});
    for (auto *list : {&windows.kernel, &windows.strides, &windows.dilations})
      list->insert(list->begin(), 1);
    for (auto *list : {&windows.low, &windows.high})
      list->insert(list->begin(), 0);
  }
  if (node.failed())
    return;
  auto pool = Pool2DOp::create(node.b, node.loc, kind, x, windows.kernel,
                               windows.strides, windows.low, windows.high,
                               windows.dilations);
  node.resolve(pool);
  node.setResult(
      isSignal ? node.make<SqueezeOp>(elementOf(x), pool, ArrayRef<int64_t>{2})
               : pool.getResult());
}

template <ReductionKind kind> static void translateGlobalPool(Node &node) {
  Value x = node.input(0);
  if (node.failed())
    return;
  auto places = llvm::to_vector(
      llvm::seq<int64_t>(2, std::max<int64_t>(Node::rankOf(x), 2)));
  node.setResult(node.make<ReduceOp>(elementOf(x), kind, x, places,
                                     /*keepSizes=*/true));
}

//===-- norms -------------------------------------------------------------===//

// A number for each channel, beside all places.
static Value ofChannels(Node &node, Value numbers, Value x) {
  if (node.failed())
    return {};
  Sizes sizes(Node::rankOf(x), node.size(1));
  sizes[1] = sizesOf(x)[1];
  return node.broadcastTo(
      node.reshaped(node.cast(numbers, elementOf(x)), sizes), sizesOf(x));
}

// With the means and variances of training.
static void translateBatchNormalization(Node &node) {
  double epsilon = node.number("epsilon", 1e-5);
  node.number("momentum", 0.9);
  if (node.integer("training_mode", 0) != 0)
    return node.fail("expected training_mode = 0");
  Value x = node.input(0), scale = node.input(1), bias = node.input(2),
        mean = node.input(3), variance = node.input(4);
  if (node.failed())
    return;
  Value root = node.map<math::SqrtOp>(node.map<arith::AddFOp>(
      variance, node.broadcastTo(node.constant(epsilon, elementOf(variance)),
                                 sizesOf(variance))));
  Value factor =
      node.map<arith::DivFOp>(node.cast(scale, elementOf(root)), root);
  Value distance = node.map<arith::SubFOp>(x, ofChannels(node, mean, x));
  node.setResult(node.map<arith::AddFOp>(
      node.map<arith::MulFOp>(distance, ofChannels(node, factor, x)),
      ofChannels(node, bias, x)));
}

static void normalizeGroups(Node &node, int64_t groups, Value scale,
                            Value bias) {
  Value x = node.input(0);
  double epsilon = node.number("epsilon", 1e-5);
  node.integer("stash_type", 1);
  if (!node.failed())
    node.setResult(node.make<GroupNormOp>(elementOf(x), x, scale, bias,
                                          node.b.getI64IntegerAttr(groups),
                                          node.b.getF64FloatAttr(epsilon)));
}

static void translateInstanceNormalization(Node &node) {
  Value x = node.input(0), scale = node.input(1), bias = node.input(2);
  if (node.failed())
    return;
  auto channels = sizesOf(x).size() > 1 ? sizesOf(x)[1].asNumber()
                                        : std::optional<int64_t>();
  if (!channels)
    return node.fail("expected a known number of channels");
  normalizeGroups(node, *channels, scale, bias);
}

// Before version 21 scales and biases are those of groups.
static void translateGroupNormalization(Node &node) {
  int64_t groups = node.integer("num_groups", 1);
  Value x = node.input(0), scale = node.input(1), bias = node.input(2);
  if (node.failed())
    return;
  auto channels = sizesOf(x).size() > 1 ? sizesOf(x)[1].asNumber()
                                        : std::optional<int64_t>();
  if (!channels || groups <= 0 || *channels % groups != 0)
    return node.fail("expected a known number of channels, of which "
                     "num_groups is a divisor");
  auto ofEach = [&](Value numbers) {
    SizeAttr count = node.size(groups), each = node.size(*channels / groups);
    return node.reshaped(
        node.broadcastTo(node.reshaped(numbers, {count, node.size(1)}),
                         {count, each}),
        {node.size(*channels)});
  };
  bool areOfGroups = node.version() < 21;
  normalizeGroups(node, groups, areOfGroups ? ofEach(scale) : scale,
                  areOfGroups ? ofEach(bias) : bias);
}

llvm::ArrayRef<Operator> onnx::convolutionOperators() {
  static constexpr Operator operators[] = {
      {"", "AveragePool", translatePool<ReductionKind::Mean>},
      {"", "BatchNormalization", translateBatchNormalization},
      {"", "Conv", translateConv},
      {"", "GlobalAveragePool", translateGlobalPool<ReductionKind::Mean>},
      {"", "GlobalMaxPool", translateGlobalPool<ReductionKind::Max>},
      {"", "GroupNormalization", translateGroupNormalization},
      {"", "InstanceNormalization", translateInstanceNormalization},
      {"", "MaxPool", translatePool<ReductionKind::Max>},
  };
  return operators;
}
