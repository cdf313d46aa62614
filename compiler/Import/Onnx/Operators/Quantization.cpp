// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of numbers of few bits.

#include "compiler/Import/Onnx/Operators.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

static Type elementOf(Value x) { return getElementTypeOrSelf(x); }

//===-- scales ------------------------------------------------------------===//

namespace {
/// Which elements have a scale, or a zero, in common: all of a tensor, those of
/// a channel, or `block` neighbours along `axis`.
struct Granularity {
  int64_t axis = 0, block = 0;
};
} // namespace

static Granularity granularityOf(Node &node, Value x) {
  Granularity found;
  int64_t axis = node.integer("axis", 1);
  found.block = node.integer("block_size", 0);
  if (found.block < 0)
    node.fail("attribute 'block_size': expected 0 or more, found " +
              Twine(found.block));
  int64_t rank = node.failed() ? 0 : Node::rankOf(x);
  Value scales = node.failed() ? Value() : node.input(1);
  // The axis of one scale for all says nothing.
  if (!node.failed() && Node::rankOf(scales) > 0)
    found.axis = node.axis(axis, rank);
  if (node.failed() || !found.block)
    return found;
  if (Node::rankOf(scales) != rank) {
    node.fail("expected scales of " + Twine(rank) + " dimensions, found " +
              Twine(Node::rankOf(scales)));
    return found;
  }
  SizeAttr whole = sizesOf(x)[found.axis],
           blocks = sizesOf(scales)[found.axis] * found.block;
  if (blocks != whole)
    node.fail("expected blocks of " + Twine(found.block) + " to be all of " +
              whole.str() + " elements, found " + blocks.str());
  return found;
}

// Scales or zeros with as many dimensions as `x`, and sizes of 1 where one is
// for several elements; of blocks, one for each block.
static Value placed(Node &node, Value part, Value x, const Granularity &of) {
  if (node.failed() || of.block)
    return part;
  Sizes sizes(Node::rankOf(x), node.size(1));
  if (Node::rankOf(part) == 1 && !sizes.empty())
    sizes[of.axis] = sizesOf(part)[0];
  return node.reshaped(part, sizes);
}

// The same with an element for each of `x`.
static Value spread(Node &node, Value part, Value x, const Granularity &of) {
  part = placed(node, part, x, of);
  if (node.failed())
    return {};
  if (!of.block)
    return node.broadcastTo(part, sizesOf(x));
  Sizes sizes = sizesOf(part), apart = sizes, repeated = sizes;
  apart.insert(apart.begin() + of.axis + 1, node.size(1));
  repeated.insert(repeated.begin() + of.axis + 1, node.size(of.block));
  sizes[of.axis] = sizes[of.axis] * of.block;
  return node.reshaped(node.broadcastTo(node.reshaped(part, apart), repeated),
                       sizes);
}

//===-- DequantizeLinear --------------------------------------------------===//

static bool isByteOrLess(Type type) {
  return type.isInteger() && type.getIntOrFloatBitWidth() <= 8 &&
         !type.isInteger(1);
}

// A matrix of the file is what contractions decode. Its scales are those of
// groups along one axis: one group, where they are those of channels.
static Value decodedMatrix(Node &node, Value codes, Value scales, Value zeros,
                           const Granularity &of) {
  int64_t axis = of.block ? of.axis : 1 - of.axis;
  auto parts = [&](Value part) -> Value {
    if (!part || node.failed())
      return {};
    part = placed(node, part, codes, of);
    Sizes sizes = sizesOf(codes);
    sizes[axis] = of.block ? sizesOf(part)[axis] : node.size(1);
    return node.broadcastTo(part, sizes);
  };
  scales = parts(scales);
  zeros = parts(zeros);
  return node.make<DequantizeOp>(node.b.getF32Type(), codes, scales, zeros,
                                 /*minimums=*/Value(), axis);
}

// (x - zero) * scale
static void translateDequantizeLinear(Node &node) {
  Value x = node.input(0), scales = node.input(1);
  Value zeros = node.hasInput(2) ? node.input(2) : Value();
  Granularity of = granularityOf(node, x);
  int64_t output = node.integer("output_dtype", 0);
  if (node.failed())
    return;
  Type type = output ? node.elementType(output) : elementOf(scales);
  if (node.isOfWeights(0) && Node::rankOf(x) == 2 && isByteOrLess(elementOf(x)))
    return node.setResult(
        node.cast(decodedMatrix(node, x, node.cast(scales, node.b.getF32Type()),
                                zeros, of),
                  type));
  Type computed = node.b.getF32Type();
  Value y = node.cast(x, computed);
  if (zeros)
    y = node.map<arith::SubFOp>(
        y, spread(node, node.cast(zeros, computed), x, of));
  y = node.map<arith::MulFOp>(y,
                              spread(node, node.cast(scales, computed), x, of));
  if (!node.failed())
    node.setResult(node.cast(y, type));
}

//===-- QuantizeLinear ----------------------------------------------------===//

