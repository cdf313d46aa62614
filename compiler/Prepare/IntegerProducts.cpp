// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cast(matmul(a - z, w - t))        (a of 8 bits, z one of them, w of weights)
//   -> linear(a, w) - t * sum(a) - z * (sum(w) - depth * t)

#include "compiler/Prepare/DecodedWeights.h"
#include "compiler/Prepare/GenericBuilder.h"
#include "compiler/Prepare/GroupSums.h"
#include "compiler/Prepare/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"

namespace heddle {
#define GEN_PASS_DEF_INTEGERPRODUCTS
#include "compiler/Prepare/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {

/// Integers of 8 bits, less zeros, as i32.
struct Codes {
  Value codes;
  Value zeros; ///< i32 of as many elements, or null

  /// Nothing but these; codes are null otherwise.
  static Codes of(Value value) {
    Codes found;
    if (auto difference = value.getDefiningOp<arith::SubIOp>()) {
      found.zeros = difference.getRhs();
      value = difference.getLhs();
    }
    auto wide = value.getDefiningOp<CastOp>();
    if (wide && getElementTypeOrSelf(wide.getInput()).isInteger(8) &&
        getElementTypeOrSelf(value).isSignlessInteger(32))
      found.codes = wide.getInput();
    return found;
  }

  /// The one number that all zeros are, without dimensions, or null.
  Value zero(ImplicitLocOpBuilder &b) const {
    Value value = zeros;
    while (Operation *op = value.getDefiningOp()) {
      bool isOne = llvm::all_of(
          sizesOf(value), [](SizeAttr size) { return size.asNumber() == 1; });
      if (isOne) {
        auto type = RankedTensorType::get({}, getElementTypeOrSelf(value));
        return ReshapeOp::create(b, type, value, b.getArrayAttr({}));
      }
      if (!isa<BroadcastOp>(op))
        break;
      value = op->getOperand(0);
    }
    return {};
  }
};

/// Weights [rows, 1] of ones, as kernels take the scales of integers from
/// weights.
class ScaleWeights {
public:
  explicit ScaleWeights(ModuleOp module) : module(module), symbols(module) {}

  Value get(ImplicitLocOpBuilder &b, int64_t rows) {
    auto type = RankedTensorType::get({rows, 1}, b.getF32Type());
    StringAttr &name = names[rows];
    if (!name) {
      auto top = OpBuilder::atBlockBegin(module.getBody());
      name = symbols.insert(WeightOp::create(
          top, module.getLoc(), top.getStringAttr("ones"), TypeAttr::get(type),
          StringAttr(), DenseElementsAttr::get(type, 1.0f)));
    }
    return WeightRefOp::create(b, type, name);
  }

private:
  ModuleOp module;
  SymbolTable symbols;
  llvm::DenseMap<int64_t, StringAttr> names; ///< by rows
};

/// Builds what takes the place of a product.
class ProductBuilder {
public:
  ProductBuilder(CastOp cast, ScaleWeights &scales)
      : b(cast.getLoc(), cast), scales(scales), f32(b.getF32Type()) {}

  /// cast(matmul(a, w)), or null where it is no such product.
  Value build(MatmulOp product) {
    Codes a = Codes::of(product.getA()), w = Codes::of(product.getB());
    bool isOfWeight = w.codes && sizesOf(w.codes).size() == 2 &&
                      followsFromWeights(w.codes) &&
                      (!w.zeros || followsFromWeights(w.zeros));
    if (!a.codes || !isOfWeight || product.getTransposeA() ||
        product.getTransposeB() ||
        *sizesOf(w.codes)[0].asNumber() > mostTerms(8))
      return {};
    Value zero = a.zeros ? a.zero(b) : Value();
    if (a.zeros && !zero)
      return {};
    if (getElementTypeOrSelf(a.codes).isUnsignedInteger()) {
      Value offset = number(-128, b.getI32Type());
      a.codes = withSign(a.codes);
      zero = zero ? arith::AddIOp::create(b, zero, offset) : offset;
    }
    return build(a.codes, zero, w);
  }

private:
  Value build(Value codes, Value zero, const Codes &w) {
    Value x = decodedInput(codes), matrix = decodedMatrix(transposed(w.codes));
    Value y = LinearOp::create(b, x, matrix, /*bias=*/Value());
    Value columns = sums(cast(w.codes, f32), /*axis=*/0, /*keepSizes=*/false);
    if (w.zeros) {
      Value zeros = ofColumns(w.zeros);
      double depth = *sizesOf(w.codes)[0].asNumber();
      Value depths = BroadcastOp::create(b, zeros.getType(), number(depth, f32),
                                         toArray(sizesOf(zeros)));
      columns = arith::SubFOp::create(b, columns,
                                      arith::MulFOp::create(b, zeros, depths));
      int64_t last = sizesOf(x).size() - 1;
      y = minusProduct(y, sums(x, last, /*keepSizes=*/true), zeros);
    }
    return zero ? minusProduct(y, cast(zero, f32), columns) : y;
  }

