// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/Decompositions.h"
#include "compiler/Prepare/GenericBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace heddle {

static SizeAttr number(OpBuilder &b, int64_t value) {
  return SizeAttr::number(b.getContext(), value);
}

static Type elementOf(Value value) { return getElementTypeOrSelf(value); }

//===-- heddle.group_norm -------------------------------------------------===//

namespace {
/// The groups of channels of a value [batch, channels, ...].
class ChannelGroups {
public:
  ChannelGroups(OpBuilder &b, GroupNormOp op)
      : b(b), loc(op.getLoc()), input(op.getInput()), sizes(sizesOf(input)),
        groups(op.getGroups()), width(*sizes[1].asNumber() / groups),
        type(accumulatorOf(input)) {}

  Type accumulatorType() const { return type; }

  /// The mean over each group of term(x, shift): [batch, groups]. `shift` is
  /// such a mean, or null.
  Value mean(llvm::function_ref<Element(Element, std::optional<Element>)> term,
             Value shift = nullptr) {
    Sizes over{sizes[0], number(b, groups)}, reduce{number(b, width)};
    llvm::append_range(reduce, ArrayRef(sizes).drop_front(2));
    GenericBuilder sum(b, loc, over, reduce);
    SmallVector<AffineExpr> at = sum.dims(2, reduce.size());
    at[0] = sum.dim(1) * width + at[0];
    at.insert(at.begin(), sum.dim(0));
    sum.input(input, at);
    if (shift)
      sum.input(shift, {sum.dim(0), sum.dim(1)});
    sum.result(type, 0.0);
    Value total = sum.build([&](GenericBody &body) {
      std::optional<Element> middle;
      if (shift)
        middle = body.input(1);
      return body.accumulator(0) + term(cast(body.input(0), type), middle);
    });
    SizeAttr count = product(b.getContext(), reduce);
    GenericBuilder quotient(b, loc, over);
    quotient.input(total);
    quotient.result(type);
    return quotient.build([&](GenericBody &body) {
      return body.input(0) / body.size(count, type);
    });
  }

  /// Where the group of an element of the whole value is.
  SmallVector<AffineExpr> groupOf(GenericBuilder &g) const {
    return {g.dim(0), g.dim(1).floorDiv(width)};
  }

private:
  OpBuilder &b;
  Location loc;
  Value input;
  Sizes sizes;
  int64_t groups, width;
  Type type;
};
} // namespace

// m = mean of a group, v = mean of (x - m)^2
//   -> (x - m) / sqrt(v + epsilon) * w + b
static Values decompose(GroupNormOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  ChannelGroups groups(b, op);
  Type wide = groups.accumulatorType(), type = elementOf(op.getResult());
  Value mean = groups.mean([](Element x, std::optional<Element>) { return x; });
  Value variance = groups.mean(
      [](Element x, std::optional<Element> middle) {
        return (x - *middle) * (x - *middle);
      },
      mean);
  GenericBuilder root(b, loc, sizesOf(variance));
  root.input(variance);
  root.result(wide);
  Value scale = root.build([&](GenericBody &body) {
    Element x = body.input(0);
    Element epsilon = x.constant(op.getEpsilon().convertToDouble());
    return x.constant(1) / apply<math::SqrtOp>(x + epsilon);
  });
  GenericBuilder norm(b, loc, sizesOf(op.getResult()));
  norm.input(op.getInput());
  norm.input(mean, groups.groupOf(norm));
  norm.input(scale, groups.groupOf(norm));
  norm.input(op.getWeight(), {norm.dim(1)});
  norm.input(op.getBias(), {norm.dim(1)});
  norm.result(type);
  return {norm.build([&](GenericBody &body) {
    Element scaled =
        (cast(body.input(0), wide) - body.input(1)) * body.input(2);
    Element weight = cast(body.input(3), wide),
            bias = cast(body.input(4), wide);
    return cast(scaled * weight + bias, type);
  })};
}

//===-- Convolutions ------------------------------------------------------===//

// The sum of products of inputs 0 and 1.
static Value buildProduct(GenericBuilder &g, Type type) {
  g.result(type, 0.0);
  return g.build([&](GenericBody &body) {
    return body.accumulator(0) +
           cast(body.input(0), type) * cast(body.input(1), type);
  });
}

