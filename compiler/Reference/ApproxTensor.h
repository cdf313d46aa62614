// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formulas that are computed once for their values and once for their bounds:
// `compute(Op, const Operands &)` of the op's file, which returns a tensor for
// each result. It reads like the formula in the op's .td.

#ifndef HEDDLE_COMPILER_REFERENCE_APPROXTENSOR_H
#define HEDDLE_COMPILER_REFERENCE_APPROXTENSOR_H

#include "compiler/Reference/Approx.h"
#include "compiler/Reference/Evaluate.h"

namespace heddle::reference {

/// Dense, last dimension fastest.
struct ApproxTensor {
  llvm::SmallVector<int64_t> shape;
  std::vector<Approx> data;

  static ApproxTensor ofShape(llvm::ArrayRef<int64_t> shape);

  int64_t channels() const { return shape.back(); }
  int64_t rows() const {
    return channels() ? int64_t(data.size()) / channels() : 0;
  }
  /// The element at a point.
  Approx &at(llvm::ArrayRef<int64_t> point);
  const Approx &at(llvm::ArrayRef<int64_t> point) const {
    return const_cast<ApproxTensor *>(this)->at(point);
  }
};

using ApproxTensors = llvm::SmallVector<ApproxTensor, 2>;

/// What an op reads: values and, where bounds are asked for, their errors.
struct Operands {
  const Environment &values;
  const ErrorBounds *errors;

  ApproxTensor operator[](mlir::Value name) const;
  /// The bounds of an operand; none where it is exact.
  llvm::ArrayRef<double> errorsOf(mlir::Value name) const {
    return errors ? errors->of(name) : llvm::ArrayRef<double>();
  }
};

/// The results' values, as elements of their types.
Results valuesOf(mlir::Operation *op, llvm::ArrayRef<ApproxTensor> results);
llvm::SmallVector<Bounds> boundsOf(mlir::Operation *op,
                                   llvm::ArrayRef<ApproxTensor> results,
                                   Rounding rounding);

template <typename Op>
struct Computed : ReferenceOpInterface::ExternalModel<Computed<Op>, Op> {
  llvm::Expected<Results> run(mlir::Operation *op, Evaluator &,
                              Environment &values) const {
    llvm::Expected<ApproxTensors> results =
        compute(llvm::cast<Op>(op), Operands{values, nullptr});
    if (!results)
      return results.takeError();
    return valuesOf(op, *results);
  }
};

template <typename Op>
struct ComputedBounds
    : ErrorBoundOpInterface::ExternalModel<ComputedBounds<Op>, Op> {
  llvm::SmallVector<Bounds> boundErrors(mlir::Operation *op,
                                        const ErrorBounds &errors,
                                        const Environment &values,
                                        llvm::ArrayRef<Value> results) const {
    llvm::Expected<ApproxTensors> computed =
        compute(llvm::cast<Op>(op), Operands{values, &errors});
    if (!computed) { // The evaluator has reported it.
      llvm::consumeError(computed.takeError());
      return unknownBounds(results);
    }
    return boundsOf(op, *computed, errors.getRounding());
  }
};

template <typename... Ops> void attachComputed(mlir::MLIRContext *context) {
  attach<Computed, Ops...>(context);
  attach<ComputedBounds, Ops...>(context);
}

} // namespace heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_APPROXTENSOR_H
