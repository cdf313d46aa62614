// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of a function, computed by the reference from a few others.

#ifndef HEDDLE_COMPILER_TEXTENTRIES_PROBE_H
#define HEDDLE_COMPILER_TEXTENTRIES_PROBE_H

#include "compiler/Import/TensorSource.h"
#include "compiler/Reference/Values.h"
#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// A function of its own with those ops that a few values follow from.
class Probe {
public:
  /// An argument. It stands for `value`, or, where that is null, only for its
  /// sizes.
  struct Argument {
    mlir::Type elementType;
    Sizes sizes;
    mlir::Value value;
  };
  using Results = llvm::SmallVector<reference::Value>;

  /// Values `wanted` of `function` follow from `arguments`, weights and sizes.
  /// `tensors` has the weights, if there are any.
  Probe(mlir::func::FuncOp function, llvm::ArrayRef<Argument> arguments,
        llvm::ArrayRef<mlir::Value> wanted, const TensorSource *tensors);

  /// False where an op has no reference, or reads another argument.
  explicit operator bool() const { return bool(module); }
  llvm::Expected<Results>
  evaluate(llvm::ArrayRef<reference::Value> arguments) const;

  /// The numbers of what it computes: those of constants, of weights and tables
  /// of at most `kMostNumbers` elements, of attributes and sizes.
  llvm::Expected<std::vector<double>> numbers() const;

  static constexpr int64_t kMostNumbers = 64;

private:
  mlir::OwningOpRef<mlir::ModuleOp> module;
  const TensorSource *tensors;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_TEXTENTRIES_PROBE_H