// Floats that are rounded already, as integers: limits are those of the type.
static Value saturated(Node &node, Value rounded, Type type) {
  unsigned bits = type.getIntOrFloatBitWidth();
  bool hasSign = !type.isUnsignedInteger();
  double least = hasSign ? double(llvm::minIntN(bits)) : 0;
  double most =
      hasSign ? double(llvm::maxIntN(bits)) : double(llvm::maxUIntN(bits));
  Type computed = elementOf(rounded);
  Value low =
            node.broadcastTo(node.constant(least, computed), sizesOf(rounded)),
        high =
            node.broadcastTo(node.constant(most, computed), sizesOf(rounded));
  Value limited = node.map<arith::MinimumFOp>(
      node.map<arith::MaximumFOp>(rounded, low), high);
  return node.failed() ? Value() : node.cast(limited, type);
}

// round(x / scale) + zero
static Value quantized(Node &node, Value x, Value scales, Value zeros,
                       Type type) {
  Value y = node.map<math::RoundEvenOp>(node.map<arith::DivFOp>(x, scales));
  if (zeros)
    y = node.map<arith::AddFOp>(y, zeros);
  return node.failed() ? Value() : saturated(node, y, type);
}

static void translateQuantizeLinear(Node &node) {
  node.integer("saturate", 1); // of f8 alone
  Value x = node.input(0), scales = node.input(1);
  Value zeros = node.hasInput(2) ? node.input(2) : Value();
  Granularity of = granularityOf(node, x);
  int64_t output = node.integer("output_dtype", 0);
  if (node.integer("precision", 0) != 0)
    return node.fail("attribute 'precision': expected 0, the type of scales");
  if (node.failed())
    return;
  Type type = zeros    ? elementOf(zeros)
              : output ? node.elementType(output)
                       : node.b.getIntegerType(8, /*isSigned=*/false);
  if (node.failed())
    return;
  if (!isa<IntegerType>(type) || type.getIntOrFloatBitWidth() > 16)
    return node.fail("expected integers of 8 or 16 bits as outputs");
  Type computed = node.b.getF32Type();
  scales = spread(node, node.cast(scales, computed), x, of);
  if (zeros)
    zeros = spread(node, node.cast(zeros, computed), x, of);
  if (!node.failed())
    node.setResult(
        quantized(node, node.cast(x, computed), scales, zeros, type));
}

// Scale and zero are those with which bytes from 0 to 255 have all numbers of
// the tensor, and 0.
static void translateDynamicQuantizeLinear(Node &node) {
  Value x = node.input(0);
  if (node.failed())
    return;
  Type type = elementOf(x), byte = node.b.getIntegerType(8, false);
  SmallVector<int64_t> axes =
      llvm::to_vector(llvm::seq<int64_t>(0, Node::rankOf(x)));
  auto extreme = [&](ReductionKind kind) {
    return node.make<ReduceOp>(type, kind, x, axes, /*keepSizes=*/false);
  };
  Value zero = node.constant(0, type), most = node.constant(255, type);
  Value low = node.map<arith::MinimumFOp>(extreme(ReductionKind::Min), zero);
  Value high = node.map<arith::MaximumFOp>(extreme(ReductionKind::Max), zero);
  Value scale =
      node.map<arith::DivFOp>(node.map<arith::SubFOp>(high, low), most);
  // A tensor of zeros has a scale of 0, whose zero is 0.
  Value quotient = node.map<arith::DivFOp>(node.map<arith::NegFOp>(low), scale);
  Value isFlat =
      node.map<arith::CmpFOp>(arith::CmpFPredicate::OEQ, scale, zero);
  Value place = node.map<arith::SelectOp>(
      isFlat, zero, node.map<math::RoundEvenOp>(quotient));
  if (node.failed())
    return;
  Sizes sizes = sizesOf(x);
  Value divisor =
      node.map<arith::SelectOp>(isFlat, node.constant(1, type), scale);
  node.setResult(quantized(node, x, node.broadcastTo(divisor, sizes),
                           node.broadcastTo(place, sizes), byte));
  node.setResult(scale, 1);
  node.setResult(saturated(node, place, byte), 2);
}

//===-- products ----------------------------------------------------------===//

// Differences of integers and their zeros, in i32. Zeros are one for all, or
// those of rows or columns: `axis` counts from the end.
static Value withoutZeros(Node &node, Value x, int64_t zerosInput,
                          int64_t axis) {
  Type wide = node.b.getI32Type();
  Value wider = node.failed() ? Value() : node.cast(x, wide);
  if (!node.hasInput(zerosInput) || node.failed())
    return wider;
  Value zeros = node.cast(node.input(zerosInput), wide);
  if (node.failed())
    return {};
  Sizes sizes(Node::rankOf(x), node.size(1));
  if (Node::rankOf(zeros) == 1) {
    if (axis > int64_t(sizes.size())) {
      node.fail("expected one zero for a vector, found several");
      return {};
    }
    sizes[sizes.size() - axis] = sizesOf(zeros)[0];
  } else if (Node::rankOf(zeros) > 1) {
    sizes = sizesOf(zeros);
  }
  return node.map<arith::SubIOp>(
      wider, node.broadcastTo(node.reshaped(zeros, sizes), sizesOf(x)));
}