// x + b, where there is a b; `channel` tells which of its elements.
static Value addBias(OpBuilder &b, Location loc, Value x, Value bias,
                     llvm::function_ref<AffineExpr(GenericBuilder &)> channel) {
  if (!bias)
    return x;
  GenericBuilder g(b, loc, sizesOf(x));
  g.input(x);
  g.input(bias, {channel(g)});
  g.result(elementOf(x));
  return g.build([&](GenericBody &body) {
    return body.input(0) + cast(body.input(1), body.input(0).type());
  });
}

namespace {
/// A convolution as a product of weights and columns: whatever the strides, the
/// windows of all dimensions lie side by side.
///
///   phases[n, c, a, b, p, q] = x[n, c, p s + a - low_0, q t + b - low_1]
///
/// with strides s and t, 0 outside of x, and those a and b that taps are at.
/// Tap j then reads phase (j dilation_0) mod s from row (j dilation_0) div s
/// on, as if the stride were 1. Rows of phases are longer than rows of windows,
/// by what taps reach: sums in between are computed, and nothing reads them.
class Convolution {
public:
  template <typename Op>
  Convolution(OpBuilder &b, Op op)
      : b(b), loc(op.getLoc()), input(op.getInput()), weight(op.getWeight()),
        bias(op.getBias()), windows(op.getWindows()), groups(op.getGroups()),
        result(sizesOf(op.getResult())), type(elementOf(op.getResult())) {
    SizeAttr pitch = number(b, 1), last = number(b, 0);
    for (unsigned k = windows.size(); k-- > 0;) {
      const Window &window = windows[k];
      SizeAttr count = result[2 + k];
      rows.insert(rows.begin(),
                  count + number(b, window.span() / window.stride));
      pitches.insert(pitches.begin(), pitch);
      last = last + (count - number(b, 1)) * pitch;
      pitch = pitch * rows.front();
    }
    columns = last + number(b, 1);
  }

  // One row for a group has no tiles: its sums are those of a window each.
  Value build() {
    Sizes filter = sizesOf(weight);
    out = *filter[0].asNumber() / groups;
    in = *filter[1].asNumber();
    return out == 1 ? buildWindows() : buildColumns();
  }

private:
  bool isInPhase() const {
    return llvm::all_of(windows, [](const Window &window) {
      return window.stride == 1 && window.low == 0 && window.high == 0;
    });
  }

  // Of a stride, as many as taps are at: few, where the dilation is a multiple,
  // or the window is shorter.
  static SizeAttr countPhases(OpBuilder &b, const Window &window) {
    int64_t last = 0;
    for (int64_t tap = 0; tap < std::min(window.taps, window.stride); ++tap)
      last = std::max(last, tap * window.dilation % window.stride);
    return number(b, last + 1);
  }

  // [batch, channels, phases of each dimension, rows of each]
  Value copyPhases() {
    Sizes over = sizesOf(input);
    unsigned rank = windows.size();
    over.truncate(2);
    for (const Window &window : windows)
      over.push_back(countPhases(b, window));
    over.append(rows);
    GenericBuilder g(b, loc, over);
    g.table(input);
    g.result(elementOf(input));
    return g.build([&](GenericBody &body) {
      SmallVector<Element> point = body.indices(2);
      for (auto [k, window] : llvm::enumerate(windows)) {
        Element place = body.index(2 + rank + k);
        if (window.stride != 1)
          place = place * place.constant(window.stride) + body.index(2 + k);
        if (window.low != 0)
          place = place - place.constant(window.low);
        point.push_back(place);
      }
      return body.read(0, point, body.constant(numberOf(elementOf(input), 0)));
    });
  }

  // The phase that a tap reads.
  static AffineExpr phaseOf(const Window &window, AffineExpr tap) {
    return tap * window.dilation % window.stride;
  }
  // How many places later in it than the window.
  static AffineExpr stepsOf(const Window &window, AffineExpr tap) {
    return (tap * window.dilation).floorDiv(window.stride);
  }

  Sizes reduced() {
    Sizes reduce{number(b, in)};
    for (const Window &window : windows)
      reduce.push_back(number(b, window.taps));
    return reduce;
  }

  Value buildWindows() {
    bool isCopied = !isInPhase();
    Value phases = isCopied ? copyPhases() : input;
    GenericBuilder g(b, loc, result, reduced());
    unsigned first = result.size();
    AffineExpr channel = g.dim(1) * in + g.dim(first);
    SmallVector<AffineExpr> filter{g.dim(1), g.dim(first)};
    SmallVector<AffineExpr> phase{g.dim(0), channel}, place;
    for (auto [k, window] : llvm::enumerate(windows)) {
      AffineExpr tap = g.dim(first + 1 + k);
      filter.push_back(tap);
      if (isCopied)
        phase.push_back(phaseOf(window, tap));
      place.push_back(g.dim(2 + k) + stepsOf(window, tap));
    }
    phase.append(place);
    g.input(weight, filter);
    g.input(phases, phase);
    return addBias(b, loc, buildProduct(g, type), bias,
                   [](GenericBuilder &sum) { return sum.dim(1); });
  }

