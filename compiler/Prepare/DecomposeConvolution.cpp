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
        type(accumulatorOf(elementOf(input))) {}

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

// x + b, where b is along dimension `dim`; x, where there is no b.
static Value addBias(OpBuilder &b, Location loc, Value x, Value bias,
                     unsigned dim) {
  if (!bias)
    return x;
  GenericBuilder g(b, loc, sizesOf(x));
  g.input(x);
  g.input(bias, {g.dim(dim)});
  g.result(elementOf(x));
  return g.build([&](GenericBody &body) {
    return body.input(0) + cast(body.input(1), body.input(0).type());
  });
}

// The sum of products of inputs 0 and 1.
static Value buildProduct(GenericBuilder &g, Type type) {
  g.result(type, 0.0);
  return g.build([&](GenericBody &body) {
    return body.accumulator(0) +
           cast(body.input(0), type) * cast(body.input(1), type);
  });
}

// With zeros around the last dimension.
static Value padLast(OpBuilder &b, Location loc, Value input, int64_t padding) {
  if (padding == 0)
    return input;
  Sizes sizes = sizesOf(input), around(sizes.size(), number(b, 0));
  around.back() = number(b, padding);
  sizes.back() = sizes.back() + number(b, 2 * padding);
  Type type = elementOf(input);
  return PadOp::create(b, loc, tensorOf(sizes, type), input,
                       toArray(b.getContext(), around),
                       toArray(b.getContext(), around), numberOf(type, 0));
}

// conv_1d(x, W)[n, g O + o, l]
//   = sum_(i, k) W[g O + o, i, k] pad(x)[n, g I + i, l stride + k dilation]
static Values decompose(Conv1DOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  Sizes result = sizesOf(op.getResult()), filter = sizesOf(op.getWeight());
  int64_t groups = op.getGroups(), out = *filter[0].asNumber() / groups;
  int64_t in = *filter[1].asNumber();
  Value input = padLast(b, loc, op.getInput(), op.getPadding());
  Sizes over{result[0], number(b, groups), number(b, out), result[2]};
  GenericBuilder g(b, loc, over, {filter[1], filter[2]});
  AffineExpr n = g.dim(0), group = g.dim(1), o = g.dim(2), l = g.dim(3);
  AffineExpr i = g.dim(4), k = g.dim(5);
  g.input(op.getWeight(), {group * out + o, i, k});
  g.input(input, {n, group * in + i,
                  l * int64_t(op.getStride()) + k * int64_t(op.getDilation())});
  Type type = elementOf(op.getResult());
  Value sum = buildProduct(g, type);
  Value flat = ReshapeOp::create(b, loc, tensorOf(result, type), sum,
                                 toArray(b.getContext(), result));
  return {addBias(b, loc, flat, op.getBias(), 1)};
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
  Value patches = addBias(b, loc, buildProduct(g, type), op.getBias(), 3);
  return {ReshapeOp::create(b, loc, tensorOf(result, type), patches,
                            toArray(b.getContext(), result))};
}

void registerConvolutionDecompositions(MLIRContext *context) {
  attachDecompositions<GroupNormOp, Conv1DOp, PatchEmbeddingOp>(context);
}

} // namespace heddle
