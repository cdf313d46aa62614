// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which ops form one kernel. The plan is made before any IR changes, so that
// the rules can be read in one place (FusionPlan.cpp).

#ifndef HEDDLE_COMPILER_FUSION_FUSIONPLAN_H
#define HEDDLE_COMPILER_FUSION_FUSIONPLAN_H

#include "compiler/Fusion/RowGroup.h"
#include "dialect/Heddle/HeddleDialect.h"

#include "llvm/ADT/DenseMap.h"

namespace heddle {

/// The role that an op declares by FusionOpInterface. Of ops of other dialects,
/// control flow and numbers are told by their regions and types.
FusionRole fusionRole(mlir::Operation *op);

/// Whether kernels that read what `op` gives have a copy of it.
bool isClonedView(mlir::Operation *op);

/// Whether `op` hands tensors to control flow, or reads numbers of them: values
/// are complete before it, and what it gives is known after it.
bool isBarrier(mlir::Operation *op);

/// Kernels of one block, in an order in which they can be launched.
struct FusionPlan {
  struct Decision {
    mlir::Operation *op;
    std::optional<unsigned> kernel; ///< none: in no kernel, or in several
    std::string reason;
  };

  llvm::SmallVector<llvm::SmallVector<mlir::Operation *>> kernels;
  llvm::SmallVector<Decision> decisions;

  static FusionPlan of(mlir::Block &body);

  std::optional<unsigned> kernelOf(mlir::Operation *op) const {
    auto found = assignment.find(op);
    return found == assignment.end() ? std::nullopt
                                     : std::optional(found->second);
  }

private:
  unsigned start(mlir::Operation *op, std::string reason);
  void join(mlir::Operation *op, unsigned kernel, std::string reason);
  void placeGeneric(GenericOp op);
  /// Whether `kernel` with `op` has few enough scalar ops.
  bool hasRoom(unsigned kernel, GenericOp op) const;
  std::optional<unsigned> findSibling(GenericOp op);
  std::optional<unsigned> lastProducer(mlir::Value value);

  llvm::DenseMap<mlir::Operation *, unsigned> assignment;
  /// Those of kernels that are made of heddle.generic.
  llvm::DenseMap<unsigned, RowGroup> rowGroups;
  llvm::DenseMap<unsigned, size_t> scalarOps; ///< of their bodies
  unsigned closed = 0; ///< kernels before the last barrier take no more ops
  /// What lastProducer has found of views: values that several views share
  /// would be followed once for each path to them.
  llvm::DenseMap<mlir::Operation *, std::optional<unsigned>> lastProducers;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_FUSION_FUSIONPLAN_H