  Value buildColumns() {
    Value sums = addBias(b, loc, buildSums(), bias, [&](GenericBuilder &sum) {
      return sum.dim(1) * out + sum.dim(2);
    });
    GenericBuilder g(b, loc, result);
    SmallVector<AffineExpr> at{g.dim(0), g.dim(1).floorDiv(out), g.dim(1) % out,
                               b.getAffineConstantExpr(0)};
    for (auto [k, pitch] : llvm::enumerate(pitches))
      at.back() = at.back() + g.dim(2 + k) * g.size(pitch);
    g.input(sums, at);
    g.result(type);
    return g.build([](GenericBody &body) { return body.input(0); });
  }

  // [batch, groups, rows of a group's weight, columns]
  Value buildSums() {
    Sizes sizes = sizesOf(input), flat{sizes[0], sizes[1]};
    for (const Window &window : windows)
      flat.push_back(countPhases(b, window));
    flat.push_back(product(b.getContext(), rows));
    Value phases = ReshapeOp::create(b, loc, tensorOf(flat, elementOf(input)),
                                     isInPhase() ? input : copyPhases(),
                                     toArray(b.getContext(), flat));

    Sizes over{result[0], number(b, groups), number(b, out), columns};
    GenericBuilder g(b, loc, over, reduced());
    AffineExpr n = g.dim(0), group = g.dim(1), o = g.dim(2), i = g.dim(4);
    AffineExpr column = g.dim(3);
    SmallVector<AffineExpr> filter{group * out + o, i}, at{n, group * in + i};
    for (auto [k, window] : llvm::enumerate(windows)) {
      AffineExpr tap = g.dim(5 + k);
      filter.push_back(tap);
      at.push_back(phaseOf(window, tap));
      column = column + stepsOf(window, tap) * g.size(pitches[k]);
    }
    at.push_back(column);
    g.input(weight, filter);
    g.input(phases, at);
    return buildProduct(g, type);
  }

  OpBuilder &b;
  Location loc;
  Value input, weight, bias;
  Windows windows;
  int64_t groups;
  int64_t out = 0, in = 0; ///< channels of a group
  Sizes result;
  Type type;
  Sizes rows;       ///< of phases, of each dimension
  Sizes pitches;    ///< columns from one row to the next
  SizeAttr columns; ///< up to the last window
};
} // namespace

static Values decompose(Conv1DOp op, OpBuilder &b) {
  return {Convolution(b, op).build()};
}

static Values decompose(Conv2DOp op, OpBuilder &b) {
  return {Convolution(b, op).build()};
}

// patches[n, y, x, o]
//   = sum_(c, i, j) W[o, c, i, j] image[n, c, y p + i, x p + j]
static Values decompose(PatchEmbeddingOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  Sizes image = sizesOf(op.getInput()), filter = sizesOf(op.getWeight());
  int64_t side = *filter[2].asNumber();
  Sizes over{image[0], floorDiv(image[2], filter[2]),
             floorDiv(image[3], filter[2]), filter[0]};
  GenericBuilder g(b, loc, over, {filter[1], filter[2], filter[3]});
  AffineExpr n = g.dim(0), y = g.dim(1), x = g.dim(2), o = g.dim(3);
  AffineExpr c = g.dim(4), i = g.dim(5), j = g.dim(6);
  g.input(op.getInput(), {n, c, y * side + i, x * side + j});
  g.input(op.getWeight(), {o, c, i, j});
  Type type = elementOf(op.getResult());
  Sizes result = sizesOf(op.getResult());
  Value patches = addBias(b, loc, buildProduct(g, type), op.getBias(),
                          [](GenericBuilder &sum) { return sum.dim(3); });
  return {ReshapeOp::create(b, loc, tensorOf(result, type), patches,
                            toArray(b.getContext(), result))};
}

void registerConvolutionDecompositions(MLIRContext *context) {
  attachDecompositions<GroupNormOp, Conv1DOp, Conv2DOp, PatchEmbeddingOp>(
      context);
}

} // namespace heddle