static void translateMatMulInteger(Node &node) {
  Value a = node.input(0), b = node.input(1);
  if (node.failed())
    return;
  if (Node::rankOf(a) < 2 || Node::rankOf(b) < 2)
    return node.fail("expected matrices, found a vector");
  a = withoutZeros(node, a, 2, /*axis=*/2);
  b = withoutZeros(node, b, 3, /*axis=*/1);
  node.setResult(node.make<MatmulOp>(node.b.getI32Type(), a, b,
                                     /*transposeA=*/false,
                                     /*transposeB=*/false));
}

// Integers of `bits` bits without a sign, whose groups of bytes begin anew in
// each row: [rows, count] of `type`, `offset` larger.
static Value unpacked(Node &node, Value bytes, int64_t rows, int64_t count,
                      int64_t bits, int64_t offset, Type type) {
  if (node.failed())
    return {};
  int64_t stored = llvm::divideCeil(count * bits, 8);
  if (product(node.b.getContext(), sizesOf(bytes)).asNumber() !=
      rows * stored) {
    node.fail("expected " + Twine(rows * stored) + " bytes, found " +
              product(node.b.getContext(), sizesOf(bytes)).str());
    return {};
  }
  Value matrix = node.reshaped(bytes, {node.size(rows), node.size(stored)});
  if (node.failed())
    return {};
  return UnpackOp::create(node.b, node.loc,
                          tensorOf({node.size(rows), node.size(count)}, type),
                          matrix, /*axis=*/1, bits, offset);
}

// A layer whose matrix [N, K] has a scale for each `block_size` inputs.
static void translateMatMulNBits(Node &node) {
  int64_t inputs = node.integer("K", 0), outputs = node.integer("N", 0),
          bits = node.integer("bits", 4), block = node.integer("block_size", 0);
  // What products have to have at least: f32 is more than any.
  node.integer("accuracy_level", 0);
  Value x = node.input(0), bytes = node.input(1), scales = node.input(2);
  if (node.hasInput(4))
    return node.fail("expected no g_idx, found one: inputs in another order");
  if (node.failed())
    return;
  if (inputs < 1 || outputs < 1 || block < 1 || inputs > INT32_MAX ||
      outputs > INT32_MAX || block > INT32_MAX || (bits != 4 && bits != 8))
    return node.fail("expected attributes K, N and block_size of at least 1, "
                     "and bits of 4 or 8");
  if (!node.isOfWeights(1) || !node.isOfWeights(2))
    return node.fail("expected a matrix and scales of the file");
  int64_t groups = llvm::divideCeil(inputs, block);
  bool hasZeros = node.hasInput(3);
  Type code = node.b.getIntegerType(bits, /*isSigned=*/!hasZeros);
  if (!hasZeros)
    code = node.b.getIntegerType(bits);
  int64_t middle = int64_t(1) << (bits - 1);
  Value codes = unpacked(node, bytes, outputs, groups * block, bits,
                         hasZeros ? 0 : -middle, code);
  Value zeros;
  if (hasZeros) {
    zeros = node.input(3);
    if (!node.failed() && isa<FloatType>(elementOf(zeros)))
      return node.fail("expected integers as zero_points, found floats");
    zeros = unpacked(node, zeros, outputs, groups, bits, 0, code);
  }
  Type computed = node.b.getF32Type();
  if (!node.failed())
    scales = node.reshaped(node.cast(scales, computed),
                           {node.size(outputs), node.size(groups)});
  Value matrix = node.make<DequantizeOp>(computed, codes, scales, zeros,
                                         /*minimums=*/Value(), /*axis=*/1);
  // Blocks are whole ones in the file.
  if (groups * block != inputs)
    matrix = node.make<SliceOp>(
        computed, matrix, node.array({node.size(0), node.size(0)}),
        node.array({node.size(outputs), node.size(inputs)}),
        ArrayRef<int64_t>{1, 1});
  Value bias = node.hasInput(5) ? node.cast(node.input(5), computed) : Value();
  if (node.failed())
    return;
  auto layer =
      LinearOp::create(node.b, node.loc, node.cast(x, computed), matrix, bias);
  node.resolve(layer);
  node.setResult(node.failed() ? Value() : node.cast(layer, elementOf(x)));
}

llvm::ArrayRef<Operator> onnx::quantizationOperators() {
  static constexpr Operator operators[] = {
      {"", "DequantizeLinear", translateDequantizeLinear},
      {"", "DynamicQuantizeLinear", translateDynamicQuantizeLinear},
      {"", "MatMulInteger", translateMatMulInteger},
      {"", "QuantizeLinear", translateQuantizeLinear},
      {"com.microsoft", "DequantizeLinear", translateDequantizeLinear},
      {"com.microsoft", "MatMulNBits", translateMatMulNBits},
      {"com.microsoft", "QuantizeLinear", translateQuantizeLinear},
  };
  return operators;
}
