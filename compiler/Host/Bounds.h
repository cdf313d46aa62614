// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels count with 32 bits: rows, extents, strides and tasks.

#ifndef HEDDLE_COMPILER_HOST_BOUNDS_H
#define HEDDLE_COMPILER_HOST_BOUNDS_H

#include "compiler/Host/EntryPlan.h"
#include "compiler/Host/KernelSignature.h"

#include "llvm/ADT/SetVector.h"

namespace heddle {

/// Collects the counts of an entry point that its sizes may make too large.
class Bounds {
public:
  Bounds(mlir::func::FuncOp function, const EntryPlan &entry)
      : function(function), entry(entry) {}

  /// Those of one launch. Reports what is too large whatever the sizes are.
  mlir::LogicalResult add(KernelOp kernel, const KernelSignature &signature);

  /// Each must be from 0 to kLargestCount in a call.
  llvm::ArrayRef<SizeAttr> counts() const { return checked.getArrayRef(); }

private:
  mlir::LogicalResult add(SizeAttr count);

  mlir::func::FuncOp function;
  const EntryPlan &entry;
  llvm::SetVector<SizeAttr> checked;
  llvm::DenseSet<SizeAttr> seen;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_HOST_BOUNDS_H
