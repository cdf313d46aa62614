// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels need of sizes: that 32 bits count rows, extents, strides, tasks
// and elements, and that what is read of has an element.

#ifndef HEDDLE_COMPILER_HOST_BOUNDS_H
#define HEDDLE_COMPILER_HOST_BOUNDS_H

#include "compiler/Host/EntryPlan.h"
#include "compiler/Host/KernelSignature.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"

namespace heddle {

/// The least that a number must be; kLargestCount is the most of all.
using BoundMap = llvm::MapVector<SizeAttr, int64_t>;

/// Collects the numbers of an entry point that its sizes may make too large or
/// too small.
class Bounds {
public:
  Bounds(mlir::func::FuncOp function, const EntryPlan &entry)
      : function(function), entry(entry) {}

  /// Sizes of `heddle.counts`, which may be those of no kernel.
  mlir::LogicalResult addCounts();
  /// Those of one launch. Reports what is too large whatever the sizes are.
  mlir::LogicalResult add(KernelOp kernel, const KernelSignature &signature);
  /// Those of a tensor that control flow reads an element of.
  mlir::LogicalResult add(mlir::tensor::ExtractOp extract);

  const BoundMap &bounds() const { return checked; }
  /// So many bytes kernels may read of a buffer that has none, and make nothing
  /// of them; null where none does.
  SizeAttr readPastEmpty() const { return pastEmpty; }

private:
  mlir::LogicalResult add(SizeAttr number, int64_t least = 0);
  mlir::LogicalResult addReads(GenericOp op);
  mlir::LogicalResult addThreads(KernelOp kernel);
  mlir::LogicalResult addDivisors(SizeAttr size, SizeAttr written);
  mlir::LogicalResult addDivisors(GenericOp op);
  SizeAttr needed(SizeAttr size, SizeAttr written) const;
  void addReadPastEmpty(mlir::Value table, size_t dim);

  mlir::func::FuncOp function;
  const EntryPlan &entry;
  BoundMap checked;
  SizeAttr pastEmpty;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_HOST_BOUNDS_H
