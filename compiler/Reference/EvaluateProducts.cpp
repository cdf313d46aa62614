// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/ApproxTensor.h"
#include "compiler/Reference/ScalarFunctions.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/Parallel.h"

#include <functional>
#include <numeric>

using namespace mlir;

namespace heddle::reference {

namespace {
/// A stack of matrices, broadcast to the batch of a result.
struct Matrices {
  SmallVector<int64_t> batch; ///< the dimensions before the last two
  int64_t rows, columns;
  bool isTransposed;

  Matrices(ArrayRef<int64_t> shape, bool isTransposed)
      : batch(shape.drop_back(2)), rows(shape[shape.size() - 2]),
        columns(shape.back()), isTransposed(isTransposed) {}

  int64_t outer() const { return isTransposed ? columns : rows; }
  int64_t inner() const { return isTransposed ? rows : columns; }

  /// Where the matrix of the result's batch `number` begins.
  int64_t begin(int64_t number, ArrayRef<int64_t> resultBatch) const {
    int64_t place = 0, stride = rows * columns;
    for (size_t dim = resultBatch.size(), own = batch.size(); dim-- > 0;) {
      int64_t coordinate = number % resultBatch[dim];
      number /= resultBatch[dim];
      if (own == 0)
        continue;
      --own;
      place += batch[own] == 1 ? 0 : coordinate * stride;
      stride *= batch[own];
    }
    return place;
  }
  /// The element of row i and column j of what is multiplied.
  int64_t place(int64_t i, int64_t j) const {
    return isTransposed ? j * columns + i : i * columns + j;
  }
};

/// The sizes of a product.
struct Product {
  Matrices a, b;
  SmallVector<int64_t> batch, shape;

  Product(MatmulOp op, const Environment &values)
      : a(values[op.getA()].shape(), op.getTransposeA()),
        b(values[op.getB()].shape(), op.getTransposeB()) {
    for (const Matrices *own : {&a, &b}) {
      int64_t more = int64_t(own->batch.size()) - int64_t(batch.size());
      if (more > 0)
        batch.insert(batch.begin(), more, 1);
      for (auto [to, from] : llvm::zip_equal(
               MutableArrayRef(batch).take_back(own->batch.size()), own->batch))
        to = to == 1 ? from : to;
    }
    shape = batch;
    shape.append({a.outer(), b.inner()});
  }

  /// sum over k of A[b.., i, k] * B[b.., k, j]: `term` gets a place in the
  /// result, in A and in B.
  void forEach(llvm::function_ref<void(int64_t, int64_t, int64_t)> term) const {
    int64_t stacks = llvm::product_of(batch);
    llvm::parallelFor(0, stacks * a.outer(), [&](size_t row) {
      int64_t stack = int64_t(row) / a.outer(), i = int64_t(row) % a.outer();
      int64_t ofA = a.begin(stack, batch), ofB = b.begin(stack, batch);
      for (int64_t j = 0; j < b.inner(); ++j)
        for (int64_t k = 0; k < a.inner(); ++k)
          term(int64_t(row) * b.inner() + j, ofA + a.place(i, k),
               ofB + b.place(k, j));
    });
  }
};
} // namespace

static ApproxTensor multiplyReals(MatmulOp op, const Product &product,
                                  const Operands &operands) {
  ApproxTensor a = operands[op.getA()], b = operands[op.getB()];
  ApproxTensor y = ApproxTensor::ofShape(product.shape);
  std::vector<Sum> sums(y.data.size());
  product.forEach([&](int64_t to, int64_t ofA, int64_t ofB) {
    sums[to].add(a.data[ofA] * b.data[ofB]);
  });
  for (auto [element, sum] : llvm::zip_equal(y.data, sums))
    element = sum.result();
  return y;
}

// Sums are i64, or i32, whose lower bits the result is. Of i1, it is whether
// there is a product.
static Tensor multiplyIntegers(MatmulOp op, const Product &product,
                               const Environment &values) {
  auto a = values.tensor(op.getA()), b = values.tensor(op.getB());
  Type type = getElementTypeOrSelf(op.getResult());
  unsigned width = type.getIntOrFloatBitWidth();
  Tensor y = Tensor::zeros(product.shape);
  std::vector<uint64_t> sums(y.data.size());
  product.forEach([&](int64_t to, int64_t ofA, int64_t ofB) {
    sums[to] += uint64_t(a->integer(ofA)) * uint64_t(b->integer(ofB));
  });
  for (auto [i, sum] : llvm::enumerate(sums)) {
    int64_t wrapped = wrap(sum, width == 64 ? 64 : 32);
    setElement(y, type, i,
               Scalar::of(width == 1 ? int64_t(wrapped != 0)
                                     : wrap(uint64_t(wrapped), width)));
  }
  return y;
}

static llvm::Expected<Results> evaluate(MatmulOp op,
                                        const Environment &values) {
  Product product(op, values);
  if (llvm::Error error =
          expectSize(op, "rows of B", product.a.inner(), product.b.outer()))
    return error;
  if (!isa<FloatType>(getElementTypeOrSelf(op.getResult())))
    return Results{multiplyIntegers(op, product, values)};
  return valuesOf(op, multiplyReals(op, product, {values, nullptr}));
}

namespace {
struct BoundedProduct
    : ErrorBoundOpInterface::ExternalModel<BoundedProduct, MatmulOp> {
  SmallVector<Bounds> boundErrors(Operation *operation,
                                  const ErrorBounds &errors,
                                  const Environment &values,
                                  ArrayRef<Value> results) const {
    auto op = cast<MatmulOp>(operation);
    if (isa<FloatType>(getElementTypeOrSelf(op.getResult())))
      return boundsOf(op,
                      multiplyReals(op, Product(op, values), {values, &errors}),
                      errors.getRounding());
    bool isExact = errors.of(op.getA()).empty() && errors.of(op.getB()).empty();
    return isExact ? SmallVector<Bounds>(1) : unknownBounds(results);
  }
};
} // namespace

void registerProducts(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attach<Formula, MatmulOp>(context);
    MatmulOp::attachInterface<BoundedProduct>(*context);
  });
}

} // namespace heddle::reference
