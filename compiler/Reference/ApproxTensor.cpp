// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/ApproxTensor.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace heddle::reference {

ApproxTensor ApproxTensor::ofShape(ArrayRef<int64_t> shape) {
  return {llvm::to_vector(shape),
          std::vector<Approx>(Tensor::zeros(shape).data.size())};
}

Approx &ApproxTensor::at(ArrayRef<int64_t> point) {
  int64_t element = 0;
  for (auto [extent, coordinate] : llvm::zip_equal(shape, point))
    element = element * extent + coordinate;
  return data[element];
}

ApproxTensor Operands::operator[](mlir::Value name) const {
  auto tensor = values.tensor(name);
  ArrayRef<double> bounds = errorsOf(name);
  ApproxTensor result{tensor->shape, {}};
  result.data.reserve(tensor->data.size());
  for (auto [element, value] : llvm::enumerate(tensor->data))
    result.data.emplace_back(value, bounds.empty() ? 0 : bounds[element]);
  return result;
}

Results valuesOf(Operation *op, ArrayRef<ApproxTensor> results) {
  Results values;
  for (auto [result, type] : llvm::zip_equal(results, op->getResultTypes())) {
    Tensor tensor = Tensor::zeros(result.shape);
    for (auto [to, from] : llvm::zip_equal(tensor.data, result.data))
      to = storeAs(getElementTypeOrSelf(type), from, Rounding::Exactly).value;
    values.push_back(std::move(tensor));
  }
  return values;
}

SmallVector<Bounds> boundsOf(Operation *op, ArrayRef<ApproxTensor> results,
                             Rounding rounding) {
  SmallVector<Bounds> bounds;
  for (auto [result, type] : llvm::zip_equal(results, op->getResultTypes())) {
    Bounds &bound = bounds.emplace_back();
    for (Approx element : result.data)
      bound.push_back(
          storeAs(getElementTypeOrSelf(type), element, rounding).error);
  }
  return bounds;
}

} // namespace heddle::reference