  ArrayAttr toArray(const Sizes &sizes) {
    return heddle::toArray(b.getContext(), sizes);
  }

  Value number(double value, Type type) {
    Attribute element = isa<FloatType>(type)
                            ? Attribute(b.getFloatAttr(type, value))
                            : Attribute(b.getIntegerAttr(type, int64_t(value)));
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(RankedTensorType::get({}, type), element));
  }

  Value cast(Value x, Type type) {
    return CastOp::create(b, tensorOf(sizesOf(x), type), x);
  }

  // Codes of 0 to 255, less 128.
  Value withSign(Value codes) {
    GenericBuilder g(b, b.getLoc(), sizesOf(codes));
    g.input(codes);
    g.result(b.getI8Type());
    return g.build([&](GenericBody &body) {
      Element code = body.input(0);
      return code + code.constant(-128);
    });
  }

  Value decodedInput(Value codes) {
    Sizes rows = sizesOf(codes);
    rows.back() = SizeAttr::number(b.getContext(), 1);
    Value ones = BroadcastOp::create(b, tensorOf(rows, f32), scales.get(b, 1),
                                     toArray(rows));
    return DequantizeOp::create(b, codes, ones, rows.size() - 1);
  }

  Value decodedMatrix(Value codes) {
    Value ones = scales.get(b, *sizesOf(codes)[0].asNumber());
    return DequantizeOp::create(b, codes, ones, /*axis=*/1);
  }

  Value transposed(Value matrix) {
    Sizes sizes = sizesOf(matrix);
    std::swap(sizes[0], sizes[1]);
    return TransposeOp::create(b, tensorOf(sizes, getElementTypeOrSelf(matrix)),
                               matrix, ArrayRef<int64_t>{1, 0});
  }

  Value sums(Value x, int64_t axis, bool keepSizes) {
    Sizes sizes = sizesOf(x);
    if (keepSizes)
      sizes[axis] = SizeAttr::number(b.getContext(), 1);
    else
      sizes.erase(sizes.begin() + axis);
    return ReduceOp::create(b, tensorOf(sizes, f32), ReductionKind::Sum, x,
                            axis, keepSizes);
  }

  // The zeros of a matrix, each of which is that of a column.
  Value ofColumns(Value zeros) {
    Sizes row = sizesOf(zeros);
    row[0] = SizeAttr::number(b.getContext(), 1);
    Sizes offsets(2, SizeAttr::number(b.getContext(), 0));
    Value first = SliceOp::create(b, tensorOf(row, getElementTypeOrSelf(zeros)),
                                  zeros, toArray(offsets), toArray(row),
                                  ArrayRef<int64_t>{1, 1});
    Sizes columns{row[1]};
    return cast(
        ReshapeOp::create(b, tensorOf(columns, getElementTypeOrSelf(zeros)),
                          first, toArray(columns)),
        f32);
  }

  Value minusProduct(Value x, Value p, Value q) {
    GenericBuilder g(b, b.getLoc(), sizesOf(x));
    for (Value input : {x, p, q})
      g.input(input);
    g.result(f32);
    return g.build([&](GenericBody &body) {
      return body.input(0) - body.input(1) * body.input(2);
    });
  }

  ImplicitLocOpBuilder b;
  ScaleWeights &scales;
  Type f32;
};

struct IntegerProducts : heddle::impl::IntegerProductsBase<IntegerProducts> {
  void runOnOperation() override {
    ScaleWeights scales(getOperation());
    getOperation().walk([&](CastOp cast) {
      auto product = cast.getInput().getDefiningOp<MatmulOp>();
      if (!product || !getElementTypeOrSelf(cast.getResult()).isF32() ||
          !getElementTypeOrSelf(product.getResult()).isInteger(32))
        return;
      Value made = ProductBuilder(cast, scales).build(product);
      if (!made)
        return;
      cast.replaceAllUsesWith(made);
      cast.erase();
    });
  }
};

} // namespace
